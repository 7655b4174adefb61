//! Whether a chosen environment answers and its start directory is there, or why not.
//!
//! An environment can be asked before that is known: its first calls leave together with the
//! greeting and the question for the start directory, so all of it costs one round trip.

use std::error::Error;
use std::io;
use std::sync::Arc;

use codex_context::StartDirectory;
use codex_exec_server::{ConnectError, RemoteFileSystem};
use codex_file_system::call::{Call, Uniform};
use codex_file_system::{
    Environment, ExecutorFileSystem, FileKind, FileSystemFuture, Severity, uniform_file_system,
};
use codex_sftp::{SftpFileSystem, SftpOptions};
use futures::future::{BoxFuture, FutureExt as _, Shared, join};
use serde::Serialize;
use tracing::{Instrument as _, debug_span};

use super::definitions::Server;
use super::target::EnvironmentChoice;
use crate::exit::{self, Failure};
use crate::output::diagnostic::Diagnostic;
use crate::output::diagnostic::chain;

const UNREACHABLE: &str = "environment_unreachable";
const ADVICE: &str = "check the target and that a server runs or can be started there";

/// An environment where an agent works.
pub(crate) struct Chosen {
    /// What was asked for.
    pub(super) choice: EnvironmentChoice,
    /// The environment, which may turn out to be out of reach.
    pub(crate) environment: Environment,
    /// The way to it; `None` for this machine.
    pub(super) connection: Option<Connection>,
    /// Whether it is not known yet that the start directory exists.
    pub(super) needs_check: bool,
}

/// Why there is no environment.
#[derive(Clone)]
pub(crate) enum ReachError {
    /// Nobody answers.
    Unreachable(Unreachable),
    /// It answers, and cannot be used as it was asked for.
    Refused(Failure),
}

impl From<Failure> for ReachError {
    fn from(failure: Failure) -> Self {
        Self::Refused(failure)
    }
}

impl Chosen {
    /// The environment as a session takes it.
    pub(crate) fn of_session(&self) -> codex_context::Environment {
        let mut environment = codex_context::Environment::from(self.environment.clone());
        environment.start_directory = match self.needs_check || self.connection.is_some() {
            true => StartDirectory::Checked,
            false => StartDirectory::Known,
        };
        environment
    }

    /// Waits until it has answered, and is known to have the start directory.
    ///
    /// # Round trips
    /// None for this machine where the directory is known to exist; else those of connecting and
    /// one more, which the first calls share.
    ///
    /// # Errors
    /// When it cannot be reached, or the directory is none.
    pub(crate) async fn reach(&self) -> Result<(), ReachError> {
        let check = async {
            if self.needs_check {
                return check_directory(&self.environment).await;
            }
            Ok(())
        };
        // Whoever does not answer cannot say where a directory is.
        let (greeted, checked) = join(self.greet(), check).await;
        greeted?;
        checked
    }

    /// Waits until it has answered.
    ///
    /// # Round trips
    /// As [`reach`](Self::reach).
    ///
    /// # Errors
    /// When it cannot be reached.
    pub(crate) async fn greet(&self) -> Result<(), ReachError> {
        match &self.connection {
            Some(connection) => connection.greet().await.map_err(|error| self.lost(error)),
            None => Ok(()),
        }
    }

    /// A target that no server can have is a mistake of whoever gave it.
    fn lost(&self, error: Unreachable) -> ReachError {
        match error.downcast_ref() {
            Some(ConnectError::InvalidUrl { .. }) => {
                let advice = "give ws://HOST:PORT or wss://HOST:PORT";
                ReachError::Refused(Failure::new(self.what(), advice).caused_by(error))
            }
            Some(ConnectError::ExposedToken { .. }) => {
                let advice = "use wss://, reach it through ssh:, or give --allow-clear-text-token";
                ReachError::Refused(Failure::new(self.what(), advice).caused_by(error))
            }
            _ => ReachError::Unreachable(error),
        }
    }

    fn what(&self) -> String {
        let EnvironmentChoice { id, text, .. } = &self.choice;
        format!("cannot reach the environment `{id}` ({text})")
    }

    fn finding(&self, error: &(dyn Error + 'static)) -> serde_json::Result<Diagnostic> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Fields<'a> {
            environment_id: &'a str,
            target: &'a str,
        }
        let fields = Fields {
            environment_id: self.choice.id.as_str(),
            target: &self.choice.text,
        };
        let found = Diagnostic::new(Severity::Error, UNREACHABLE, self.what(), &fields)?;
        Ok(found.caused_by(error))
    }
}

/// Whether the start directory of an environment is one.
///
/// # Round trips
/// 1.
///
/// # Errors
/// When it is none, does not exist or cannot be asked for; or when nobody answers any more.
async fn check_directory(environment: &Environment) -> Result<(), ReachError> {
    let (id, cwd) = (environment.id(), environment.cwd());
    let found = environment.filesystem().get_metadata(cwd, None);
    let found = found.instrument(debug_span!("start_directory")).await;
    let path = cwd.inferred_native_path_string();
    let refused = |why: &str| {
        let what = format!("cannot start in {path} (environment `{id}`){why}");
        Failure::new(what, "name an existing directory")
    };
    Err(match found {
        Ok(metadata) if metadata.kind == FileKind::Directory => return Ok(()),
        Ok(_) => refused(": it is no directory").into(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            refused(": it does not exist").into()
        }
        Err(error) if is_no_answer(error.kind()) => ReachError::Unreachable(Arc::new(error)),
        Err(error) => refused("").caused_by(error).into(),
    })
}

/// Whether an error tells of the way to a machine and not of a directory there.
fn is_no_answer(kind: io::ErrorKind) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        kind,
        Kind::BrokenPipe
            | Kind::ConnectionAborted
            | Kind::ConnectionRefused
            | Kind::ConnectionReset
            | Kind::InvalidData
            | Kind::NotConnected
            | Kind::TimedOut
            | Kind::UnexpectedEof
    )
}

