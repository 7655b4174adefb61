//! One case of the table, run as a host would: layers, root, project layers, values, user-level
//! text, instructions.

use std::io;
use std::sync::Arc;

use codex_agents_md::{
    DocumentErrorPolicy, InstructionsOptions, InstructionsOutcome, ProjectDocuments,
    ProjectRootInput, TurnEnvironment, TurnEnvironmentSnapshot, load_project_instructions_with,
    load_user_instructions,
};
use codex_config::{
    Config, ConfigDiagnostic, ConfigError, ConfigSources, ProfileName, ProjectRootSearch,
    ProjectTrustTable, find_project_root, find_project_trust, load_base_layers,
    load_project_layers,
};
use codex_file_system::error::kind_name;
use codex_file_system::{
    Environment, EnvironmentId, ExecutorFileSystem, FindUpErrorPolicy, Severity, find_git_root,
};
use codex_path_uri::{AbsolutePathBuf, PathUri};
use pretty_assertions::assert_eq;
use sha2::{Digest, Sha256};

use crate::case_file::{CaseDocuments, Expected, ExpectedText, Places, TreeCase, bytes};
use crate::support::native;

/// Runs the case under both policies, with the root searched for and with the root known.
pub(crate) async fn run(case: &TreeCase, filesystem: Arc<dyn ExecutorFileSystem>, places: &Places) {
    for policy in [
        DocumentErrorPolicy::FailEnvironment,
        DocumentErrorPolicy::KeepReadable,
    ] {
        for is_root_known in [false, true] {
            let host = Host {
                filesystem: &filesystem,
                places,
                case,
                policy,
            };
            run_once(&host, is_root_known).await;
        }
    }
}

async fn run_once(host: &Host<'_>, is_root_known: bool) {
    let Host {
        case,
        places,
        policy,
        ..
    } = host;
    let (config, found) = match host.load_config().await {
        Ok(loaded) => loaded,
        Err(error) => {
            assert_config_error(case, places, &error);
            return;
        }
    };
    assert_eq!(case.expected_error, None, "{}", case.name);
    let mut codes: Vec<String> = found.iter().filter_map(config_code).collect();

    let home = AbsolutePathBuf::try_from(places.home.as_str()).unwrap();
    let user = load_user_instructions(&**host.filesystem, &home).await;
    let project_root = if is_root_known {
        host.known_root().await
    } else {
        ProjectRootInput::Search
    };
    let snapshot = host.snapshot(project_root);
    let options = InstructionsOptions {
        document_errors: *policy,
        ..InstructionsOptions::default()
    };
    let outcome =
        load_project_instructions_with(&config, user.instructions, &snapshot, &options).await;

    codes.extend(
        user.diagnostics
            .iter()
            .chain(&outcome.diagnostics)
            .filter_map(instruction_code),
    );
    codes.sort();
    let expected = match policy {
        DocumentErrorPolicy::FailEnvironment => case.expected(places),
        DocumentErrorPolicy::KeepReadable => case.expected_keep_readable(places),
    };
    let actual = actual(&outcome, codes, &expected.text);
    assert_eq!(
        actual, expected,
        "{} under {policy:?}, root known: {is_root_known}",
        case.name
    );
}

/// A host in miniature.
struct Host<'a> {
    filesystem: &'a Arc<dyn ExecutorFileSystem>,
    places: &'a Places,
    case: &'a TreeCase,
    policy: DocumentErrorPolicy,
}

