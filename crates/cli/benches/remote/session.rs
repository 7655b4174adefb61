//! What a host asks of another machine when a session starts there, with the libraries alone.
//!
//! It is composed as the command composes it: one search for the project root, whose result the
//! loaders of instructions and of skills share, and both of them at the same time.

use std::sync::Arc;

use codex_agents_md::{
    InstructionsOptions, InstructionsOutcome, ProjectRootInput, TurnEnvironment,
    TurnEnvironmentSnapshot, load_project_instructions_with,
};
use codex_config::{Config, ProjectRootSearch, ValueOrigin, find_project_root, usable_markers};
use codex_file_system::{
    Environment, EnvironmentId, EnvironmentSet, ExecutorFileSystem, FindUpErrorPolicy, Window,
};
use codex_path_uri::{PathConvention, PathUri};
use codex_skills::{
    ProjectSkillRoots, SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillRootsInput, SkillScope,
    load_skills, skill_roots,
};
use futures::future::{OptionFuture, join};

/// What is loaded at the start of a session, and how much of it at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session {
    /// How instructions are loaded, if they are.
    pub(crate) instructions: Option<InstructionsOptions>,
    /// Which skills are loaded, if any.
    pub(crate) skills: Option<Skills>,
}

/// Where skills are looked for.
#[derive(Clone, Debug)]
pub(crate) enum Skills {
    /// Where a project may have them: in two directories of each of its own.
    OfProject,
    /// In these directories, as spelled below the project root.
    At(&'static [&'static str]),
}

/// What was loaded.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) instructions: Option<InstructionsOutcome>,
    pub(crate) skills: Option<SkillLoadOutcome>,
}

impl Session {
    /// Instructions with these windows, and nothing else.
    pub(crate) fn instructions(window: usize) -> Self {
        let window = Window::new(window).unwrap();
        let options = InstructionsOptions {
            window,
            ..InstructionsOptions::default()
        };
        Self {
            instructions: Some(options),
            skills: None,
        }
    }

    /// Skills in these directories, and nothing else.
    pub(crate) fn skills_at(directories: &'static [&'static str]) -> Self {
        Self {
            instructions: None,
            skills: Some(Skills::At(directories)),
        }
    }

    /// All that a session starts with.
    pub(crate) fn whole() -> Self {
        Self {
            instructions: Some(InstructionsOptions::default()),
            skills: Some(Skills::OfProject),
        }
    }

    /// Starts the session in a directory of a machine.
    pub(crate) async fn start(
        &self,
        filesystem: Arc<dyn ExecutorFileSystem>,
        cwd: PathUri,
    ) -> Loaded {
        let id = EnvironmentId::new("remote").unwrap();
        let environment = Environment::new(id, cwd, filesystem);
        let root = project_root(&environment).await;
        let instructions = OptionFuture::from(
            self.instructions
                .as_ref()
                .map(|options| load_instructions(&environment, &root, options)),
        );
        let skills = OptionFuture::from(
            self.skills
                .as_ref()
                .map(|skills| load_skills_of(&environment, &root, skills)),
        );
        let (instructions, skills) = join(instructions, skills).await;
        Loaded {
            instructions,
            skills,
        }
    }
}

impl Loaded {
    /// How many documents the model is given.
    pub(crate) fn documents(&self) -> usize {
        let outcome = self.instructions.as_ref();
        let loaded = outcome.and_then(|outcome| outcome.loaded.as_ref());
        loaded.map_or(0, |loaded| loaded.sources().count())
    }

    /// How many skills were found.
    pub(crate) fn skills(&self) -> usize {
        self.skills.as_ref().map_or(0, |found| found.skills.len())
    }
}

async fn project_root(environment: &Environment) -> ProjectRootSearch {
    let markers = usable_markers(None, ValueOrigin::Default, PathConvention::Posix);
    let (fs, policy) = (environment.filesystem(), FindUpErrorPolicy::Propagate);
    let search = find_project_root(fs, environment.cwd(), markers, policy);
    search.await.unwrap()
}

async fn load_instructions(
    environment: &Environment,
    root: &ProjectRootSearch,
    options: &InstructionsOptions,
) -> InstructionsOutcome {
    let (id, cwd) = (environment.id().clone(), environment.cwd().clone());
    let turn = TurnEnvironment::new(id, environment.clone(), cwd)
        .with_project_root(ProjectRootInput::Known(root.clone()));
    let snapshot = TurnEnvironmentSnapshot {
        turn_environments: vec![turn],
    };
    load_project_instructions_with(&Config::default(), None, &snapshot, options).await
}

async fn load_skills_of(
    environment: &Environment,
    root: &ProjectRootSearch,
    skills: &Skills,
) -> SkillLoadOutcome {
    let directories = root.directories(environment.cwd());
    let roots = match skills {
        Skills::OfProject => skill_roots(&SkillRootsInput {
            project: Some(ProjectSkillRoots {
                environment_id: environment.id().clone(),
                config_folders: directories
                    .iter()
                    .map(|directory| directory.join(".codex").unwrap())
                    .collect(),
                directories,
            }),
            ..SkillRootsInput::default()
        }),
        Skills::At(below) => below
            .iter()
            .map(|below| {
                let path = directories[0].join(below).unwrap();
                SkillRoot::new(environment.id().clone(), path, SkillScope::Repo)
            })
            .collect(),
    };
    let environments = EnvironmentSet::new(vec![environment.clone()]).unwrap();
    load_skills(&environments, &roots, &SkillLoadOptions::default()).await
}
