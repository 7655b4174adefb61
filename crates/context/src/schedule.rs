//! What a session start will probably ask: the plan, one function for each stage.
//!
//! A wrong guess costs a call, never an answer. Above a project root nothing is expected but markers;
//! of a project nothing before the trust in it and the budget of its documents are known, and nothing
//! of one that is withheld.

use codex_config::Config;

use crate::context::ProjectContext;
use crate::machine::Machine;
use crate::session::Session;

/// What depends on no answer: configuration, the user's text and skills, plugins.
pub(crate) fn expect_start(session: &Session<'_, '_>) {
    let _ = session;
}

/// The layers and skills of a project.
pub(crate) fn expect_project(
    session: &Session<'_, '_>,
    machine: &Machine<'_>,
    project: &ProjectContext,
) {
    let _ = (session, machine, project);
}

/// The documents of a project.
pub(crate) fn expect_documents(machine: &Machine<'_>, config: &Config, project: &ProjectContext) {
    let _ = (machine, config, project);
}
