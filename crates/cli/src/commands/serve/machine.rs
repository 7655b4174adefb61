//! What clients are told of this machine.

use std::path::Path;

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
    let mut info = EnvironmentInfo::new(PathUri::from_abs_path(cwd))
        .with_executor_version(env!("CARGO_PKG_VERSION"))
        .with_platform_os(std::env::consts::OS)
        .with_temp_directory(PathUri::from_abs_path(&host::temporary_directory()?));
    if let Some((name, path)) = host::shell() {
        info = info.with_shell(name, path);
    }
    // A user without a home directory has no config home either, and can be served all the same.
    if let Ok(home) = host::home() {
        info = info.with_user_home(PathUri::from_abs_path(&home));
    }
    if let Ok(config_home) = host::config_home(config_home) {
        info = info.with_codex_home(PathUri::from_abs_path(&config_home.directory));
    }
    if let Some(name) = host::machine_name() {
        info = info.with_hostname(name);
    }
    Ok(info)
}
