//! Why a text is no manifest, and why it is not known whether a root holds a plugin.
//!
//! An error never means "no plugin here", and never leads to another location, another environment or the host's own
//! files. Sources are shared, so that an error can be handed to every root that names the same directory.

use std::fmt;
use std::io;
use std::sync::Arc;

use codex_file_system::error::kind_name;
use codex_file_system::{EnvironmentId, FileSystemError};
use codex_path_uri::{PathUri, PathUriError};

use crate::ResourceOutsideRoot;
use crate::diagnostic::Escaped;

/// A text that is refused as a whole.
///
/// The message names the problem, the field and the place, and no content of the file other than a key.
///
/// # Examples
/// ```
/// use codex_path_uri::PathUri;
/// use codex_plugin::{ManifestProblem, parse_plugin_manifest};
///
/// let root = PathUri::parse("file:///plugins/demo")?;
/// let error = parse_plugin_manifest(&root, "{\n  \"description\": 5\n}").unwrap_err();
/// assert_eq!(error.problem(), ManifestProblem::WrongType);
/// assert_eq!((error.field(), error.line(), error.column()), ("description", 2, 18));
/// assert_eq!(
///     error.to_string(),
///     "`description` has the wrong type: expected a string, found a number, at line 2 column 18",
/// );
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    pub(crate) problem: ManifestProblem,
    pub(crate) field: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) explanation: Option<String>,
}

/// The kind of problem that refuses a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ManifestProblem {
    /// The text begins with U+FEFF.
    ByteOrderMark,
    /// A comment, of any style.
    Comment,
    /// A comma before the end of an object or array.
    TrailingComma,
    /// Anything but white space after the value.
    TrailingText,
    /// The text is empty, or stops before the value does.
    UnexpectedEnd,
    /// Any other text that is not JSON.
    Syntax,
    /// The value is not an object.
    NotAnObject,
    /// A key that may stand once stands twice in one object.
    DuplicateKey,
    /// A value nested deeper than [`MAX_MANIFEST_DEPTH`](crate::MAX_MANIFEST_DEPTH).
    TooDeep,
    /// A value of another type than its field takes.
    WrongType,
    /// A rule of Agent Plugins 1.0 is broken.
    AgentPluginsRule,
}

impl ManifestError {
    /// Adds what was expected and found, without content of the file.
    pub(crate) fn with_explanation(mut self, explanation: impl Into<String>) -> Self {
        self.explanation = Some(explanation.into());
        self
    }

    /// The kind of problem.
    pub fn problem(&self) -> ManifestProblem {
        self.problem
    }

    /// JSON path of the field, such as `interface.logo`; empty for problems of syntax. Not escaped.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Line of the place, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column of the place in Unicode scalar values, counted from 1.
    pub fn column(&self) -> usize {
        self.column
    }
}

impl ManifestProblem {
    /// The code as it stands in reports, in snake case.
    pub fn code(self) -> &'static str {
        self.code_and_predicate().0
    }

    /// The code, and what a message says of the field or, without one, of the text.
    fn code_and_predicate(self) -> (&'static str, &'static str) {
        match self {
            Self::ByteOrderMark => ("byte_order_mark", "begins with a byte order mark"),
            Self::Comment => ("comment", "holds a comment, which JSON has not"),
            Self::TrailingComma => (
                "trailing_comma",
                "holds a comma before the end of an object or array",
            ),
            Self::TrailingText => ("trailing_text", "goes on after its JSON value"),
            Self::UnexpectedEnd => ("unexpected_end", "stops before its JSON value does"),
            Self::Syntax => ("syntax", "is not JSON"),
            Self::NotAnObject => ("not_an_object", "is no JSON object"),
            Self::DuplicateKey => ("duplicate_key", "stands twice in its object"),
            Self::TooDeep => ("too_deep", "is nested too deeply"),
            Self::WrongType => ("wrong_type", "has the wrong type"),
            Self::AgentPluginsRule => ("agent_plugins_rule", "breaks a rule of Agent Plugins 1.0"),
        }
    }
}

