//! What a session start will probably ask: the plan, one function for each stage.
//!
//! A wrong guess costs a call, never an answer. Above a project root nothing is expected but markers;
//! of a project nothing before the trust in it is known, and no document of one that is withheld or
//! whose budget is unknown.

use codex_agents_md::{
    DEFAULT_AGENTS_MD_FILENAME, LOCAL_AGENTS_MD_FILENAME, expect_user_instructions,
};
use codex_config::{
    Config, ConfigSources, ProjectDocuments, ProjectLayerDecision, default_project_root_markers,
    expect_base_layers, expect_project_layer, expect_project_root, usable_markers,
};
use codex_file_system::{Answer, Expectation, FileKind, Lookahead, MAX_BEGINNING_BYTES, ReadCall};
use codex_path_uri::{PathConvention, PathUri};
use codex_plugin::{DEFAULT_SKILLS_DIR, PluginOptions, expect_plugin_root};
use codex_skills::{SKILL_FILE_NAME, SkillRootsInput, skill_roots};

use crate::context::ProjectContext;
use crate::machine::Machine;
use crate::session::Session;
use crate::{Environment, StartDirectory};

/// From this window on, the `SKILL.md` of a directory is expected beside its listing.
const SPECULATIVE_WINDOW: usize = 64;

/// What depends on no answer: configuration, the user's text and skills, selected plugins, whether
/// environments answer. Where the user's files are on the same machine, also the usual markers.
pub(crate) fn expect_start(session: &Session<'_, '_>, sources: Option<&ConfigSources<'_>>) {
    let parts = session.request.parts;
    if let (Some(host), Some(sources)) = (session.host(), sources) {
        host.files.set_phase("configuration");
        expect_base_layers(&host.files, sources);
        if parts.instructions {
            host.files.set_phase("user instructions");
            expect_user_instructions(&host.files, &sources.config_home);
        }
    }
    for environment in &session.request.environments {
        expect_environment(session, environment);
    }
    for root in session.request.plugins.iter().filter(|_| parts.plugins) {
        if let Some(machine) = session.machines.get(root.environment_id()) {
            machine.files.set_phase("plugins");
            expect_plugin_root(&machine.files, root.path(), &PluginOptions::default());
            if let (true, Ok(skills)) = (parts.skills, root.path().join(DEFAULT_SKILLS_DIR)) {
                machine.files.set_phase("skills");
                expect_skill_root(&machine.files, &skills);
            }
        }
    }
    if let (true, Some(host)) = (parts.skills, session.host()) {
        host.files.set_phase("skills");
        let roots = skill_roots(&SkillRootsInput {
            host: session.host_roots(&Config::default()),
            selected: session.request.skill_roots.clone(),
            ..SkillRootsInput::default()
        });
        for root in roots {
            if let Some(machine) = session.machines.get(&root.environment_id) {
                expect_skill_root(&machine.files, &root.path);
            }
        }
    }
}

fn expect_environment(session: &Session<'_, '_>, environment: &Environment) {
    let Some(machine) = session.machines.get(&environment.id) else {
        return;
    };
    if environment.start_directory == StartDirectory::Checked {
        machine.files.set_phase("start directory");
        machine
            .files
            .expect_all([ReadCall::metadata(&environment.cwd)]);
    }
    let host = session.host().map(|host| host.environment.id());
    if host == Some(&environment.id) {
        machine.files.set_phase("markers");
        let convention = environment.cwd.convention();
        let markers = usable_markers(
            Some(default_project_root_markers()),
            codex_config::ValueOrigin::Default,
            convention.unwrap_or_else(PathConvention::native),
        );
        expect_project_root(&machine.files, &environment.cwd, &markers);
    }
}

/// The layers and skills of a project. Also its documents where the budget is that of the base
/// layers: in the environment that decides configuration, if no layer of the project counts.
pub(crate) fn expect_project(
    session: &Session<'_, '_>,
    machine: &Machine<'_>,
    environment: &Environment,
    project: &ProjectContext,
    budget: Option<&Config>,
) {
    let parts = session.request.parts;
    let first = session.request.environments.first();
    let decides = first.is_some_and(|first| first.id == environment.id);
    if parts.configuration && decides {
        machine.files.set_phase("project layers");
        for directory in &project.directories {
            let is_enabled = project.trust.layer(directory) == ProjectLayerDecision::Enable;
            expect_project_layer(&machine.files, directory, is_enabled);
        }
    }
    let is_disabled = |it: &PathUri| project.trust.layer(it) != ProjectLayerDecision::Enable;
    if let Some(config) = budget
        && decides
        && parts.instructions
        && project.directories.iter().all(is_disabled)
    {
        expect_documents(machine, config, project);
    }
    if parts.skills {
        machine.files.set_phase("skills");
        for root in skill_roots(&SkillRootsInput {
            project: Some(session.project_roots(environment, project)),
            ..SkillRootsInput::default()
        }) {
            expect_skill_root(&machine.files, &root.path);
        }
    }
}

/// The documents of a project, if they are given and there is room for them.
pub(crate) fn expect_documents(machine: &Machine<'_>, config: &Config, project: &ProjectContext) {
    let max_bytes = config.project_doc_max_bytes;
    let is_given = project.trust.documents == ProjectDocuments::Allowed;
    if is_given && project.search.is_ok() && max_bytes > 0 {
        machine.files.set_phase("documents");
        let usual = [LOCAL_AGENTS_MD_FILENAME, DEFAULT_AGENTS_MD_FILENAME];
        let mut names: Vec<String> = usual.map(str::to_owned).to_vec();
        names.extend(config.project_doc_fallback_filenames.iter().cloned());
        let max_bytes = u64::try_from(max_bytes).unwrap_or(u64::MAX);
        for directory in &project.directories {
            codex_agents_md::expect_documents(&machine.files, directory, &names, max_bytes);
        }
    }
}

/// A directory of skills, what it holds, and where it really is.
fn expect_skill_root(files: &Lookahead<'_>, root: &PathUri) {
    let (path, is_bold) = (root.clone(), files.window() >= SPECULATIVE_WINDOW);
    files.expect_all([ReadCall::listing(root).then(move |answer| {
        let mut calls = below(&path, answer, is_bold);
        calls.push(ReadCall::canonical(&path).into());
        calls
    })]);
}

/// What a listing of a directory of skills makes probable.
fn below<'f>(directory: &PathUri, answer: &Answer, is_bold: bool) -> Vec<Expectation<'f>> {
    let mut calls: Vec<Expectation<'f>> = Vec::new();
    for entry in answer.listing().unwrap_or_default() {
        let Ok(path) = directory.join_name(&entry.file_name) else {
            continue;
        };
        let name = entry.file_name.to_string_lossy();
        match entry.kind {
            FileKind::File if name == SKILL_FILE_NAME => calls.push(beginning(&path)),
            FileKind::Directory if entry.is_symlink == Some(false) && !name.starts_with('.') => {
                if let (true, Ok(skill)) = (is_bold, path.join(SKILL_FILE_NAME)) {
                    calls.push(beginning(&skill));
                }
                let listing = ReadCall::listing(&path.clone());
                calls.push(listing.then(move |answer| below(&path, answer, false)));
            }
            _ => {}
        }
    }
    calls
}

fn beginning<'f>(path: &PathUri) -> Expectation<'f> {
    ReadCall::beginning(path, MAX_BEGINNING_BYTES).into()
}
