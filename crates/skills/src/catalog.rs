//! A load with the environments it came from: skills that can be looked up and read back.
//!
//! Whatever is read goes through the environment that owns the skill; there is no fallback to another
//! one or to the host. Nothing is read that no entry of the catalog leads to.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use codex_file_system::{EnvironmentId, EnvironmentSet, ExecutorFileSystem, Operation};
use codex_path_uri::{FileName, PathConvention, PathUri};
use futures::future::join;

use crate::metadata::{SkillHandle, SkillMetadata};
use crate::outcome::SkillLoadOutcome;
use crate::render::{Locators, is_full_locator, place_of};
use crate::target::TargetPaths;

/// The skills of one load, bound to their environments.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
///
/// use codex_file_system::{Environment, EnvironmentId, EnvironmentSet};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
/// use codex_skills::{SkillCatalog, SkillLoadOptions, SkillRoot, SkillScope, load_skills};
///
/// let files = MemoryFileSystem::from_tree(
///     Flavor::Posix,
///     "/s/fix/SKILL.md = ---%0Adescription: Fixes it.%0A---%0A\n/s/fix/notes.md = Look twice.",
/// )?;
/// let (id, path) = (EnvironmentId::new("box")?, PathUri::parse("file:///s")?);
/// let environment = Environment::new(id.clone(), path.clone(), Arc::new(files));
/// let environments = Arc::new(EnvironmentSet::new(vec![environment])?);
/// let roots = [SkillRoot::new(id, path, SkillScope::User)];
/// let outcome = load_skills(&environments, &roots, &SkillLoadOptions::default()).await;
///
/// let catalog = SkillCatalog::new(environments, outcome);
/// let fix = catalog.find("/s/fix/SKILL.md").ok_or("no such skill")?;
/// assert_eq!(catalog.read_resource(fix, "notes.md").await?.text, "Look twice.");
/// let refused = catalog.read_resource(fix, "../../etc/passwd").await;
/// assert_eq!(refused.map_err(|error| error.code()), Err("resource_outside_skill"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SkillCatalog {
    environments: Arc<EnvironmentSet>,
    outcome: SkillLoadOutcome,
    by_handle: HashMap<SkillHandle, usize>,
    by_locator: HashMap<String, Vec<SkillHandle>>,
}

/// A file of a skill, verbatim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillContents {
    /// The skill.
    pub handle: SkillHandle,
    /// The canonical file that was read.
    pub path: PathUri,
    /// Its text, a byte order mark included.
    pub text: String,
}

/// Why a file of a skill was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkillReadError {
    /// The environment is not in the set; nothing was called.
    #[error("no environment is called `{environment_id}`")]
    UnknownEnvironment {
        /// The environment asked for.
        environment_id: EnvironmentId,
    },
    /// No skill of the catalog has this handle; nothing was called.
    #[error("no skill of environment `{}` is `{}`", .handle.environment_id(), .handle.entrypoint())]
    UnknownSkill {
        /// The handle asked for.
        handle: SkillHandle,
    },
    /// The path leaves the skill's directory, as written or through a link.
    #[error("the path is not inside the skill's directory `{directory}`")]
    ResourceOutsideSkill {
        /// The directory.
        directory: PathUri,
        /// The canonical file, if a link leads out.
        resolved: Option<PathUri>,
    },
    /// A call failed; the source names operation, path and environment.
    #[error("cannot read a file of the skill")]
    Io {
        /// What the call did.
        operation: Operation,
        /// What it was about.
        path: PathUri,
        /// The environment.
        environment_id: EnvironmentId,
        /// What the filesystem said.
        source: io::Error,
    },
    /// The file is not UTF-8.
    #[error("the skill's file `{path}` in environment `{environment_id}` is not UTF-8")]
    NotUtf8 {
        /// The file.
        path: PathUri,
        /// The environment.
        environment_id: EnvironmentId,
    },
}