impl fmt::Display for ManifestProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field.as_str() {
            "" => formatter.write_str("the text ")?,
            field => write!(formatter, "`{}` ", Escaped(field))?,
        }
        formatter.write_str(self.problem.code_and_predicate().1)?;
        if let Some(explanation) = &self.explanation {
            write!(formatter, ": {explanation}")?;
        }
        write!(formatter, ", at line {} column {}", self.line, self.column)
    }
}

impl std::error::Error for ManifestError {}

/// What an error is about: a root, or a file in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorPlace {
    /// Id of the selected root: any text, empty where no root was selected.
    pub root_id: String,
    /// The environment; where no root was selected, known only if the filesystem names it.
    pub environment_id: Option<EnvironmentId>,
    /// The root, location or manifest; none for an unavailable environment.
    pub path: Option<PathUri>,
}

impl ErrorPlace {
    /// A path of an environment that is not known.
    pub(crate) fn of(path: &PathUri) -> Self {
        Self {
            path: Some(path.clone()),
            ..Self::default()
        }
    }
}

/// A selected root that is neither known to be a plugin nor known to be none.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginProviderError {
    /// The environment is not among those the host bound; no call was made.
    #[error("environment `{}` of the plugin root is not available", name_of(.place))]
    UnavailableEnvironment {
        /// The environment.
        place: ErrorPlace,
    },
    /// The root's metadata or canonical path could not be read; a missing root is one case.
    #[error("cannot inspect the plugin root{}", Named(.place, Some(.source)))]
    InspectRoot {
        /// The root.
        place: ErrorPlace,
        /// What the filesystem said.
        source: Arc<io::Error>,
    },
    /// The root exists and is no directory.
    #[error("expected a directory at the plugin root{}", Named(.place, None))]
    RootNotDirectory {
        /// The root.
        place: ErrorPlace,
    },
    /// The root is a path that takes no child names; no call was made.
    #[error("cannot name a manifest below the plugin root{}", Named(&without_path(.place), None))]
    InvalidManifestPath {
        /// The root.
        place: ErrorPlace,
        /// Why nothing can be joined to it.
        source: Arc<PathUriError>,
    },
    /// A location could not be probed, or the manifest's canonical path not be read.
    #[error("cannot inspect the plugin manifest{}", Named(.place, Some(.source)))]
    InspectManifest {
        /// The location.
        place: ErrorPlace,
        /// What the filesystem said.
        source: Arc<io::Error>,
    },
    /// The manifest could not be read, or is not UTF-8.
    #[error("cannot read the plugin manifest{}", Named(.place, Some(.source)))]
    ReadManifest {
        /// The manifest.
        place: ErrorPlace,
        /// What the filesystem said.
        source: Arc<io::Error>,
    },
    /// The manifest is larger than the limit.
    #[error("found {actual} bytes, more than {limit}, in the plugin manifest{}", Named(.place, None))]
    ManifestTooLarge {
        /// The manifest.
        place: ErrorPlace,
        /// Most bytes accepted.
        limit: u64,
        /// Bytes found; the limit and one where the filesystem does not tell the size.
        actual: u64,
    },
    /// The manifest's text is refused.
    #[error("cannot parse the plugin manifest{}", Named(.place, None))]
    ParseManifest {
        /// The manifest.
        place: ErrorPlace,
        /// The problem and its place.
        source: Arc<ManifestError>,
    },
    /// The manifest, or a resource it declares, lies outside the root.
    #[error("the plugin reaches out of its root{}", Named(&without_path(.place), None))]
    ConstructDescriptor {
        /// The root.
        place: ErrorPlace,
        /// Which resource, and where it lies.
        source: Arc<ResourceOutsideRoot>,
    },
}

