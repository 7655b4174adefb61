//! The instructions for programs: one document, or its records.

use codex_agents_md::{InstructionProvenance, InstructionsReport, LoadedAgentsMd};
use codex_path_uri::PathUri;
use serde::Serialize;
use serde_json::Value;

use super::Loaded;
use crate::render::finding::Finding;
use crate::render::json::{self, SCHEMA_VERSION};

/// What `--format json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    schema_version: u32,
    text: Option<String>,
    directory: Option<&'a PathUri>,
    sources: Vec<PathUri>,
    report: &'a InstructionsReport,
    diagnostics: Vec<Value>,
}

/// Everything that was found, as one document.
pub(super) fn document<'a>(loaded: &'a Loaded, findings: &[Finding]) -> Document<'a> {
    let instructions = loaded.outcome.loaded.as_ref();
    Document {
        schema_version: SCHEMA_VERSION,
        text: instructions.map(LoadedAgentsMd::text),
        directory: instructions.and_then(directory),
        sources: instructions
            .iter()
            .flat_map(|loaded| loaded.sources())
            .collect(),
        report: &loaded.outcome.report,
        diagnostics: findings.iter().map(Finding::to_value).collect(),
    }
}

/// The directory in the fragment's header.
fn directory(instructions: &LoadedAgentsMd) -> Option<&PathUri> {
    instructions.contextual_user_fragment().directory?;
    instructions
        .entries()
        .iter()
        .find_map(|entry| match &entry.provenance {
            InstructionProvenance::Project { cwd, .. } => Some(cwd),
            _ => None,
        })
}

/// One line for the text, the user-level document, each environment, directory and finding.
pub(super) fn records(mut document: Value) -> Vec<(&'static str, Value)> {
    let mut report = document
        .as_object_mut()
        .and_then(|map| map.shift_remove("report"));
    let mut take = |key| {
        report
            .as_mut()
            .and_then(|report| report.get_mut(key))
            .map(Value::take)
    };
    let user = take("user").filter(Value::is_object);
    let environments = take("environments");

    let mut records = json::split("instructions", document, &[("diagnostics", "diagnostic")]);
    let findings = records.split_off(1);
    records.extend(user.map(|user| ("user", user)));
    for environment in environments.iter().filter_map(Value::as_array).flatten() {
        let id = environment
            .get("environmentId")
            .cloned()
            .unwrap_or_default();
        let rows = json::split(
            "environment",
            environment.clone(),
            &[("directories", "directory")],
        );
        records.extend(rows.into_iter().map(|(name, mut row)| {
            if let Some(fields) = row.as_object_mut() {
                fields.insert("environmentId".to_owned(), id.clone());
            }
            (name, row)
        }));
    }
    records.extend(findings);
    records
}
