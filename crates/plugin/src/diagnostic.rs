//! What was dropped, cut, normalised or not found beside a result: one diagnostic per thing, in document order.
//!
//! A diagnostic never replaces an error: what refuses a whole manifest is a [`ManifestError`].

use std::fmt::{self, Write};

use codex_file_system::{EnvironmentId, Severity, TextPosition};
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};

use crate::namespace::breaks_or_turns;
use crate::{
    MAX_DEFAULT_PROMPT_CHARS, MAX_DEFAULT_PROMPTS, MAX_LIST_ITEMS, MAX_MCP_SERVERS, ManifestError,
    PluginIdError, PluginResourceLocator,
};

/// Most diagnostics of one plugin; the rest gives one [`Truncated`](PluginDiagnostic::Truncated) with their number.
pub const MAX_DIAGNOSTICS: usize = 64;

/// Something to tell about a plugin, by what it is about.
///
/// Serialized, it is the object that reports show: `code`, `severity`, `message`, `environmentId`, `path`, `field`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginDiagnostic {
    /// A key of a manifest.
    Manifest {
        /// The manifest; none where a text was parsed that is in no file.
        file: Option<PluginResourceLocator>,
        /// JSON path of the key, such as `skills[1]`. Not escaped.
        field: String,
        /// What is the matter.
        problem: FieldProblem,
    },
    /// A file or directory of a plugin's root that is not what the grammar or the manifest says.
    Entry {
        /// The file or directory.
        file: PluginResourceLocator,
        /// JSON path of the key that declares it; empty where the grammar fixes the place.
        field: String,
        /// What is the matter.
        problem: EntryProblem,
    },
    /// A source of MCP servers, or one of its servers.
    Mcp {
        /// The root of the plugin; none where a text was parsed that is in no plugin.
        root: Option<PluginResourceLocator>,
        /// A file relative to the root, `<server>` or `<server>.<key>`. Not escaped.
        field: String,
        /// What is the matter.
        problem: McpProblem,
    },
    /// An entry of the table `plugins` of the configuration.
    Installed {
        /// Where the plugin is looked for.
        directory: PluginResourceLocator,
        /// The key of the entry.
        id: String,
        /// What is the matter.
        problem: InstalledProblem,
    },
    /// More diagnostics about one plugin than [`MAX_DIAGNOSTICS`].
    Truncated {
        /// The manifest, or the root of the plugin whose servers were read.
        file: Option<PluginResourceLocator>,
        /// How many are left out.
        left_out: usize,
    },
}

/// What is the matter with a key of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldProblem {
    /// A value of another JSON type; the key or element is dropped.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What the key takes.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A list that holds both strings and objects; the key is dropped.
    #[error("the array holds both strings and objects")]
    MixedList,
    /// A list longer than [`MAX_LIST_ITEMS`]; the rest is not read.
    #[error("{count} elements, of which the first {MAX_LIST_ITEMS} are judged")]
    ListTruncated {
        /// Elements of the list.
        count: usize,
    },
    /// A path that is dropped or, if it is only not portable, kept.
    #[error("path `{}` {}", Escaped(.text), .fault.code_and_explanation().1)]
    Path {
        /// The path as it is written.
        text: String,
        /// The rule it breaks.
        fault: PathFault,
    },
    /// A default prompt without text; dropped.
    #[error("the prompt has no text")]
    PromptEmpty,
    /// A default prompt longer than [`MAX_DEFAULT_PROMPT_CHARS`]; dropped.
    #[error("{length} characters, more than {MAX_DEFAULT_PROMPT_CHARS}")]
    PromptTooLong {
        /// Characters of the prompt.
        length: usize,
    },
    /// More default prompts than [`MAX_DEFAULT_PROMPTS`]; the rest is not read.
    #[error("{MAX_DEFAULT_PROMPTS} prompts are kept; {left_out} further not judged")]
    PromptLimit {
        /// Prompts that are not read.
        left_out: usize,
    },
    /// A map of hook events without its key `hooks`; kept with the key added.
    #[error("a map of events stands without its key `hooks`, which is added")]
    HooksUnwrapped,
    /// An unknown key that looks like a misspelling, or that the grammar forbids; ignored.
    #[error("`{}` {}", Escaped(.key), .meant.as_ref().map_or_else(
        || "is no key of Agent Plugins 1.0".to_owned(),
        |meant| format!("is unknown; is `{meant}` meant?"),
    ))]
    UnknownKey {
        /// The key.
        key: String,
        /// The known key that is probably meant.
        meant: Option<String>,
    },
    /// A name the install rule refuses; kept.
    #[error("no plugin can be installed under the name `{}`", Escaped(.name))]
    InvalidPluginName {
        /// The name.
        name: String,
    },
    /// A name that is unfit for the model's catalog; replaced there.
    #[error("`{}` is unfit for a namespace, which is `{}` instead", Escaped(.name), Escaped(.replacement))]
    UnsafePluginName {
        /// The name.
        name: String,
        /// The namespace in its stead.
        replacement: String,
    },
}

