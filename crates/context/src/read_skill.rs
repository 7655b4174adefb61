//! Reading a skill as a model names it.

use codex_skills::{SkillContents, SkillHandle, SkillLocateError, SkillReadError};

use crate::Context;

/// Most skills that a refusal tells as meant.
const MAX_NEAREST: usize = 3;

/// Why no file of a skill was read.
#[derive(Debug, thiserror::Error)]
pub enum ReadSkillError {
    /// No skill is called so or lies there.
    #[error("no skill is called `{}` or lies there{}", asked.escape_debug(), Nearest(nearest))]
    Unknown {
        /// What was asked for.
        asked: String,
        /// Names that end in it, after the namespace of a plugin.
        nearest: Vec<String>,
    },
    /// Several skills have the name.
    #[error("{} skills are called `{}`", places.len(), asked.escape_debug())]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// Where they are: each of these names one.
        places: Vec<SkillHandle>,
    },
    /// The text fits several skills, as an equal path on two environments does.
    #[error("`{}` does not tell which skill is meant: {source}", asked.escape_debug())]
    AmbiguousLocator {
        /// What was asked for.
        asked: String,
        /// Where the skills are.
        source: SkillLocateError,
    },
    /// The skill's machine did not give the file.
    #[error(transparent)]
    Read(#[from] SkillReadError),
}

impl Context {
    /// A file of a skill, verbatim, from the machine that owns it: `SKILL.md`, or `file` below the
    /// skill's directory.
    ///
    /// `skill` is a name, a locator exactly as the catalog shows it, a native path or a URI. Disabled
    /// skills can be read.
    ///
    /// # Round trips
    /// 1 for `SKILL.md`, 2 for another file.
    ///
    /// # Errors
    /// When none or several are meant, or the file cannot be read.
    pub async fn read_skill(
        &self,
        skill: &str,
        file: Option<&str>,
    ) -> Result<SkillContents, ReadSkillError> {
        let handle = self.find_skill(skill)?;
        Ok(match file {
            None => self.catalog.read(handle).await?,
            Some(file) => self.catalog.read_resource(handle, file).await?,
        })
    }

    /// The skill that a text names. Makes no call.
    ///
    /// # Errors
    /// When none or several are meant.
    pub fn find_skill(&self, asked: &str) -> Result<&SkillHandle, ReadSkillError> {
        let skills = self.catalog.skills();
        let named = skills.iter().filter(|skill| skill.name == asked);
        let named: Vec<&SkillHandle> = named.map(|skill| &skill.handle).collect();
        match named.as_slice() {
            [handle] => Ok(handle),
            [] => self.catalog.locate(asked).map_err(|source| match source {
                SkillLocateError::Ambiguous { .. } => ReadSkillError::AmbiguousLocator {
                    asked: asked.to_owned(),
                    source,
                },
                _ => ReadSkillError::Unknown {
                    asked: asked.to_owned(),
                    nearest: self.nearest(asked),
                },
            }),
            several => Err(ReadSkillError::Ambiguous {
                asked: asked.to_owned(),
                places: several.iter().copied().cloned().collect(),
            }),
        }
    }

    /// The names that end in `asked`, after the namespace of a plugin.
    fn nearest(&self, asked: &str) -> Vec<String> {
        let names = self.catalog.skills().iter().map(|skill| &skill.name);
        let nearest = names.filter(|name| {
            let namespace = name.strip_suffix(asked).filter(|_| !asked.is_empty());
            namespace.is_some_and(|namespace| namespace.ends_with(':'))
        });
        nearest.take(MAX_NEAREST).cloned().collect()
    }
}

struct Nearest<'a>(&'a [String]);

impl std::fmt::Display for Nearest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            [] => Ok(()),
            names => write!(f, "; the nearest is `{}`", names.join("`, `")),
        }
    }
}
