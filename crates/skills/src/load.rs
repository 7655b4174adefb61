//! Loading: every environment beside the others, then one outcome.

use std::collections::HashMap;

use codex_file_system::{
    EnvironmentId, EnvironmentSet, ExecutorFileSystem, Lookahead, ReadCall, Severity,
};
use codex_path_uri::PathUri;
use futures::future::join_all;
use tracing::{Instrument, debug_span, warn};

use crate::assemble::{Assembly, RootResult};
use crate::discover::{RootFindings, WalkedRoot, discover};
use crate::options::{Product, SkillLoadOptions};
use crate::outcome::SkillLoadOutcome;
use crate::roots::{SkillRoot, SkillScope};

/// Loads the skills of all roots, each through the filesystem of its own environment.
///
/// Loading never fails: whatever goes wrong is a diagnostic beside the skills that are fine. The
/// outcome is that of the serial walk, whatever the window and the order of answers.
///
/// # Round trips
/// One call per distinct directory, `SKILL.md` and sidecar, one per relevant plugin manifest, one
/// `canonicalize` per link that is followed. If some skill of a root has no manifest at or below the
/// root, one metadata call per manifest location of each directory above, all together. One
/// `canonicalize` of the root where links or several roots make it necessary and the caller does
/// not give it. Where listings do not say what is a link, one metadata call per directory. At most
/// `options.window` calls are in flight per environment, listings first. A hundred skills of one
/// plugin take 203 calls and 9 round trips at the default window. No call for a root whose
/// environment is unknown.
///
/// # Cancellation
/// Dropping the future makes no more calls; calls already sent may finish remotely.
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
/// use codex_skills::{SkillLoadOptions, SkillRoot, SkillScope, load_skills};
///
/// let files = MemoryFileSystem::from_tree(
///     Flavor::Posix,
///     "/s/demo/.codex-plugin/plugin.json = {\"name\":\"demo\"}\n\
///      /s/demo/skills/fix/SKILL.md = ---%0Adescription: Fixes it.%0A---%0A",
/// )?;
/// let (id, path) = (EnvironmentId::new("box")?, PathUri::parse("file:///s")?);
/// let environment = Environment::new(id.clone(), path.clone(), Arc::new(files));
/// let environments = EnvironmentSet::new(vec![environment])?;
/// let roots = [SkillRoot::new(id, path, SkillScope::User)];
///
/// let outcome = load_skills(&environments, &roots, &SkillLoadOptions::default()).await;
/// assert_eq!(outcome.skills[0].name, "demo:fix");
/// assert_eq!(outcome.diagnostics, []);
/// # Ok(())
/// # }
/// ```
pub async fn load_skills(
    environments: &EnvironmentSet,
    roots: &[SkillRoot],
    options: &SkillLoadOptions,
) -> SkillLoadOutcome {
    let lookaheads: HashMap<&EnvironmentId, Lookahead<'_>> = roots
        .iter()
        .filter_map(|root| {
            let environment = environments.get(root.environment_id.as_str()).ok()?;
            let lookahead = Lookahead::new(environment.filesystem().as_ref(), options.window);
            let lookahead = lookahead.with_sandbox(options.sandbox.as_ref());
            Some((&root.environment_id, lookahead))
        })
        .collect();
    load_skills_with(|id| lookaheads.get(id), roots, options).await
}

