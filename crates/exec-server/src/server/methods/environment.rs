//! `environment/info`, `environment/status`, `environmentConfig/read` and `fs/watchMissing`:
//! what is answered without asking the filesystem.

use std::borrow::Cow;
use std::io;

use crate::envelope::{WireError, code};
use crate::error_map::refusal;
use crate::protocol::{
    ConfigLayers, EnvironmentConfigRead, EnvironmentConfigReadParams, EnvironmentConfigReadResult,
    EnvironmentInfo, EnvironmentInfoMethod, EnvironmentStatus, EnvironmentStatusResult, Nothing,
    SandboxParam, WatchMissing, WatchMissingParams, WatchMissingResult,
};
use crate::server::connection::Caller;
use crate::server::dispatch::Serve;

impl Serve for EnvironmentInfoMethod {
    async fn serve(caller: &Caller, _: Nothing) -> Result<EnvironmentInfo, WireError> {
        Ok(caller.service().wire_info.clone())
    }
}

impl Serve for EnvironmentStatus {
    async fn serve<'a>(
        _: &'a Caller,
        _: Nothing,
    ) -> Result<EnvironmentStatusResult<'a>, WireError> {
        Ok(EnvironmentStatusResult {
            status: Cow::Borrowed("ready"),
        })
    }
}

impl Serve for EnvironmentConfigRead {
    /// No layers: a client that asks this way reads the files themselves by `fs/readFile`.
    async fn serve<'a>(
        caller: &'a Caller,
        params: EnvironmentConfigReadParams<'a>,
    ) -> Result<EnvironmentConfigReadResult<'a>, WireError> {
        caller.path(&params.cwd, SandboxParam::Unrestricted)?;
        let info = caller.service().info();
        let (Some(user_home), Some(codex_home), Some(hostname)) =
            (&info.user_home, &info.codex_home, &info.hostname)
        else {
            return Err(refusal(
                code::INTERNAL_ERROR,
                io::ErrorKind::Unsupported,
                "the server was not told the directories of its user",
            ));
        };
        Ok(EnvironmentConfigReadResult {
            user_home_dir: Cow::Borrowed(user_home.as_str()),
            codex_home_dir: Cow::Borrowed(codex_home.as_str()),
            hostname: Cow::Borrowed(hostname),
            config: ConfigLayers::default(),
            requirements: ConfigLayers::default(),
        })
    }
}

impl Serve for WatchMissing {
    async fn serve<'a>(
        caller: &'a Caller,
        params: WatchMissingParams<'a>,
    ) -> Result<WatchMissingResult, WireError> {
        for path in params.missing.iter().chain([&params.present]) {
            caller.path(path, params.sandbox)?;
        }
        Ok(WatchMissingResult { watching: false })
    }
}
