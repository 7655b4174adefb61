//! Environments beside the one that the session is about.
//!
//! Their configuration is that of the session; what they have of their own is a project root, and
//! what the user says about it. They are asked at the same time as the first one.

use codex_agents_md::TurnEnvironment;
use codex_config::LoadedLayers;
use codex_file_system::{Environment, FindUpErrorPolicy};
use codex_skills::ProjectSkillRoots;
use futures::future::try_join_all;

use super::{Located, SessionStart};
use crate::exit::Failure;
use crate::trust::Trust;

/// A further environment, and what was found in it.
pub(crate) struct Elsewhere {
    /// The environment.
    pub(crate) environment: Environment,
    /// Its project root.
    pub(crate) located: Located,
    trust: Trust,
}

impl Elsewhere {
    /// The environment as the loader of instructions takes it.
    pub(crate) fn turn(&self) -> TurnEnvironment {
        turn(&self.environment, &self.located, &self.trust)
    }

    /// Where its skills are.
    pub(crate) fn skill_roots(&self) -> ProjectSkillRoots {
        super::skills::project_roots(&self.environment, &self.located)
    }
}

/// An environment as the loader of instructions takes it, its root found and its trust known.
pub(crate) fn turn(environment: &Environment, located: &Located, trust: &Trust) -> TurnEnvironment {
    let (id, cwd) = (environment.id().clone(), environment.cwd().clone());
    let documents = trust.project_documents(&cwd);
    TurnEnvironment::new(id, environment.clone(), cwd)
        .with_project_documents(documents)
        .with_project_root(located.project_root())
}

impl SessionStart<'_> {
    /// Searches the other environments for their roots, with the session's base layers.
    ///
    /// # Errors
    /// When the trust table cannot be used. A failed search is kept in the result.
    pub(crate) async fn elsewhere(
        &self,
        others: &[Environment],
        base: &LoadedLayers,
        policy: FindUpErrorPolicy,
    ) -> Result<Vec<Elsewhere>, Failure> {
        let searches = others.iter().map(|environment| async move {
            let there = SessionStart {
                environment,
                ..*self
            };
            let located = there.search(base.clone(), policy).await;
            let trust = there.trust(&located).await?;
            Ok(Elsewhere {
                environment: environment.clone(),
                located,
                trust,
            })
        });
        try_join_all(searches).await
    }
}
