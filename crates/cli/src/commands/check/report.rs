//! Losses for the programs that show them beside the code: SARIF 2.1.0 and GitHub annotations.

use std::collections::BTreeSet;

use codex_file_system::Severity;
use serde::Serialize;

use super::{Loss, SPELLING};
use crate::output::json;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    /// What columns count.
    column_kind: &'static str,
    results: Vec<SarifResult<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
struct Driver<'a> {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule<'a>>,
}

#[derive(Serialize)]
struct Rule<'a> {
    id: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'a str,
    level: &'static str,
    message: Message,
    locations: Vec<Location<'a>>,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    physical_location: PhysicalLocation<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation<'a> {
    artifact_location: ArtifactLocation<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation<'a> {
    uri: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
}

/// One SARIF log; files are relative to the project root.
pub(super) fn sarif(losses: &[&Loss]) -> serde_json::Result<String> {
    let codes: BTreeSet<&str> = losses.iter().map(|loss| loss.diagnostic.code()).collect();
    let driver = Driver {
        name: env!("CARGO_BIN_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        rules: codes.into_iter().map(|id| Rule { id }).collect(),
    };
    json::object(&Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            column_kind: "unicodeCodePoints",
            results: losses.iter().map(|loss| result(loss)).collect(),
        }],
    })
}

fn result(loss: &Loss) -> SarifResult<'_> {
    let region = loss.line.map(|start_line| Region {
        start_line,
        start_column: loss.column,
    });
    let location = loss.location.as_deref().map(|uri| Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation { uri },
            region,
        },
    });
    SarifResult {
        rule_id: loss.diagnostic.code(),
        level: match loss.diagnostic.severity() {
            Severity::Error => "error",
            Severity::Warning | Severity::Info => "warning",
        },
        message: Message {
            text: loss.diagnostic.sentence(SPELLING),
        },
        locations: location.into_iter().collect(),
    }
}

/// One annotation a line, each of which fails the check.
pub(super) fn annotations(losses: &[&Loss]) -> String {
    let lines = losses.iter().map(|loss| {
        let mut properties = Vec::new();
        if let Some(file) = &loss.file {
            let line = loss.line.unwrap_or(1);
            properties.push(format!("file={}", property(file)));
            properties.push(format!("line={line},col={}", loss.column.unwrap_or(1)));
        }
        properties.push(format!("title={}", property(loss.diagnostic.code())));
        let sentence = loss.diagnostic.sentence(SPELLING);
        format!("::error {}::{}\n", properties.join(","), message(&sentence))
    });
    lines.collect()
}

fn message(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
