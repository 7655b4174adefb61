//! Running cases: one verdict at a time, or a whole subject as libtest-mimic trials.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Completion, Failed, Trial};

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
    let skipped: Vec<&str> = CASES
        .iter()
        .filter(|case| reason_to_skip(&*subject, case).is_some())
        .map(|case| case.name)
        .collect();
    let count = Trial::test(format!("{name}::skips"), move || {
        check_skips(expected_skips, &skipped)
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

/// Names the skipped cases if their number is not the expected one. Why each is skipped is what
/// its own trial prints.
fn check_skips(expected: usize, skipped: &[&str]) -> Result<(), Failed> {
    if skipped.len() == expected {
        return Ok(());
    }
    let cases = if expected == 1 { "case" } else { "cases" };
    let actual = match skipped {
        [] => "none is".to_owned(),
        [only] => format!("1 is: {only}"),
        several => format!("{} are: {}", several.len(), several.join(", ")),
    };
    Err(format!("expected {expected} skipped {cases}, {actual}").into())
}

fn reason_to_skip(subject: &dyn Subject, case: &Case) -> Option<String> {
    let lacking = case.needs.iter().find_map(|need| {
        subject
            .lacks(*need)
            .map(|reason| format!("needs {need:?}: {reason}"))
    });
    lacking.or_else(|| subject.excuse(case.name).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::check_skips;

    #[test]
    fn a_wrong_number_of_skips_is_told_with_the_names() {
        let message = |expected, skipped: &[&str]| {
            let failed = check_skips(expected, skipped).err();
            failed.and_then(|failed| failed.message().map(str::to_owned))
        };
        let told = |text: &str| Some(text.to_owned());
        assert_eq!(message(2, &["stat_root", "copy_fifo"]), None);
        assert_eq!(
            message(0, &["stat_root", "copy_fifo"]),
            told("expected 0 skipped cases, 2 are: stat_root, copy_fifo")
        );
        assert_eq!(
            message(2, &["stat_root"]),
            told("expected 2 skipped cases, 1 is: stat_root")
        );
        assert_eq!(message(1, &[]), told("expected 1 skipped case, none is"));
    }
}
