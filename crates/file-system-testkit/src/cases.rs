//! Case tables: files of cases in JSON, read strictly and run one by one.
//!
//! A file is an object with `format` (how a reader understands a case), perhaps a `fixture`, and
//! `cases`. A case has a `name` or an `id`; `note`, `rule` and `reference` are for people and never
//! checked. What remains is read into a type of the test, which says `deny_unknown_fields`
//! and names its kinds in an enum, so that nothing in a table passes unseen: an unknown kind or
//! key, a wrong number of cases and a name used twice fail, and every failing case is named.
//!
//! ```
//! use codex_file_system_testkit::cases::{CaseFile, check_each, read_cases};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! #[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
//! enum Case {
//!     Sum { terms: Vec<u64>, expect: u64 },
//!     Product { factors: Vec<u64>, expect: u64 },
//! }
//!
//! let text = r#"{ "format": "`terms` or `factors`, and what they make.", "cases": [
//!     { "name": "two_terms", "kind": "sum", "terms": [1, 2], "expect": 3 },
//!     { "name": "no_factor", "kind": "product", "factors": [], "expect": 1 }
//! ] }"#;
//! let file = CaseFile { name: "sums.json", text, cases: 2 };
//! check_each(read_cases(&[file]), 2, |case| match &case.body {
//!     Case::Sum { terms, expect } => assert_eq!(terms.iter().sum::<u64>(), *expect),
//!     Case::Product { factors, expect } => {
//!         assert_eq!(factors.iter().product::<u64>(), *expect);
//!     }
//! });
//! ```
//!
//! The tables that several crates run are constants here.

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A file of cases.
#[derive(Clone, Copy, Debug)]
pub struct CaseFile {
    /// What failures call it.
    pub name: &'static str,
    /// What it holds.
    pub text: &'static str,
    /// How many cases it holds; any other number fails.
    pub cases: usize,
}

/// Documents and configuration: instructions, layers, errors with their places.
pub const AGENTS_MD: CaseFile = CaseFile {
    name: "agents-md.json",
    text: include_str!("../data/agents-md.json"),
    cases: 243,
};

/// What a server of the exec-server protocol receives and answers.
pub const EXEC_SERVER: CaseFile = CaseFile {
    name: "exec-server.json",
    text: include_str!("../data/exec-server.json"),
    cases: 225,
};

/// Upward searches.
pub const FIND_UP: CaseFile = CaseFile {
    name: "find-up.json",
    text: include_str!("../data/find-up.json"),
    cases: 81,
};

/// Paths: parsing, spelling, joining, comparing.
pub const PATH_URI: CaseFile = CaseFile {
    name: "path-uri.json",
    text: include_str!("../data/path-uri.json"),
    cases: 399,
};

/// Plugin roots and their manifests.
pub const PLUGIN: CaseFile = CaseFile {
    name: "plugin.json",
    text: include_str!("../data/plugin.json"),
    cases: 201,
};

/// Skills: discovery, catalog, mentions, reading, validation.
pub const SKILLS: CaseFile = CaseFile {
    name: "skills.json",
    text: include_str!("../data/skills.json"),
    cases: 293,
};

/// A case as a test reads it.
#[derive(Clone, Debug)]
pub struct Case<C> {
    /// Its `name`, or its `id`.
    pub name: String,
    /// All that it says to the test.
    pub body: C,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(rename = "format")]
    _format: Option<String>,
    #[serde(default)]
    fixture: Vec<String>,
    cases: Vec<Map<String, Value>>,
}

impl CaseFile {
    /// The lines of the tree literal that all cases of the file start from.
    ///
    /// # Panics
    /// If the file is malformed.
    pub fn fixture(&self) -> Vec<String> {
        self.document().fixture
    }

    fn document(&self) -> Document {
        let read = serde_json::from_str(self.text);
        let error = read.as_ref().err().map(ToString::to_string);
        assert_eq!(error, None, "{} is malformed", self.name);
        let document = read.unwrap_or_else(|_| Document {
            _format: None,
            fixture: Vec::new(),
            cases: Vec::new(),
        });
        assert_eq!(document.cases.len(), self.cases, "cases in {}", self.name);
        document
    }
}

/// All cases of some files, in order.
///
/// # Panics
/// If a file is malformed or holds another number of cases than stated, if a name is missing or
/// used twice, or if the type knows a key or a kind of a case not.
pub fn read_cases<C: DeserializeOwned>(files: &[CaseFile]) -> Vec<Case<C>> {
    let mut names = BTreeSet::new();
    let (mut cases, mut failures) = (Vec::new(), Vec::new());
    for file in files {
        for body in file.document().cases {
            match read_case(body) {
                Ok(case) if names.insert(case.name.clone()) => cases.push(case),
                Ok(case) => failures.push(format!("{}: {}: used twice", file.name, case.name)),
                Err(failure) => failures.push(format!("{}: {failure}", file.name)),
            }
        }
    }
    report(&failures);
    cases
}

fn read_case<C: DeserializeOwned>(mut body: Map<String, Value>) -> Result<Case<C>, String> {
    let name = match (body.remove("name"), body.remove("id")) {
        (Some(Value::String(name)), None) | (None, Some(Value::String(name))) => name,
        _ => return Err(format!("case without a name: {body:?}")),
    };
    for for_people in ["note", "rule", "reference"] {
        body.remove(for_people);
    }
    match C::deserialize(Value::Object(body)) {
        Ok(body) => Ok(Case { name, body }),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// Runs `check`, which fails by panicking, on every case, of which there must be `expected`.
///
/// # Panics
/// If a check does, after all of them, with the names of all failing cases; and if more or
/// fewer cases are run than expected.
pub fn check_each<C>(
    cases: impl IntoIterator<Item = Case<C>>,
    expected: usize,
    check: impl Fn(&Case<C>),
) {
    let mut run = 0;
    let mut failures = Vec::new();
    for case in cases {
        run += 1;
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&case))) {
            failures.push(format!("{}: {}", case.name, message(panic.as_ref())));
        }
    }
    report(&failures);
    assert_eq!(run, expected, "cases run");
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("panicked")
}

fn report(failures: &[String]) {
    assert!(
        failures.is_empty(),
        "{} failing cases:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
