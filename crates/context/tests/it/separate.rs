//! A load gives what the separate loaders give, one after the other on the plain filesystem.

use std::sync::Arc;

use codex_context::absolute_path;
use codex_context::agents_md::{
    ProjectRootInput, TurnEnvironment, TurnEnvironmentSnapshot, load_project_instructions,
    load_user_instructions,
};
use codex_context::config::{
    Config, ConfigSources, ProjectTrustTable, find_project_root, find_project_trust,
    load_base_layers, load_project_layers,
};
use codex_context::file_system::{Environment, EnvironmentSet, FindUpErrorPolicy, find_git_root};
use codex_context::path_uri::{AbsolutePathBuf, PathConvention, PathUri};
use codex_context::skills::{
    HostSkillRoots, Product, ProjectSkillRoots, SkillLoadOptions, SkillRootsInput,
    bundled_skills_enabled, load_skills, skill_config_rules, skill_roots,
};
use codex_file_system_testkit::Flavor;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::layout::{layouts, machine};
use crate::support::{Shared, at_home};

/// Documents, their findings, and skills, as text.
type Found = (String, String, Vec<String>);

/// What the loaders give when each is called for itself; `None` where configuration is refused.
async fn separately(files: Shared) -> Option<Found> {
    let path = |text: &str| absolute_path(text).unwrap();
    let (cwd, config_home) = (path("/w/a/b"), path("/home/ada/.codex"));
    let id = codex_context::file_system::EnvironmentId::new("local").unwrap();
    let environment = Environment::new(id.clone(), cwd.clone(), files);
    let fs = environment.filesystem();

    let base = load_base_layers(&ConfigSources::new(fs, config_home.clone()))
        .await
        .ok()?;
    let markers = base
        .stack
        .usable_project_root_markers(PathConvention::Posix);
    let policy = FindUpErrorPolicy::Propagate;
    let search = find_project_root(fs, &cwd, markers, policy).await.ok()?;
    let table = ProjectTrustTable::from_stack(&base.stack).ok()?;
    let git_root = find_git_root(fs, &cwd, None).await;
    let root = search.root.as_ref();
    let trust = find_project_trust(&environment, &cwd, root, Ok(git_root.as_ref()), &table).await;
    let directories = search.directories(&cwd);
    let decide = |directory: &PathUri| trust.layer(directory);
    let layers = load_project_layers(base.stack, fs, &directories, &decide)
        .await
        .ok()?;
    let (config, _) = Config::from_stack(layers.stack).ok()?;

    let native = AbsolutePathBuf::try_from("/home/ada/.codex").unwrap();
    let user = load_user_instructions(fs, &native).await;
    let turn = TurnEnvironment {
        project_documents: trust.documents,
        project_root: ProjectRootInput::Known(search),
        ..TurnEnvironment::new(id.clone(), environment.clone(), cwd)
    };
    let snapshot = TurnEnvironmentSnapshot {
        turn_environments: vec![turn],
    };
    let documents = load_project_instructions(&config, user.instructions, &snapshot).await;

    let folders = directories.iter().map(|it| it.join(".codex").unwrap());
    let roots = skill_roots(&SkillRootsInput {
        project: Some(ProjectSkillRoots {
            environment_id: id.clone(),
            config_folders: folders.collect(),
            directories,
        }),
        host: Some(HostSkillRoots {
            environment_id: id,
            config_home,
            home: path("/home/ada"),
            admin_folder: None,
            bundled: bundled_skills_enabled(&config.config_layer_stack),
        }),
        ..SkillRootsInput::default()
    });
    let options = SkillLoadOptions {
        product: Some(Product::Codex),
        ..SkillLoadOptions::default()
    };
    let environments = EnvironmentSet::new(vec![environment]).unwrap();
    let mut skills = load_skills(&environments, &roots, &options).await;
    skills.apply_config(&skill_config_rules(&config.config_layer_stack).0);
    Some((
        format!("{:?}", documents.loaded),
        format!("{:?}", documents.diagnostics),
        skills
            .skills
            .iter()
            .map(|skill| format!("{skill:?}"))
            .collect(),
    ))
}

async fn together(files: Shared) -> Option<Found> {
    let request = at_home("/w/a/b", files, 64);
    let context = codex_context::load(&request).await.ok()?;
    let outcome = &context.instructions().get().unwrap().outcome;
    let skills = &context.skills().get().unwrap().outcome.skills;
    Some((
        format!("{:?}", outcome.loaded),
        format!("{:?}", outcome.diagnostics),
        skills.iter().map(|skill| format!("{skill:?}")).collect(),
    ))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn a_load_equals_the_separate_loaders(layout in layouts()) {
        let files: Shared = Arc::new(machine(Flavor::Posix, &layout));
        let separately = futures::executor::block_on(separately(Arc::clone(&files)));
        let together = futures::executor::block_on(together(files));
        assert_eq!(together, separately);
    }
}