/// The rule of paths that a path breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFault {
    /// No text.
    Empty,
    /// A control character.
    ControlCharacter,
    /// No `./` at the beginning.
    Prefix,
    /// A separator right after the `./`.
    Rooted,
    /// A component that a filesystem takes for the parent.
    ParentComponent,
    /// Below a Windows root, a `:` in a component.
    DriveOrStream,
    /// Nothing below the root is named.
    IsRoot,
    /// Windows opens the path under another name, or not at all.
    NotPortable,
}

/// What is the matter with a file or directory of a root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryProblem {
    /// It is declared and not there.
    #[error("what is declared is not there")]
    Missing,
    /// It is a link without a target.
    #[error("the link leads nowhere")]
    BrokenLink,
    /// It is something else where a manifest may be.
    #[error("expected a manifest that is a regular file, found {found}")]
    NotRegular {
        /// What it is.
        found: &'static str,
    },
    /// A directory of manifests without one.
    #[error("the directory holds no `plugin.json`, so nothing here is a plugin")]
    NoManifest,
    /// A `plugin.json` that says no schema of Agent Plugins.
    #[error("the file is no manifest: {reason}")]
    NotAManifest {
        /// What it lacks.
        reason: String,
    },
}

/// What is the matter with a source of MCP servers or a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpProblem {
    /// A declared file is not there.
    #[error("the declared file is not there")]
    ConfigMissing,
    /// A file could not be read.
    #[error("{reason}")]
    ConfigUnreadable {
        /// Why; foreign text in it is escaped.
        reason: String,
    },
    /// A file is no JSON object of the right grammar.
    #[error("{0} ({problem})", problem = .0.problem())]
    ConfigInvalid(ManifestError),
    /// The servers stand under another key than `mcpServers`; none is registered.
    #[error("expected `mcpServers`, found `{}`: none of its servers is registered", Escaped(.found))]
    WrapperUnknown {
        /// The key.
        found: String,
    },
    /// A bad name or key; the server is dropped.
    #[error("expected {expected}{}", .found.as_deref().map(|it| format!(", found {it}")).unwrap_or_default())]
    ServerInvalid {
        /// What the grammar takes.
        expected: &'static str,
        /// What stands there, if that says more.
        found: Option<String>,
    },
    /// A transport that is not registered; the server is dropped.
    #[error("expected transport `stdio` or `http`, found {transport}")]
    TransportUnsupported {
        /// The transport, quoted and escaped.
        transport: String,
    },
    /// A name that an earlier server of the plugin has; the server is dropped.
    #[error("an earlier server is named `{}`", Escaped(.name))]
    ServerDuplicate {
        /// The name.
        name: String,
    },
    /// More servers than [`MAX_MCP_SERVERS`]; the rest is dropped.
    #[error("{MAX_MCP_SERVERS} servers are kept, {left_out} left out")]
    TooManyServers {
        /// Servers that are left out.
        left_out: usize,
    },
    /// A variable that stands for nothing here; it stays as it is written.
    #[error("variable `${{{}}}` is not known and stays as it is", Escaped(.variable))]
    VariableUnknown {
        /// What stands between the braces.
        variable: String,
    },
    /// A server of another plugin has the same name; both are kept under longer names.
    #[error("server `{}` is registered as `{}`, since `{}` in environment `{}` registers one of that name, too",
        Escaped(.name), Escaped(.qualified), .other.path(), .other.environment_id())]
    NameShared {
        /// The name both plugins use.
        name: String,
        /// The name in the catalog.
        qualified: String,
        /// The root of the other plugin.
        other: PluginResourceLocator,
    },
}

/// What is the matter with an entry of the table `plugins`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstalledProblem {
    /// The key is no plugin id.
    #[error("expected `<plugin>@<marketplace>`: {0}")]
    InvalidId(PluginIdError),
    /// There is no version of it in the cache.
    #[error("the plugin is enabled and not installed")]
    NotInstalled,
    /// The version in the cache has no manifest.
    #[error("the installed plugin has no manifest")]
    NoManifest,
    /// The version in the cache cannot be resolved.
    #[error("the installed plugin cannot be loaded: {reason}")]
    Broken {
        /// The code of the [`PluginProviderError`](crate::PluginProviderError).
        code: &'static str,
        /// Its causes, outermost first.
        reason: String,
    },
}

