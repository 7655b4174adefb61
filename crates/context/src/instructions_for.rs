//! The documents that apply to one file, also where it lies below the start directory.

use codex_agents_md::{FileDocuments, documents_for};
use codex_file_system::{EnvironmentId, Lookahead};
use codex_path_uri::PathUri;

use crate::session::turn;
use crate::{Context, ContextError};

/// The documents that apply to one file of an environment.
#[derive(Debug)]
pub struct FileInstructions {
    /// The environment.
    pub environment_id: EnvironmentId,
    /// From the project root down to the file's directory; those that the session has come first.
    pub documents: FileDocuments,
}

impl Context {
    /// The documents that apply to `file`, in the first environment whose project it lies in.
    ///
    /// What the session has loaded is not asked for again, and what is found below the start directory
    /// never becomes a part of the session. Of a withheld project nothing is asked.
    ///
    /// # Round trips
    /// None for a file beside what the session has loaded; else 1, as long as the directories between
    /// fit into the window.
    ///
    /// # Errors
    /// When the file lies in no project of the session.
    pub async fn instructions_for(&self, file: &PathUri) -> Result<FileInstructions, ContextError> {
        let outside = || ContextError::OutsideProjects { path: file.clone() };
        let instructions = self.instructions().get().ok_or_else(outside)?;
        let mut environments = self.environments().iter();
        let found = environments.find_map(|it| {
            let project = it.project()?;
            let top = project.directories.first()?;
            let reports = instructions.outcome.report.environments.iter();
            let mut reports = reports.filter(|report| report.environment_id == it.environment.id);
            let report = reports.next().filter(|_| file.starts_with(top))?;
            Some((&it.environment, project, report))
        });
        let (environment, project, report) = found.ok_or_else(outside)?;
        let bound = environment.bind();
        let files = Lookahead::new(bound.filesystem().as_ref(), self.request().window);
        let turn = turn(&bound, project);
        let policy = self.request().document_errors;
        let documents = documents_for(&files, self.config(), &turn, report, file, policy);
        Ok(FileInstructions {
            environment_id: environment.id.clone(),
            documents: files.drive(documents).await,
        })
    }
}
