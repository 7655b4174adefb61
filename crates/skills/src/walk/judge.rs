//! Which manifests the skills found so far make relevant.
//!
//! A skill is judged in the order of turns and once the canonical locations of all roots that matter
//! are certain. It makes every manifest relevant that a listing before its own turn showed at or
//! above it. What listings after that show never changes what is asked for it.

use super::EnvironmentWalk;
use super::namespace::Presence;
use super::root::{Canonical, LocationId, RootId};
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
        let (below, above) = self.candidates(id, location);
        let has_candidate = !below.is_empty();
        for place in below.into_iter().chain(above) {
            let call = self.places.need(place, (turn, id));
            self.ready.add(call);
        }
        if !has_candidate {
            self.start_fallback(id, top, turn);
        }
    }

    /// Makes places of the listings that showed manifest directories up to this turn.
    pub(super) fn make_places(&mut self, turn: u64) {
        while let Some((id, location)) = self.shown.front().copied() {
            let Some(root) = self.roots.get(id) else {
                break;
            };
            let Some(known) = root.locations.get(location).filter(|it| it.turn <= turn) else {
                break;
            };
            self.shown.pop_front();
            let path = root.canonical_path(location);
            let (place, _) = self.places.locate(&path, Presence::Known(known.shown));
            if let Some(place) = self.places.get_mut(place) {
                place.is_listed = true;
            }
        }
    }

    /// The places at or above a location that listings showed, nearest first: those up to the top
    /// of its traversal, and those above that.
    pub(super) fn candidates(&self, id: RootId, location: LocationId) -> (Vec<usize>, Vec<usize>) {
        let Some(root) = self.roots.get(id) else {
            return (Vec::new(), Vec::new());
        };
        let shows = |location: &LocationId| {
            root.locations
                .get(*location)
                .is_some_and(|it| !it.shown.is_empty())
        };
        let below = root
            .chain(location)
            .filter(shows)
            .filter_map(|location| self.places.find(&root.canonical_path(location)))
            .collect();
        let is_listed = |place: &usize| self.places.get(*place).is_some_and(|it| it.is_listed);
        let mut above = Vec::new();
        // One root without links has listed nothing above its top.
        if !self.places.is_empty() && (self.roots.len() > 1 || root.has_several_tops) {
            let top = root.canonical_path(root.traversal(location));
            let ancestors = top.ancestors().skip(1);
            above.extend(
                ancestors
                    .filter_map(|path| self.places.find(&path))
                    .filter(is_listed),
            );
        }
        (below, above)
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
        let (below, _) = self.candidates(id, location);
        let mut places = below.into_iter().filter_map(|place| self.places.get(place));
        if places.all(|place| place.namespace().is_none()) {
            self.start_fallback(id, top, u64::MAX);
        }
    }
}
