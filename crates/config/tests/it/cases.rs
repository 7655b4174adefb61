//! Every case of `tests/data`, as far as configuration goes: layers, values, markers, trust, and
//! each error with its place.
//!
//! `agents-md.json` describes how to read both files in its `format` field; documents are the matter
//! of the crate that loads them.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use codex_config::{
    Config, ConfigDiagnostic, ConfigError, ConfigSources, ProfileName, ProjectDocuments,
    ProjectRootSearch, ProjectTrustTable, UsableMarkers, find_project_root, find_project_trust,
    load_base_layers, load_project_layers, merge_toml_values, parse_overrides,
};
use codex_file_system::error::kind_name;
use codex_file_system::{Environment, EnvironmentId, FindUpErrorPolicy, Severity, find_git_root};
use codex_file_system_testkit::MemoryFileSystem;
use codex_path_uri::{PathConvention, PathUri};
use pretty_assertions::assert_eq;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::support::{memory, posix, table, variant};
use crate::tree::{Node, literal};

const ROOT: &str = "/t/w";
const HOME: &str = "/t/home";

#[derive(Deserialize)]
struct CaseFile {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    theme: String,
    #[serde(flatten)]
    body: Json,
}

#[derive(Deserialize)]
struct MergeCase {
    layers: Vec<String>,
    expected: Json,
}

#[derive(Deserialize)]
struct OverrideCase {
    overrides: Vec<String>,
    expected: Json,
    expected_error: Option<String>,
}

#[derive(Deserialize)]
struct TreeCase {
    files: BTreeMap<String, Node>,
    #[serde(default)]
    home: BTreeMap<String, Node>,
    home_at: Option<String>,
    cwd: String,
    cd_flag: Option<String>,
    #[serde(default)]
    config: CaseConfig,
    project_documents: String,
    expected_error: Option<String>,
    expected_error_position: Option<String>,
    #[serde(default)]
    expected_diagnostics: Vec<String>,
    expected_environment_error: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CaseConfig {
    toml: Option<String>,
    extra_toml: BTreeMap<String, String>,
    profile: Option<String>,
    overrides: Vec<String>,
}

const FILES: [&str; 2] = [
    codex_file_system_testkit::cases::AGENTS_MD.text,
    include_str!("../data/config-more.json"),
];

fn cases(themes: impl Fn(&str) -> bool) -> Vec<Case> {
    let cases: Vec<_> = FILES
        .into_iter()
        .flat_map(|file| serde_json::from_str::<CaseFile>(file).unwrap().cases)
        .filter(|case| themes(&case.theme))
        .collect();
    assert!(!cases.is_empty());
    cases
}

fn parse<T: for<'de> Deserialize<'de>>(case: &Case) -> T {
    T::deserialize(&case.body).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

fn json(value: &codex_config::TomlValue) -> Json {
    serde_json::to_value(value).unwrap()
}

#[test]
fn merged_layers_are_the_expected_table() {
    for case in cases(|theme| theme == "merge") {
        let MergeCase { layers, expected } = parse(&case);
        let mut merged = table("");
        for layer in &layers {
            merge_toml_values(&mut merged, &table(layer));
        }
        assert_eq!(json(&merged), expected, "{}", case.name);
    }
}

#[test]
fn override_arguments_make_the_expected_table_or_error() {
    for case in cases(|theme| theme == "override") {
        let OverrideCase {
            overrides,
            expected,
            expected_error,
        } = parse(&case);
        match parse_overrides(&overrides) {
            Ok(parsed) => {
                assert_eq!(
                    (json(&parsed), None),
                    (expected, expected_error),
                    "{}",
                    case.name
                );
            }
            Err(error) => {
                assert_eq!(
                    Some(variant(&error)),
                    expected_error.as_deref(),
                    "{}",
                    case.name
                );
            }
        }
    }
}

#[tokio::test]
async fn trees_give_the_expected_configuration_or_error() {
    let pure_data = ["assembly", "merge", "override", "cost"];
    for case in cases(|theme| !pure_data.contains(&theme)) {
        let tree: TreeCase = parse(&case);
        let place = Place::of(&tree);
        let filesystem = Arc::new(place.build(&tree));
        match (
            place.load(&filesystem, &tree.config).await,
            &tree.expected_error,
        ) {
            (Ok(loaded), None) => check_loaded(&case.name, &tree, loaded),
            (Err(error), Some(expected)) => {
                assert_eq!(variant(&error), expected, "{}", case.name);
                let position = tree
                    .expected_error_position
                    .as_ref()
                    .map(|at| place.expand(at));
                let prefix = position.unwrap_or_else(|| "-c".to_owned());
                let message = error.to_string();
                assert!(
                    message == prefix || message.starts_with(&format!("{prefix}: ")),
                    "{}: {message}",
                    case.name
                );
            }
            (loaded, expected) => {
                panic!(
                    "{}: expected {expected:?}, got {:?}",
                    case.name,
                    loaded.map(|_| ())
                );
            }
        }
    }
}

fn check_loaded(name: &str, tree: &TreeCase, loaded: Loaded) {
    assert_eq!(loaded.documents, tree.project_documents, "{name}");
    if let Some(kind) = loaded.search_error {
        assert_eq!(
            Some(kind_name(kind)),
            tree.expected_environment_error.as_deref(),
            "{name}"
        );
    }
    let mut found: Vec<_> = loaded
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity() > Severity::Info)
        .map(|diagnostic| diagnostic.code())
        .collect();
    let codes = [
        "profile_not_found",
        "invalid_fallback_name",
        "invalid_marker",
        "default_markers_used",
        "invalid_project_root_markers",
    ];
    let mut expected: Vec<_> = tree
        .expected_diagnostics
        .iter()
        .map(String::as_str)
        .filter(|code| codes.contains(code))
        .collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{name}");
}

/// Where a case's tree lies.
struct Place {
    home: String,
    cwd: String,
}

/// What a host learns of a case's configuration.
struct Loaded {
    diagnostics: Vec<ConfigDiagnostic>,
    search_error: Option<io::ErrorKind>,
    /// `allowed` or `withheld`, by the rule that the command uses.
    documents: &'static str,
}

impl Place {
    fn of(tree: &TreeCase) -> Self {
        let home = tree
            .home_at
            .as_ref()
            .map_or(HOME.to_owned(), |at| format!("{ROOT}/{at}"));
        let cwd = format!("{ROOT}/{}", tree.cwd);
        let cwd = tree
            .cd_flag
            .as_ref()
            .map_or(cwd, |flag| flag.replace("{ROOT}", ROOT));
        Self { home, cwd }
    }