/// Why a text locates no skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkillLocateError {
    /// No skill lies there.
    #[error("no skill lies there")]
    Unknown,
    /// Several skills fit, and which one is meant cannot be told.
    #[error("it fits {} skills: {}", places.len(), places.join(", "))]
    Ambiguous {
        /// Where they are: path and environment of each.
        places: Vec<String>,
    },
}

impl SkillReadError {
    /// The code as it stands in reports, in snake case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownEnvironment { .. } => "unknown_environment",
            Self::UnknownSkill { .. } => "unknown_skill",
            Self::ResourceOutsideSkill { .. } => "resource_outside_skill",
            Self::Io { .. } => "io",
            Self::NotUtf8 { .. } => "not_utf8",
        }
    }
}

impl SkillCatalog {
    /// Binds an outcome to the environments it was loaded from.
    pub fn new(environments: Arc<EnvironmentSet>, outcome: SkillLoadOutcome) -> Self {
        let indices = outcome.skills.iter().enumerate();
        let by_handle = indices
            .map(|(index, skill)| (skill.handle.clone(), index))
            .collect();
        let locators = Locators::new(&outcome);
        let mut by_locator: HashMap<String, Vec<SkillHandle>> = HashMap::new();
        for skill in outcome.skills.iter().filter(|skill| skill.is_shown()) {
            let located = by_locator.entry(locators.locator(skill).text);
            located.or_default().push(skill.handle.clone());
        }
        Self {
            environments,
            outcome,
            by_handle,
            by_locator,
        }
    }

    /// All skills, in output order, disabled ones included.
    pub fn skills(&self) -> &[SkillMetadata] {
        &self.outcome.skills
    }

    /// The skill with this handle.
    pub fn get(&self, handle: &SkillHandle) -> Option<&SkillMetadata> {
        self.by_handle
            .get(handle)
            .and_then(|index| self.outcome.skills.get(*index))
    }

    /// The skill that a text locates, if it is exactly one: see [`locate`](Self::locate).
    pub fn find(&self, locator: &str) -> Option<&SkillHandle> {
        self.locate(locator).ok()
    }

    /// The skill that a text locates: a locator as rendered or with its alias written out, a native path
    /// or a URI. Makes no call.
    ///
    /// # Errors
    /// [`SkillLocateError::Unknown`] if no skill is located so, [`SkillLocateError::Ambiguous`] if the
    /// text fits skills of several places, as an equal path on two environments does.
    pub fn locate(&self, locator: &str) -> Result<&SkillHandle, SkillLocateError> {
        let rendered = self.by_locator.get(locator).map_or(&[][..], Vec::as_slice);
        let paths = TargetPaths::of(locator);
        let is_located = |skill: &&SkillMetadata| {
            rendered.contains(&skill.handle)
                || paths.names(skill)
                || is_full_locator(locator, skill, &self.outcome)
        };
        let located: Vec<_> = self.outcome.skills.iter().filter(is_located).collect();
        match located.as_slice() {
            [skill] => Ok(&skill.handle),
            [] => Err(SkillLocateError::Unknown),
            several => Err(SkillLocateError::Ambiguous {
                places: several.iter().map(|skill| place_of(skill)).collect(),
            }),
        }
    }

    /// Reads the `SKILL.md` of a skill, verbatim.
    ///
    /// # Round trips
    /// One call: `read_file` of the skill's identity.
    ///
    /// # Errors
    /// [`UnknownEnvironment`](SkillReadError::UnknownEnvironment) and
    /// [`UnknownSkill`](SkillReadError::UnknownSkill) without a call, then
    /// [`Io`](SkillReadError::Io) and [`NotUtf8`](SkillReadError::NotUtf8).
    ///
    /// # Cancellation
    /// Dropping the future makes no more calls.
    pub async fn read(&self, handle: &SkillHandle) -> Result<SkillContents, SkillReadError> {
        let (fs, skill) = self.owner(handle)?;
        read(fs.as_ref(), handle, &skill.identity).await
    }

