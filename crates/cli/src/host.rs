//! Facts of this process's surroundings: environment variables, directories, terminals.
//!
//! The only file that reads them. Everything else takes them as values, so a command does the same
//! for the same arguments and facts. Nothing here reads a file.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use codex_path_uri::{AbsolutePathBuf, PathUri};

use crate::exit::Failure;
use crate::options::{ColorWhen, Format, OutputOptions};
use crate::output::text::Painter;

/// The directory of the user's files, below the home directory.
const CONFIG_HOME_NAME: &str = ".codex";

/// The directory of the user's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigHome {
    /// Where it is.
    pub(crate) directory: AbsolutePathBuf,
    /// What says so.
    pub(crate) origin: HomeOrigin,
}

/// What says where the config home is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HomeOrigin {
    /// The option or the variable of this name.
    Named(&'static str),
    /// The home directory. What is usual need not exist.
    Usual,
    /// A guess, since `HOME` is so: the words end a sentence.
    Guessed(&'static str),
}

/// What is to be shown, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Display {
    /// The shape of the result.
    pub(crate) format: Format,
    /// Columns of the terminal; `None` where nothing needs to be cut.
    pub(crate) width: Option<usize>,
    /// Whether a person may be watching standard output.
    pub(crate) stdout_is_terminal: bool,
    /// The colours of results.
    pub(crate) stdout: Painter,
    /// The colours of everything else.
    pub(crate) stderr: Painter,
    /// Whether a person may be watching standard error.
    pub(crate) stderr_is_terminal: bool,
}

impl Display {
    /// Decides from the options, the terminals and the environment.
    pub(crate) fn new(options: &OutputOptions) -> Self {
        let stdout_is_terminal = io::stdout().is_terminal();
        let stderr_is_terminal = io::stderr().is_terminal();
        let format = match options.format {
            Some(format) => format,
            None if options.json => Format::Json,
            None if stdout_is_terminal => Format::Table,
            None => Format::Tsv,
        };
        Self {
            format,
            width: terminal_width(),
            stdout_is_terminal,
            stdout: painter(options.color, &io::stdout()),
            stderr: painter(options.color, &io::stderr()),
            stderr_is_terminal,
        }
    }
}

/// `COLUMNS` if a person sets it, else what the terminal behind standard output says.
pub(crate) fn terminal_width() -> Option<usize> {
    let columns = variable("COLUMNS").and_then(|text| text.to_str()?.parse().ok());
    columns.filter(|columns| *columns > 0).or_else(|| {
        let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
        Some(usize::from(width.0)).filter(|width| *width > 0)
    })
}

/// The colours of a stream.
pub(crate) fn painter(when: ColorWhen, stream: &impl IsTerminal) -> Painter {
    let colored = match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto if variable("NO_COLOR").is_some() => false,
        ColorWhen::Auto if variable("CLICOLOR_FORCE").is_some_and(|text| text != "0") => true,
        ColorWhen::Auto => {
            stream.is_terminal() && variable("TERM").is_none_or(|term| term != "dumb")
        }
    };
    Painter { colored }
}

/// The current directory, as the operating system knows it: links are resolved.
///
/// # Errors
/// When the directory is gone or cannot be reached.
pub(crate) fn current_directory() -> Result<AbsolutePathBuf, Failure> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command is where the host is asked"
    )]
    let directory = env::current_dir();
    directory
        .and_then(AbsolutePathBuf::try_from)
        .map_err(|error| {
            Failure::new(
                "cannot tell the current directory",
                "change to a directory that exists",
            )
            .caused_by(error)
        })
}

/// `path` as an absolute path of this machine, lexically, taken from the current directory.
///
/// # Errors
/// When `path` is relative and the current directory cannot be told.
pub(crate) fn absolute(path: &Path) -> Result<AbsolutePathBuf, Failure> {
    if let Ok(absolute) = AbsolutePathBuf::from_absolute_path_checked(path) {
        return Ok(absolute);
    }
    let base = current_directory()?;
    AbsolutePathBuf::resolve_path_against_base(path, &base).map_err(|error| {
        let path = path.display();
        Failure::new(
            format!("cannot use the path {path} here"),
            "give an absolute path",
        )
        .caused_by(error)
    })
}

/// The same path as a URI.
///
/// # Errors
/// As [`absolute`].
pub(crate) fn uri(path: &Path) -> Result<PathUri, Failure> {
    Ok(PathUri::from_abs_path(&absolute(path)?))
}

