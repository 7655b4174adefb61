//! Which directories may hold a plugin manifest, and what their manifests say.
//!
//! A place is one directory of the environment, shared by all roots. What a place shows is learnt
//! once, from a listing or from probes, whichever was decided first; its manifest is read at most
//! once, when a skill below makes it relevant. Which root a shared call counts for does not depend
//! on the order of answers: it is the root of the first decision that needed it. Nor does the
//! spelling of a place, though its manifest may be asked by another one: what is said of it follows.

use std::borrow::Cow;
use std::collections::HashMap;

use codex_file_system::wrap::Calls;
use codex_path_uri::PathUri;
use codex_plugin::{
    DISCOVERABLE_PLUGIN_MANIFEST_PATHS, ManifestDirectories, PluginNamespace, PluginProviderError,
};

use super::call::{Call, Purpose};
use super::root::{RootId, rebase};

/// Index of a place.
pub(crate) type PlaceId = usize;

/// How many places a manifest may have in a directory.
pub(super) const LOCATIONS: usize = DISCOVERABLE_PLUGIN_MANIFEST_PATHS.len();

/// The number of a decision, and the root it was made for. Smaller is earlier.
pub(super) type Need = (u64, RootId);

/// A directory that may hold a manifest.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) presence: Presence,
    pub(super) manifest: Manifest,
    /// Whether a listing showed its manifest directories.
    pub(super) is_listed: bool,
    /// The first decision that needed the manifest.
    need: Option<Need>,
    /// The spelling by which the manifest was asked.
    asked_at: Option<PathUri>,
}

/// Which manifest locations a place has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Known(ManifestDirectories),
    /// So many probes are not answered; these locations are regular files so far.
    Probing {
        open: usize,
        hits: [bool; LOCATIONS],
    },
}

/// The manifest of a place.
#[derive(Debug)]
pub(super) enum Manifest {
    /// Nobody has needed it.
    Unneeded,
    /// Needed, and read as soon as the presence is known.
    Needed,
    /// Ready to be read, or in flight.
    Asked,
    /// Read, at this cost.
    Read(
        Result<Option<PluginNamespace>, Box<PluginProviderError>>,
        Calls,
    ),
}

impl Place {
    /// The namespace it gives, once everything is known.
    pub(super) fn namespace(&self) -> Option<&PluginNamespace> {
        match &self.manifest {
            Manifest::Read(Ok(namespace), _) => namespace.as_ref(),
            _ => None,
        }
    }
}

/// A manifest that gives no namespace.
#[derive(Clone, Debug)]
pub(crate) struct RefusedManifest {
    pub(crate) path: PathUri,
    pub(crate) error: PluginProviderError,
}

/// All places of an environment.
#[derive(Debug, Default)]
pub(super) struct Places {
    list: Vec<Place>,
    paths: Vec<PathUri>,
    by_path: HashMap<PathUri, PlaceId>,
    /// Manifests that are needed and not read, whether their location is known or not.
    pub(super) open: usize,
}

impl Places {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn get(&self, id: PlaceId) -> Option<&Place> {
        self.list.get(id)
    }

    pub(super) fn get_mut(&mut self, id: PlaceId) -> Option<&mut Place> {
        self.list.get_mut(id)
    }