    /// Reads a file below the directory of a skill, verbatim.
    ///
    /// `path` is relative and split at `/`, on Windows roots at `\` too; `.` is removed, percent
    /// signs are literal. Links are followed as long as they stay inside.
    ///
    /// # Round trips
    /// Three calls in two round trips: `canonicalize` of directory and file together, then
    /// `read_file`. None for a path that leaves the directory as written.
    ///
    /// # Errors
    /// Those of [`read`](Self::read), and
    /// [`ResourceOutsideSkill`](SkillReadError::ResourceOutsideSkill) for a path that is empty,
    /// absolute, climbs, or leads out through a link.
    ///
    /// # Cancellation
    /// Dropping the future makes no more calls.
    pub async fn read_resource(
        &self,
        handle: &SkillHandle,
        path: &str,
    ) -> Result<SkillContents, SkillReadError> {
        let (fs, skill) = self.owner(handle)?;
        let directory = &skill.directory;
        let outside = |resolved| SkillReadError::ResourceOutsideSkill {
            directory: directory.clone(),
            resolved,
        };
        let resource = resource_path(directory, path).ok_or_else(|| outside(None))?;
        let resolved = join(
            fs.canonicalize(directory, None),
            fs.canonicalize(&resource, None),
        );
        let (canonical_directory, canonical) = resolved.await;
        let failed = |path: &PathUri| {
            let path = path.clone();
            |source| failure(handle, Operation::Canonicalize, path, source)
        };
        let canonical_directory = canonical_directory.map_err(failed(directory))?;
        let canonical = canonical.map_err(failed(&resource))?;
        if !canonical.starts_with(&canonical_directory) {
            return Err(outside(Some(canonical)));
        }
        read(fs.as_ref(), handle, &canonical).await
    }

    /// The filesystem and the entry behind a handle.
    fn owner(
        &self,
        handle: &SkillHandle,
    ) -> Result<(&Arc<dyn ExecutorFileSystem>, &SkillMetadata), SkillReadError> {
        let environment_id = handle.environment_id();
        let environment = self
            .environments
            .get(environment_id.as_str())
            .map_err(|_| SkillReadError::UnknownEnvironment {
                environment_id: environment_id.clone(),
            })?;
        let skill = self
            .get(handle)
            .ok_or_else(|| SkillReadError::UnknownSkill {
                handle: handle.clone(),
            })?;
        Ok((environment.filesystem(), skill))
    }
}

async fn read(
    fs: &dyn ExecutorFileSystem,
    handle: &SkillHandle,
    path: &PathUri,
) -> Result<SkillContents, SkillReadError> {
    let bytes = fs.read_file(path, None).await;
    let bytes = bytes.map_err(|it| failure(handle, Operation::ReadFile, path.clone(), it))?;
    let text = String::from_utf8(bytes).map_err(|_| SkillReadError::NotUtf8 {
        path: path.clone(),
        environment_id: handle.environment_id().clone(),
    })?;
    Ok(SkillContents {
        handle: handle.clone(),
        path: path.clone(),
        text,
    })
}

fn failure(
    handle: &SkillHandle,
    operation: Operation,
    path: PathUri,
    source: io::Error,
) -> SkillReadError {
    SkillReadError::Io {
        operation,
        path,
        environment_id: handle.environment_id().clone(),
        source,
    }
}

/// The file that a relative path names below a directory, unless it leaves it as written.
fn resource_path(directory: &PathUri, text: &str) -> Option<PathUri> {
    let convention = directory.convention()?;
    let is_windows = convention == PathConvention::Windows;
    let is_absolute = text.starts_with('/') || (is_windows && text.starts_with('\\'));
    let has_drive =
        is_windows && matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if is_absolute || has_drive {
        return None;
    }
    let names = convention
        .path_segments(text)
        .filter(|name| !matches!(*name, "" | "."));
    let path = names
        .into_iter()
        .try_fold(directory.clone(), |path, name| {
            let name = FileName::new(name, convention).ok()?;
            path.join_name(&name).ok()
        })?;
    Some(path).filter(|path| path != directory)
}
