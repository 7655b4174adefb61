//! The keys of one JSON object: which are known, which stand twice, which look misspelled.

use std::borrow::Cow;

use crate::diagnostics::DiagnosticSink;
use crate::escape::Escaped;
use crate::json::Member;
use crate::{ManifestError, ManifestProblem, PluginDiagnosticCode};

/// Spellings and meanings; several spellings of one meaning are aliases.
pub(super) type KeyTable<K> = [(&'static str, K)];

/// The keys of one object while its members are gone through.
pub(super) struct KeyReader<K: 'static> {
    table: &'static KeyTable<K>,
    /// What stands before a key in its field: empty, or ends in a dot.
    prefix: &'static str,
    seen: Vec<K>,
}

impl<K: Copy + PartialEq> KeyReader<K> {
    pub(super) fn new(table: &'static KeyTable<K>, prefix: &'static str) -> Self {
        Self {
            table,
            prefix,
            seen: Vec::new(),
        }
    }

    /// The meaning of a member's key and its field; nothing for an unknown key.
    ///
    /// A known key, under whatever alias, may stand once.
    pub(super) fn meaning(&mut self, member: &Member<'_>) -> Result<Option<K>, ManifestError> {
        let key = member.key();
        let Some((_, meaning)) = self.table.iter().find(|(known, _)| *known == key) else {
            return Ok(None);
        };
        if self.seen.contains(meaning) {
            let field = self.field(&key);
            let problem = ManifestProblem::DuplicateKey;
            return Err(ManifestError::new(problem, field, member.key_place()));
        }
        self.seen.push(*meaning);
        Ok(Some(*meaning))
    }

    /// The field of a key.
    pub(super) fn field(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// Reports an unknown key if it looks like a misspelling; `elsewhere` may know better.
    pub(super) fn report_unknown(
        &self,
        key: &str,
        elsewhere: impl FnOnce(&str) -> Option<String>,
        diagnostics: &mut DiagnosticSink,
    ) {
        let near = suggest(key, self.table.iter().map(|(known, _)| *known));
        if let Some(suggestion) = near
            .map(|known| self.field(known))
            .or_else(|| elsewhere(key))
        {
            let detail = format!("`{}` is unknown; is `{suggestion}` meant?", Escaped(key));
            diagnostics.report(PluginDiagnosticCode::UnknownKey, self.field(key), detail);
        }
    }
}

/// The known key that `key` may be a misspelling of: the same letters, else one letter off.
fn suggest(key: &str, known: impl Iterator<Item = &'static str> + Clone) -> Option<&'static str> {
    let letters = normalized(key);
    let same = known.clone().find(|known| normalized(known) == letters);
    same.or_else(|| {
        known
            .clone()
            .find(|known| is_one_letter_off(&letters, &normalized(known)))
    })
}

/// ASCII lower case, without `_`, `-` and spaces.
fn normalized(key: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| !matches!(byte, b'A'..=b'Z' | b'_' | b'-' | b' ');
    if key.bytes().all(is_plain) {
        return Cow::Borrowed(key);
    }
    let kept = key
        .chars()
        .filter(|character| !matches!(character, '_' | '-' | ' '));
    Cow::Owned(
        kept.map(|character| character.to_ascii_lowercase())
            .collect(),
    )
}

/// Whether one insertion, deletion or substitution makes `key` the known key of four letters or
/// more.
fn is_one_letter_off(key: &str, known: &str) -> bool {
    if known.chars().count() < 4 {
        return false;
    }
    let mut key = key.chars();
    let mut known = known.chars();
    let (mut key_rest, mut known_rest) = (key.clone(), known.clone());
    while let (Some(left), Some(right)) = (key.next(), known.next())
        && left == right
    {
        (key_rest, known_rest) = (key.clone(), known.clone());
    }
    // Both rests begin with the first difference: drop one character of either, or of both.
    let (mut key_behind, mut known_behind) = (key_rest.clone(), known_rest.clone());
    match (key_behind.next(), known_behind.next()) {
        (Some(_), Some(_)) => {
            key_behind.as_str() == known_behind.as_str()
                || key_behind.as_str() == known_rest.as_str()
                || key_rest.as_str() == known_behind.as_str()
        }
        (Some(_), None) => key_behind.as_str().is_empty(),
        (None, Some(_)) => known_behind.as_str().is_empty(),
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_one_letter_off, normalized, suggest};

    #[test]
    fn one_edit_anywhere_is_one_letter_off() {
        for key in [
            "skill", "skillss", "xskills", "skipls", "kills", "sk1lls", "skilles",
        ] {
            assert!(is_one_letter_off(key, "skills"), "{key}");
        }
    }

    #[test]
    fn more_edits_or_none_are_not_one_letter_off() {
        for key in ["skills", "skll", "", "sklils", "skillsxy", "xkillx"] {
            assert!(!is_one_letter_off(key, "skills"), "{key}");
        }
        assert!(
            !is_one_letter_off("abd", "abc"),
            "the known key is too short"
        );
    }

    #[test]
    fn case_and_separators_do_not_matter() {
        assert_eq!(normalized("MCP_ser-ve rs"), "mcpservers");
        assert_eq!(
            suggest("mcp-servr", ["hooks", "mcpServers"].into_iter()),
            None
        );
        assert_eq!(
            suggest("mcp-server", ["hooks", "mcpServers"].into_iter()),
            Some("mcpServers")
        );
    }
}