impl PluginDiagnostic {
    /// The stable code, in snake case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Manifest { problem, .. } => problem.code(),
            Self::Entry { problem, .. } => problem.code(),
            Self::Mcp { problem, .. } => problem.code(),
            Self::Installed { problem, .. } => problem.code(),
            Self::Truncated { .. } => "diagnostics_truncated",
        }
    }

    /// `Info` where nothing was lost, `Error` where a whole declared file or plugin is missing from the result,
    /// `Warning` otherwise.
    pub fn severity(&self) -> Severity {
        match self {
            Self::Manifest {
                problem:
                    FieldProblem::Path {
                        fault: PathFault::NotPortable,
                        ..
                    }
                    | FieldProblem::HooksUnwrapped
                    | FieldProblem::UnknownKey { .. }
                    | FieldProblem::InvalidPluginName { .. },
                ..
            }
            | Self::Entry {
                problem: EntryProblem::NoManifest | EntryProblem::NotAManifest { .. },
                ..
            } => Severity::Info,
            Self::Mcp {
                problem:
                    McpProblem::ConfigMissing
                    | McpProblem::ConfigUnreadable { .. }
                    | McpProblem::ConfigInvalid(_)
                    | McpProblem::WrapperUnknown { .. },
                ..
            }
            | Self::Installed { .. } => Severity::Error,
            _ => Severity::Warning,
        }
    }

    /// The place: a JSON path such as `skills[1]`, a file relative to the root, `<server>.<key>`, or the id of an
    /// installed plugin. Empty where it is about the whole plugin. Not escaped.
    pub fn field(&self) -> &str {
        match self {
            Self::Manifest { field, .. } | Self::Entry { field, .. } | Self::Mcp { field, .. } => {
                field
            }
            Self::Installed { id, .. } => id,
            Self::Truncated { .. } => "",
        }
    }

    /// The file or directory it is about, where one is known.
    pub fn path(&self) -> Option<&PathUri> {
        self.locator().map(PluginResourceLocator::path)
    }

    /// The environment of [`path`](Self::path).
    pub fn environment_id(&self) -> Option<&EnvironmentId> {
        self.locator().map(PluginResourceLocator::environment_id)
    }

    fn locator(&self) -> Option<&PluginResourceLocator> {
        match self {
            Self::Manifest { file, .. } => file.as_ref(),
            Self::Entry { file, .. } => Some(file),
            Self::Mcp { root, .. } => root.as_ref(),
            Self::Installed { directory, .. } => Some(directory),
            Self::Truncated { file, .. } => file.as_ref(),
        }
    }

    /// Where in the file, if that is known.
    pub fn position(&self) -> Option<TextPosition> {
        match self {
            Self::Mcp {
                problem: McpProblem::ConfigInvalid(error),
                ..
            } => Some(TextPosition {
                line: u32::try_from(error.line()).unwrap_or(u32::MAX),
                column: u32::try_from(error.column()).unwrap_or(u32::MAX),
            }),
            _ => None,
        }
    }

    /// What to do, where the sentence does not say it.
    pub fn advice(&self) -> Option<String> {
        Some(match self {
            Self::Manifest {
                problem: FieldProblem::Path { text, fault },
                ..
            } if *fault == PathFault::Prefix && !text.starts_with(['/', '.', '~', '$']) => {
                format!("write `./{}`", Escaped(text))
            }
            Self::Mcp {
                problem: McpProblem::WrapperUnknown { .. },
                ..
            } => "rename the key to `mcpServers`".to_owned(),
            Self::Mcp {
                problem: McpProblem::VariableUnknown { .. },
                ..
            } => "only `${PLUGIN_ROOT}` and `${CLAUDE_PLUGIN_ROOT}` are known; name other variables in `env_vars`"
                .to_owned(),
            Self::Installed {
                id,
                problem: InstalledProblem::NotInstalled,
                ..
            } => format!("install it with `codex plugin add {}`, or disable it", Escaped(id)),
            _ => return None,
        })
    }

    /// What is the matter, without the place; foreign text in it is escaped and cut.
    pub fn detail(&self) -> String {
        match self {
            Self::Manifest { problem, .. } => problem.to_string(),
            Self::Entry { problem, .. } => problem.to_string(),
            Self::Mcp { problem, .. } => problem.to_string(),
            Self::Installed { problem, .. } => problem.to_string(),
            Self::Truncated { left_out, .. } => format!("{left_out} further findings are left out"),
        }
    }

    /// The same about a manifest in this file, or a source of servers in a plugin of this root.
    pub(crate) fn at(mut self, locator: &PluginResourceLocator) -> Self {
        match &mut self {
            Self::Manifest { file: place, .. }
            | Self::Mcp { root: place, .. }
            | Self::Truncated { file: place, .. } => *place = Some(locator.clone()),
            Self::Entry { .. } | Self::Installed { .. } => {}
        }
        self
    }
}

