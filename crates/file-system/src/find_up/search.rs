//! The search: sends probes through the ordered window and judges their answers in order.

use std::io;

use super::probes::{Ancestor, Probes};
use super::{
    FindUpErrorPolicy, FindUpOptions, FindUpOutcome, FindUpStop, IgnoredProbe, MarkerKind,
};
use crate::ordered_window::OrderedWindow;
use crate::{
    ExecutorFileSystem, FileMetadata, FileSystemError, FileSystemSandboxContext, Operation,
};

pub(super) async fn search<P: Ancestor>(
    fs: &(impl ExecutorFileSystem + ?Sized),
    mut probes: Probes<P>,
    options: &FindUpOptions,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<FindUpOutcome<P>> {
    let mut outcome = FindUpOutcome::without_markers();
    if probes.has_no_markers() {
        return Ok(outcome);
    }
    let started = &mut outcome.probes_started;
    let calls = probes
        .by_ref()
        .inspect(|_| *started += 1)
        .map(async |probe| {
            let probe = probe?;
            let answer = fs.get_metadata(&probe.uri, sandbox).await;
            io::Result::Ok((probe, answer))
        });
    let mut window = OrderedWindow::new(calls, options.width());
    while let Some(answered) = window.next().await {
        let (probe, answer) = answered?;
        outcome.probes_consumed += 1;
        match judge(answer, options.kind) {
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
    drop(window);
    outcome.stopped = match &outcome.ancestor {
        Some(_) => FindUpStop::Found,
        None if probes.reached_ceiling() => FindUpStop::Ceiling,
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

fn judge(answer: io::Result<FileMetadata>, kind: MarkerKind) -> Verdict {
    match answer {
        Ok(metadata) if kind.accepts(metadata.kind) => Verdict::Found,
        Ok(_) => Verdict::Absent,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Verdict::Absent,
        Err(error) => Verdict::Failed(error),
    }
}