/// The config home: the option, else `CODEX_HOME`, else `.codex` in the home directory.
///
/// # Errors
/// When none of the three says where it is.
pub(crate) fn config_home(option: Option<&Path>) -> Result<ConfigHome, Failure> {
    let named = |directory, name| (directory, HomeOrigin::Named(name));
    let given = option.map(|directory| named(directory.to_path_buf(), "--config-home"));
    let set = || Some(named(variable("CODEX_HOME")?.into(), "CODEX_HOME"));
    let usual = || Some((home_directory()?.join(CONFIG_HOME_NAME), usual_origin()));
    match given.or_else(set).or_else(usual) {
        Some((directory, origin)) => Ok(ConfigHome {
            directory: absolute(&directory)?,
            origin,
        }),
        None => Err(Failure::new(
            "cannot tell the config home, because this user has no home directory",
            "give one with --config-home or set CODEX_HOME",
        )),
    }
}

/// Whether this machine says that nothing is there. Costs no call of a run.
pub(crate) fn is_missing(path: &AbsolutePathBuf) -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command is where the host is asked"
    )]
    let found = std::fs::metadata(path.as_path());
    found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// The user's home directory.
///
/// # Errors
/// When the operating system knows none.
pub(crate) fn home() -> Result<AbsolutePathBuf, Failure> {
    match home_directory() {
        Some(directory) => absolute(&directory),
        None => Err(Failure::new(
            "cannot tell the home directory of this user",
            "set HOME",
        )),
    }
}

/// Whether `HOME` says where the home directory is. Windows does not ask it.
fn usual_origin() -> HomeOrigin {
    match variable("HOME") {
        _ if cfg!(windows) => HomeOrigin::Usual,
        None => HomeOrigin::Guessed("not set"),
        Some(home) if Path::new(&home).is_relative() => HomeOrigin::Guessed("relative"),
        Some(_) => HomeOrigin::Usual,
    }
}

fn home_directory() -> Option<PathBuf> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command is where the host is asked"
    )]
    let home = env::home_dir();
    home.filter(|home| !home.as_os_str().is_empty())
}

/// Where temporary files go.
///
/// # Errors
/// When the current directory is needed and cannot be told.
pub(crate) fn temporary_directory() -> Result<AbsolutePathBuf, Failure> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command is where the host is asked"
    )]
    let directory = env::temp_dir();
    absolute(&directory)
}

/// The name and the path of the user's shell, if the user has one.
pub(crate) fn shell() -> Option<(String, String)> {
    let path = variable("SHELL")?.into_string().ok()?;
    let name = Path::new(&path).file_name()?.to_str()?.to_owned();
    Some((name, path))
}

/// What this machine calls itself, where it can be asked.
pub(crate) fn machine_name() -> Option<String> {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_str().ok()?.to_owned();
    #[cfg(not(unix))]
    let name = variable("COMPUTERNAME")?.into_string().ok()?;
    Some(name).filter(|name| !name.is_empty())
}

/// Whether nobody can read standard output: it leads to the null device, as it also does where it
/// was closed.
pub(crate) fn stdout_is_discarded() -> bool {
    #[cfg(unix)]
    #[expect(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "the command is where the host is asked"
    )]
    {
        use std::os::fd::AsFd as _;
        use std::os::unix::fs::MetadataExt as _;
        let stdout = io::stdout().as_fd().try_clone_to_owned();
        let stdout = stdout.and_then(|stdout| std::fs::File::from(stdout).metadata());
        let null = std::fs::metadata("/dev/null");
        matches!((stdout, null), (Ok(stdout), Ok(null)) if stdout.rdev() == null.rdev())
    }
    #[cfg(not(unix))]
    false
}

/// A variable that holds text; an empty one counts as none.
///
/// # Errors
/// When its value is not UTF-8. The value is not shown: it may be a secret.
pub(crate) fn text_variable(name: &str) -> Result<Option<String>, Failure> {
    let value = variable(name).map(OsString::into_string).transpose();
    value.map_err(|_| Failure::new(format!("the variable {name} is not UTF-8"), "correct it"))
}

/// The variable's value; an empty one counts as none.
fn variable(name: &str) -> Option<OsString> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command is where the host is asked"
    )]
    let value = env::var_os(name);
    value.filter(|value| !value.is_empty())
}

/// Whether whoever started this process asked for hang-ups to be ignored, where that can be told.
#[cfg(unix)]
pub(crate) fn ignores_hangup() -> bool {
    #[expect(
        clippy::disallowed_methods,
        reason = "the system tells this of the process itself"
    )]
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // SIGHUP is the first of the signals.
    ignored.is_some_and(|mask| mask & 1 == 1)
}
