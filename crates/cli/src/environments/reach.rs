//! Whether a chosen environment answers and its start directory is there, or why not.
//!
//! An environment can be asked before that is known: its first calls leave together with the
//! greeting, so both cost one round trip.
//!
//! A filesystem is there at once and connects when it is needed. The first call, or a greeting,
//! begins to connect, and all that come meanwhile wait for the same attempt. So one environment that
//! is hard to reach delays no other one. An attempt that failed is not made again: every later call
//! is told of the same failure.

use std::error::Error;
use std::io;
use std::sync::Arc;

use codex_context::{Context, ContextError, EnvironmentState, StartDirectory};
use codex_exec_server::{ConnectError, RemoteFileSystem};
use codex_file_system::call::{Call, Uniform};
use codex_file_system::{
    Environment, EnvironmentId, ExecutorFileSystem, FileSystemFuture, Severity, uniform_file_system,
};
use codex_sftp::{SftpFileSystem, SftpOptions};
use futures::future::{BoxFuture, FutureExt as _, Shared};
use serde::Serialize;

use super::BoundEnvironments;
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
    /// Its files, as a session takes them: calls name no environment yet.
    pub(super) filesystem: Arc<dyn ExecutorFileSystem>,
    /// The way to it; `None` for this machine.
    pub(super) connection: Option<Connection>,
    /// Whether it is not known yet that the start directory exists.
    pub(super) needs_check: bool,
}

impl Chosen {
    /// The environment as a session takes it.
    pub(crate) fn of_session(&self) -> codex_context::Environment {
        let start_directory = match self.needs_check {
            true => StartDirectory::Checked,
            false => StartDirectory::Known,
        };
        codex_context::Environment {
            id: self.environment.id().clone(),
            cwd: self.environment.cwd().clone(),
            filesystem: Arc::clone(&self.filesystem),
            call_timeout: None,
            start_directory,
        }
    }

    /// Waits until it has answered.
    ///
    /// # Round trips
    /// None for this machine; else those of connecting and one more, which the first calls share.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub(super) async fn greet(&self) -> Result<(), Failure> {
        let greeted = match &self.connection {
            Some(connection) => connection.greet().await,
            None => Ok(()),
        };
        greeted.map_err(|error| {
            self.refusal(&error)
                .unwrap_or_else(|| none_reached(&[(self, error)]))
        })
    }

    /// What keeps it from answering: what connecting failed with, else what a call did.
    async fn obstacle(&self, call: &Arc<io::Error>) -> Unreachable {
        let greeted = match &self.connection {
            Some(connection) => connection.greet().await,
            None => Ok(()),
        };
        greeted.err().unwrap_or_else(|| Arc::new(Arc::clone(call)))
    }

    /// A target that no server can have is a mistake of whoever gave it.
    fn refusal(&self, error: &Unreachable) -> Option<Failure> {
        match error.downcast_ref() {
            Some(ConnectError::InvalidUrl { .. }) => {
                let advice = "give ws://HOST:PORT or wss://HOST:PORT";
                Some(Failure::new(self.what(), advice).caused_by(Arc::clone(error)))
            }
            Some(ConnectError::ExposedToken { .. }) => {
                let advice = "use wss://, reach it through ssh:, or give --allow-clear-text-token";
                Some(Failure::new(self.what(), advice).caused_by(Arc::clone(error)))
            }
            _ => None,
        }
    }

    fn what(&self) -> String {
        let EnvironmentChoice { id, text, .. } = &self.choice;
        format!("cannot reach the environment `{id}` ({text})")
    }

    fn diagnostic(&self, error: &Unreachable) -> serde_json::Result<Diagnostic> {
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

impl BoundEnvironments {
    /// Why no session starts.
    ///
    /// # Round trips
    /// None: an attempt to connect that failed is not made again.
    pub(crate) async fn failure(&self, error: ContextError) -> Failure {
        let ContextError::Unreachable { environments } = &error else {
            return error.into();
        };
        let mut lost = Vec::new();
        for (id, error) in environments {
            if let Some(chosen) = self.chosen(id) {
                lost.push((chosen, chosen.obstacle(error).await));
            }
        }
        let refusal = lost
            .iter()
            .find_map(|(chosen, error)| chosen.refusal(error));
        refusal.unwrap_or_else(|| none_reached(&lost))
    }

    /// What is told of each environment that a session did not reach.
    ///
    /// # Round trips
    /// As [`failure`](Self::failure).
    ///
    /// # Errors
    /// When an environment has a target that no server can have.
    pub(crate) async fn unreachable(&self, session: &Context) -> Result<Vec<Diagnostic>, Failure> {
        let mut told = Vec::new();
        for environment in session.environments() {
            let EnvironmentState::Unreachable(error) = &environment.state else {
                continue;
            };
            let Some(chosen) = self.chosen(&environment.environment.id) else {
                continue;
            };
            let error = chosen.obstacle(error).await;
            match chosen.refusal(&error) {
                Some(refusal) => return Err(refusal),
                None => told.push(chosen.diagnostic(&error)?),
            }
        }
        Ok(told)
    }

    fn chosen(&self, id: &EnvironmentId) -> Option<&Chosen> {
        self.chosen.iter().find(|it| it.choice.id == *id)
    }
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