/// What the environments that were reached gave, in the order they were chosen, and a finding for
/// each that was not.
///
/// # Errors
/// The first that cannot be used as it was asked for; and when none was reached.
pub(crate) fn reached<T>(
    chosen: &[Chosen],
    results: Vec<Result<T, ReachError>>,
) -> Result<(Vec<T>, Vec<Diagnostic>), Failure> {
    let (mut found, mut lost) = (Vec::new(), Vec::new());
    for (chosen, result) in chosen.iter().zip(results) {
        match result {
            Ok(result) => found.push(result),
            Err(ReachError::Refused(failure)) => return Err(failure),
            Err(ReachError::Unreachable(error)) => lost.push((chosen, error)),
        }
    }
    if found.is_empty() {
        return Err(none_reached(&lost));
    }
    let findings = lost.iter().map(|(chosen, error)| chosen.finding(error));
    Ok((found, findings.collect::<Result<_, _>>()?))
}

/// What to do about one environment that is out of reach.
fn advice(error: &Unreachable) -> &'static str {
    // What TLS says of a certificate is known to the library that speaks it by its own types only.
    let is_untrusted = || {
        chain(error)
            .iter()
            .any(|cause| cause.contains("UnknownIssuer"))
    };
    match error.downcast_ref() {
        Some(ConnectError::Unauthorized { .. }) => {
            "name the variable that holds the server's bearer token with `--token-env`"
        }
        Some(_) if is_untrusted() => {
            "name the file with the certificate of its issuer in the variable SSL_CERT_FILE"
        }
        _ => ADVICE,
    }
}

fn none_reached(lost: &[(&Chosen, Unreachable)]) -> Failure {
    let failure = match lost {
        [(chosen, error)] => {
            Failure::new(chosen.what(), advice(error)).caused_by(Arc::clone(error))
        }
        lost => {
            let causes = lost.iter().map(|(chosen, error)| {
                let texts = chain(error);
                format!("`{}`: {}", chosen.choice.id, texts.join(": "))
            });
            let causes = causes.collect::<Vec<_>>().join("; ");
            Failure::new("cannot reach any of the environments", ADVICE).caused_by(causes)
        }
    };
    failure.with_code(exit::UNREACHABLE)
}

/// Why nobody answers.
pub(super) type Unreachable = Arc<dyn Error + Send + Sync>;

/// An attempt to reach another machine, begun when it is first waited for. Clones share it.
#[derive(Clone)]
pub(super) struct Connection(Shared<BoxFuture<'static, Result<Connected, Unreachable>>>);

#[derive(Clone)]
struct Connected {
    filesystem: Arc<dyn ExecutorFileSystem>,
    /// What greets, where the protocol has a greeting that calls do not wait for.
    server: Option<RemoteFileSystem>,
}

impl Connection {
    /// To this server. Nothing is done yet.
    pub(super) fn new(server: Server) -> Self {
        Self(connect(server).boxed().shared())
    }

    /// Waits until the server has answered.
    ///
    /// # Round trips
    /// Those of connecting and one more, which the first calls share.
    ///
    /// # Errors
    /// When it does not answer, or refuses to.
    pub(super) async fn greet(&self) -> Result<(), Unreachable> {
        let connected = self.0.clone().await?;
        match connected.server {
            Some(server) => server.server_info().await.map(drop).map_err(unreachable),
            None => Ok(()),
        }
    }
}

async fn connect(server: Server) -> Result<Connected, Unreachable> {
    match server {
        Server::Exec(definition, options) => {
            let connected = RemoteFileSystem::connect(&definition, *options).await;
            let server = connected.map_err(unreachable)?;
            Ok(Connected {
                filesystem: Arc::new(server.clone()),
                server: Some(server),
            })
        }
        Server::Sftp(command) => {
            let connected = SftpFileSystem::spawn(command, SftpOptions::default()).await;
            Ok(Connected {
                filesystem: Arc::new(connected.map_err(unreachable)?),
                server: None,
            })
        }
    }
}

fn unreachable(error: impl Error + Send + Sync + 'static) -> Unreachable {
    Arc::new(error)
}

/// The filesystem at the other end of a connection.
pub(super) struct LazyFileSystem(pub(super) Connection);

impl LazyFileSystem {
    async fn connected(&self) -> io::Result<Arc<dyn ExecutorFileSystem>> {
        match self.0.0.clone().await {
            Ok(connected) => Ok(connected.filesystem),
            Err(error) => Err(io::Error::new(io::ErrorKind::NotConnected, error)),
        }
    }
}

/// Every call waits for the connection, and then is that of the filesystem behind it.
impl Uniform for LazyFileSystem {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let filesystem = self.connected().await?;
            call.make(&*filesystem).await
        })
    }
}

uniform_file_system! { impl for LazyFileSystem }
