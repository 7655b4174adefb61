//! Which known key a misspelled one may mean.

use std::borrow::Cow;

/// Known keys with fewer letters are too near to too much.
const MIN_LETTERS: usize = 4;

/// The field whose key has the letters of `key`, else the first whose key is one letter off. The
/// keys of the fields are what stands behind a prefix of this length.
pub(super) fn suggest(
    key: &str,
    fields: impl Iterator<Item = &'static str> + Clone,
    prefix_length: usize,
) -> Option<&'static str> {
    let letters = letters(key);
    let known = |field: &&'static str| field.get(prefix_length..).unwrap_or(field);
    let mut same = fields
        .clone()
        .filter(|field| known(field).eq_ignore_ascii_case(&letters));
    let mut near = fields.filter(|field| is_one_letter_off(&letters, known(field)));
    same.next().or_else(|| near.next())
}

/// A key without `_`, `-` and spaces.
fn letters(key: &str) -> Cow<'_, str> {
    if key.contains(['_', '-', ' ']) {
        Cow::Owned(key.replace(['_', '-', ' '], ""))
    } else {
        Cow::Borrowed(key)
    }
}

/// Whether one insertion, deletion or substitution makes `key` the known key, ASCII case aside.
fn is_one_letter_off(key: &str, known: &str) -> bool {
    let (key_length, known_length) = (key.chars().count(), known.chars().count());
    if known_length < MIN_LETTERS || key_length.abs_diff(known_length) > 1 {
        return false;
    }
    let alike = |(left, right): (char, char)| left.eq_ignore_ascii_case(&right);
    let same_start = key
        .chars()
        .zip(known.chars())
        .take_while(|pair| alike(*pair))
        .count();
    let same_end = key
        .chars()
        .rev()
        .zip(known.chars().rev())
        .take_while(|pair| alike(*pair))
        .count();
    let longer = key_length.max(known_length);
    // Equal keys are no misspelling; otherwise start and end cover all but one letter.
    same_start < longer && same_start + same_end + 1 >= longer
}

#[cfg(test)]
mod tests {
    use super::{is_one_letter_off, suggest};

    #[test]
    fn one_edit_anywhere_is_one_letter_off() {
        for key in [
            "skill", "skillss", "xskills", "skipls", "kills", "sk1lls", "skilles", "SKILL",
        ] {
            assert!(is_one_letter_off(key, "skills"), "{key}");
        }
    }

    #[test]
    fn more_edits_or_none_are_not_one_letter_off() {
        for key in [
            "skills", "skll", "", "sklils", "skillsxy", "xkillx", "sskillss", "skSkills",
        ] {
            assert!(!is_one_letter_off(key, "skills"), "{key}");
        }
        assert!(
            !is_one_letter_off("abd", "abc"),
            "the known key is too short"
        );
    }

    #[test]
    fn case_and_separators_do_not_matter() {
        let suggest = |key| suggest(key, ["a.hooks", "a.mcpServers"].into_iter(), 2);
        assert_eq!(suggest("MCP_ser-ve rs"), Some("a.mcpServers"));
        assert_eq!(suggest("mcp-servr"), None);
        assert_eq!(suggest("mcp-server"), Some("a.mcpServers"));
    }
}
