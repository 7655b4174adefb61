//! The case tables, the shared one and more in its format: what a case says, and its tree as a tree
//! literal.
//!
//! The shared table's own `format` field is the authority on how both are read.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use codex_file_system_testkit::escape;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const TABLES: [&str; 2] = [
    codex_file_system_testkit::cases::AGENTS_MD.text,
    include_str!("../data/agents-md-more.json"),
];

/// Reads the cases of the given themes; every field must be known.
pub(crate) fn cases<C: DeserializeOwned>(has_theme: impl Fn(&str) -> bool) -> Vec<C> {
    let mut cases = Vec::new();
    for table in TABLES {
        let table: Value = serde_json::from_str(table).unwrap();
        for case in table["cases"].as_array().unwrap() {
            if has_theme(case["theme"].as_str().unwrap()) {
                let read = serde_json::from_value(case.clone());
                cases.push(read.unwrap_or_else(|bad| panic!("{bad}: {case}")));
            }
        }
    }
    cases
}

/// The cases that describe a tree.
pub(crate) fn tree_cases() -> Vec<TreeCase> {
    cases(|theme| !matches!(theme, "assembly" | "merge" | "override" | "cost"))
}

/// A tree, a configuration, and what loading gives.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TreeCase {
    pub(crate) name: String,
    #[serde(rename = "theme")]
    _theme: String,
    #[serde(rename = "note")]
    _note: Option<String>,
    #[serde(rename = "reference")]
    _reference: Option<Value>,
    pub(crate) level: Option<String>,
    pub(crate) run_as: Option<String>,
    #[serde(default)]
    no_mkcwd: bool,
    files: BTreeMap<String, Node>,
    #[serde(default)]
    home: BTreeMap<String, Node>,
    home_at: Option<String>,
    pub(crate) cwd: String,
    pub(crate) cd_flag: Option<String>,
    #[serde(default)]
    pub(crate) config: CaseConfig,
    pub(crate) project_documents: CaseDocuments,
    pub(crate) expected_error: Option<String>,
    pub(crate) expected_error_position: Option<String>,
    expected_present: Option<bool>,
    expected_text: Option<String>,
    expected_text_sha256: Option<String>,
    expected_text_bytes: Option<usize>,
    expected_text_head: Option<String>,
    expected_text_tail: Option<String>,
    expected_directory: Option<String>,
    expected_sources: Option<Vec<String>>,
    expected_diagnostics: Option<Vec<String>>,
    expected_environment_error: Option<String>,
    keep_readable: Option<KeepReadable>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CaseConfig {
    toml: Option<String>,
    #[serde(default)]
    extra_toml: BTreeMap<String, String>,
    pub(crate) profile: Option<String>,
    #[serde(default)]
    pub(crate) overrides: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CaseDocuments {
    Allowed,
    Withheld,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeepReadable {
    text: Option<String>,
    text_bytes: Option<usize>,
    directory: Option<String>,
    sources: Vec<String>,
    diagnostics: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Node {
    Text {
        text: String,
        mode: Option<String>,
    },
    Base64 {
        data: String,
        mode: Option<String>,
    },
    Repeat {
        prefix: String,
        unit: String,
        count: usize,
        suffix: String,
        mode: Option<String>,
    },
    Dir {
        mode: Option<String>,
    },
    Symlink {
        target: String,
    },
    Fifo {
        mode: Option<String>,
    },
}

/// What a case expects of one load.
#[derive(Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) text: ExpectedText,
    pub(crate) directory: Option<String>,
    pub(crate) sources: Vec<String>,
    pub(crate) diagnostics: Vec<String>,
    pub(crate) environment_error: Option<String>,
}

/// A text, or what identifies one too long to be written out.
#[derive(Debug, PartialEq)]
pub(crate) enum ExpectedText {
    None,
    Whole(String),
    Digest {
        sha256: String,
        bytes: usize,
        head: String,
        tail: String,
    },
}

/// Where a case's directories are: native texts without a separator at the end.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub(crate) root: String,
    pub(crate) home: String,
}

impl Places {
    /// Below `base`: the tree in `w`, the config home beside it.
    pub(crate) fn below(base: &str, case: &TreeCase) -> Self {
        let root = format!("{base}/w");
        let home = match &case.home_at {
            Some(inside) => format!("{root}/{inside}"),
            None => format!("{base}/home"),
        };
        Self { root, home }
    }

    pub(crate) fn fill_in(&self, text: &str) -> String {
        text.replace("{ROOT}", &self.root)
            .replace("{HOME}", &self.home)
    }
}

impl TreeCase {
    /// The case as a tree literal, with its directories `at` these paths of the literal and
    /// texts that speak of `places`.
    pub(crate) fn tree(&self, places: &Places, at: &Places) -> String {
        let mut lines = vec![
            format!("{}/", path(&at.root)),
            format!("{}/", path(&at.home)),
        ];
        for (directory, nodes) in [(&at.root, &self.files), (&at.home, &self.home)] {
            for (below, node) in nodes {
                lines.push(node.line(&path(&format!("{directory}/{below}")), places));
            }
        }
        for (name, text) in self.config_files() {
            let text = escape(places.fill_in(text).as_bytes());
            lines.push(format!("{} = {text}", path(&format!("{}/{name}", at.home))));
        }
        if !self.no_mkcwd {
            lines.push(format!("{}/", path(&format!("{}/{}", at.root, self.cwd))));
        }
        lines.join("\n")
    }

    fn config_files(&self) -> impl Iterator<Item = (&str, &str)> {
        let user = self
            .config
            .toml
            .as_deref()
            .map(|text| ("config.toml", text));
        let extra = self.config.extra_toml.iter();
        user.into_iter()
            .chain(extra.map(|(name, text)| (name.as_str(), text.as_str())))
    }

    /// The directory the load starts from, as native text with `{xFF}` for odd bytes.
    pub(crate) fn start(&self, places: &Places) -> String {
        match &self.cd_flag {
            Some(directory) => places.fill_in(directory),
            None => format!("{}/{}", places.root, self.cwd),
        }
    }

    /// What the default policy gives.
    pub(crate) fn expected(&self, places: &Places) -> Expected {
        let text = match (&self.expected_text, &self.expected_text_sha256) {
            (Some(text), _) => ExpectedText::Whole(places.fill_in(text)),
            (None, Some(sha256)) => ExpectedText::Digest {
                sha256: sha256.clone(),
                bytes: self.expected_text_bytes.unwrap(),
                head: self.expected_text_head.clone().unwrap(),
                tail: self.expected_text_tail.clone().unwrap(),
            },
            (None, None) => ExpectedText::None,
        };
        assert_eq!(self.expected_present.unwrap(), text != ExpectedText::None);
        self.filled_in(
            places,
            text,
            self.expected_text_bytes,
            self.expected_directory.as_ref(),
            self.expected_sources.as_ref().unwrap(),
            self.expected_diagnostics.as_ref().unwrap(),
            self.expected_environment_error.clone(),
        )
    }

    /// What `KeepReadable` gives.
    pub(crate) fn expected_keep_readable(&self, places: &Places) -> Expected {
        let Some(expected) = &self.keep_readable else {
            return self.expected(places);
        };
        let text = match &expected.text {
            Some(text) => ExpectedText::Whole(places.fill_in(text)),
            None => ExpectedText::None,
        };
        self.filled_in(
            places,
            text,
            expected.text_bytes,
            expected.directory.as_ref(),
            &expected.sources,
            &expected.diagnostics,
            None,
        )
    }

    #[expect(clippy::too_many_arguments, reason = "the columns of the table")]
    fn filled_in(
        &self,
        places: &Places,
        text: ExpectedText,
        bytes: Option<usize>,
        directory: Option<&String>,
        sources: &[String],
        diagnostics: &[String],
        environment_error: Option<String>,
    ) -> Expected {
        if let (ExpectedText::Whole(text), Some(bytes)) = (&text, bytes) {
            assert_eq!(text.len(), bytes, "{}", self.name);
        }
        let mut diagnostics = diagnostics.to_vec();
        diagnostics.sort();
        Expected {
            text,
            directory: directory.map(|directory| places.fill_in(directory)),
            sources: sources
                .iter()
                .map(|source| places.fill_in(source))
                .collect(),
            diagnostics,
            environment_error,
        }
    }
}

impl Node {
    fn line(&self, path: &str, places: &Places) -> String {
        let mode = self
            .mode()
            .map_or(String::new(), |mode| format!(" !{mode}"));
        match self {
            Self::Text { text, .. } => {
                format!("{path}{mode} = {}", escape(places.fill_in(text).as_bytes()))
            }
            Self::Base64 { data, .. } => {
                format!("{path}{mode} = {}", escape(&STANDARD.decode(data).unwrap()))
            }
            Self::Repeat {
                prefix,
                unit,
                count,
                suffix,
                ..
            } => {
                let text = format!("{prefix}{}{suffix}", unit.repeat(*count));
                format!("{path}{mode} = {}", escape(text.as_bytes()))
            }
            Self::Dir { .. } => format!("{path}/{mode}"),
            Self::Symlink { target } => {
                format!("{path} -> {}", escape(places.fill_in(target).as_bytes()))
            }
            Self::Fifo { .. } => format!("{path}{mode} |"),
        }
    }

    fn mode(&self) -> Option<&String> {
        match self {
            Self::Text { mode, .. }
            | Self::Base64 { mode, .. }
            | Self::Repeat { mode, .. }
            | Self::Dir { mode }
            | Self::Fifo { mode } => mode.as_ref(),
            Self::Symlink { .. } => None,
        }
    }
}

/// A native text of the table as bytes: `{xFF}` is the byte 0xFF.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{x") {
        let (hex, after) = after.split_once('}').unwrap();
        bytes.extend(before.as_bytes());
        bytes.push(u8::from_str_radix(hex, 16).unwrap());
        rest = after;
    }
    bytes.extend(rest.as_bytes());
    bytes
}

/// A native text of the table as the path of a tree literal.
fn path(text: &str) -> String {
    let names = text.split('/').filter(|name| !matches!(*name, "" | "."));
    names
        .map(|name| format!("/{}", escape(&bytes(name))))
        .collect()
}
