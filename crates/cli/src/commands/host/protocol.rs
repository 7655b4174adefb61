//! What a host says to the service, and what it is told.
//!
//! The messages are JSON-RPC 2.0, one a line. Their schema is derived from these types.

use codex_context::agents_md::InstructionProvenance;
use codex_context::{Changes, Context, Diagnostic, EnvironmentState, Measure, SourceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The schema of all messages.
pub(super) fn schema() -> Value {
    let of = |schema: schemars::Schema| schema.to_value();
    serde_json::json!({
        "context/load": {
            "params": of(schemars::schema_for!(LoadParams)),
            "result": of(schemars::schema_for!(LoadedContext)),
        },
        "context/refresh": {
            "params": of(schemars::schema_for!(ContextParams)),
            "result": of(schemars::schema_for!(RefreshedContext)),
        },
        "context/close": {
            "params": of(schemars::schema_for!(ContextParams)),
            "result": { "type": "null" },
        },
        "skill/read": {
            "params": of(schemars::schema_for!(ReadSkillParams)),
            "result": of(schemars::schema_for!(SkillFile)),
        },
        "progress": { "params": of(schemars::schema_for!(Progress)) },
        "cancel": { "params": of(schemars::schema_for!(CancelParams)) },
    })
}

/// Parameters of `context/load`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct LoadParams {
    /// Where the agent works. The first that answers decides configuration.
    pub(super) environments: Vec<EnvironmentParams>,
    /// Directories that may hold a plugin.
    #[serde(default)]
    pub(super) plugins: Vec<PluginParams>,
    /// The tokens that the model has room for; null asks configuration.
    #[serde(default)]
    pub(super) context_window: Option<u64>,
}

/// A machine that the agent works on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EnvironmentParams {
    /// What it is called.
    pub(super) id: String,
    /// Where it is: `local`, or a target as `--env` takes it. By default this machine.
    #[serde(default)]
    pub(super) target: Option<String>,
    /// The start directory there: an absolute path of either convention or a `file:` URI.
    pub(super) directory: String,
}

/// A directory that may hold a plugin.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PluginParams {
    /// What the selection is called.
    pub(super) id: String,
    /// The environment that it lies in.
    pub(super) environment_id: String,
    /// The directory, as in an environment.
    pub(super) path: String,
}

/// Parameters of `context/refresh` and `context/close`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ContextParams {
    /// The context, as `context/load` numbered it.
    pub(super) context: u64,
}

/// Parameters of `skill/read`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ReadSkillParams {
    /// The context, as `context/load` numbered it.
    pub(super) context: u64,
    /// A name, a locator as the catalog shows it, a native path or a URI.
    pub(super) skill: String,
    /// A file below the skill's directory; null means `SKILL.md`.
    #[serde(default)]
    pub(super) file: Option<String>,
}

/// Parameters of the notification `cancel`: the request ends with an error and asks nothing more.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CancelParams {
    /// The id of the request.
    pub(super) id: Value,
}

/// The notification `progress`, sent while requests take long.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Progress {
    /// The ids of the requests that are not answered.
    pub(super) waiting: Vec<Value>,
    /// Calls that were made since the service started.
    pub(super) calls: u64,
    /// Calls that are in flight.
    pub(super) in_flight: u64,
}

/// A context: what a model is given and where it comes from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadedContext {
    /// The number by which later requests name it.
    context: u64,
    /// Exactly what a model sees of the instructions; empty where there are none.
    instructions: String,
    /// Exactly what a model sees of the skills; empty where none is shown.
    skills: String,
    /// Every environment of the request.
    environments: Vec<EnvironmentResult>,
    /// The documents that apply, in the order of the text.
    documents: Vec<FileResult>,
    /// Every skill that was found.
    skill_list: Vec<SkillResult>,
    /// The servers that plugins register, as the library serializes them. None is started.
    mcp_servers: Vec<Value>,
    /// How large each part of the model's input is.
    sources: Vec<SourceResult>,
    /// Everything that was lost, cut, skipped or doubtful.
    diagnostics: Vec<DiagnosticResult>,
}

/// A context that was loaded again, under the number it had.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefreshedContext {
    /// What is different, as `[{kind, what, ...}]`; empty where nothing is.
    changes: Vec<Value>,
    /// The context as it is now.
    #[serde(flatten)]
    now: LoadedContext,
}

