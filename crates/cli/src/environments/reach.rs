//! The way to one environment: a filesystem and whether its start directory is there, or why not.
//!
//! Greeting a server and asking for the start directory leave together, so an environment that
//! answers costs one round trip, and one that does not is known before anything is loaded.

use std::error::Error;
use std::sync::Arc;

use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system::{Environment, EnvironmentId, ExecutorFileSystem};
use codex_path_uri::PathUri;
use codex_sftp::{SftpFileSystem, SftpOptions};
use futures::future::join;

use super::definitions::Way;
use crate::cost::Meter;
use crate::exit::Failure;
use crate::session::check_directory;

/// What the client calls itself.
const CLIENT_NAME: &str = "codex-context";

/// Why there is no environment.
pub(super) enum Lost {
    /// Nobody answers.
    Unreachable(Box<dyn Error + Send + Sync>),
    /// It answers, and cannot be used as it was asked for.
    Refused(Failure),
}

/// This machine, from which others are reached.
pub(super) struct Host<'a> {
    /// Counts what every environment is asked.
    pub(super) meter: &'a Meter,
    /// Its filesystem, which is counted already.
    pub(super) filesystem: &'a Arc<dyn ExecutorFileSystem>,
}

/// An environment with this start directory, which is asked for if it `is_checked`.
///
/// # Round trips
/// None for this machine without the check; else those of connecting and one more.
///
/// # Errors
/// When it cannot be reached, or the directory is none.
pub(super) async fn reach(
    host: &Host<'_>,
    id: EnvironmentId,
    way: Way,
    directory: PathUri,
    is_checked: bool,
) -> Result<Environment, Lost> {
    let mut server = None;
    let filesystem: Arc<dyn ExecutorFileSystem> = match way {
        Way::Local => Arc::clone(host.filesystem),
        Way::Server(definition, bearer) => {
            let options = ClientOptions::new(CLIENT_NAME).with_bearer(bearer);
            let connected = RemoteFileSystem::connect(&definition, options).await;
            let connected = connected.map_err(unreachable)?;
            server = Some(connected.clone());
            host.meter.around(&id, connected)
        }
        Way::Sftp(command) => {
            let connected = SftpFileSystem::spawn(command, SftpOptions::default()).await;
            host.meter.around(&id, connected.map_err(unreachable)?)
        }
    };
    let environment = Environment::new(id, directory, filesystem);
    let greeting = async {
        match &server {
            Some(server) => server.server_info().await.map(drop),
            None => Ok(()),
        }
    };
    let check = async {
        if is_checked {
            check_directory(&environment).await
        } else {
            Ok(())
        }
    };
    let (greeted, checked) = join(greeting, check).await;
    greeted.map_err(unreachable)?;
    checked.map_err(Lost::Refused)?;
    Ok(environment)
}

fn unreachable(error: impl Error + Send + Sync + 'static) -> Lost {
    Lost::Unreachable(Box::new(error))
}
