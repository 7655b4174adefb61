//! A host in one file: one session start over two environments.
//!
//! The agent works in two places at once: a project on the host, and a directory of a build machine
//! that runs Windows. The host loads configuration, instructions, plugins and skills of both. One
//! search finds each project root, its result serves all loaders, and no call is made twice: the
//! example watches every call and fails if one is.
//!
//! `cargo run --package codex-cli --example host`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

use codex_agents_md::{
    ProjectRootInput, TurnEnvironment, TurnEnvironmentSnapshot, load_project_instructions,
    load_user_instructions,
};
use codex_config::{
    Config, ConfigSources, LoadedLayers, ProjectLayerDecision, ProjectRootSearch,
    find_project_root, load_base_layers, load_project_layers,
};
use codex_file_system::{
    Environment, EnvironmentId, EnvironmentSet, ExecutorFileSystem, FindUpErrorPolicy,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem, Trace, TraceStep};
use codex_path_uri::{AbsolutePathBuf, PathConvention, PathUri};
use codex_plugin::{ExecutorPluginProvider, ResolvedPlugin, SelectedCapabilityRoot};
use codex_skills::{
    CatalogBudget, HostSkillRoots, ProjectSkillRoots, SkillLoadOptions, SkillRoot, SkillRootsInput,
    SkillScope, load_skills, render_skills, skill_roots,
};

type Watched = Arc<Trace<MemoryFileSystem>>;

const HOST: &str = "
    /home/ada/.codex/config.toml = project_doc_max_bytes = 4096
    /home/ada/.codex/AGENTS.md = Answer in English.
    /home/ada/.codex/skills/review/SKILL.md = ---%0Adescription: Reviews a change.%0A---%0A
    /home/ada/shop/.git/
    /home/ada/shop/AGENTS.md = Run the tests before you answer.
    /home/ada/shop/web/AGENTS.md = Prices are in cents.
    /home/ada/shop/web/.agents/skills/price/SKILL.md = ---%0Adescription: Sets a price.%0A---%0A
";
const BUILD_MACHINE: &str = r#"
    D:/ci/.git/
    D:/ci/AGENTS.md = Never touch the signing key.
    D:/plugins/release/.codex-plugin/plugin.json = {"name": "release"}
    D:/plugins/release/skills/publish/SKILL.md = ---%0Adescription: Publishes.%0A---%0A
"#;

fn main() -> Result<(), Box<dyn Error>> {
    futures::executor::block_on(start_session())
}

async fn start_session() -> Result<(), Box<dyn Error>> {
    let host_files = watched(Flavor::Posix, HOST)?;
    let build_files = watched(Flavor::Windows, BUILD_MACHINE)?;
    let host = environment("host", "file:///home/ada/shop/web", &host_files)?;
    let build = environment("build", "file:///D:/ci", &build_files)?;
    let environments = Arc::new(EnvironmentSet::new(vec![host.clone(), build.clone()])?);

    // Configuration belongs to the host; its project layers to the project that is worked on.
    let base = load_base_layers(&ConfigSources::new(
        &*host_files,
        PathUri::parse("file:///home/ada/.codex")?,
    ))
    .await?;
    let host_root = project_root(&host, &base).await?;
    let build_root = project_root(&build, &base).await?;
    let config = configuration(base, &host, &host_root).await?;

    // Instructions of both, each with the root that is known already.
    let user =
        load_user_instructions(&host_files, &AbsolutePathBuf::try_from("/home/ada/.codex")?).await;
    let turn = TurnEnvironmentSnapshot {
        turn_environments: vec![
            turn_environment(&host, &host_root),
            turn_environment(&build, &build_root),
        ],
    };
    let instructions = load_project_instructions(&config, user.instructions, &turn).await;
    let loaded = instructions
        .loaded
        .ok_or("there are instructions in both environments")?;
    println!("{}\n", loaded.contextual_user_fragment().render());

    // A plugin that the user selected on the build machine, and the skills of everybody.
    let selected = SelectedCapabilityRoot::new(
        "release-tools",
        build.id().clone(),
        PathUri::parse("file:///D:/plugins/release")?,
    );
    let plugins: Vec<ResolvedPlugin> = ExecutorPluginProvider::new(Arc::clone(&environments))
        .resolve_all(&[selected])
        .await
        .into_iter()
        .filter_map(Result::transpose)
        .collect::<Result<_, _>>()?;
    let roots = skill_roots(&SkillRootsInput {
        project: Some(ProjectSkillRoots {
            environment_id: host.id().clone(),
            directories: host_root.directories(host.cwd()),
            config_folders: Vec::new(),
        }),
        host: Some(HostSkillRoots {
            environment_id: host.id().clone(),
            config_home: PathUri::parse("file:///home/ada/.codex")?,
            home: PathUri::parse("file:///home/ada")?,
            admin_folder: None,
            bundled: false,
        }),
        plugins: plugins.iter().flat_map(skills_of_plugin).collect(),
        ..SkillRootsInput::default()
    });
    let skills = load_skills(&environments, &roots, &SkillLoadOptions::default()).await;
    let catalog = render_skills(&skills, CatalogBudget::for_context_window(None), None)
        .ok_or("there are skills in both environments")?;
    println!("{}\n", catalog.text);

    for diagnostic in &instructions.diagnostics {
        println!("{diagnostic}");
    }
    for (id, files) in [("host", &host_files), ("build", &build_files)] {
        println!("{id}: {} calls, none made twice", distinct_calls(files)?);
    }
    Ok(())
}

