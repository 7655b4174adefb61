//! From what the walks found to one outcome.
//!
//! Pure. Decides what is one skill and what is lost, in load order and queue order, and says why.

use std::collections::HashSet;
use std::io;

use codex_file_system::EnvironmentId;
use codex_file_system::wrap::Calls;
use codex_path_uri::PathUri;

use crate::diagnostics::{ScanLimit, SkillDiagnostic, SkillDiagnosticCode as Code};
use crate::discover::{FoundSkill, Obstacle, Report, RootFindings, SidecarState, SkillText};
use crate::metadata::{SkillHandle, SkillMetadata};
use crate::naming::name_skill;
use crate::options::Product;
use crate::outcome::{RootReport, SkillLoadOutcome, ambiguous_names, sort, truncate};
use crate::problems::{dropped_field, limit_reached, problem, refused, refused_manifest};
use crate::roots::SkillRoot;
use crate::sidecar::{Sidecar, read_sidecar};

/// One root with what was found below it; nothing if its environment is unknown.
pub(crate) struct RootResult {
    pub(crate) root: SkillRoot,
    pub(crate) findings: Option<RootFindings>,
}

/// An outcome that grows root by root, in load order.
pub(crate) struct Assembly {
    product: Option<Product>,
    outcome: SkillLoadOutcome,
    identities: HashSet<(EnvironmentId, PathUri)>,
    said: HashSet<DiagnosticKey>,
}

type DiagnosticKey = (
    Option<EnvironmentId>,
    Option<PathUri>,
    Code,
    Option<String>,
    Option<ScanLimit>,
);

impl Assembly {
    pub(crate) fn new(product: Option<Product>) -> Self {
        Self {
            product,
            outcome: SkillLoadOutcome::default(),
            identities: HashSet::new(),
            said: HashSet::new(),
        }
    }

    pub(crate) fn add(&mut self, result: RootResult) {
        let RootResult { root, findings } = result;
        let mut report = RootReport {
            root: root.clone(),
            directories: 0,
            entries: 0,
            skills: 0,
            calls: Calls::default(),
            truncated: false,
        };
        match findings {
            Some(findings) => self.add_findings(&root, findings, &mut report),
            None => {
                let message = format!("no environment is called `{}`", root.environment_id);
                self.say(
                    &root,
                    &root.path,
                    SkillDiagnostic::new(Code::UnknownEnvironment, message),
                );
            }
        }
        self.outcome.roots.push(report);
    }

    pub(crate) fn finish(self) -> SkillLoadOutcome {
        let mut outcome = self.outcome;
        sort(&mut outcome.skills);
        outcome.diagnostics.extend(ambiguous_names(&outcome.skills));
        truncate(&mut outcome.diagnostics, 0);
        outcome
    }

    fn add_findings(&mut self, root: &SkillRoot, found: RootFindings, report: &mut RootReport) {
        report.directories = found.directories;
        report.entries = found.entries;
        report.calls = found.calls;
        report.truncated = !found.limits.is_empty();
        let before = self.outcome.skills.len();
        self.outcome.skills.reserve(found.reports.len());
        self.identities.reserve(found.reports.len());
        for item in found.reports {
            match item {
                Report::Problem {
                    code,
                    path,
                    obstacle,
                } => {
                    self.say(root, &path, problem(code, obstacle));
                }
                Report::Skill(skill) => self.add_skill(root, skill),
            }
        }
        report.skills = count(self.outcome.skills.len() - before);
        for limit in &found.limits {
            self.say(root, &found.canonical, limit_reached(limit));
        }
    }

    fn add_skill(&mut self, root: &SkillRoot, mut found: FoundSkill) {
        let identity = (root.environment_id.clone(), found.identity.clone());
        if matches!(found.text, SkillText::Absent) || !self.identities.insert(identity) {
            return;
        }
        let read = name_skill(root, &mut found);
        match &read {
            Ok(named) => self.say_all(root, &found.identity, named.remarks()),
            Err(refusal) => self.say(root, &found.identity, refused(refusal)),
        }
        for manifest in &found.refused {
            self.say(root, &manifest.path, refused_manifest(&manifest.error));
        }
        let Ok(named) = read else { return };
        let sidecar = self.sidecar(root, &found);
        let products = &sidecar.policy.products;
        let is_for_product = self
            .product
            .is_some_and(|product| products.contains(&product));
        if !products.is_empty() && !is_for_product {
            let message = "the skill is for other products only";
            self.say(
                root,
                &found.identity,
                SkillDiagnostic::new(Code::ProductRestricted, message),
            );
            return;
        }
        let environment_id = root.environment_id.clone();
        self.outcome.skills.push(SkillMetadata {
            name: named.name,
            namespace: named.namespace,
            base_name: named.base_name,
            description: named.description,
            short_description: named.fields.short_description,
            interface: sidecar.interface,
            dependencies: sidecar.dependencies,
            policy: sidecar.policy,
            scope: root.scope,
            root: self.outcome.roots.len(),
            enabled: true,
            handle: SkillHandle::new(environment_id, found.entrypoint),
            identity: found.identity,
            directory: found.directory,
        });
    }

    /// What the sidecar says. A policy that cannot be read counts as the stricter one, because a skill
    /// that asks not to be used unasked must not be.
    fn sidecar(&mut self, root: &SkillRoot, found: &FoundSkill) -> Sidecar {
        let (path, read, is_lost) = match &found.sidecar {
            SidecarState::Absent => return Sidecar::default(),
            SidecarState::Unlisted => return Sidecar::unread(),
            SidecarState::NotAFile(path, obstacle) => {
                // A directory holds no policy.
                let is_lost = *obstacle != Obstacle::Io(io::ErrorKind::IsADirectory);
                let code = match obstacle {
                    Obstacle::BrokenLink => Code::SidecarUnreadable,
                    Obstacle::Io(_) | Obstacle::NotAFile => Code::SidecarNotAFile,
                };
                (path, Err(problem(code, Some(*obstacle))), is_lost)
            }
            SidecarState::Read(path, Err(kind)) => {
                let obstacle = Some(Obstacle::Io(*kind));
                (path, Err(problem(Code::SidecarUnreadable, obstacle)), true)
            }
            SidecarState::Read(path, Ok(bytes)) => {
                let read = read_sidecar(bytes, &found.directory);
                (path, read.map_err(|it| refused(&it)), false)
            }
        };
        match read {
            Ok(sidecar) => {
                let dropped = sidecar.dropped.iter().map(dropped_field);
                self.say_all(root, path, dropped.collect());
                sidecar
            }
            Err(mut problem) => {
                if is_lost {
                    problem
                        .message
                        .push_str(", so the skill is only used when it is asked for");
                }
                self.say(root, path, problem);
                match is_lost {
                    true => Sidecar::unread(),
                    false => Sidecar::default(),
                }
            }
        }
    }

    fn say_all(&mut self, root: &SkillRoot, path: &PathUri, found: Vec<SkillDiagnostic>) {
        for diagnostic in found {
            self.say(root, path, diagnostic);
        }
    }

    /// Reports something about a path of the root's environment, unless it was said before.
    fn say(&mut self, root: &SkillRoot, path: &PathUri, diagnostic: SkillDiagnostic) {
        let diagnostic = diagnostic.at(&root.environment_id, path);
        let key = (
            diagnostic.environment_id.clone(),
            diagnostic.path.clone(),
            diagnostic.code,
            diagnostic.field.clone(),
            diagnostic.limit,
        );
        if self.said.insert(key) {
            self.outcome.diagnostics.push(diagnostic);
        }
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
