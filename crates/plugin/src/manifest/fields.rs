//! Reading one field: which types it takes, and whether a wrong one fails or is dropped.
//!
//! `required_*` and `optional_*` functions refuse the manifest; the methods of [`FieldReader`] drop
//! what is wrong and report it.

use std::fmt;

use codex_path_uri::PathUri;

use super::paths::resolve_path;
use crate::diagnostics::DiagnosticSink;
use crate::json::{Elements, Value};
use crate::{MAX_LIST_ITEMS, ManifestError, ManifestProblem, PluginDiagnosticCode};

/// Reads the fields of one manifest below one root, collecting diagnostics.
pub(super) struct FieldReader<'r> {
    pub(super) root: &'r PathUri,
    pub(super) diagnostics: DiagnosticSink,
}

/// The refusal of a value whose type its field does not take.
pub(super) fn wrong_type(value: Value<'_>, field: &str, expected: &str) -> ManifestError {
    ManifestError::new(ManifestProblem::WrongType, field, value.place())
        .with_explanation(mismatch(value, expected))
}

/// A string.
pub(super) fn required_text(value: Value<'_>, field: &str) -> Result<String, ManifestError> {
    let text = value
        .as_text()
        .ok_or_else(|| wrong_type(value, field, "a string"))?;
    Ok(text.into_owned())
}

/// A string or `null`.
pub(super) fn optional_text(
    value: Value<'_>,
    field: &str,
) -> Result<Option<String>, ManifestError> {
    if value.is_null() {
        Ok(None)
    } else {
        required_text(value, field).map(Some)
    }
}

impl FieldReader<'_> {
    /// An array of strings.
    pub(super) fn required_texts(
        &mut self,
        value: Value<'_>,
        field: &str,
    ) -> Result<Vec<String>, ManifestError> {
        let expected = "an array of strings";
        let elements = value
            .elements()
            .ok_or_else(|| wrong_type(value, field, expected))?;
        let mut texts = Vec::new();
        for (index, element) in judged(elements.clone()).enumerate() {
            let text = element
                .as_text()
                .ok_or_else(|| wrong_type(element, &format!("{field}[{index}]"), "a string"))?;
            texts.push(text.into_owned());
        }
        self.report_cut(elements, field);
        Ok(texts)
    }

    /// A string with a path, or `null`.
    pub(super) fn optional_path(
        &mut self,
        value: Value<'_>,
        field: &str,
    ) -> Result<Option<PathUri>, ManifestError> {
        let text = optional_text(value, field)?;
        Ok(text.and_then(|text| self.path(&text, field)))
    }

    /// An array of strings with paths; bad paths are dropped one by one.
    pub(super) fn required_paths(
        &mut self,
        value: Value<'_>,
        field: &str,
    ) -> Result<Vec<PathUri>, ManifestError> {
        let expected = "an array of strings";
        let elements = value
            .elements()
            .ok_or_else(|| wrong_type(value, field, expected))?;
        let not_text = judged(elements.clone())
            .enumerate()
            .find(|(_, it)| !it.is_string());
        if let Some((index, element)) = not_text {
            return Err(wrong_type(
                element,
                &format!("{field}[{index}]"),
                "a string",
            ));
        }
        Ok(self.paths(elements, field))
    }

    /// A string with a path, an array of them, or `null`; anything else is dropped.
    pub(super) fn path_or_paths(&mut self, value: Value<'_>, field: &str) -> Vec<PathUri> {
        if let Some(text) = value.as_text() {
            return self.path(&text, field).into_iter().collect();
        }
        let elements = value.elements();
        match elements.filter(|elements| judged(elements.clone()).all(|it| it.is_string())) {
            Some(elements) => self.paths(elements, field),
            None if value.is_null() => Vec::new(),
            None => {
                self.drop_field(value, field, "a string or an array of strings");
                Vec::new()
            }
        }
    }

    /// The resources of an array of strings; bad paths are dropped one by one.
    pub(super) fn paths(&mut self, elements: Elements<'_>, field: &str) -> Vec<PathUri> {
        let mut paths = Vec::new();
        for (index, element) in judged(elements.clone()).enumerate() {
            let text = element.as_text().unwrap_or_default();
            paths.extend(self.path(&text, format_args!("{field}[{index}]")));
        }
        self.report_cut(elements, field);
        paths
    }

    /// The resource of a path, unless it is dropped.
    pub(super) fn path(&mut self, text: &str, field: impl fmt::Display) -> Option<PathUri> {
        resolve_path(self.root, text, field, &mut self.diagnostics)
    }

    /// Reports a field that is dropped for its type.
    pub(super) fn drop_field(&mut self, value: Value<'_>, field: &str, expected: &str) {
        let detail = mismatch(value, expected);
        self.diagnostics
            .report(PluginDiagnosticCode::WrongType, field, detail);
    }

    /// Reports a list that goes on behind its judged elements.
    pub(super) fn report_cut(&mut self, elements: Elements<'_>, field: &str) {
        let count = elements.count();
        if count > MAX_LIST_ITEMS {
            let detail =
                format!("{count} elements, of which the first {MAX_LIST_ITEMS} are judged");
            self.diagnostics
                .report(PluginDiagnosticCode::ListTruncated, field, detail);
        }
    }
}

/// The elements of a list that are looked at.
pub(super) fn judged(elements: Elements<'_>) -> impl Iterator<Item = Value<'_>> {
    elements.take(MAX_LIST_ITEMS)
}

/// What was expected, and the shape that was found.
fn mismatch(value: Value<'_>, expected: &str) -> String {
    let Some(elements) = value.elements() else {
        return format!("expected {expected}, found {}", value.shape());
    };
    let mut shapes: Vec<&str> = Vec::new();
    for shape in judged(elements).map(|element| element.shape()) {
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    match shapes.as_slice() {
        [] => format!("expected {expected}, found an empty array"),
        shapes => format!(
            "expected {expected}, found an array of {}",
            shapes.join(" and ")
        ),
    }
}
