//! Why something failed: the chain of causes, nothing told twice.

use std::error::Error;

use super::escape::escaped;

/// The texts of an error and of the causes behind it.
///
/// Some errors end with the text of their cause; such a cause is left out.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut texts = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if texts.last().is_none_or(|last| !last.ends_with(&text)) {
            texts.push(text);
        }
        cause = error.source();
    }
    texts
}

/// One indented line for each cause.
pub(crate) fn caused_by(causes: &[String]) -> String {
    let lines = causes
        .iter()
        .map(|cause| format!("  caused by: {}\n", escaped(cause)));
    lines.collect()
}
