//! What clients are told of this machine.

use std::path::Path;

use codex_exec_server::Shell;
use codex_exec_server::server::EnvironmentInfo;
use codex_path_uri::{AbsolutePathBuf, PathUri};

use crate::exit::Failure;
use crate::host;

/// This machine, as its user sees it. Where only some directories are served and the current one
/// is none of them, the first of them stands for it.
///
/// # Errors
/// When the current directory or the config home cannot be told.
pub(super) fn info(
    config_home: Option<&Path>,
    roots: &[AbsolutePathBuf],
) -> Result<EnvironmentInfo, Failure> {
    let current = host::current_directory()?;
    let is_served = roots.is_empty() || roots.iter().any(|root| current.starts_with(root));
    let cwd = roots.first().filter(|_| !is_served).unwrap_or(&current);
    // A user without a home directory has no config home either, and can be served all the same.
    let home = host::home().ok();
    let config_home = host::config_home(config_home).ok();
    let shell = host::shell().map(|(name, path)| Shell { name, path });
    Ok(EnvironmentInfo {
        shell,
        executor_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        user_home: home.map(|home| PathUri::from_abs_path(&home)),
        codex_home: config_home.map(|home| PathUri::from_abs_path(&home.directory)),
        hostname: host::machine_name(),
        temp_directory: Some(PathUri::from_abs_path(&host::temporary_directory()?)),
        platform_os: Some(std::env::consts::OS.to_owned()),
        ..EnvironmentInfo::new(PathUri::from_abs_path(cwd))
    })
}