impl Host<'_> {
    fn cwd(&self) -> PathUri {
        native(&bytes(&self.case.start(self.places)))
    }

    async fn load_config(&self) -> Result<(Config, Vec<ConfigDiagnostic>), ConfigError> {
        let given = &self.case.config;
        let home = native(&bytes(&self.places.home));
        let mut sources = ConfigSources::new(&**self.filesystem, home);
        if let Some(name) = &given.profile {
            sources.profile = Some(ProfileName::new(name)?);
        }
        sources.overrides = given
            .overrides
            .iter()
            .map(|text| self.places.fill_in(text))
            .collect();
        let base = load_base_layers(&sources).await?;

        let cwd = self.cwd();
        let markers = base
            .stack
            .usable_project_root_markers(cwd.convention().unwrap());
        let root = find_project_root(&**self.filesystem, &cwd, markers, FindUpErrorPolicy::Ignore);
        let root = root.await.unwrap();
        let table = ProjectTrustTable::from_stack(&base.stack)?;
        let git_root = find_git_root(&**self.filesystem, &cwd, None).await;
        let (project_root, git_root) = (root.root.as_ref(), Ok(git_root.as_ref()));
        let environment = self.environment();
        let trust = find_project_trust(&environment, &cwd, project_root, git_root, &table).await;
        let (decide, directories) = (
            |directory: &_| trust.layer(directory),
            root.directories(&cwd),
        );
        let layers = load_project_layers(base.stack, &**self.filesystem, &directories, &decide);
        let layers = layers.await?;
        let (config, found) = Config::from_stack(layers.stack)?;
        Ok((
            config,
            [base.diagnostics, layers.diagnostics, found].concat(),
        ))
    }

    async fn known_root(&self) -> ProjectRootInput {
        match self.search_root().await {
            Ok(search) => ProjectRootInput::Known(search),
            Err(error) => ProjectRootInput::Failed(Arc::new(error)),
        }
    }

    async fn search_root(&self) -> io::Result<ProjectRootSearch> {
        let (config, _) = self.load_config().await.unwrap();
        let cwd = self.cwd();
        let stack = &config.config_layer_stack;
        let markers = stack.usable_project_root_markers(cwd.convention().unwrap());
        let policy = match self.policy {
            DocumentErrorPolicy::FailEnvironment => FindUpErrorPolicy::Propagate,
            DocumentErrorPolicy::KeepReadable => FindUpErrorPolicy::Ignore,
        };
        find_project_root(&**self.filesystem, &cwd, markers, policy).await
    }

    fn environment(&self) -> Environment {
        let id = EnvironmentId::new("local").unwrap();
        Environment::new(id, self.cwd(), Arc::clone(self.filesystem))
    }

    fn snapshot(&self, project_root: ProjectRootInput) -> TurnEnvironmentSnapshot {
        let environment = self.environment();
        let (id, cwd) = (environment.id().clone(), self.cwd());
        let project_documents = match self.case.project_documents {
            CaseDocuments::Allowed => ProjectDocuments::Allowed,
            CaseDocuments::Withheld => ProjectDocuments::Withheld,
        };
        let turn = TurnEnvironment::new(id, environment, cwd)
            .with_project_documents(project_documents)
            .with_project_root(project_root);
        TurnEnvironmentSnapshot {
            turn_environments: vec![turn],
        }
    }
}

fn assert_config_error(case: &TreeCase, places: &Places, error: &ConfigError) {
    let name = match error {
        ConfigError::Read { .. } => "read",
        ConfigError::InvalidToml { .. } => "invalid_toml",
        ConfigError::InvalidValue { .. } => "invalid_value",
        ConfigError::InvalidOverride { .. } => "invalid_override",
        ConfigError::LegacyProfile { .. } => "legacy_profile",
        ConfigError::InvalidProfileName { .. } => "invalid_profile_name",
        ConfigError::InvalidStack { .. } => "invalid_stack",
        _ => "unknown",
    };
    assert_eq!(
        Some(name),
        case.expected_error.as_deref(),
        "{}: {error}",
        case.name
    );
    if let Some(position) = &case.expected_error_position {
        let start = format!("{}: ", places.fill_in(position));
        assert!(
            error.to_string().starts_with(&start),
            "{}: {error}",
            case.name
        );
    }
}

/// The outcome in the terms of the table; a text is shortened where the table shortens it.
fn actual(
    outcome: &InstructionsOutcome,
    diagnostics: Vec<String>,
    expected_text: &ExpectedText,
) -> Expected {
    let environment_error = outcome.environments[0].error.as_ref();
    let environment_error = environment_error.map(|error| kind_name(error.kind()).to_owned());
    let Some(loaded) = &outcome.loaded else {
        let (text, directory, sources) = (ExpectedText::None, None, Vec::new());
        return Expected {
            text,
            directory,
            sources,
            diagnostics,
            environment_error,
        };
    };
    let text = match expected_text {
        ExpectedText::Digest { .. } => digest(&loaded.text()),
        _ => ExpectedText::Whole(loaded.text()),
    };
    Expected {
        text,
        directory: loaded.contextual_user_fragment().directory,
        sources: loaded.sources().map(|source| table_text(&source)).collect(),
        diagnostics,
        environment_error,
    }
}

fn digest(text: &str) -> ExpectedText {
    let length = text.chars().count();
    ExpectedText::Digest {
        sha256: Sha256::digest(text)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
        bytes: text.len(),
        head: text.chars().take(60).collect(),
        tail: text.chars().skip(length.saturating_sub(60)).collect(),
    }
}

/// A native path as the table writes it, odd bytes as `{xFF}`.
fn table_text(path: &PathUri) -> String {
    let mut text = String::new();
    for name in path.names().unwrap() {
        text.push('/');
        for chunk in name.as_posix_bytes().unwrap().utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(
                chunk
                    .invalid()
                    .iter()
                    .map(|byte| format!("{{x{byte:02X}}}")),
            );
        }
    }
    text
}

fn config_code(found: &ConfigDiagnostic) -> Option<String> {
    (found.severity() >= Severity::Warning).then(|| found.code().to_string())
}

fn instruction_code(found: &codex_agents_md::InstructionDiagnostic) -> Option<String> {
    let code = found.code();
    let is_listed = found.severity() >= Severity::Warning
        || matches!(
            code,
            "project_documents_withheld" | "project_documents_disabled"
        );
    is_listed.then(|| code.to_owned())
}
