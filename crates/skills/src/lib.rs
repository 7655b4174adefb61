//! Skills: what a coding agent can be told to do well, found where the project keeps it.
//!
//! A *skill* is a directory with a `SKILL.md`: a block of YAML that names and describes it, then text
//! for the model. This crate finds every `SKILL.md` below a set of *roots*, through the filesystem
//! of the environment that owns each root, and reads it back through the same one. The files may
//! lie on another machine, so a call is a round trip and calls are what this crate saves.
//!
//! # From roots to a prompt
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//!
//! use codex_file_system::{Environment, EnvironmentId, EnvironmentSet};
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem};
//! use codex_path_uri::PathUri;
//! use codex_skills::{
//!     CatalogBudget, ProjectSkillRoots, SkillCatalog, SkillLoadOptions, SkillRootsInput,
//!     load_skills, render_skills, resolve_mentions, skill_mentions, skill_roots,
//! };
//!
//! let files = MemoryFileSystem::from_tree(
//!     Flavor::Posix,
//!     "/repo/.agents/skills/fix/SKILL.md = ---%0Adescription: Fixes it.%0A---%0ADo it.%0A",
//! )?;
//! let (id, repo) = (EnvironmentId::new("local")?, PathUri::parse("file:///repo")?);
//! let environment = Environment::new(id.clone(), repo.clone(), Arc::new(files));
//! let environments = Arc::new(EnvironmentSet::new(vec![environment])?);
//!
//! // Which directories are roots is a pure question.
//! let roots = skill_roots(&SkillRootsInput {
//!     project: Some(ProjectSkillRoots {
//!         environment_id: id,
//!         directories: vec![repo],
//!         config_folders: Vec::new(),
//!     }),
//!     ..SkillRootsInput::default()
//! });
//!
//! // Loading never fails; what goes wrong is a diagnostic beside the skills.
//! let outcome = load_skills(&environments, &roots, &SkillLoadOptions::default()).await;
//! assert_eq!(outcome.diagnostics, []);
//!
//! // What a model is told.
//! let rendered = render_skills(&outcome, CatalogBudget::for_context_window(None), None);
//! assert_eq!(rendered.map(|it| it.lines), Some(vec!["- fix: Fixes it. (file: r0/fix/SKILL.md)".to_owned()]));
//!
//! // What a person asks for, read through the environment that owns it.
//! let (asked, _) = resolve_mentions(&skill_mentions("please $fix this"), &outcome);
//! let catalog = SkillCatalog::new(environments, outcome);
//! assert!(catalog.read(&asked[0]).await?.text.ends_with("Do it.\n"));
//! # Ok(())
//! # }
//! ```
//!
//! # How it is built
//!
//! Loading is a serial program over a [`Lookahead`](codex_file_system::Lookahead), one per environment:
//! `discover` gives the directories of all roots of an environment their turns in one fixed order,
//! breadth first, then reads what they showed; what it will probably ask next is asked ahead. What
//! was found becomes one [`SkillLoadOutcome`] in a pure step (`assemble`). Parsing (`frontmatter`,
//! `sidecar`, over the one module that knows the YAML engine), [rendering](render_skills),
//! [mentions](skill_mentions), the [lint](validate()) and [roots](skill_roots) are pure as well.
//!
//! # What is promised
//!
//! - **Nothing is asked twice, and little is asked at all.** Listings tell what is a file, a link, a
//!   plugin; nothing is looked up that a listing told. [`load_skills`] states the number of calls,
//!   and tests assert it for equality.
//! - **The same outcome for every window and every order of answers**, the calls counted per root
//!   included; window 1 is the serial walk.
//! - **Nothing is lost in silence.** What is skipped, cut, refused or ambiguous is a
//!   [`SkillDiagnostic`] with a stable code. A lost skill has exactly one error.
//! - **Paths keep their machine.** Whatever leaves the crate carries an environment id beside its
//!   path; no path of an environment becomes a host path, and no failure leads to another
//!   environment.
//! - **Files are data.** No text from a file can close the rendered section, start a line in it, act
//!   in a message or become part of a path.
//!
//! This crate never searches a project root, caches, watches, writes, or runs a skill, and of a
//! plugin it knows nothing but the name.

mod assemble;
mod catalog;
mod diagnostics;
mod discover;
mod frontmatter;
mod limits;
mod load;
mod mention;
mod metadata;
mod naming;
mod options;
mod outcome;
mod policy;
mod problems;
mod render;
mod roots;
mod sidecar;
mod target;
mod text;
mod validate;
mod yaml;

pub use catalog::{SkillCatalog, SkillContents, SkillLocateError, SkillReadError};
pub use diagnostics::{ScanLimit, SkillDiagnostic, SkillDiagnosticCode};
pub use limits::{
    CATALOG_WINDOW_PERCENT, DEFAULT_CATALOG_CHARS, DEFAULT_SKILL_WINDOW, MAX_FRONTMATTER_BYTES,
    MAX_NAME_CHARS, MAX_QUALIFIED_NAME_CHARS, MAX_SCAN_DEPTH, MAX_SCAN_DIRECTORIES,
    MAX_SCAN_ENTRIES, MAX_SHOWN_DESCRIPTION_CHARS, MAX_SIDECAR_BYTES, MAX_SKILL_DIAGNOSTICS,
    MAX_YAML_DEPTH, MAX_YAML_NODES, SIDECAR_DIRECTORY, SIDECAR_FILE_NAME, SKILL_FILE_NAME,
    SkillScanLimits,
};
pub use load::{
    UnboundSkills, expect_skill_root, load_environment_skills_from_root, load_skills,
    load_skills_with,
};
pub use mention::{Mentions, resolve_mentions, skill_mentions};
pub use metadata::{SkillHandle, SkillInterface, SkillMetadata, SkillPolicy, ToolDependency};
pub use options::{ManifestLocations, Product, SkillLoadOptions};
pub use outcome::{RootReport, SkillLoadOutcome};
pub use policy::{
    SkillConfigRule, SkillSelector, bundled_skills_enabled, skill_config_rules,
    skill_config_rules_in,
};
pub use render::{CatalogBudget, LineExtent, RenderedRoot, RenderedSkills, render_skills};
pub use roots::{
    HostSkillRoots, ProjectSkillRoots, SkillRoot, SkillRootsInput, SkillScope, skill_roots,
};
pub use validate::{check_loadable, validate};
