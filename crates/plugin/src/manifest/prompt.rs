//! Default prompts: folded to one line, few and short.

use crate::PluginDiagnosticCode as Code;
use crate::diagnostics::DiagnosticSink;
use crate::json::Value;
use crate::{MAX_DEFAULT_PROMPT_CHARS, MAX_DEFAULT_PROMPTS};

const FIELD: &str = "interface.defaultPrompt";

/// The prompts of a string, of an array, or none of `null`; anything else is dropped.
pub(super) fn read_default_prompts(
    value: Value<'_>,
    diagnostics: &mut DiagnosticSink,
) -> Vec<String> {
    if value.is_null() {
        return Vec::new();
    }
    let Some(mut elements) = value.elements() else {
        return judge_prompt(value, FIELD, "a string or an array", diagnostics)
            .into_iter()
            .collect();
    };
    let mut prompts = Vec::new();
    let mut index = 0_usize;
    while prompts.len() < MAX_DEFAULT_PROMPTS
        && let Some(element) = elements.next()
    {
        let field = format!("{FIELD}[{index}]");
        prompts.extend(judge_prompt(element, &field, "a string", diagnostics));
        index += 1;
    }
    let left = elements.count();
    if left > 0 {
        let detail = format!("{MAX_DEFAULT_PROMPTS} prompts are kept; {left} further not judged");
        diagnostics.report(Code::PromptLimit, FIELD, detail);
    }
    prompts
}

fn judge_prompt(
    value: Value<'_>,
    field: &str,
    expected: &str,
    diagnostics: &mut DiagnosticSink,
) -> Option<String> {
    let Some(text) = value.as_text() else {
        let detail = format!("expected {expected}, found {}", value.shape());
        diagnostics.report(Code::WrongType, field, detail);
        return None;
    };
    let prompt = fold_white_space(&text);
    let length = prompt.chars().count();
    if length == 0 {
        diagnostics.report(Code::PromptEmpty, field, "the prompt has no text");
        None
    } else if length > MAX_DEFAULT_PROMPT_CHARS {
        let detail = format!("{length} characters, more than {MAX_DEFAULT_PROMPT_CHARS}");
        diagnostics.report(Code::PromptTooLong, field, detail);
        None
    } else {
        Some(prompt)
    }
}

/// Makes one space of each run of Unicode white space, and none at the ends.
fn fold_white_space(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}
