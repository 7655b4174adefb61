//! The roots of a confinement, opened on this host.

use std::io;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use codex_path_uri::{AbsolutePathBuf, PathUri};

/// A directory of this host that is served, and nothing outside of it.
#[derive(Debug)]
pub(crate) struct Root {
    /// As the host named it.
    pub(crate) spelled: PathUri,
    /// Without links.
    pub(crate) real: PathUri,
    /// The only way to what is below.
    pub(crate) directory: Dir,
}

/// Opens a root. From then on its name is only a name: what is served is the opened directory.
pub(crate) fn open_root(path: &AbsolutePathBuf) -> io::Result<Root> {
    let real = std::fs::canonicalize(path.as_path())?;
    Ok(Root {
        spelled: PathUri::from_abs_path(path),
        directory: Dir::open_ambient_dir(&real, ambient_authority())?,
        real: PathUri::from_host_native_path(real)?,
    })
}
