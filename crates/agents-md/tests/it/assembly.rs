//! The assembly cases of the table: entries in, text, header, fragment and sources out.

use codex_agents_md::{InstructionEntry, InstructionProvenance, LoadedAgentsMd, UserInstructions};
use codex_file_system::EnvironmentId;
use codex_path_uri::{AbsolutePathBuf, PathUri};
use pretty_assertions::assert_eq;
use serde::Deserialize;

use crate::case_file::cases;
use crate::support::uri;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AssemblyCase {
    name: String,
    #[serde(rename = "theme")]
    _theme: String,
    #[serde(rename = "note")]
    _note: Option<String>,
    user_text: Option<String>,
    user_source: Option<String>,
    entries: Vec<Entry>,
    expected_present: bool,
    expected_text: Option<String>,
    expected_directory: Option<String>,
    expected_fragment: Option<String>,
    expected_sources: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Entry {
    Project {
        environment_id: String,
        cwd: String,
        source: String,
        contents: String,
    },
    Internal {
        contents: String,
    },
}

#[cfg(unix)]
#[test]
fn every_assembly_case_gives_what_the_table_says() {
    let cases: Vec<AssemblyCase> = cases(|theme| theme == "assembly");
    assert_eq!(cases.len(), 12 + 7);
    for case in &cases {
        let loaded = case.loaded();
        let name = &case.name;
        assert_eq!(!loaded.is_empty(), case.expected_present, "{name}");
        assert_eq!(
            loaded.text(),
            case.expected_text.as_deref().unwrap_or_default(),
            "{name}"
        );
        let fragment = loaded.contextual_user_fragment();
        assert_eq!(fragment.directory, case.expected_directory, "{name}");
        if let Some(expected) = &case.expected_fragment {
            assert_eq!(&fragment.render(), expected, "{name}");
        }
        let sources: Vec<String> = loaded
            .sources()
            .map(|source| source.inferred_native_path_string())
            .collect();
        assert_eq!(sources, case.expected_sources, "{name}");
    }
}

fn project(id: &str, cwd: &str, contents: &str) -> Entry {
    Entry::Project {
        environment_id: id.to_owned(),
        cwd: cwd.to_owned(),
        source: format!("{cwd}/AGENTS.md"),
        contents: contents.to_owned(),
    }
}

fn internal(contents: &str) -> Entry {
    Entry::Internal {
        contents: contents.to_owned(),
    }
}

fn put_together<const N: usize>(entries: [Entry; N]) -> LoadedAgentsMd {
    LoadedAgentsMd::from_parts(None, entries.iter().map(Entry::to_entry).collect())
}

#[test]
fn an_internal_entry_is_followed_by_the_label_of_its_environment_again() {
    let loaded = put_together([
        project("one", "/w", "A"),
        internal("N"),
        project("one", "/w", "B"),
        project("one", "/w", "C"),
        project("two", "/w", "D"),
    ]);
    let expected = "for `one` with root /w\n\nA\n\nN\n\nfor `one` with root /w\n\nB\n\nC\n\n\
                    for `two` with root /w\n\nD";
    assert_eq!(loaded.text(), expected);
}

#[test]
fn directories_of_one_environment_are_not_labelled_and_the_first_is_in_the_header() {
    let loaded = put_together([
        internal("N"),
        project("one", "/w", "A"),
        project("one", "/v", "B"),
    ]);
    let fragment = loaded.contextual_user_fragment();
    assert_eq!(
        fragment.render(),
        "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\n\
         N\n\n--- project-doc ---\n\nA\n\nB\n</INSTRUCTIONS>"
    );
}

#[test]
fn a_label_stands_before_each_change_of_directory_too() {
    let loaded = put_together([
        project("one", "/w", "A"),
        project("one", "/v", "B"),
        project("two", "/v", "C"),
    ]);
    assert_eq!(
        loaded.text(),
        "for `one` with root /w\n\nA\n\nfor `one` with root /v\n\nB\n\nfor `two` with root /v\n\nC"
    );
    assert_eq!(loaded.contextual_user_fragment().directory, None);
}

impl AssemblyCase {
    fn loaded(&self) -> LoadedAgentsMd {
        let user = self.user_text.as_ref().map(|text| UserInstructions {
            text: text.clone(),
            source: crate::support::uri(self.user_source.as_deref().unwrap()),
        });
        LoadedAgentsMd::from_parts(user, self.entries.iter().map(Entry::to_entry).collect())
    }
}

impl Entry {
    fn to_entry(&self) -> InstructionEntry {
        let (contents, provenance) = match self {
            Self::Project {
                environment_id,
                cwd,
                source,
                contents,
            } => {
                let environment_id = EnvironmentId::new(environment_id).unwrap();
                let (source_path, cwd) = (uri(source), uri(cwd));
                let provenance = InstructionProvenance::Project {
                    source_path,
                    environment_id,
                    cwd,
                };
                (contents, provenance)
            }
            Self::Internal { contents } => (contents, InstructionProvenance::Internal),
        };
        InstructionEntry {
            contents: contents.clone(),
            provenance,
        }
    }
}

#[cfg(unix)]
#[test]
fn blank_texts_add_nothing() {
    let source = AbsolutePathBuf::try_from("/home/AGENTS.md").unwrap();
    assert_eq!(
        LoadedAgentsMd::new_user("\n".to_owned(), source),
        LoadedAgentsMd::default()
    );
    let mut loaded = LoadedAgentsMd::from_internal_text(" ");
    loaded.push_internal("\u{A0}");
    assert_eq!(loaded, LoadedAgentsMd::default());
    assert!(loaded.is_empty());
    let blank = [internal("\n"), project("one", "/w", " ")];
    assert!(put_together(blank).is_empty());
    let partly_blank = [internal("\n"), project("one", "/w", "W")];
    assert!(!put_together(partly_blank).is_empty());
}

#[cfg(unix)]
#[test]
fn a_host_adds_texts_of_its_own_behind_everything_else() {
    let source = AbsolutePathBuf::try_from("/home/AGENTS.md").unwrap();
    let mut loaded = LoadedAgentsMd::new_user("U".to_owned(), source.clone());
    loaded.push_internal("N");
    assert_eq!(loaded.text(), "U\n\nN");
    assert_eq!(
        loaded.entries()[0].provenance,
        InstructionProvenance::Internal
    );
    let user = loaded.user_instructions().unwrap();
    assert_eq!(
        (user.text.as_str(), &user.source),
        ("U", &PathUri::from_abs_path(&source))
    );
    assert!(!loaded.is_empty());
}
