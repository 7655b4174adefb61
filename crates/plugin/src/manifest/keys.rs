//! The keys of one JSON object: which are known, and which stand twice.

use super::spelling::suggest;
use crate::diagnostics::DiagnosticSink;
use crate::escape::Escaped;
use crate::json::Member;
use crate::{ManifestError, ManifestProblem, PluginDiagnosticCode};

/// Fields and their meanings; several fields of one meaning are aliases.
pub(super) type FieldTable<K> = [(&'static str, K)];

/// The keys of one object while its members are gone through.
pub(super) struct KeyReader<K: 'static> {
    table: &'static FieldTable<K>,
    /// What stands before a key in its field: empty, or ends in a dot.
    prefix: &'static str,
    seen: Vec<K>,
}

impl<K: Copy + PartialEq> KeyReader<K> {
    /// Every field of the table begins with the prefix.
    pub(super) fn new(table: &'static FieldTable<K>, prefix: &'static str) -> Self {
        Self {
            table,
            prefix,
            seen: Vec::with_capacity(table.len()),
        }
    }

    /// The meaning and the field of a member's key; nothing for an unknown key.
    ///
    /// A known key, under whatever alias, may stand once.
    pub(super) fn known(
        &mut self,
        member: &Member<'_>,
    ) -> Result<Option<(K, &'static str)>, ManifestError> {
        let key = member.key();
        let is_key = |field: &str| field.get(self.prefix.len()..) == Some(&key);
        let Some((field, meaning)) = self.table.iter().find(|(field, _)| is_key(field)) else {
            return Ok(None);
        };
        if self.seen.contains(meaning) {
            let problem = ManifestProblem::DuplicateKey;
            return Err(ManifestError::new(problem, *field, member.key_place()));
        }
        self.seen.push(*meaning);
        Ok(Some((*meaning, field)))
    }

    /// The field of an unknown key.
    pub(super) fn unknown(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// Reports an unknown key if it looks like a misspelling; `elsewhere` may know better.
    pub(super) fn report_unknown(
        &self,
        key: &str,
        elsewhere: impl FnOnce(&str) -> Option<&'static str>,
        diagnostics: &mut DiagnosticSink,
    ) {
        let fields = self.table.iter().map(|(field, _)| *field);
        if let Some(field) = suggest(key, fields, self.prefix.len()).or_else(|| elsewhere(key)) {
            let detail = format!("`{}` is unknown; is `{field}` meant?", Escaped(key));
            diagnostics.report(PluginDiagnosticCode::UnknownKey, self.unknown(key), detail);
        }
    }
}
