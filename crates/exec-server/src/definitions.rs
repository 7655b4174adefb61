//! The environments a host may use, as `environments.toml` defines them.
//!
//! This module reads text and starts nothing. Values of the process environment are passed in:
//! that of `CODEX_EXEC_SERVER_URL`, and, by the host, the token that `bearer_token_env` names.

mod command;
mod error;
mod fields;
mod file;

use std::time::Duration;

use codex_file_system::{CommandSpec, EnvironmentId};

pub use command::{InvalidDestination, docker_command, kubectl_command, ssh_command};
pub use error::{DefinitionError, DefinitionFault, TextPosition};

/// The environments of a file, and which of them is the default.
///
/// # Examples
/// ```
/// use codex_exec_server::{EnvironmentDefinitions, Target};
///
/// let text = r#"
/// default = "build"
///
/// [[environments]]
/// id = "build"
/// program = "ssh"
/// args = ["build-host", "codex-context", "serve", "--listen", "stdio"]
/// "#;
/// let definitions = EnvironmentDefinitions::parse(text, "environments.toml")?;
/// assert!(definitions.include_local);
/// let Target::Program(command) = &definitions.environments[0].target else {
///     panic!("a program");
/// };
/// assert_eq!(command.program, "ssh");
/// # Ok::<(), codex_exec_server::DefinitionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentDefinitions {
    /// The environment to use where none is named: one of `environments`, or `local` or `none`.
    pub default: Option<String>,
    /// Whether this host is an environment too.
    pub include_local: bool,
    /// The environments, in the order of the file.
    pub environments: Vec<EnvironmentDefinition>,
}

/// One environment: its identity and how to reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentDefinition {
    /// What the environment is called.
    pub id: EnvironmentId,
    /// How to reach it.
    pub target: Target,
    /// How long one attempt to connect may take; only for a URL.
    pub connect_timeout: Option<Duration>,
    /// How long the server may take to answer the handshake.
    pub initialize_timeout: Option<Duration>,
}

/// How to reach a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// At a WebSocket URL.
    Url {
        /// The `ws` or `wss` URL.
        url: String,
        /// The variable that holds the bearer token; the host resolves it.
        bearer_token_env: Option<String>,
    },
    /// Through the standard input and output of a program that is started for it.
    Program(CommandSpec),
}

impl EnvironmentDefinition {
    /// An environment with the client's own timeouts.
    pub fn new(id: EnvironmentId, target: Target) -> Self {
        Self {
            id,
            target,
            connect_timeout: None,
            initialize_timeout: None,
        }
    }
}

impl EnvironmentDefinitions {
    /// Reads the text of a definitions file; `file` is what errors call it.
    ///
    /// # Errors
    /// The first thing in the file that is not as it must be.
    pub fn parse(text: &str, file: &str) -> Result<Self, DefinitionError> {
        file::parse(text, file)
    }

    /// What the value of `CODEX_EXEC_SERVER_URL` defines where there is no file: `None` if it is
    /// unset or blank, no environment at all if it is `none`, else one called `remote`.
    ///
    /// # Errors
    /// The value is not a `ws` or `wss` URL.
    ///
    /// # Examples
    /// ```
    /// use codex_exec_server::EnvironmentDefinitions;
    ///
    /// let defined = EnvironmentDefinitions::from_url_variable(Some(" ws://127.0.0.1:4000 "))?;
    /// let defined = defined.ok_or("a URL is set")?;
    /// assert_eq!(defined.environments[0].id.as_str(), "remote");
    /// assert!(EnvironmentDefinitions::from_url_variable(Some(" "))?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_url_variable(value: Option<&str>) -> Result<Option<Self>, DefinitionError> {
        file::from_url_variable(value)
    }
}
