//! How a chosen environment is reached: from the command line, or from `environments.toml`.

use std::io;

use codex_exec_server::{
    ClientOptions, EnvironmentDefinition, EnvironmentDefinitions, SecretString,
    Target as ServerTarget, ssh_command,
};
use codex_file_system::{CommandSpec, ExecutorFileSystem};
use codex_path_uri::PathUri;
use tracing::{Instrument as _, debug_span};

use super::target::words;
use super::target::{EnvironmentChoice, Target};
use crate::exit::Failure;
use crate::host;
use crate::options::{ConfigurationOptions, EnvironmentOptions};

/// What the client calls itself.
const CLIENT_NAME: &str = "codex-context";
/// The file of definitions, in the config home.
const FILE_NAME: &str = "environments.toml";
/// The variable that defines one environment where there is no file.
const URL_VARIABLE: &str = "CODEX_EXEC_SERVER_URL";

/// What answers for another machine, and how it is reached.
pub(super) enum Server {
    /// An exec-server, and how it is talked to.
    Exec(EnvironmentDefinition, Box<ClientOptions>),
    /// A program that speaks SFTP.
    Sftp(CommandSpec),
}

/// An exec-server that wants this token.
///
/// # Errors
/// When it is to be reached over TLS and the certificates that are to be trusted cannot be read.
fn exec(
    definition: EnvironmentDefinition,
    bearer: Option<SecretString>,
    clear_text_bearer: bool,
) -> Result<Server, Failure> {
    let mut options = ClientOptions {
        bearer,
        clear_text_bearer,
        ..ClientOptions::new(CLIENT_NAME)
    };
    if let ServerTarget::Url { url, .. } = &definition.target
        && url.starts_with("wss:")
    {
        options.authorities = authorities()?;
    }
    Ok(Server::Exec(definition, Box::new(options)))
}

/// What `environments.toml` says, read at most once.
pub(super) struct Definitions(Option<EnvironmentDefinitions>);

impl Definitions {
    /// Reads the file if one of the choices is a name in it.
    ///
    /// # Round trips
    /// One, or none if no choice is a name.
    ///
    /// # Errors
    /// When the file cannot be read or is not as it must be.
    pub(super) async fn read(
        choices: &[EnvironmentChoice],
        filesystem: &dyn ExecutorFileSystem,
        options: &ConfigurationOptions,
    ) -> Result<Self, Failure> {
        let is_name = |choice: &EnvironmentChoice| matches!(choice.target, Target::Named(_));
        if !choices.iter().any(is_name) {
            return Ok(Self(None));
        }
        let cannot = |what: String| Failure::new(what, "correct the file");
        let config_home = host::config_home(options.config_home.as_deref())?.directory;
        let file = PathUri::from_abs_path(&config_home).join(FILE_NAME);
        let file =
            file.map_err(|error| cannot(format!("no place for {FILE_NAME}")).caused_by(error))?;
        let shown = file.inferred_native_path_string();
        let text = filesystem.read_file_text(&file, None);
        match text
            .instrument(debug_span!("environment_definitions"))
            .await
        {
            Ok(text) => {
                let parsed = EnvironmentDefinitions::parse(&text, &shown);
                let parsed =
                    parsed.map_err(|error| Failure::new(error.to_string(), "correct the file"))?;
                Ok(Self(Some(parsed)))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let url = host::text_variable(URL_VARIABLE)?;
                let defined = EnvironmentDefinitions::from_url_variable(url.as_deref());
                let defined = defined
                    .map_err(|error| Failure::new(error.to_string(), "correct the variable"))?;
                Ok(Self(defined))
            }
            Err(error) => Err(cannot(format!("cannot read {shown}")).caused_by(error)),
        }
    }

