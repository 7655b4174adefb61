//! The walk of all roots of one environment, without a filesystem.
//!
//! A walk is a scheduler that makes no call: [`next_call`](EnvironmentWalk::next_call) says what to
//! ask, [`take`](EnvironmentWalk::take) judges an answer, and whoever drives it decides how many
//! calls are in flight. Answers may come in any order; listings are *consumed* in one order only, by
//! depth, root and queue position, and every decision is made at such a turn. The outcome is
//! therefore that of the serial walk, and so is the set of calls, unless the entry limit ends a walk
//! while listings beyond it are in flight.
//!
//! | file | rule |
//! |---|---|
//! | `queue` | the order of directories, and how far ahead of its turn one may be listed |
//! | `consume` | the turn of a listing: skills, subdirectories, limits |
//! | `links` | links, unknown link flags, the canonical location of a root |
//! | `skills`, `sidecars` | texts and sidecars on their way |
//! | `namespace` | manifests shared by all roots |
//! | `judge` | which manifests a skill makes relevant |
//! | `fallback` | the lookup above the top of a traversal |
//! | `finish` | findings in queue order |

mod call;
mod consume;
mod fallback;
mod finish;
mod judge;
mod links;
mod listing;
mod namespace;
mod queue;
mod ready;
mod root;
mod sidecars;
mod skills;
#[cfg(test)]
mod unbounded_test;

use std::collections::VecDeque;

use codex_plugin::ManifestDirectories;

pub(crate) use call::{Answer, Call, Purpose};
use fallback::Fallbacks;
pub(crate) use finish::{FoundSkill, ReachedLimit, Report, RootFindings, SidecarFile};
use namespace::Places;
use ready::Ready;
pub(crate) use root::WalkedRoot;
use root::{Listing, LocationId, RootId, RootWalk};
use skills::SkillId;
pub(crate) use skills::SkillText;

use crate::options::SkillLoadOptions;

/// The walk of all roots of one environment.
#[derive(Debug)]
pub(crate) struct EnvironmentWalk {
    locations: ManifestDirectories,
    roots: Vec<RootWalk>,
    ready: Ready,
    places: Places,
    fallbacks: Fallbacks,
    /// Skills whose namespace is not looked for yet, in the order of their turns.
    judgements: VecDeque<(RootId, SkillId)>,
    /// Listings with manifest directories that are no places yet, likewise.
    shown: VecDeque<(RootId, LocationId)>,
    /// Listings that have had their turn.
    turns: u64,
    /// Whether the listing of every root has had its turn.
    roots_are_known: bool,
    /// Whether skills that only invalid manifests leave without a namespace were looked after.
    is_settled: bool,
}

impl EnvironmentWalk {
    pub(crate) fn new(
        roots: impl IntoIterator<Item = WalkedRoot>,
        options: &SkillLoadOptions,
    ) -> Self {
        let roots = roots.into_iter();
        let mut walk = Self {
            locations: options.manifest_locations.0,
            roots: roots
                .map(|root| RootWalk::new(root, options.limits))
                .collect(),
            ready: Ready::default(),
            places: Places::default(),
            fallbacks: Fallbacks::default(),
            judgements: VecDeque::new(),
            shown: VecDeque::new(),
            turns: 0,
            roots_are_known: false,
            is_settled: false,
        };
        for root in 0..walk.roots.len() {
            walk.admit(root);
        }
        walk.advance();
        walk
    }

    /// The call that goes next; `None` if nothing can be asked before an answer comes.
    pub(crate) fn next_call(&mut self) -> Option<(Purpose, Call)> {
        while let Some((purpose, call)) = self.ready.next() {
            if self.is_wanted(purpose) {
                self.count(purpose);
                return Some((purpose, call));
            }
        }
        None
    }

    /// Takes the answer to a call.
    pub(crate) fn take(&mut self, purpose: Purpose, answer: Answer) {
        match (purpose, answer) {
            (Purpose::Listing(root, location), Answer::Listing(listing)) => {
                let location = self
                    .roots
                    .get_mut(root)
                    .and_then(|it| it.locations.get_mut(location));
                if let Some(location) = location {
                    location.listing = Listing::Answered(listing);
                }
            }
            (Purpose::Flag(root, entry), Answer::Metadata(metadata)) => {
                self.take_flag(root, entry, metadata);
            }
            (Purpose::Link(root, entry), Answer::Path(path)) => self.take_link(root, entry, path),
            (Purpose::Root(root), Answer::Path(path)) => self.take_root(root, path),
            (Purpose::SkillLink(root, skill), Answer::Path(path)) => {
                self.take_skill_link(root, skill, path);
            }
            // What skill files and sidecars hold decides no call, so nothing goes on.
            (Purpose::Text(root, text), Answer::Contents(contents)) => {
                if let Some(root) = self.roots.get_mut(root) {
                    root.skills.take_text(text, contents);
                }
                return;
            }
            (Purpose::Sidecar(root, sidecar), Answer::Contents(contents)) => {
                if let Some(root) = self.roots.get_mut(root) {
                    root.skills.take_sidecar(sidecar, contents);
                }
                return;
            }
            (Purpose::Manifest(place), Answer::Namespace(read, calls)) => {
                self.places.take(place, read, calls);
                self.continue_fallbacks(place);
            }
            (Purpose::Probe(place, location), Answer::Metadata(metadata)) => {
                let is_file = metadata.is_ok_and(|metadata| metadata.is_file);
                if self.places.take_probe(place, location, is_file) {
                    self.ready.add(self.places.ask(place));
                    self.continue_fallbacks(place);
                }
            }
            // An answer of another kind than the call cannot be used.
            _ => {}
        }
        self.advance();
    }

    /// Gives every listing its turn whose turn it is, then decides what follows.
    fn advance(&mut self) {
        while self.consume_next() {}
        self.judge_skills();
        self.settle();
    }

    /// Whether the answer to a ready call can still matter.
    fn is_wanted(&self, purpose: Purpose) -> bool {
        let root = match purpose {
            Purpose::Listing(root, _) | Purpose::Flag(root, _) | Purpose::Link(root, _) => root,
            _ => return true,
        };
        self.roots
            .get(root)
            .is_some_and(|root| root.progress == root::Progress::Walking)
    }

    /// Counts a call for its root. What reading manifests costs is counted when it is known.
    fn count(&mut self, purpose: Purpose) {
        let root = match purpose {
            Purpose::Listing(root, _)
            | Purpose::Flag(root, _)
            | Purpose::Link(root, _)
            | Purpose::Root(root)
            | Purpose::Text(root, _)
            | Purpose::SkillLink(root, _)
            | Purpose::Sidecar(root, _) => root,
            Purpose::Probe(place, _) => self.fallbacks.prober(place),
            Purpose::Manifest(_) => return,
        };
        let Some(calls) = self.roots.get_mut(root).map(|root| &mut root.calls) else {
            return;
        };
        match purpose {
            Purpose::Listing(..) => calls.read_directory += 1,
            Purpose::Flag(..) | Purpose::Probe(..) => calls.get_metadata += 1,
            Purpose::Link(..) | Purpose::Root(_) | Purpose::SkillLink(..) => {
                calls.canonicalize += 1
            }
            Purpose::Text(..) | Purpose::Sidecar(..) => calls.read_file += 1,
            Purpose::Manifest(_) => {}
        }
    }
}
