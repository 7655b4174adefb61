//! A command's run: what it is given, where it starts, what it has to say, and how that is shown.
//!
//! A command returns a [`CommandOutput`]; it prints nothing and does not end the process. Results go
//! to standard output, diagnostics to standard error.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use codex_config::{ProfileName, parse_overrides};
use codex_context::{
    Context, ContextRequest, Diagnostic as SessionDiagnostic, Environment as SessionEnvironment,
    ProjectContext, SelectedCapabilityRoot,
};
use codex_file_system::Severity;
use codex_path_uri::PathUri;
use serde::Serialize;

use crate::cost::Meter;
use crate::environments::{self, Arity, BoundEnvironments, Chosen, Start};
use crate::exit::{self, Failure};
use crate::host::{self, Display};
use crate::options::{CapabilityRootOptions, CommonOptions, Format};
use crate::output::diagnostic::{Diagnostic, Spelling, grouped_by_code, listed};
use crate::output::escape::escaped_lines;
use crate::output::text::Painter;

/// What a command was given beside its own arguments.
pub(crate) struct CommandContext {
    /// How results are shown.
    pub(crate) display: Display,
    /// What asking filesystems costs.
    pub(crate) meter: Meter,
}

impl CommandContext {
    /// Runs a load to its end.
    ///
    /// # Errors
    /// When a signal ends it before.
    pub(crate) fn load<T>(&self, load: impl Future<Output = T>) -> Result<T, Failure> {
        if self.display.stderr_is_terminal {
            self.meter.run_watched(load)
        } else {
            self.meter.run(load)
        }
    }

    /// Colours of standard output.
    pub(crate) fn painter(&self) -> Painter {
        self.display.stdout
    }
}

/// What a command has to say.
pub(crate) struct CommandOutput {
    /// The result, exactly as it goes to standard output.
    pub(crate) output: String,
    /// What was found on the way, for standard error.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl CommandOutput {
    /// Text of files, exactly as it is. On a terminal, what it would act on or not show is escaped,
    /// which is told.
    ///
    /// # Errors
    /// When the finding cannot be serialized.
    pub(crate) fn verbatim(
        text: String,
        mut diagnostics: Vec<Diagnostic>,
        context: &CommandContext,
    ) -> Result<Self, Failure> {
        #[derive(Serialize)]
        struct Fields {}
        if !context.display.stdout_is_terminal {
            return Ok(Self {
                output: text,
                diagnostics,
            });
        }
        let output = escaped_lines(&text);
        if output != text {
            let sentence = "control and invisible characters of the text are shown escaped on this terminal; \
                            write it to a file or a pipe for the exact text";
            let escaped = Diagnostic::new(Severity::Info, "text_escaped", sentence, &Fields {})?;
            diagnostics.push(escaped.told());
        }
        Ok(Self {
            output,
            diagnostics,
        })
    }
}

/// Where a command starts: the bound environments, and what a session that starts there asks for.
pub(crate) struct StartPoint {
    /// The environments.
    pub(crate) bound: BoundEnvironments,
    /// A session of which a command leaves out what it does not show.
    pub(crate) request: ContextRequest,
}

impl StartPoint {
    /// At `directory`, taken lexically, else at the current directory.
    pub(crate) fn new(
        context: &CommandContext,
        options: &CommonOptions,
        directory: Option<&PathBuf>,
        arity: Arity,
    ) -> Result<Self, Failure> {
        let path = directory.map_or(Path::new(""), PathBuf::as_path);
        if directory.is_some() && options.environments.is_overridden_here() {
            // Nobody starts there, so nothing else would find out that it is a slip.
            existing(path)?;
        }
        let start = Start {
            directory: environments::path(options, path)?,
            // On another machine the directory is a claim, whoever makes it.
            needs_check: directory.is_some() || options.environments.is_remote(),
        };
        Self::at(context, options, &start, arity)
    }

    /// At `start`, unless an option says otherwise.
    pub(crate) fn at(
        context: &CommandContext,
        options: &CommonOptions,
        start: &Start,
        arity: Arity,
    ) -> Result<Self, Failure> {
        let mut sources = options.configuration.sources()?;
        // A bad argument costs no call.
        parse_overrides(&options.configuration.overrides)?;
        let bound = environments::bind(context, options, start, arity)?;
        sources.environment = Some(bound.host.clone());
        let profile = options.configuration.profile.as_ref();
        let request = ContextRequest {
            environments: bound.chosen.iter().map(Chosen::of_session).collect(),
            sources,
            profile: profile.map(ProfileName::new).transpose()?,
            overrides: options.configuration.overrides.clone(),
            window: options.cost.window.unwrap_or_default(),
            ..ContextRequest::default()
        };
        Ok(Self { bound, request })
    }