    /// How to reach a chosen environment; `None` for this machine.
    ///
    /// # Errors
    /// When a name has no entry, or a variable that holds a token is not set.
    pub(super) fn server(
        &self,
        choice: &EnvironmentChoice,
        options: &EnvironmentOptions,
    ) -> Result<Option<Server>, Failure> {
        let server = |target| EnvironmentDefinition::new(choice.id.clone(), target);
        let is_clear = options.allow_clear_text_token;
        Ok(Some(match &choice.target {
            Target::Local => return Ok(None),
            Target::Url(url) => {
                let url = url.clone();
                let definition = server(ServerTarget::Url {
                    url,
                    bearer_token_env: None,
                });
                let bearer = token(options.token_env.as_deref())?;
                exec(definition, bearer, is_clear)?
            }
            Target::Ssh(host) => {
                let program = over_ssh(host, &options.server_command)?;
                exec(server(ServerTarget::Program(program)), None, is_clear)?
            }
            Target::Program(program, args) => {
                let program = CommandSpec {
                    program: program.clone(),
                    args: args.clone(),
                    env: Vec::new(),
                    cwd: None,
                };
                exec(server(ServerTarget::Program(program)), None, is_clear)?
            }
            Target::Sftp(host) => Server::Sftp(codex_sftp::ssh_command(host).map_err(refused)?),
            Target::Named(name) => {
                let definition = self.named(name)?;
                let variable = match &definition.target {
                    ServerTarget::Url {
                        bearer_token_env, ..
                    } => options.token_env.as_deref().or(bearer_token_env.as_deref()),
                    ServerTarget::Program(_) => None,
                };
                exec(definition.clone(), token(variable)?, is_clear)?
            }
        }))
    }

    fn named(&self, name: &str) -> Result<&EnvironmentDefinition, Failure> {
        let defined = self.0.iter().flat_map(|defined| &defined.environments);
        let names: Vec<&str> = defined.clone().map(|it| it.id.as_str()).collect();
        let mut defined = defined;
        defined.find(|it| it.id.as_str() == name).ok_or_else(|| {
            let known = match names.as_slice() {
                [] => "there is none".to_owned(),
                names => format!("there are {}", names.join(", ")),
            };
            let what = format!("no environment `{name}` is defined in {FILE_NAME}: {known}");
            Failure::new(
                what,
                "define it there or give ssh:HOST, sftp:HOST, exec:PROGRAM or a URL",
            )
        })
    }
}

fn token(variable: Option<&str>) -> Result<Option<SecretString>, Failure> {
    let Some(name) = variable else {
        return Ok(None);
    };
    match host::text_variable(name)? {
        Some(token) => Ok(Some(SecretString::new(token))),
        None => {
            let what = format!("the variable {name}, which holds the bearer token, is not set");
            Err(Failure::new(what, "set it"))
        }
    }
}

/// `ssh HOST COMMAND --listen stdio`
fn over_ssh(host: &str, server_command: &str) -> Result<CommandSpec, Failure> {
    let usual = ssh_command(host).map_err(refused)?;
    let server = words(server_command).and_then(|words| match words.as_slice() {
        [] => Err("it names no program".to_owned()),
        _ => Ok(words),
    });
    let server = server.map_err(|why| {
        Failure::new(
            format!("cannot use `--server-command`: {why}"),
            "correct the argument",
        )
    })?;
    let way = usual.args.iter().take(1).cloned();
    let listen = ["--listen", "stdio"].map(str::to_owned);
    Ok(CommandSpec {
        args: way.chain(server).chain(listen).collect(),
        ..usual
    })
}

fn refused(error: impl std::error::Error) -> Failure {
    Failure::new(error.to_string(), "name a host")
}

const FILE_VARIABLE: &str = "SSL_CERT_FILE";
const DIRECTORY_VARIABLE: &str = "SSL_CERT_DIR";

/// The certificates of the authorities in DER; `None` where the machine has none.
///
/// # Errors
/// When a variable names certificates and none of them can be read.
fn authorities() -> Result<Option<Vec<Vec<u8>>>, Failure> {
    let found = rustls_native_certs::load_native_certs();
    let certificates = found.certs.iter().map(|certificate| certificate.to_vec());
    let certificates: Vec<_> = certificates.collect();
    if !certificates.is_empty() {
        return Ok(Some(certificates));
    }
    for name in [FILE_VARIABLE, DIRECTORY_VARIABLE] {
        if let Some(path) = host::text_variable(name)? {
            let what = format!("cannot find a certificate in {path}, which {name} names");
            let failure = Failure::new(what, "name PEM certificates or unset it");
            let cause = found.errors.into_iter().next();
            return Err(match cause {
                Some(cause) => failure.caused_by(cause),
                None => failure,
            });
        }
    }
    Ok(None)
}
