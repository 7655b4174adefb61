//! The queue of one root: which directories come next, and which may be listed already.
//!
//! Entries are consumed strictly in order. They are *listed* ahead of that, but never so far that a
//! listing could turn out to lie beyond the directory limit: an entry is admitted only if the limit
//! holds even when everything unresolved before it is a directory of its own.

use std::io;

use codex_path_uri::PathUri;

use super::root::LocationId;
use super::skills::SkillId;

/// Index of an entry; stable, unlike its position.
pub(crate) type EntryId = usize;

/// A directory that a listing showed, or the root itself.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its path as walked: below the root as given, links by their own names.
    pub(super) walked: PathUri,
    /// The spelling by which it is asked, links by their own names.
    pub(super) path: PathUri,
    /// Directories between it and the root along the path walked, itself included.
    pub(super) depth: usize,
    /// The location whose listing showed it; none for the root.
    pub(super) parent: Option<LocationId>,
    /// The skill beside which it is the sidecar directory.
    pub(super) beside: Option<SkillId>,
    /// Whether it counts as a link. Unknown flags count as links once metadata cannot say either.
    pub(super) is_link: bool,
    pub(super) target: Target,
    group: usize,
    /// Where it stands in the queue.
    pub(super) position: usize,
}

impl Entry {
    /// An entry that is consumed after everything that is in the queue already.
    pub(super) fn new(walked: PathUri, path: PathUri, depth: usize, target: Target) -> Self {
        Self {
            walked,
            path,
            depth,
            parent: None,
            beside: None,
            is_link: target == Target::Link,
            target,
            group: 0,
            position: 0,
        }
    }
}

/// What is known of where an entry leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// It is not known whether it is a link.
    Unflagged,
    /// A link whose target is not known.
    Link,
    /// A link to this canonical path, while the root's own is not known.
    Resolved(PathUri),
    /// A location of the root.
    Location(LocationId),
    /// A link that is not followed.
    NotFollowed,
    /// It went away.
    Gone,
    /// A link that cannot be resolved.
    Unreadable(io::ErrorKind),
}

impl Target {
    /// Whether it may still become a location of its own.
    fn is_open(&self) -> bool {
        matches!(self, Self::Unflagged | Self::Link | Self::Resolved(_))
    }
}

/// Entries of one listing, contiguous in the queue.
#[derive(Clone, Copy, Debug)]
struct Group {
    start: usize,
    end: usize,
    unflagged: usize,
}

/// The queue.
#[derive(Debug)]
pub(super) struct Queue {
    entries: Vec<Entry>,
    order: Vec<EntryId>,
    groups: Vec<Group>,
    /// Position of the next entry to consume.
    head: usize,
    /// Entries before this position may be listed.
    admitted: usize,
    /// How many locations the admitted entries can be.
    reserved: usize,
    limit: usize,
    is_reserved: Vec<bool>,
}

