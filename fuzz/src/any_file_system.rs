//! What may be relied on of a filesystem at the other end of a wire, whatever comes over it.

use codex_file_system::{ExecutorFileSystem, ReadDirectoryEntry, WalkOptions};
use codex_path_uri::{PathConvention, PathUri};

use crate::path_laws;

/// Asks everything that only reads, all at once, and then once more one after the other.
pub(crate) async fn ask(fs: &dyn ExecutorFileSystem, root: &PathUri) {
    let convention = root.convention().unwrap_or(PathConvention::Posix);
    let options = WalkOptions::new(3, 20, 100);
    let (metadata, listing, canonical, prefix, walk) = tokio::join!(
        fs.get_metadata(root, None),
        fs.read_directory(root, None),
        fs.canonicalize(root, None),
        fs.read_file_prefix(root, 10, Some(5), None),
        fs.walk(root, &options, None),
    );
    if let Ok(metadata) = metadata {
        assert!(!(metadata.is_file && metadata.is_directory));
    }
    for listing in [listing, fs.read_directory(root, None).await]
        .into_iter()
        .flatten()
    {
        check_listing(root, &listing, convention);
    }
    for canonical in [canonical, fs.canonicalize(root, None).await]
        .into_iter()
        .flatten()
    {
        path_laws::check(&canonical);
    }
    for prefix in [prefix, fs.read_file_prefix(root, 10, None, None).await]
        .into_iter()
        .flatten()
    {
        assert!(prefix.bytes.len() <= 10);
    }
    if let Ok(walk) = walk {
        assert!(walk.entries.len() <= options.max_entries);
        for entry in walk.entries {
            assert!(entry.path.starts_with(root) && entry.path != *root);
        }
    }
    // Whatever it is, it ended.
    let _ = fs.read_file(root, None).await;
}

fn check_listing(root: &PathUri, listing: &[ReadDirectoryEntry], convention: PathConvention) {
    assert!(listing.is_sorted_by(|a, b| a.file_name < b.file_name));
    for entry in listing {
        assert_eq!(entry.file_name.convention(), convention);
        let path = root.join_name(&entry.file_name);
        let path = path.expect("a listed name joins to its directory");
        assert!(path.is_opaque() || path.parent().as_ref() == Some(root));
    }
}