    fn expand(&self, text: &str) -> String {
        text.replace("{ROOT}", ROOT).replace("{HOME}", &self.home)
    }

    fn build(&self, tree: &TreeCase) -> MemoryFileSystem {
        let expand = |text: &str| self.expand(text);
        let text = |text: &String| Node::Text {
            text: text.clone(),
            mode: None,
        };
        let user = tree
            .config
            .toml
            .iter()
            .map(|toml| ("config.toml".to_owned(), text(toml)));
        let extra = tree
            .config
            .extra_toml
            .iter()
            .map(|(name, toml)| (name.clone(), text(toml)));
        let configuration: BTreeMap<_, _> = user.chain(extra).collect();
        memory(
            &[
                format!("{ROOT}/\n{}/\n", self.home),
                literal(ROOT, &tree.files, expand),
                literal(&self.home, &tree.home, expand),
                literal(&self.home, &configuration, expand),
            ]
            .concat(),
        )
    }

    async fn load(
        &self,
        filesystem: &Arc<MemoryFileSystem>,
        config: &CaseConfig,
    ) -> Result<Loaded, ConfigError> {
        let cwd = cwd_uri(&self.cwd);
        let base = load_base_layers(&self.sources(filesystem, config)?).await?;
        let trust = ProjectTrustTable::from_stack(&base.stack)?;
        let markers = base
            .stack
            .usable_project_root_markers(PathConvention::Posix);
        let marker_diagnostics = markers.diagnostics();
        let found = Roots::find(filesystem, &cwd, markers).await;
        let id = EnvironmentId::new("local").unwrap();
        let environment = Environment::new(id, cwd.clone(), Arc::clone(filesystem) as _);
        let roots = (found.root.as_ref(), Ok(found.git_root.as_ref()));
        let trust = find_project_trust(&environment, &cwd, roots.0, roots.1, &trust).await;
        let project = load_project_layers(
            base.stack,
            &**filesystem,
            &found.directories,
            &|directory| trust.layer(directory),
        )
        .await?;
        let (config, value_diagnostics) = Config::from_stack(project.stack)?;

        let is_withheld = trust.documents == ProjectDocuments::Withheld;
        let is_searched = !is_withheld && config.project_doc_max_bytes > 0;
        let mut diagnostics = [base.diagnostics, project.diagnostics, value_diagnostics].concat();
        if is_searched {
            diagnostics.extend(marker_diagnostics);
        }
        Ok(Loaded {
            diagnostics,
            search_error: found.search_error,
            documents: if is_withheld { "withheld" } else { "allowed" },
        })
    }

    fn sources<'a>(
        &self,
        filesystem: &'a MemoryFileSystem,
        config: &CaseConfig,
    ) -> Result<ConfigSources<'a>, ConfigError> {
        let overrides = config.overrides.iter();
        Ok(ConfigSources {
            profile: config.profile.as_ref().map(ProfileName::new).transpose()?,
            overrides: overrides.map(|argument| self.expand(argument)).collect(),
            ..ConfigSources::new(filesystem, posix(&self.home))
        })
    }
}

/// The roots of a case's start directory, and what lies between.
struct Roots {
    search_error: Option<io::ErrorKind>,
    root: Option<PathUri>,
    git_root: Option<PathUri>,
    directories: Vec<PathUri>,
}

impl Roots {
    async fn find(filesystem: &MemoryFileSystem, cwd: &PathUri, markers: UsableMarkers) -> Self {
        let policy = FindUpErrorPolicy::Propagate;
        let search = find_project_root(filesystem, cwd, markers, policy).await;
        let search_error = search.as_ref().err().map(io::Error::kind);
        let search = search.ok();
        let git_root = match search.as_ref().and_then(ProjectRootSearch::git_root) {
            Some(known) => known,
            None => find_git_root(filesystem, cwd, None).await,
        };
        let directories = search
            .as_ref()
            .map_or_else(|| vec![cwd.clone()], |search| search.directories(cwd));
        Self {
            search_error,
            root: search.and_then(|search| search.root),
            git_root,
            directories,
        }
    }
}

fn cwd_uri(path: &str) -> PathUri {
    let parts: Vec<_> = path.split("{xFF}").map(str::as_bytes).collect();
    posix("/").join_native_bytes(&parts.join(&0xFF)).unwrap()
}