impl Queue {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            entries: Vec::new(),
            order: Vec::new(),
            groups: Vec::new(),
            head: 0,
            admitted: 0,
            reserved: 0,
            limit,
            is_reserved: Vec::new(),
        }
    }

    pub(super) fn entry(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// The next entry to consume. One without a flag holds up what is behind it.
    pub(super) fn head(&self) -> Option<&Entry> {
        self.order
            .get(self.head)
            .and_then(|id| self.entries.get(*id))
    }

    /// Whether the next entry lies beyond the directory limit.
    pub(super) fn head_is_beyond_limit(&self) -> bool {
        let group = self.head().and_then(|entry| self.groups.get(entry.group));
        self.head >= self.admitted && group.is_some_and(|group| group.unflagged == 0)
    }

    pub(super) fn consume_head(&mut self) {
        self.head += 1;
    }

    /// The entries that are not consumed.
    pub(super) fn rest(&self) -> impl Iterator<Item = &Entry> {
        let ids = self.order.get(self.head..).unwrap_or_default();
        ids.iter().filter_map(|id| self.entries.get(*id))
    }

    /// Appends the directories of one listing, given in the order of their names. Returns their ids.
    pub(super) fn append(&mut self, entries: Vec<Entry>) -> std::ops::Range<EntryId> {
        let start = self.order.len();
        let first = self.entries.len();
        let group = self.groups.len();
        let is_unflagged = |entry: &&Entry| entry.target == Target::Unflagged;
        self.groups.push(Group {
            start,
            end: start + entries.len(),
            unflagged: entries.iter().filter(is_unflagged).count(),
        });
        self.entries
            .extend(entries.into_iter().map(|entry| Entry { group, ..entry }));
        self.order.extend(first..self.entries.len());
        self.sort_group(group);
        first..self.entries.len()
    }

    /// Puts what may be a plain directory before the links, each in the order of names. What has
    /// been consumed is plain and stays in front.
    fn sort_group(&mut self, group: usize) {
        let Some(Group { start, end, .. }) = self.groups.get(group).copied() else {
            return;
        };
        let entries = &mut self.entries;
        if let Some(order) = self.order.get_mut(start..end) {
            order.sort_by_key(|id| (entries.get(*id).is_some_and(|entry| entry.is_link), *id));
            for (position, id) in (start..).zip(order) {
                if let Some(entry) = entries.get_mut(*id) {
                    entry.position = position;
                }
            }
        }
    }

    /// Records what became known of an entry.
    pub(super) fn resolve(&mut self, id: EntryId, target: Target) {
        let is_admitted = self.is_admitted(id);
        let Some(entry) = self.entries.get_mut(id) else {
            return;
        };
        let was_unflagged = entry.target == Target::Unflagged;
        let turned_link = !entry.is_link && matches!(target, Target::Link | Target::NotFollowed);
        entry.is_link |= turned_link;
        entry.target = target;
        let group = entry.group;
        if was_unflagged && let Some(group) = self.groups.get_mut(group) {
            group.unflagged -= 1;
        }
        if is_admitted {
            // It was reserved as something unknown.
            self.reserved -= 1;
            self.reserved += self.reserve(id);
        }
        if turned_link {
            self.sort_group(group);
        }
    }

    /// Whether an entry may be listed.
    pub(super) fn is_admitted(&self, id: EntryId) -> bool {
        self.entries
            .get(id)
            .is_some_and(|entry| entry.position < self.admitted)
    }

    /// How many more locations an entry can be than those before it.
    fn reserve(&mut self, id: EntryId) -> usize {
        match self.entries.get(id).map(|entry| &entry.target) {
            Some(Target::Location(location)) => {
                if self.is_reserved.len() <= *location {
                    self.is_reserved.resize(location + 1, false);
                }
                let is_known = self.is_reserved.get_mut(*location);
                usize::from(is_known.is_some_and(|known| !std::mem::replace(known, true)))
            }
            Some(target) => usize::from(target.is_open()),
            None => 0,
        }
    }

    /// Admits what surely fits the limit. Returns the newly admitted entries.
    pub(super) fn admit(&mut self) -> Vec<EntryId> {
        let mut admitted = Vec::new();
        while self.reserved < self.limit {
            let Some(id) = self.order.get(self.admitted).copied() else {
                break;
            };
            let group = self
                .entries
                .get(id)
                .and_then(|entry| self.groups.get(entry.group));
            let Some(group) = group.copied() else { break };
            // Its order is not certain yet, so all of such a group fits or none of it is admitted.
            if group.unflagged > 0
                && group.start == self.admitted
                && self.reserved + (group.end - group.start) > self.limit
            {
                break;
            }
            self.reserved += self.reserve(id);
            self.admitted += 1;
            admitted.push(id);
        }
        admitted
    }

    /// The links whose target waits for the canonical location of the root.
    pub(super) fn resolved(&self) -> Vec<(EntryId, PathUri)> {
        let entries = self.entries.iter().enumerate();
        let resolved = entries.filter_map(|(id, entry)| match &entry.target {
            Target::Resolved(path) => Some((id, path.clone())),
            _ => None,
        });
        resolved.collect()
    }
}