/// An environment, and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EnvironmentResult {
    id: String,
    /// The start directory, a URI.
    directory: String,
    /// The project root, a URI, where there is one.
    root: Option<String>,
    /// Why nothing of it is in the context, where it does not answer.
    unreachable: Option<String>,
}

/// A file of an environment.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileResult {
    environment_id: String,
    /// A URI.
    path: String,
}

/// A skill.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SkillResult {
    name: String,
    description: String,
    environment_id: String,
    /// Its `SKILL.md`, a URI.
    path: String,
    /// Whether the user left it switched on.
    enabled: bool,
}

/// A part of the model's input.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SourceResult {
    /// `user_instructions`, `document` or `skill`.
    kind: &'static str,
    environment_id: Option<String>,
    /// A URI.
    path: String,
    bytes: u64,
    characters: u64,
    /// ⌈bytes / 4⌉.
    estimated_tokens: u64,
}

/// A diagnostic.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DiagnosticResult {
    /// Stable, in snake case.
    code: &'static str,
    /// `info`, `warning` or `error`.
    severity: Value,
    message: String,
    environment_id: Option<String>,
    /// A URI.
    path: Option<String>,
}

/// A file of a skill.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SkillFile {
    pub(super) environment_id: String,
    /// A URI.
    pub(super) path: String,
    /// Verbatim.
    pub(super) text: String,
}

impl LoadedContext {
    pub(super) fn new(number: u64, context: &Context) -> Self {
        let instructions = context.instructions();
        let loaded = instructions.get().and_then(|it| it.loaded());
        let entries = loaded.into_iter().flat_map(|it| it.entries());
        let documents = entries.filter_map(|entry| match &entry.provenance {
            InstructionProvenance::Project {
                source_path,
                environment_id,
                ..
            } => Some(FileResult {
                environment_id: environment_id.to_string(),
                path: source_path.to_string(),
            }),
            _ => None,
        });
        let skills = context.skills();
        let found = skills.get().into_iter().flat_map(|it| &it.outcome.skills);
        let servers = context.mcp_servers().iter();
        Self {
            context: number,
            instructions: context.instructions().to_string(),
            skills: context.skills().to_string(),
            environments: context.environments().iter().map(environment).collect(),
            documents: documents.collect(),
            skill_list: found
                .map(|skill| SkillResult {
                    name: skill.name.clone(),
                    description: skill.description.clone(),
                    environment_id: skill.handle.environment_id().to_string(),
                    path: skill.handle.entrypoint().to_string(),
                    enabled: skill.enabled,
                })
                .collect(),
            mcp_servers: servers
                .filter_map(|it| serde_json::to_value(it).ok())
                .collect(),
            sources: context.sources().iter().map(source).collect(),
            diagnostics: context.diagnostics().iter().map(diagnostic).collect(),
        }
    }
}

impl RefreshedContext {
    pub(super) fn new(number: u64, context: &Context, changes: &Changes) -> Self {
        let changes = changes
            .iter()
            .filter_map(|it| serde_json::to_value(it).ok());
        Self {
            changes: changes.collect(),
            now: LoadedContext::new(number, context),
        }
    }
}

fn environment(it: &codex_context::EnvironmentContext) -> EnvironmentResult {
    EnvironmentResult {
        id: it.environment.id.to_string(),
        directory: it.environment.cwd.to_string(),
        root: it
            .project()
            .and_then(|project| Some(project.root()?.to_string())),
        unreachable: match &it.state {
            EnvironmentState::Reached(_) => None,
            EnvironmentState::Unreachable(error) => Some(error.to_string()),
        },
    }
}

fn source(it: &codex_context::Source) -> SourceResult {
    let Measure {
        bytes,
        characters,
        estimated_tokens,
    } = it.size;
    SourceResult {
        kind: match it.kind {
            SourceKind::UserInstructions => "user_instructions",
            SourceKind::Document => "document",
            SourceKind::Skill => "skill",
        },
        environment_id: it.environment_id.as_ref().map(ToString::to_string),
        path: it.path.to_string(),
        bytes,
        characters,
        estimated_tokens,
    }
}

fn diagnostic(it: &Diagnostic) -> DiagnosticResult {
    DiagnosticResult {
        code: it.code(),
        severity: serde_json::to_value(it.severity()).unwrap_or_default(),
        message: it.to_string(),
        environment_id: it.environment_id().map(ToString::to_string),
        path: it.path().map(ToString::to_string),
    }
}