/// Loads the skills of all roots as a part of a longer load: through the [`Lookahead`] that the caller
/// has for each environment, so that no call is made twice.
///
/// The sandbox of `options` is that of the lookaheads; `options.window` does not count.
///
/// # Round trips
/// Those of [`load_skills`], less what the lookaheads know already.
pub async fn load_skills_with<'l, 'f: 'l, F>(
    lookahead_of: impl Fn(&EnvironmentId) -> Option<&'l Lookahead<'f, F>>,
    roots: &[SkillRoot],
    options: &SkillLoadOptions,
) -> SkillLoadOutcome
where
    F: ExecutorFileSystem + ?Sized + 'f,
{
    let mut groups: Vec<(&EnvironmentId, Vec<usize>)> = Vec::new();
    let mut known = HashMap::new();
    for (index, root) in roots.iter().enumerate() {
        let group = *known.entry(&root.environment_id).or_insert_with(|| {
            groups.push((&root.environment_id, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, indices)) = groups.get_mut(group) {
            indices.push(index);
        }
    }
    let loads = groups.into_iter().filter_map(|(id, indices)| {
        let fs = lookahead_of(id)?;
        let walked = indices.iter().filter_map(|index| roots.get(*index));
        let walked: Vec<_> = walked.map(WalkedRoot::from).collect();
        let span = debug_span!("load_skills", environment = %id, roots = walked.len());
        let load = discover(fs, options.sandbox.as_ref(), walked, options);
        Some(async move { (indices, fs.drive(load).instrument(span).await) })
    });
    let loads: Vec<_> = loads.collect();
    let mut found: HashMap<usize, RootFindings> = HashMap::new();
    for (indices, findings) in join_all(loads).await {
        found.extend(indices.into_iter().zip(findings));
    }
    let results = roots.iter().enumerate().map(|(index, root)| RootResult {
        root: root.clone(),
        findings: found.remove(&index),
    });
    finish(results, options.product)
}

/// Expects what a load asks of a root first. Makes no call.
pub fn expect_skill_root<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    root: &PathUri,
) {
    lookahead.expect_all([ReadCall::listing(root)]);
}

/// Loads the skills below one directory whose environment the caller binds later.
///
/// It is [`load_skills`] of one required root of scope Environment with default options.
///
/// # Round trips
/// Those of [`load_skills`].
///
/// # Cancellation
/// Dropping the future makes no more calls.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use codex_file_system::EnvironmentId;
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
/// use codex_skills::{Product, load_environment_skills_from_root};
///
/// let tree = "/s/fix/SKILL.md = ---%0Adescription: Fixes it.%0A---%0A";
/// let files = MemoryFileSystem::from_tree(Flavor::Posix, tree)?;
/// let root = PathUri::parse("file:///s")?;
/// let unbound = load_environment_skills_from_root(&files, &root, Some(Product::Codex)).await;
/// let outcome = unbound.bind(EnvironmentId::new("box")?, "cap0".to_owned());
/// assert_eq!(outcome.skills[0].handle.environment_id().as_str(), "box");
/// # Ok(())
/// # }
/// ```
pub async fn load_environment_skills_from_root(
    fs: &dyn ExecutorFileSystem,
    root: &PathUri,
    product: Option<Product>,
) -> UnboundSkills {
    let walked = WalkedRoot {
        path: root.clone(),
        canonical: None,
        follows_links: true,
        reads_manifests: true,
        is_required: true,
    };
    let options = SkillLoadOptions::default();
    let lookahead = Lookahead::new(fs, options.window);
    let load = discover(&lookahead, None, vec![walked], &options);
    let findings = lookahead.drive(load).await;
    UnboundSkills {
        path: root.clone(),
        findings: findings.into_iter().next(),
        product,
    }
}

/// Skills that do not know their environment yet. Paths alone name nothing, so the only way to use
/// them is [`bind`](Self::bind).
#[derive(Debug)]
#[must_use = "skills without their environment cannot be used"]
pub struct UnboundSkills {
    path: PathUri,
    findings: Option<RootFindings>,
    product: Option<Product>,
}

impl UnboundSkills {
    /// The skills, as those of a capability root `root_id` of this environment.
    pub fn bind(self, environment_id: EnvironmentId, root_id: String) -> SkillLoadOutcome {
        let root = SkillRoot {
            root_id: Some(root_id),
            required: true,
            ..SkillRoot::new(environment_id, self.path, SkillScope::Environment)
        };
        let findings = self.findings;
        finish([RootResult { root, findings }], self.product)
    }
}

fn finish(
    results: impl IntoIterator<Item = RootResult>,
    product: Option<Product>,
) -> SkillLoadOutcome {
    let mut assembly = Assembly::new(product);
    for result in results {
        assembly.add(result);
    }
    let outcome = assembly.finish();
    for found in outcome
        .diagnostics
        .iter()
        .filter(|it| it.severity >= Severity::Warning)
    {
        warn!(code = found.code.as_str(), "{found}");
    }
    outcome
}