    /// The directories that a person selects beside the usual ones.
    ///
    /// # Errors
    /// When a path cannot be made absolute.
    pub(crate) fn selected(
        &self,
        common: &CommonOptions,
        options: &CapabilityRootOptions,
    ) -> Result<Vec<SelectedCapabilityRoot>, Failure> {
        let roots = options.roots.iter().enumerate().map(|(number, root)| {
            let (id, path) = self.bound.capability_root(common, root)?;
            Ok(SelectedCapabilityRoot::new(
                format!("cap{number}"),
                id,
                path,
            ))
        });
        roots.collect()
    }

    /// Starts the session, and tells of environments that do not answer.
    ///
    /// # Errors
    /// When a start directory is none, no environment answers, or configuration cannot be used.
    pub(crate) fn load(
        &self,
        context: &CommandContext,
    ) -> Result<(Context, Vec<Diagnostic>), Failure> {
        let (session, unreachable) = context.load(async {
            let session = match codex_context::load(&self.request).await {
                Ok(session) => session,
                Err(error) => return Err(self.bound.failure(error).await),
            };
            let unreachable = self.bound.unreachable(&session).await?;
            Ok((session, unreachable))
        })??;
        context.meter.name_phases(session.plan());
        let of_host = session.request().sources.diagnostics.len();
        let of_host = session.diagnostics().iter().take(of_host);
        let mut diagnostics = shown_diagnostics(of_host)?;
        diagnostics.extend(unreachable);
        Ok((session, diagnostics))
    }

    /// The environment that decided configuration, and its project.
    ///
    /// # Errors
    /// None: a session starts only where one is reached.
    pub(crate) fn first<'a>(
        &self,
        session: &'a Context,
    ) -> Result<(&'a SessionEnvironment, &'a ProjectContext), Failure> {
        let nowhere = || Failure::new("cannot start nowhere", "choose an environment");
        session.first().ok_or_else(nowhere)
    }
}

/// What a session found beyond its surroundings, which [`StartPoint::load`] tells.
pub(crate) fn found_in<'a>(
    session: &'a Context,
) -> impl Iterator<Item = &'a SessionDiagnostic> + use<'a> {
    let found = session.diagnostics().iter();
    found.filter(|it| {
        !matches!(
            it,
            SessionDiagnostic::EnvironmentUnreachable { .. }
                | SessionDiagnostic::ConfigHomeMissing { .. }
                | SessionDiagnostic::ConfigHomeUnknown { .. }
        )
    })
}

/// Diagnostics of a session as this command shows them.
///
/// # Errors
/// When one cannot be serialized.
pub(crate) fn shown_diagnostics<'a>(
    found: impl IntoIterator<Item = &'a SessionDiagnostic>,
) -> Result<Vec<Diagnostic>, Failure> {
    let mut shown = Vec::new();
    for found in found {
        shown.extend(Diagnostic::of_session(found)?);
    }
    Ok(shown)
}

/// Refuses a directory of this machine that is not there.
fn existing(path: &Path) -> Result<(), Failure> {
    let directory = host::absolute(path)?;
    if host::is_missing(&directory) {
        let what = format!("cannot use {}: it does not exist", directory.display());
        return Err(Failure::new(what, "name an existing directory or none"));
    }
    Ok(())
}

/// The one environment in which `path` is, which nobody has asked for yet.
pub(crate) fn bind_at(
    context: &CommandContext,
    options: &CommonOptions,
    path: PathUri,
) -> Result<BoundEnvironments, Failure> {
    let start = Start {
        directory: path,
        needs_check: false,
    };
    environments::bind(context, options, &start, Arity::One)
}

/// The result to standard output, then the diagnostics to standard error.
///
/// # Errors
/// When the result cannot be written.
pub(crate) fn show(
    result: &CommandOutput,
    options: &CommonOptions,
    display: &Display,
) -> Result<ExitCode, Failure> {
    print(&result.output)?;
    if display.stdout_is_terminal && !result.output.is_empty() && !result.output.ends_with('\n') {
        // The result is exact, so what comes after it on a terminal begins its own line.
        tell("\n");
    }
    let is_verbose = options.output.verbose > 0;
    let told = result.diagnostics.iter();
    let told: Vec<&Diagnostic> = told.filter(|it| it.is_told(is_verbose)).collect();
    let is_for_people = display.format == Format::Table || display.stderr_is_terminal;
    let spelling = Spelling {
        painter: display.stderr,
        has_native_paths: is_for_people,
        names_environments: !is_for_people || options.environments.is_elsewhere(),
    };
    tell(&if display.stderr_is_terminal && !is_verbose {
        grouped_by_code(&told, spelling)
    } else {
        listed(&told, spelling)
    });
    let is_lossy = result.diagnostics.iter().any(Diagnostic::is_serious);
    Ok(ExitCode::from(if options.output.check && is_lossy {
        exit::FINDINGS
    } else {
        exit::FINE
    }))
}

/// Text to standard output, at once.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn print(result: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(result.as_bytes())
        .and_then(|()| stdout.flush())
    {
        // Who stops reading has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let what = "cannot write the result to standard output";
            Err(Failure::new(what, "make room for it or send it elsewhere").caused_by(error))
        }
        _ => Ok(()),
    }
}

/// Text to standard error; who closed it does not want to know.
pub(crate) fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
