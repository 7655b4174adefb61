//! Which manifests the skills found so far make relevant.
//!
//! A skill is judged in the order of turns and once the canonical locations of all roots that matter
//! are certain. It makes every manifest relevant that a listing before its own turn showed at or
//! above it. What listings after that show never changes what is asked for it.

use super::EnvironmentWalk;
use super::namespace::{PlaceId, Presence};
use super::root::{Canonical, LocationId, RootId, RootWalk};
use super::skills::SkillId;

impl EnvironmentWalk {
    /// Judges every skill that can be judged.
    pub(super) fn judge_skills(&mut self) {
        if !self.spellings_are_certain() {
            return;
        }
        while let Some((root, skill)) = self.judgements.pop_front() {
            self.judge(root, skill);
        }
    }

    /// Whether directories of different roots can be told apart: no question with one root, and
    /// one of canonical locations, which are asked for, with several.
    fn spellings_are_certain(&mut self) -> bool {
        if self.roots.len() < 2 {
            return true;
        }
        if !self.roots_are_known {
            return false;
        }
        let roots = self.roots.iter().enumerate();
        let existing: Vec<RootId> = roots
            .filter(|(_, root)| root.exists)
            .map(|(id, _)| id)
            .collect();
        if existing.len() < 2 {
            return true;
        }
        for id in &existing {
            self.need_root(*id, Some((0, *id, 0)));
        }
        let is_certain =
            |canonical: &Canonical| matches!(canonical, Canonical::Known(_) | Canonical::AsGiven);
        existing
            .iter()
            .filter_map(|id| self.roots.get(*id))
            .all(|root| is_certain(&root.canonical))
    }

    fn judge(&mut self, id: RootId, skill: SkillId) {
        let Some(root) = self.roots.get(id).filter(|root| root.reads_manifests) else {
            return;
        };
        let Some(location) = root.skills.found.get(skill).map(|found| found.location) else {
            return;
        };
        let turn = root.locations.get(location).map_or(u64::MAX, |it| it.turn);
        let top = root.traversal(location);
        self.make_places(turn);
        let Some(root) = self.roots.get(id) else {
            return;
        };
        let mut has_candidate = false;
        for place in root.places(location) {
            has_candidate = true;
            self.ready.add(self.places.need(place, (turn, id)));
        }
        for place in self.places_above(id, location) {
            self.ready.add(self.places.need(place, (turn, id)));
        }
        if !has_candidate {
            self.start_fallback(id, top, turn);
        }
    }

    /// Makes places of the listings that showed manifest directories up to this turn.
    pub(super) fn make_places(&mut self, turn: u64) {
        while let Some((id, location)) = self.shown.front().copied() {
            let Some(root) = self.roots.get_mut(id) else {
                break;
            };
            let path = root.canonical_path(location);
            let known = root.locations.get_mut(location);
            let Some(known) = known.filter(|it| it.turn <= turn) else {
                break;
            };
            self.shown.pop_front();
            let (place, _) = self.places.locate(&path, Presence::Known(known.shown));
            known.place = Some(place);
            if let Some(place) = self.places.get_mut(place) {
                place.is_listed = true;
            }
        }
    }

    /// The places above the top of a location's traversal that listings showed, nearest first.
    pub(super) fn places_above(&self, id: RootId, location: LocationId) -> Vec<PlaceId> {
        // One root without links has listed nothing above its top.
        let root = self.roots.get(id);
        let root = root.filter(|root| self.roots.len() > 1 || root.has_several_tops);
        let Some(root) = root.filter(|_| !self.places.is_empty()) else {
            return Vec::new();
        };
        let is_listed = |place: &PlaceId| self.places.get(*place).is_some_and(|it| it.is_listed);
        let top = root.canonical_path(root.traversal(location));
        let ancestors = top.ancestors().skip(1);
        ancestors
            .filter_map(|path| self.places.find(&path))
            .filter(is_listed)
            .collect()
    }

    /// Starts the lookups that only invalid manifests call for. They start once the walk is over
    /// and every relevant manifest is read, so that what they ask depends on no order of answers.
    pub(super) fn settle(&mut self) {
        let is_walking = self.roots.iter().any(|root| root.head().is_some());
        let is_waiting = !self.judgements.is_empty() || self.fallbacks.is_postponed();
        if self.is_settled || is_walking || is_waiting || self.places.open > 0 {
            return;
        }
        self.is_settled = true;
        self.make_places(u64::MAX);
        for id in 0..self.roots.len() {
            let skills = self.roots.get(id).map_or(0, |root| root.skills.found.len());
            for skill in 0..skills {
                self.look_above_if_nameless(id, skill);
            }
        }
    }

    fn look_above_if_nameless(&mut self, id: RootId, skill: SkillId) {
        let Some(root) = self.roots.get(id).filter(|root| root.reads_manifests) else {
            return;
        };
        let Some(location) = root.skills.found.get(skill).map(|found| found.location) else {
            return;
        };
        let top = root.traversal(location);
        let places = root.places(location);
        let is_nameless = places
            .filter_map(|place| self.places.get(place))
            .all(|place| place.namespace().is_none());
        if is_nameless {
            self.start_fallback(id, top, u64::MAX);
        }
    }
}

impl RootWalk {
    /// The places from a location up to the top of its traversal that listings showed, nearest
    /// first.
    pub(super) fn places(&self, location: LocationId) -> impl Iterator<Item = PlaceId> {
        let chain = self.chain(location);
        chain.filter_map(|location| self.locations.get(location)?.place)
    }
}