impl PluginProviderError {
    /// What the error is about.
    pub fn place(&self) -> &ErrorPlace {
        match self {
            Self::UnavailableEnvironment { place }
            | Self::InspectRoot { place, .. }
            | Self::RootNotDirectory { place }
            | Self::InvalidManifestPath { place, .. }
            | Self::InspectManifest { place, .. }
            | Self::ReadManifest { place, .. }
            | Self::ManifestTooLarge { place, .. }
            | Self::ParseManifest { place, .. }
            | Self::ConstructDescriptor { place, .. } => place,
        }
    }

    /// Id of the selected root: any text, empty where no root was selected.
    pub fn root_id(&self) -> &str {
        &self.place().root_id
    }

    /// The environment, where it is known.
    pub fn environment_id(&self) -> Option<&EnvironmentId> {
        self.place().environment_id.as_ref()
    }

    /// The root, location or manifest the error is about; none for an unavailable environment.
    pub fn path(&self) -> Option<&PathUri> {
        self.place().path.as_ref()
    }

    /// What the filesystem said, if a call failed.
    pub fn io_error(&self) -> Option<&io::Error> {
        match self {
            Self::InspectRoot { source, .. }
            | Self::InspectManifest { source, .. }
            | Self::ReadManifest { source, .. } => Some(source),
            _ => None,
        }
    }

    /// The kind of what the filesystem said, if a call failed.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        self.io_error().map(io::Error::kind)
    }

    /// The code as it stands in reports, in snake case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnavailableEnvironment { .. } => "unavailable_environment",
            Self::InspectRoot { .. } => "inspect_root",
            Self::RootNotDirectory { .. } => "root_not_directory",
            Self::InvalidManifestPath { .. } => "invalid_manifest_path",
            Self::InspectManifest { .. } => "inspect_manifest",
            Self::ReadManifest { .. } => "read_manifest",
            Self::ManifestTooLarge { .. } => "manifest_too_large",
            Self::ParseManifest { .. } => "parse_manifest",
            Self::ConstructDescriptor { .. } => "construct_descriptor",
        }
    }

    /// The code and the kind, without a path or foreign text: fit for telemetry.
    pub fn redacted(&self) -> String {
        match self.io_kind() {
            Some(kind) => format!("{} ({})", self.code(), kind_name(kind)),
            None => self.code().to_owned(),
        }
    }

    /// The same error for a root of another id.
    pub(crate) fn with_root_id(mut self, id: &str) -> Self {
        match &mut self {
            Self::UnavailableEnvironment { place }
            | Self::InspectRoot { place, .. }
            | Self::RootNotDirectory { place }
            | Self::InvalidManifestPath { place, .. }
            | Self::InspectManifest { place, .. }
            | Self::ReadManifest { place, .. }
            | Self::ManifestTooLarge { place, .. }
            | Self::ParseManifest { place, .. }
            | Self::ConstructDescriptor { place, .. } => id.clone_into(&mut place.root_id),
        }
        self
    }
}

fn name_of(place: &ErrorPlace) -> &str {
    place
        .environment_id
        .as_ref()
        .map_or("", EnvironmentId::as_str)
}

/// The same place for a message whose source names the path.
fn without_path(place: &ErrorPlace) -> ErrorPlace {
    ErrorPlace {
        path: None,
        ..place.clone()
    }
}

/// The path and the environment of a message, left out where the source names them itself.
struct Named<'a>(&'a ErrorPlace, Option<&'a io::Error>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(place, source) = self;
        let named_by_source = source.and_then(FileSystemError::find);
        if named_by_source.is_none()
            && let Some(path) = &place.path
        {
            write!(formatter, " `{path}`")?;
        }
        let environment_is_named = named_by_source.is_some_and(|it| it.environment_id.is_some());
        match &place.environment_id {
            Some(id) if !environment_is_named => write!(formatter, " in environment `{id}`"),
            _ => Ok(()),
        }
    }
}