impl FieldProblem {
    fn code(&self) -> &'static str {
        match self {
            Self::WrongType { .. } => "wrong_type",
            Self::MixedList => "mixed_list",
            Self::ListTruncated { .. } => "list_truncated",
            Self::Path { fault, .. } => fault.code_and_explanation().0,
            Self::PromptEmpty => "prompt_empty",
            Self::PromptTooLong { .. } => "prompt_too_long",
            Self::PromptLimit { .. } => "prompt_limit",
            Self::HooksUnwrapped => "hooks_unwrapped",
            Self::UnknownKey { .. } => "unknown_key",
            Self::InvalidPluginName { .. } => "invalid_plugin_name",
            Self::UnsafePluginName { .. } => "unsafe_plugin_name",
        }
    }
}

impl PathFault {
    fn code_and_explanation(self) -> (&'static str, &'static str) {
        match self {
            Self::Empty => ("path_empty", "is empty"),
            Self::ControlCharacter => ("path_control_character", "holds a control character"),
            Self::Prefix => ("path_prefix", "does not begin with `./`"),
            Self::Rooted => ("path_rooted", "has a separator right after its `./`"),
            Self::ParentComponent => (
                "path_parent_component",
                "has a component that leads to the parent",
            ),
            Self::DriveOrStream => ("path_drive_or_stream", "has a component with a `:`"),
            Self::IsRoot => ("path_is_root", "names nothing below the root"),
            Self::NotPortable => (
                "path_not_portable",
                "has a component that Windows reads otherwise",
            ),
        }
    }
}

impl EntryProblem {
    fn code(&self) -> &'static str {
        match self {
            Self::Missing => "component_missing",
            Self::BrokenLink => "broken_link",
            Self::NotRegular { .. } => "manifest_not_regular",
            Self::NoManifest => "manifest_missing",
            Self::NotAManifest { .. } => "not_a_manifest",
        }
    }
}

impl McpProblem {
    fn code(&self) -> &'static str {
        match self {
            Self::ConfigMissing => "mcp_config_missing",
            Self::ConfigUnreadable { .. } => "mcp_config_unreadable",
            Self::ConfigInvalid(_) => "mcp_config_invalid",
            Self::WrapperUnknown { .. } => "mcp_wrapper_unknown",
            Self::ServerInvalid { .. } => "mcp_server_invalid",
            Self::TransportUnsupported { .. } => "mcp_transport_unsupported",
            Self::ServerDuplicate { .. } => "mcp_server_duplicate",
            Self::TooManyServers { .. } => "list_truncated",
            Self::VariableUnknown { .. } => "mcp_variable_unknown",
            Self::NameShared { .. } => "mcp_name_shared",
        }
    }
}

impl InstalledProblem {
    fn code(&self) -> &'static str {
        match self {
            Self::InvalidId(_) => "plugin_id_invalid",
            Self::NotInstalled => "plugin_not_installed",
            Self::NoManifest => "plugin_manifest_missing",
            Self::Broken { .. } => "plugin_broken",
        }
    }
}

impl fmt::Display for PluginDiagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field().is_empty() {
            write!(formatter, "`{}`: ", Escaped(self.field()))?;
        }
        formatter.write_str(&self.detail())?;
        match self.locator() {
            Some(place) => write!(
                formatter,
                ": {} in environment `{}`",
                place.path(),
                place.environment_id()
            ),
            None => Ok(()),
        }
    }
}

impl Serialize for PluginDiagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Report<'a> {
            code: &'static str,
            severity: Severity,
            message: String,
            environment_id: Option<&'a EnvironmentId>,
            path: Option<&'a PathUri>,
            field: &'a str,
        }
        let report = Report {
            code: self.code(),
            severity: self.severity(),
            message: self.to_string(),
            environment_id: self.environment_id(),
            path: self.path(),
            field: self.field(),
        };
        report.serialize(serializer)
    }
}

/// At most [`MAX_DIAGNOSTICS`], and one more that says how many are left out.
pub(crate) fn capped(mut diagnostics: Vec<PluginDiagnostic>) -> Vec<PluginDiagnostic> {
    let left_out = diagnostics.len().saturating_sub(MAX_DIAGNOSTICS);
    if left_out > 0 {
        diagnostics.truncate(MAX_DIAGNOSTICS);
        diagnostics.push(PluginDiagnostic::Truncated {
            file: None,
            left_out,
        });
    }
    diagnostics
}

/// Shows at most 120 characters of foreign text, with those that act on the display as `\u{..}`.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

const MAX_SHOWN_CHARS: usize = 120;

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(MAX_SHOWN_CHARS) {
            if character.is_control() || breaks_or_turns(character) {
                write!(formatter, "{}", character.escape_unicode())?;
            } else {
                formatter.write_char(character)?;
            }
        }
        if characters.next().is_some() {
            formatter.write_char('…')?;
        }
        Ok(())
    }
}
