//! Running cases: one verdict at a time, or a whole subject as libtest-mimic trials.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Completion, Failed, Trial};
use pretty_assertions::Comparison;

use crate::conformance::case::{CASES, Case};
use crate::conformance::check::Failure;
use crate::conformance::subject::Subject;

/// How long a case may take before it has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What became of one case on one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The subject keeps the rule.
    Passed,
    /// The subject breaks the rule, or could not be set up.
    Failed(Failure),
    /// The case means nothing on this subject, for this reason.
    Skipped(String),
}

/// Examines one rule of the contract on a subject, on the current tokio runtime.
pub async fn examine(subject: &dyn Subject, case: &Case) -> Verdict {
    if let Some(reason) = reason_to_skip(subject, case) {
        return Verdict::Skipped(reason);
    }
    match tokio::time::timeout(PATIENCE, (case.run)(subject)).await {
        Ok(Ok(())) => Verdict::Passed,
        Ok(Err(failure)) => Verdict::Failed(failure),
        Err(_) => Verdict::Failed(Failure::new("a call never answered")),
    }
}

/// Every case as a trial named `NAME::CASE`, and one named `NAME::skips` that fails unless
/// exactly `expected_skips` cases are skipped.
pub fn trials(name: &str, subject: impl Subject + 'static, expected_skips: usize) -> Vec<Trial> {
    let subject: Arc<dyn Subject> = Arc::new(subject);
    let skips: Vec<String> = CASES
        .iter()
        .filter_map(|case| {
            Some(format!(
                "{}: {}",
                case.name,
                reason_to_skip(&*subject, case)?
            ))
        })
        .collect();
    let count = Trial::test(format!("{name}::skips"), move || {
        if skips.len() == expected_skips {
            return Ok(());
        }
        let text = skips.join("\n");
        Err(format!("{}\n{text}", Comparison::new(&expected_skips, &skips.len())).into())
    });
    let cases = CASES.iter().map(|case| {
        let subject = Arc::clone(&subject);
        Trial::ignorable_test(format!("{name}::{}", case.name), move || {
            run(&*subject, case)
        })
    });
    cases.chain([count]).collect()
}

fn run(subject: &dyn Subject, case: &Case) -> Result<Completion, Failed> {
    let runtime = subject.runtime()?;
    let verdict = runtime.block_on(examine(subject, case));
    // A blocking call that never ends must not keep the verdict from being told.
    runtime.shutdown_background();
    match verdict {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Skipped(reason) => Ok(Completion::ignored_with(reason)),
        Verdict::Failed(failure) => Err(failure.to_string().into()),
    }
}

fn reason_to_skip(subject: &dyn Subject, case: &Case) -> Option<String> {
    let lacking = case.needs.iter().find_map(|need| {
        subject
            .lacks(*need)
            .map(|reason| format!("needs {need:?}: {reason}"))
    });
    lacking.or_else(|| subject.excuse(case.name).map(str::to_owned))
}
