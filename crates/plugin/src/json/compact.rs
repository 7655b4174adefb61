//! The same JSON without the white space between tokens.

/// Removes white space outside strings from valid JSON; every token keeps its spelling.
pub(crate) fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let mut in_string = false;
    let mut is_escaped = false;
    for character in json.chars() {
        if in_string {
            let ends = character == '"' && !is_escaped;
            is_escaped = character == '\\' && !is_escaped;
            in_string = !ends;
        } else if matches!(character, ' ' | '\t' | '\r' | '\n') {
            continue;
        } else {
            in_string = character == '"';
        }
        compact.push(character);
    }
    compact
}
