//! Trees as tree literals, from paths relative to a plugin's root.

use codex_file_system_testkit::{MemoryFileSystem, escape};
use codex_path_uri::{PathConvention, PathUri};

use super::empty_memory;

/// The path of a URI as a tree literal spells it.
pub(crate) fn literal_path(path: &PathUri) -> String {
    let names = path.names().unwrap().map(|name| match name.convention() {
        PathConvention::Posix => escape(name.as_posix_bytes().unwrap()),
        PathConvention::Windows => escape(name.as_str().unwrap().as_bytes()),
    });
    let root = path.root_name().unwrap().replace('\\', "/");
    format!(
        "{}/{}",
        root.trim_end_matches('/'),
        names.collect::<Vec<_>>().join("/")
    )
}

/// Memory with an existing root directory and files below it, paths separated by `/`.
pub(crate) fn memory_with(root: &PathUri, files: &[(&str, &str)]) -> MemoryFileSystem {
    let fs = empty_memory(root);
    fs.add_tree(&format!("{}/", literal_path(root).trim_end_matches('/')))
        .unwrap();
    for (path, text) in files {
        let path = literal_path(&root.join(path).unwrap());
        fs.add_tree(&format!("{path} = {}", escape(text.as_bytes())))
            .unwrap();
    }
    fs
}
