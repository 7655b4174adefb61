//! How a run ends: its exit code, and the one sentence of a failure.
//!
//! | code | when |
//! |---|---|
//! | 0 | the result is complete, or what it lacks is told on standard error |
//! | 1 | with `--check`: something was cut, invalid or unreadable |
//! | 2 | usage or configuration: there is no result |
//! | 3 | no environment could be reached |
//! | 130 | interrupted, or a server that is told twice to end |
//! | 143 | terminated while it asks another machine |

use std::error::Error;
use std::ffi::c_int;
use std::fmt;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codex_config::ConfigError;
use codex_context::ContextError;
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::output::diagnostic::{caused_by, chain};
use crate::output::escape::escaped;
use crate::output::text::{Painter, Style};

/// How a run ends that has a result.
pub(crate) const FINE: u8 = 0;
/// How a run with `--check` ends that has findings.
pub(crate) const FINDINGS: u8 = 1;
/// How a run ends that has no result.
const USAGE_OR_CONFIGURATION: u8 = 2;
/// How a run ends that reached no environment.
pub(crate) const UNREACHABLE: u8 = 3;
/// How a run ends that is interrupted: the number that a shell makes of SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// Lets an interrupt end the process at once, whatever it waits for.
///
/// # Errors
/// When the system does not take the handler.
pub(crate) fn at_interrupt() -> io::Result<()> {
    at_signal(SIGINT)
}

/// Lets this signal end the process at once, as [`at_interrupt`] does.
///
/// # Errors
/// When the system does not take the handler.
pub(crate) fn at_signal(signal: c_int) -> io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    let code = i32::from(of_signal(signal));
    flag::register_conditional_shutdown(signal, code, always).map(drop)
}

/// The number that a shell makes of a signal.
pub(crate) fn of_signal(signal: c_int) -> u8 {
    u8::try_from(signal).map_or(INTERRUPTED, |signal| signal.saturating_add(128))
}

/// Why there is no result.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    code: u8,
    /// `None` if nobody needs to be told.
    sentence: Option<Sentence>,
    cause: Option<Arc<dyn Error + Send + Sync>>,
}

#[derive(Clone, Debug)]
struct Sentence {
    what: String,
    advice: String,
}

impl Failure {
    /// A failure: what failed and where, and what to do about it. Both are fragments of one
    /// sentence, lowercase and without a final period.
    pub(crate) fn new(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            code: USAGE_OR_CONFIGURATION,
            sentence: Some(Sentence {
                what: what.into(),
                advice: advice.into(),
            }),
            cause: None,
        }
    }

    /// A run that a signal ended, which nobody needs to be told.
    pub(crate) fn interrupted(code: u8) -> Self {
        Self {
            code,
            sentence: None,
            cause: None,
        }
    }

    /// The same failure with its cause.
    pub(crate) fn caused_by(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.cause = Some(Arc::from(cause.into()));
        self
    }

    /// The same failure with another exit code.
    pub(crate) fn with_code(mut self, code: u8) -> Self {
        self.code = code;
        self
    }

    /// What failed and why, in one line.
    pub(crate) fn what(&self) -> String {
        let what = self.sentence.iter().map(|it| it.what.clone());
        let causes = self.cause.iter().flat_map(|cause| chain(cause.as_ref()));
        what.chain(causes).collect::<Vec<_>>().join(": ")
    }

    /// What to do about it.
    pub(crate) fn advice(&self) -> Option<String> {
        self.sentence.as_ref().map(|it| it.advice.clone())
    }

    /// The exit code.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }

    /// The sentence, then one line for each cause; nothing of an interruption.
    pub(crate) fn report(&self, painter: Painter) -> String {
        let Some(Sentence { what, advice }) = &self.sentence else {
            return String::new();
        };
        let label = painter.paint(Style::Bad, "error:");
        let sentence = format!("{}; {}", escaped(what), escaped(advice));
        let causes = self.cause.as_ref().map(|cause| chain(cause.as_ref()));
        format!(
            "{label} {sentence}\n{}",
            caused_by(&causes.unwrap_or_default())
        )
    }
}

/// A result that cannot be serialized, which no input can bring about.
impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::new("cannot write the result as JSON", "report this as a bug").caused_by(error)
    }
}

/// No session can start.
impl From<ContextError> for Failure {
    fn from(error: ContextError) -> Self {
        if let ContextError::Config(error) = &error {
            return Self::of_config(error);
        }
        let failure = Self::new(error.to_string(), error.advice().unwrap_or("correct it"));
        match error {
            ContextError::StartDirectory {
                source: Some(source),
                ..
            } if source.kind() != io::ErrorKind::NotFound => failure.caused_by(source),
            ContextError::UnknownDirectory {
                source: Some(source),
                ..
            } => failure.caused_by(source),
            ContextError::Unreachable { .. } => failure.with_code(UNREACHABLE),
            _ => failure,
        }
    }
}

/// Configuration that cannot be used; its message begins with the place.
impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::of_config(&Arc::new(error))
    }
}

/// What a file of configuration could not be read for.
#[derive(Clone, Debug)]
struct UnreadableConfig(Arc<ConfigError>);

impl UnreadableConfig {
    fn cause(&self) -> &(dyn Error + 'static) {
        match &*self.0 {
            ConfigError::Read { source, .. } => source,
            other => other,
        }
    }
}

impl fmt::Display for UnreadableConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.cause(), f)
    }
}

impl Error for UnreadableConfig {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause().source()
    }
}

impl Failure {
    fn of_config(error: &Arc<ConfigError>) -> Self {
        let advice = match &**error {
            ConfigError::Read { .. } => "make the file readable or move it away",
            ConfigError::InvalidToml { .. } => "correct the file",
            ConfigError::InvalidValue { .. } => "correct the value",
            ConfigError::InvalidOverride { .. } => "correct the argument",
            ConfigError::LegacyProfile { .. } => "remove the key",
            ConfigError::InvalidProfileName { .. } => "name a profile of the config home",
            _ => "mend the configuration",
        };
        let failure = Self::new(error.to_string(), advice);
        match &**error {
            ConfigError::Read { .. } => failure.caused_by(UnreadableConfig(Arc::clone(error))),
            _ => failure,
        }
    }
}
