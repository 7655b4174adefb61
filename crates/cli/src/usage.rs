//! Help, and what is wrong with the arguments: clap's words, made safe for a terminal.
//!
//! clap repeats an argument as it was typed, and who typed it may have been deceived: a newline in
//! it forges a line, an escape sequence repaints the screen.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, Error};

use crate::render::escape::escaped;

/// Shows it, and gives the exit code that belongs to it.
pub(crate) fn show(said: Error) -> ExitCode {
    let code = ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(u8::MAX));
    // Nothing is left to do if it cannot be shown.
    let _ = harmless(said).print();
    code
}

/// The same with every argument escaped. The tip that shows how to write an odd one is left out.
fn harmless(mut said: Error) -> Error {
    let odd = said.context().filter_map(|(kind, value)| {
        let shown = shown(value)?;
        (shown != *value).then_some((kind, shown))
    });
    let odd: Vec<(ContextKind, ContextValue)> = odd.collect();
    if !odd.is_empty() {
        said.remove(ContextKind::Suggested);
    }
    for (kind, value) in odd {
        said.insert(kind, value);
    }
    said
}

/// What was typed, escaped; `None` for what clap has put together itself.
fn shown(value: &ContextValue) -> Option<ContextValue> {
    let escaped = |text: &String| escaped(text).into_owned();
    match value {
        ContextValue::String(text) => Some(ContextValue::String(escaped(text))),
        ContextValue::Strings(texts) => {
            Some(ContextValue::Strings(texts.iter().map(escaped).collect()))
        }
        _ => None,
    }
}