fn watched(flavor: Flavor, tree: &str) -> Result<Watched, Box<dyn Error>> {
    Ok(Arc::new(Trace::new(MemoryFileSystem::from_tree(
        flavor, tree,
    )?)))
}

fn environment(id: &str, cwd: &str, files: &Watched) -> Result<Environment, Box<dyn Error>> {
    let filesystem: Arc<dyn ExecutorFileSystem> = Arc::clone(files) as _;
    Ok(Environment::new(
        EnvironmentId::new(id)?,
        PathUri::parse(cwd)?,
        filesystem,
    ))
}

/// The one search of an environment; everything that needs the root is given its result.
async fn project_root(
    environment: &Environment,
    base: &LoadedLayers,
) -> std::io::Result<ProjectRootSearch> {
    let convention = environment
        .cwd()
        .convention()
        .unwrap_or(PathConvention::Posix);
    let markers = base.stack.usable_project_root_markers(convention);
    let fs = environment.filesystem();
    find_project_root(fs, environment.cwd(), markers, FindUpErrorPolicy::Propagate).await
}

async fn configuration(
    base: LoadedLayers,
    environment: &Environment,
    root: &ProjectRootSearch,
) -> Result<Config, Box<dyn Error>> {
    // This host trusts the project it was started in.
    let trust = |_: &PathUri| ProjectLayerDecision::Enable;
    let directories = root.directories(environment.cwd());
    let fs = environment.filesystem();
    let layers = load_project_layers(base.stack, fs, &directories, &trust).await?;
    Ok(Config::from_stack(layers.stack)?.0)
}

fn turn_environment(environment: &Environment, root: &ProjectRootSearch) -> TurnEnvironment {
    let (id, cwd) = (environment.id().clone(), environment.cwd().clone());
    TurnEnvironment {
        project_root: ProjectRootInput::Known(root.clone()),
        ..TurnEnvironment::new(id, environment.clone(), cwd)
    }
}

/// The skill roots of a plugin, with the name and place that resolving it has told.
fn skills_of_plugin(plugin: &ResolvedPlugin) -> Vec<SkillRoot> {
    let sources = plugin.skill_sources();
    let locators = sources.get().iter();
    locators
        .map(|locator| SkillRoot {
            plugin: Some(plugin.namespace().clone()),
            root_id: Some(plugin.selected_root_id().to_owned()),
            ..SkillRoot::new(
                locator.environment_id().clone(),
                locator.path().clone(),
                SkillScope::User,
            )
        })
        .collect()
}

/// How many calls were made, provided that no two were the same.
fn distinct_calls(files: &Watched) -> Result<usize, Box<dyn Error>> {
    let mut seen = BTreeSet::new();
    for event in files.events() {
        if let TraceStep::Started { kind, path, .. } = event.what {
            let call = format!("{kind:?} {path}");
            if !seen.insert(call.clone()) {
                return Err(format!("made twice: {call}").into());
            }
        }
    }
    Ok(seen.len())
}

// The host of this example is a POSIX machine, and its config home is a path of the host.
#[cfg(unix)]
#[test]
fn one_session_start_makes_no_call_twice() -> Result<(), Box<dyn Error>> {
    main()
}