    /// The namespace that the manifest of a place gives, by the spelling the place has got.
    pub(super) fn namespace(&self, id: PlaceId) -> Option<Cow<'_, PluginNamespace>> {
        let (place, path) = self.list.get(id).zip(self.paths.get(id))?;
        let namespace = place.namespace()?;
        Some(match &place.asked_at {
            Some(asked_at) if asked_at != path => Cow::Owned(namespace.at(path)),
            _ => Cow::Borrowed(namespace),
        })
    }

    /// The manifest of a place and why it gives no namespace, if it was refused.
    pub(super) fn refusal(&self, id: PlaceId) -> Option<RefusedManifest> {
        let place = self.list.get(id)?;
        let Manifest::Read(Err(error), _) = &place.manifest else {
            return None;
        };
        let directory = self.paths.get(id)?;
        let path = error.path().zip(place.asked_at.as_ref());
        let path = path.and_then(|(path, asked_at)| rebase(path, asked_at, directory));
        Some(RefusedManifest {
            path: path.unwrap_or_else(|| directory.clone()),
            error: PluginProviderError::clone(error),
        })
    }

    pub(super) fn find(&self, path: &PathUri) -> Option<PlaceId> {
        self.by_path.get(path).copied()
    }

    /// The place at a path; what it shows is `presence` if nothing was decided about it before.
    /// Returns whether it is new.
    pub(super) fn locate(&mut self, path: &PathUri, presence: Presence) -> (PlaceId, bool) {
        if let Some(known) = self.find(path) {
            return (known, false);
        }
        let id = self.list.len();
        self.by_path.insert(path.clone(), id);
        self.paths.push(path.clone());
        self.list.push(Place {
            presence,
            manifest: Manifest::Unneeded,
            is_listed: false,
            need: None,
            asked_at: None,
        });
        (id, true)
    }

    /// Spells every place of the only root anew, when another spelling of it counts.
    pub(super) fn rename(&mut self, from: &PathUri, to: &PathUri) {
        for path in &mut self.paths {
            if let Some(renamed) = rebase(path, from, to) {
                *path = renamed;
            }
        }
        self.by_path = self.paths.iter().cloned().zip(0..).collect();
    }

    /// Records that a decision needs the manifest of a place. Returns the call, if it is time.
    pub(super) fn need(&mut self, id: PlaceId, need: Need) -> Option<(Purpose, Call)> {
        let place = self.list.get_mut(id)?;
        place.need = Some(place.need.map_or(need, |earlier| earlier.min(need)));
        if matches!(place.manifest, Manifest::Unneeded) {
            place.manifest = Manifest::Needed;
            self.open += 1;
        }
        self.ask(id)
    }

    /// Asks for a manifest that is needed and whose location is known.
    pub(super) fn ask(&mut self, id: PlaceId) -> Option<(Purpose, Call)> {
        let place = self.list.get_mut(id)?;
        let (Manifest::Needed, Presence::Known(present)) = (&place.manifest, place.presence) else {
            return None;
        };
        if present.is_empty() {
            place.manifest = Manifest::Read(Ok(None), Calls::default());
            self.open -= 1;
            return None;
        }
        place.manifest = Manifest::Asked;
        let directory = self.paths.get(id)?.clone();
        place.asked_at = Some(directory.clone());
        Some((
            Purpose::Manifest(id),
            Call::Namespace { directory, present },
        ))
    }

    pub(super) fn take(
        &mut self,
        id: PlaceId,
        read: Result<Option<PluginNamespace>, Box<PluginProviderError>>,
        calls: Calls,
    ) {
        if let Some(place) = self.list.get_mut(id) {
            place.manifest = Manifest::Read(read, calls);
            self.open -= 1;
        }
    }

    /// Takes the answer to one probe. Returns whether it was the last of its place.
    pub(super) fn take_probe(&mut self, id: PlaceId, location: usize, is_file: bool) -> bool {
        let Some(place) = self.list.get_mut(id) else {
            return false;
        };
        let Presence::Probing { open, hits } = &mut place.presence else {
            return false;
        };
        if let Some(hit) = hits.get_mut(location) {
            *hit = is_file;
        }
        *open -= 1;
        if *open > 0 {
            return false;
        }
        place.presence = Presence::Known(directories_of(*hits));
        true
    }

    /// What reading manifests cost, with the root it counts for.
    pub(super) fn costs(&self) -> impl Iterator<Item = (RootId, Calls)> {
        self.list
            .iter()
            .filter_map(|place| match (&place.manifest, place.need) {
                (Manifest::Read(_, calls), Some((_, root))) => Some((root, *calls)),
                _ => None,
            })
    }
}

fn directories_of(hits: [bool; LOCATIONS]) -> ManifestDirectories {
    let paths = DISCOVERABLE_PLUGIN_MANIFEST_PATHS.iter().zip(hits);
    let hit = paths.filter_map(|(path, is_hit)| path.split('/').next().filter(|_| is_hit));
    ManifestDirectories::from_names(hit)
}
