//! [`Changes`]: how two contexts of one request differ.

use std::collections::BTreeMap;
use std::fmt;

use codex_agents_md::InstructionProvenance;
use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use serde::Serialize;

use crate::Context;

/// What is different, in the order of the parts. `Display` is one line for each change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Changes(Vec<Change>);

/// One difference. `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// How it differs.
    pub kind: ChangeKind,
    /// What differs.
    #[serde(flatten)]
    pub subject: Subject,
}

/// How something differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there before.
    Added,
    /// It is there, and not as it was.
    Changed,
    /// It is there no more.
    Gone,
}

/// What differs between two contexts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(
    tag = "what",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Subject {
    /// Whether an environment answers, its project root, or the trust in it.
    Environment {
        /// The environment.
        environment_id: EnvironmentId,
    },
    /// A value of configuration.
    Value {
        /// Its key.
        key: Vec<String>,
    },
    /// The user's own document.
    UserInstructions {
        /// The file.
        path: PathUri,
    },
    /// A document of a project.
    Document {
        /// The environment.
        environment_id: EnvironmentId,
        /// The file.
        path: PathUri,
    },
    /// A selected directory, or the plugin in it.
    Plugin {
        /// The environment.
        environment_id: EnvironmentId,
        /// The directory.
        path: PathUri,
    },
    /// A server that a plugin registers.
    Server {
        /// The environment.
        environment_id: EnvironmentId,
        /// Its name in the catalog of all servers.
        name: String,
    },
    /// A skill.
    Skill {
        /// The environment.
        environment_id: EnvironmentId,
        /// Its `SKILL.md`.
        path: PathUri,
        /// Its name.
        name: String,
    },
}

/// A thing and whatever of it is compared.
type Facts = BTreeMap<Subject, String>;

impl Changes {
    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The differences.
    pub fn iter(&self) -> impl Iterator<Item = &Change> {
        self.0.iter()
    }

    pub(crate) fn between(before: &Context, after: &Context) -> Self {
        let (mut before, after) = (facts(before), facts(after));
        let mut changes = Vec::new();
        for (subject, now) in after {
            let kind = match before.remove(&subject) {
                None => ChangeKind::Added,
                Some(then) if then != now => ChangeKind::Changed,
                Some(_) => continue,
            };
            changes.push(Change { kind, subject });
        }
        let kind = ChangeKind::Gone;
        changes.extend(before.into_keys().map(|subject| Change { kind, subject }));
        changes.sort_by(|one, other| one.subject.cmp(&other.subject));
        Self(changes)
    }
}

fn facts(context: &Context) -> Facts {
    let mut facts = Facts::new();
    let loaded = &context.loaded;
    for environment in &loaded.environments {
        let environment_id = environment.environment.id.clone();
        let state = match environment.project() {
            None => "unreachable".to_owned(),
            Some(project) => {
                let root = project.search.as_ref().map_err(|error| error.kind());
                format!("{root:?} {:?}", project.trust.documents)
            }
        };
        facts.insert(Subject::Environment { environment_id }, state);
    }
    let stack = &loaded.config.config_layer_stack;
    let effective = stack.effective_config();
    for key in stack.origins().into_keys() {
        let value = key
            .iter()
            .try_fold(&effective, |value, part| value.get(part.as_str()));
        let value = format!("{value:?}");
        facts.insert(Subject::Value { key }, value);
    }
    facts.extend(documents(context));
    for plugin in loaded.plugins.iter() {
        let subject = Subject::Plugin {
            environment_id: plugin.environment_id().clone(),
            path: plugin.root().clone(),
        };
        facts.insert(subject, format!("{plugin:?}"));
    }
    for server in context.mcp_servers() {
        let subject = Subject::Server {
            environment_id: server.environment_id().clone(),
            name: server.qualified_name().to_owned(),
        };
        facts.insert(subject, format!("{server:?}"));
    }
    for skill in loaded
        .skills
        .iter()
        .flat_map(|skills| &skills.outcome.skills)
    {
        let subject = Subject::Skill {
            environment_id: skill.handle.environment_id().clone(),
            path: skill.handle.entrypoint().clone(),
            name: skill.name.clone(),
        };
        facts.insert(subject, format!("{skill:?}"));
    }
    facts
}

fn documents(context: &Context) -> Facts {
    let mut facts = Facts::new();
    let instructions = context.loaded.instructions.as_ref();
    let Some(loaded) = instructions.and_then(|it| it.loaded()) else {
        return facts;
    };
    if let Some(user) = loaded.user_instructions() {
        let path = user.source.clone();
        facts.insert(Subject::UserInstructions { path }, user.text.clone());
    }
    for entry in loaded.entries() {
        if let InstructionProvenance::Project {
            source_path,
            environment_id,
            ..
        } = &entry.provenance
        {
            let subject = Subject::Document {
                environment_id: environment_id.clone(),
                path: source_path.clone(),
            };
            facts.insert(subject, entry.contents.clone());
        }
    }
    facts
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, change) in self.0.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}{change}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ChangeKind::Added => "added",
            ChangeKind::Changed => "changed",
            ChangeKind::Gone => "gone",
        };
        write!(f, "{kind}: ")?;
        let native = PathUri::inferred_native_path_string;
        match &self.subject {
            Subject::Environment { environment_id } => write!(f, "environment `{environment_id}`"),
            Subject::Value { key } => write!(f, "value `{}`", key.join(".")),
            Subject::UserInstructions { path } => write!(f, "user document {}", native(path)),
            Subject::Document {
                environment_id,
                path,
            } => write!(f, "document {} in `{environment_id}`", native(path)),
            Subject::Plugin {
                environment_id,
                path,
            } => write!(f, "plugin {} in `{environment_id}`", native(path)),
            Subject::Server {
                environment_id,
                name,
            } => write!(f, "server `{name}` in `{environment_id}`"),
            Subject::Skill {
                environment_id,
                path,
                name,
            } => {
                let path = native(path);
                write!(f, "skill `{name}`, {path} in `{environment_id}`")
            }
        }
    }
}
