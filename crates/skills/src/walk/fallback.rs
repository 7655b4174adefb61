//! The lookup above the top of a traversal.
//!
//! It is made only if some skill below the top has no valid manifest at or below it, and once per
//! canonical top. All probes of all ancestors go out together; they are judged nearest first, and a
//! manifest that is refused passes on to the next ancestor. A failed probe is absent.

use std::borrow::Cow;
use std::collections::HashMap;

use codex_path_uri::PathUri;
use codex_plugin::{ManifestDirectories, PluginNamespace, manifest_candidates};

use super::EnvironmentWalk;
use super::call::{Call, Purpose};
use super::namespace::{LOCATIONS, Manifest, Need, PlaceId, Places, Presence};
use super::root::{Canonical, LocationId, RootId};

/// One lookup.
#[derive(Debug)]
pub(super) struct Fallback {
    need: Need,
    /// The ancestors, nearest first.
    ancestors: Vec<PlaceId>,
    /// How many of them are judged.
    judged: usize,
}

/// All lookups of an environment.
#[derive(Debug, Default)]
pub(super) struct Fallbacks {
    list: Vec<Fallback>,
    by_top: HashMap<PathUri, usize>,
    /// Lookups that wait for a place.
    waiting: HashMap<PlaceId, Vec<usize>>,
    /// Tops whose canonical location is on the way, with the turn that called for the lookup.
    postponed: Vec<(RootId, LocationId, u64)>,
    /// The root that the probes of a place count for.
    probers: HashMap<PlaceId, RootId>,
}

impl Fallbacks {
    pub(super) fn is_postponed(&self) -> bool {
        !self.postponed.is_empty()
    }

    pub(super) fn prober(&self, place: PlaceId) -> RootId {
        self.probers.get(&place).copied().unwrap_or_default()
    }

    /// The places that the lookup above a top judged, nearest first.
    pub(super) fn judged(&self, top: &PathUri) -> &[PlaceId] {
        let lookup = self
            .by_top
            .get(top)
            .and_then(|lookup| self.list.get(*lookup));
        let judged = lookup.and_then(|it| it.ancestors.get(..it.judged));
        judged.unwrap_or_default()
    }

    /// The namespace that the lookup above a top found.
    pub(super) fn namespace<'p>(
        &self,
        top: &PathUri,
        places: &'p Places,
    ) -> Option<Cow<'p, PluginNamespace>> {
        let lookup = self
            .by_top
            .get(top)
            .and_then(|lookup| self.list.get(*lookup))?;
        let found = lookup.ancestors.get(lookup.judged)?;
        places.namespace(*found)
    }
}

impl EnvironmentWalk {
    /// Starts the lookup above a top, unless there is one. `turn` is that of the listing that calls
    /// for it: only what was listed by then answers from memory.
    pub(super) fn start_fallback(&mut self, id: RootId, top: LocationId, turn: u64) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        let is_inside = root.locations.get(top).is_some_and(|it| it.is_inside);
        let is_certain = matches!(root.canonical, Canonical::Known(_) | Canonical::AsGiven);
        root.needs_canonical |= is_inside;
        if is_inside && !is_certain {
            let is_known = self
                .fallbacks
                .postponed
                .iter()
                .any(|it| (it.0, it.1) == (id, top));
            if !is_known {
                self.fallbacks.postponed.push((id, top, turn));
                self.resolve_root(id, None);
            }
            return;
        }
        let path = root.canonical_path(top);
        if self.fallbacks.by_top.contains_key(&path) {
            return;
        }
        let ancestors = path.ancestors().skip(1);
        let ancestors = ancestors
            .map(|path| self.place_above(id, &path, turn))
            .collect();
        let lookup = self.fallbacks.list.len();
        self.fallbacks.by_top.insert(path, lookup);
        self.fallbacks.list.push(Fallback {
            need: (turn, id),
            ancestors,
            judged: 0,
        });
        self.continue_fallback(lookup);
    }

    pub(super) fn start_postponed_fallbacks(&mut self, id: RootId) {
        let postponed = std::mem::take(&mut self.fallbacks.postponed);
        let (ready, rest) = postponed.into_iter().partition(|(root, _, _)| *root == id);
        self.fallbacks.postponed = rest;
        let ready: Vec<_> = ready;
        for (root, top, turn) in ready {
            self.start_fallback(root, top, turn);
        }
    }

    /// The place at an ancestor. If nothing is known of it, its manifest locations are probed.
    fn place_above(&mut self, id: RootId, path: &PathUri, turn: u64) -> PlaceId {
        if let Some(known) = self.places.find(path) {
            return known;
        }
        let candidates = manifest_candidates(path)
            .ok()
            .filter(|_| !self.is_listed(path, turn));
        let Some(candidates) = candidates.filter(|_| !self.locations.is_empty()) else {
            let nothing = Presence::Known(ManifestDirectories::EMPTY);
            return self.places.locate(path, nothing).0;
        };
        let probing = Presence::Probing {
            open: self.locations.iter().count(),
            hits: [false; LOCATIONS],
        };
        let (place, _) = self.places.locate(path, probing);
        self.fallbacks.probers.insert(place, id);
        let probes = candidates.into_iter().enumerate();
        let wanted = probes.filter(|(location, _)| self.locations.contains(*location));
        self.ready.add(
            wanted.map(|(location, path)| (Purpose::Probe(place, location), Call::Stat(path))),
        );
        place
    }

    /// Whether some root listed this canonical path by that turn.
    fn is_listed(&self, path: &PathUri, turn: u64) -> bool {
        self.roots.iter().any(|root| {
            let location = root
                .find_canonical(path)
                .and_then(|id| root.locations.get(id));
            location.is_some_and(|it| it.turn != u64::MAX && it.turn <= turn)
        })
    }

    /// Goes on with the lookups that waited for a place.
    pub(super) fn continue_fallbacks(&mut self, place: PlaceId) {
        for lookup in self.fallbacks.waiting.remove(&place).unwrap_or_default() {
            self.continue_fallback(lookup);
        }
    }

    fn continue_fallback(&mut self, id: usize) {
        while let Some(lookup) = self.fallbacks.list.get_mut(id) {
            let Some(place_id) = lookup.ancestors.get(lookup.judged).copied() else {
                return;
            };
            let Some(place) = self.places.get(place_id) else {
                return;
            };
            match place.presence {
                Presence::Probing { .. } => return self.wait_for(id, place_id),
                Presence::Known(present) if present.is_empty() => lookup.judged += 1,
                Presence::Known(_) => {
                    let call = self.places.need(place_id, lookup.need);
                    self.ready.add(call);
                    let place = self.places.get(place_id);
                    match place.map(|place| (&place.manifest, place.namespace())) {
                        Some((Manifest::Read(..), None)) => lookup.judged += 1,
                        Some((Manifest::Read(..), Some(_))) => return,
                        _ => return self.wait_for(id, place_id),
                    }
                }
            }
        }
    }

    fn wait_for(&mut self, lookup: usize, place: PlaceId) {
        self.fallbacks
            .waiting
            .entry(place)
            .or_default()
            .push(lookup);
    }
}
