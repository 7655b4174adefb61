//! The search: asks probe after probe, the next ones on the way, until one decides.

use std::io;

use super::probes::{Ancestor, Probe, Probes};
use super::{
    FindUpErrorPolicy, FindUpOptions, FindUpOutcome, FindUpStop, IgnoredProbe, MarkerKind,
};
use crate::{
    ExecutorFileSystem, FileMetadata, FileSystemError, FileSystemSandboxContext, Lookahead,
    Operation, ReadCall, Window,
};

/// A search of its own: one that shares neither calls nor window with another loader.
pub(super) async fn search<P: Ancestor>(
    fs: &(impl ExecutorFileSystem + ?Sized),
    probes: Probes<P>,
    options: &FindUpOptions,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<FindUpOutcome<P>> {
    let width = Window::new(options.width()).unwrap_or_default();
    let lookahead = Lookahead::new(fs, width).with_sandbox(sandbox);
    let program = search_with(&lookahead, probes, options, sandbox);
    let mut outcome = lookahead.drive(program).await?;
    outcome.probes_started = lookahead.plan().len();
    Ok(outcome)
}

/// The serial search.
pub(super) async fn search_with<P: Ancestor>(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    probes: Probes<P>,
    options: &FindUpOptions,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<FindUpOutcome<P>> {
    let mut outcome = FindUpOutcome::without_markers();
    if probes.has_no_markers() {
        return Ok(outcome);
    }
    let call = |probe: &io::Result<Probe<P>>| {
        let probe = probe.as_ref().ok()?;
        Some(ReadCall::metadata(&probe.uri))
    };
    let ends_at_ceiling = probes.end_at_ceiling();
    for probe in fs.ahead(options.width(), probes, call) {
        let probe = probe?;
        let answer = fs.get_metadata(&probe.uri, sandbox).await;
        outcome.probes_consumed += 1;
        match classify(answer, options.kind) {
            Verdict::Absent => {}
            Verdict::Found => {
                outcome.ancestor = Some(probe.ancestor);
                outcome.marker = Some(probe.uri);
                break;
            }
            Verdict::Failed(error) => match options.error_policy {
                FindUpErrorPolicy::Propagate => {
                    let operation = Operation::GetMetadata;
                    return Err(FileSystemError::attach(error, operation, &probe.uri, None));
                }
                FindUpErrorPolicy::Ignore => {
                    outcome.ignored_errors.push(IgnoredProbe {
                        path: probe.uri,
                        error,
                    });
                }
            },
        }
    }
    outcome.probes_started = outcome.probes_consumed;
    outcome.stopped = match &outcome.ancestor {
        Some(_) => FindUpStop::Found,
        None if ends_at_ceiling => FindUpStop::Ceiling,
        None => FindUpStop::FilesystemRoot,
    };
    Ok(outcome)
}

/// What one answer means, whatever the policy.
enum Verdict {
    Found,
    Absent,
    Failed(io::Error),
}

fn classify(answer: io::Result<FileMetadata>, kind: MarkerKind) -> Verdict {
    match answer {
        Ok(metadata) if kind.accepts(metadata.kind) => Verdict::Found,
        Ok(_) => Verdict::Absent,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Verdict::Absent,
        Err(error) => Verdict::Failed(error),
    }
}
