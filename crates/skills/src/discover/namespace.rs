//! Which directories may hold a plugin manifest, what their manifests say, and which is the nearest.
//!
//! A *place* is a directory that may hold a manifest, shared by all roots. What it shows is learnt
//! once, from a listing or from probes, whichever a skill needed first; its manifest is read at most
//! once. Skills are taken in the order of their turns: each makes every manifest relevant that a
//! listing up to its turn showed at or above it. Above the top of a traversal is looked only if some
//! skill below it has no valid manifest at or below that top.

use std::collections::{HashMap, HashSet};

use codex_file_system::wrap::Counting;
use codex_file_system::{Answer, ExecutorFileSystem, Lookahead, ReadCall, Window};
use codex_path_uri::PathUri;
use codex_plugin::{
    DISCOVERABLE_PLUGIN_MANIFEST_PATHS, ManifestDirectories, PluginNamespace, PluginProviderError,
    manifest_candidates, plugin_namespace_calls, read_plugin_namespace_with,
};

use super::ask::Asker;
use super::root::{Canonical, Directory, RootWalk, rebase};
use crate::text::fold_to_some;

type Manifest = Result<Option<PluginNamespace>, Box<PluginProviderError>>;

/// A directory that may hold a manifest.
#[derive(Debug)]
struct Place {
    present: ManifestDirectories,
    /// What the manifest says, once it was read.
    manifest: Option<Manifest>,
}

/// What is above the top of a traversal.
#[derive(Debug, Default)]
struct Lookup {
    /// The places that gave no namespace, nearest first.
    passed: Vec<PathUri>,
    /// The place that gave one.
    found: Option<PathUri>,
}

/// A manifest that gives no namespace.
#[derive(Clone, Debug)]
pub(crate) struct RefusedManifest {
    pub(crate) path: PathUri,
    pub(crate) error: PluginProviderError,
}

/// All places of an environment, by the path they are asked.
#[derive(Debug)]
pub(super) struct Namespaces {
    locations: ManifestDirectories,
    /// Whether several roots exist, so that a place is known by its canonical path.
    pub(super) has_several_roots: bool,
    places: HashMap<PathUri, Place>,
    lookups: HashMap<PathUri, Lookup>,
    /// Tops of traversals whose ancestors are expected to be probed, with their roots.
    expected_lookups: HashSet<(usize, PathUri)>,
}

impl Namespaces {
    pub(super) fn new(locations: ManifestDirectories) -> Self {
        Self {
            locations,
            has_several_roots: false,
            places: HashMap::new(),
            lookups: HashMap::new(),
            expected_lookups: HashSet::new(),
        }
    }

    /// How the place in a directory is known.
    fn place_in(&self, root: &RootWalk, directory: &Directory) -> PathUri {
        match self.has_several_roots {
            true => root.canonical_path(&directory.location),
            false => directory.location.path.clone(),
        }
    }

    /// How the place at a canonical path is known.
    fn place_at(&self, root: &RootWalk, path: &PathUri) -> PathUri {
        match self.has_several_roots {
            true => path.clone(),
            false => root.location_at(path).path,
        }
    }

    /// The places from a directory up to the top of its traversal, nearest first.
    fn places_below_top(
        &self,
        root: &RootWalk,
        directory: &Directory,
    ) -> Vec<(PathUri, ManifestDirectories)> {
        let shown = directory.chain().filter(|it| !it.manifests.is_empty());
        shown
            .map(|it| (self.place_in(root, it), it.manifests))
            .collect()
    }

    /// The places above the top of a directory's traversal that listings up to a turn showed, nearest
    /// first.
    fn places_above_top(
        &self,
        roots: &[RootWalk],
        root: &RootWalk,
        directory: &Directory,
        turn: u64,
    ) -> Vec<(PathUri, ManifestDirectories)> {
        // One root without links has listed nothing above its top.
        if roots.len() < 2 && !root.has_several_tops {
            return Vec::new();
        }
        let top = root.canonical_path(&directory.top().location);
        let ancestors = top.ancestors().skip(1);
        let shown = ancestors.filter_map(|path| {
            let listed = listed(roots, &path, turn)?;
            Some((self.place_at(root, &path), listed.manifests))
        });
        shown.filter(|(_, shown)| !shown.is_empty()).collect()
    }

    /// Expects what [`read`](Self::read) will ask for a skill whose directory just had its turn.
    pub(super) fn expect<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &Asker<'_, '_, F>,
        roots: &[RootWalk],
        root: &RootWalk,
        directory: &Directory,
    ) {
        let below = self.places_below_top(root, directory);
        let above = self.places_above_top(roots, root, directory, directory.turn);
        for (place, present) in below.iter().chain(&above) {
            // What probes say of a place, they say before its listing does.
            if !self.is_expected_probe(roots, place) {
                asker.fs.expect_all(plugin_namespace_calls(place, *present));
            }
        }
        if below.is_empty() {
            self.expect_lookup(asker, roots, root, directory);
        }
    }

    fn is_expected_probe(&self, roots: &[RootWalk], place: &PathUri) -> bool {
        self.expected_lookups.iter().any(|(root, top)| {
            let root = roots.get(*root);
            let top = root.map(|root| self.canonical_top(root, top));
            top.is_some_and(|top| top != *place && top.starts_with(place))
        })
    }

    fn canonical_top(&self, root: &RootWalk, top: &PathUri) -> PathUri {
        rebase(top, &root.given, root.canonical_root()).unwrap_or_else(|| top.clone())
    }

    /// Expects the probes above a top, once.
    fn expect_lookup<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &Asker<'_, '_, F>,
        roots: &[RootWalk],
        root: &RootWalk,
        directory: &Directory,
    ) {
        let top = &directory.top().location;
        if !self.expected_lookups.insert((root.id, top.path.clone())) {
            return;
        }
        let locations = self.locations;
        if top.is_inside && root.canonical == Canonical::Unasked {
            // Nothing outside the root was listed, or its canonical location were known.
            let hint = move |answer: &Answer| match answer {
                Answer::CanonicalPath(top) => {
                    let above = top.ancestors().skip(1);
                    let probes = above.flat_map(|it| probes(&it, locations));
                    probes.map(|it| ReadCall::metadata(&it).into()).collect()
                }
                _ => Vec::new(),
            };
            asker
                .fs
                .expect_all([ReadCall::canonical(&root.given).then(hint)]);
            return;
        }
        let above = root.canonical_path(top);
        for path in above.ancestors().skip(1) {
            if listed(roots, &path, directory.turn).is_none() {
                let probes = probes(&self.place_at(root, &path), locations);
                let probes = probes.into_iter().map(|it| ReadCall::metadata(&it));
                asker.fs.expect_all(probes);
            }
        }
    }

    /// Reads every manifest that a skill makes relevant, and looks above the top if there is none.
    pub(super) async fn read<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
        roots: &mut [RootWalk],
        id: usize,
        directory: &Directory,
    ) {
        let Some(root) = roots.get(id) else { return };
        let below = self.places_below_top(root, directory);
        let above = self.places_above_top(roots, root, directory, directory.turn);
        for (place, present) in below.iter().chain(&above) {
            self.read_manifest(asker, id, place, *present).await;
        }
        if below.is_empty() {
            self.look_above(asker, roots, id, directory, directory.turn)
                .await;
        }
    }

    /// Looks above the top of a skill that only invalid manifests leave without a namespace.
    pub(super) async fn look_above_if_nameless<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
        roots: &mut [RootWalk],
        id: usize,
        directory: &Directory,
    ) {
        let Some(root) = roots.get(id) else { return };
        let below = self.places_below_top(root, directory);
        let is_nameless = below.iter().all(|(it, _)| self.given_by(it).is_none());
        if is_nameless {
            self.look_above(asker, roots, id, directory, u64::MAX).await;
        }
    }

    /// The lookup above the top of a directory's traversal: once per canonical top. What was listed
    /// by `turn` answers from memory. All probes are made, then manifests are read nearest first.
    async fn look_above<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
        roots: &mut [RootWalk],
        id: usize,
        directory: &Directory,
        turn: u64,
    ) {
        let top = &directory.top().location;
        let Some(root) = roots.get_mut(id) else {
            return;
        };
        if top.is_inside {
            root.resolve(asker).await;
        }
        let root = &*root;
        let top = root.canonical_path(top);
        if self.lookups.contains_key(&top) {
            return;
        }
        let above: Vec<_> = top.ancestors().skip(1).collect();
        let places: Vec<_> = above.iter().map(|it| self.place_at(root, it)).collect();
        let is_listed: Vec<_> = above
            .iter()
            .map(|it| listed(roots, it, turn).map(|it| it.manifests))
            .collect();
        let unknown = places.iter().zip(&is_listed);
        let unknown =
            unknown.filter(|(it, listed)| listed.is_none() && !self.places.contains_key(*it));
        for probe in unknown.flat_map(|(it, _)| probes(it, self.locations)) {
            asker.fs.expect_all([ReadCall::metadata(&probe)]);
        }
        for (place, listed) in places.iter().zip(is_listed) {
            if !self.places.contains_key(place) {
                let present = match listed {
                    Some(shown) => shown,
                    None => self.probe(asker, id, place).await,
                };
                let manifest = None;
                self.places
                    .insert(place.clone(), Place { present, manifest });
            }
        }
        let mut lookup = Lookup::default();
        for place in places {
            self.read_manifest(asker, id, &place, ManifestDirectories::EMPTY)
                .await;
            if self.given_by(&place).is_some() {
                lookup.found = Some(place);
                break;
            }
            lookup.passed.push(place);
        }
        self.lookups.insert(top, lookup);
    }

    /// The locations of a place that are regular files. A failed probe is absent.
    async fn probe<F: ExecutorFileSystem + ?Sized>(
        &self,
        asker: &mut Asker<'_, '_, F>,
        id: usize,
        place: &PathUri,
    ) -> ManifestDirectories {
        let mut names = Vec::new();
        let wanted = DISCOVERABLE_PLUGIN_MANIFEST_PATHS.iter().enumerate();
        let wanted = wanted.filter(|(index, _)| self.locations.contains(*index));
        for (path, (_, location)) in probes(place, self.locations).iter().zip(wanted) {
            let metadata = asker.metadata(id, path).await;
            if metadata.is_ok_and(|it| it.is_file) {
                names.extend(location.split('/').next());
            }
        }
        ManifestDirectories::from_names(names)
    }

    /// Reads the manifest of a place, once. What is known of it already goes before `present`.
    async fn read_manifest<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
        id: usize,
        directory: &PathUri,
        present: ManifestDirectories,
    ) {
        let place = self.places.entry(directory.clone()).or_insert(Place {
            present,
            manifest: None,
        });
        if place.manifest.is_some() {
            return;
        }
        let counting = Counting::new(asker.fs);
        let serial = Lookahead::new(&counting, Window::SERIAL).with_sandbox(asker.sandbox);
        let present = place.present;
        let read = read_plugin_namespace_with(&serial, directory, present, asker.sandbox).await;
        place.manifest = Some(read.map_err(Box::new));
        let made = counting.calls();
        asker.add(id, |calls| {
            calls.read_file += made.read_file;
            calls.read_file_prefix += made.read_file_prefix;
            calls.get_metadata += made.get_metadata;
        });
    }

    /// The namespace that the manifest of a place gives.
    fn given_by(&self, place: &PathUri) -> Option<&PluginNamespace> {
        let manifest = self.places.get(place)?.manifest.as_ref()?;
        manifest.as_ref().ok()?.as_ref()
    }

    /// The namespace of the skills in a directory, folded, and the refused manifests on the way to it.
    pub(super) fn namespace(
        &self,
        roots: &[RootWalk],
        root: &RootWalk,
        directory: &Directory,
    ) -> (Option<String>, Vec<RefusedManifest>) {
        let below = self.places_below_top(root, directory);
        let above = self.places_above_top(roots, root, directory, u64::MAX);
        let nearest = below.iter().find(|(it, _)| self.given_by(it).is_some());
        let top = root.canonical_path(&directory.top().location);
        let lookup = self.lookups.get(&top).filter(|_| nearest.is_none());
        let on_the_way = below.iter().chain(&above).map(|(it, _)| it);
        let passed = lookup.map_or(&[][..], |it| &it.passed);
        let refused = on_the_way
            .chain(passed)
            .filter_map(|it| self.refusal(root, it))
            .collect();
        let place = nearest.map(|(it, _)| it);
        let place = place.or_else(|| lookup?.found.as_ref());
        let namespace = place.and_then(|it| {
            let namespace = self.given_by(it)?.at(&self.canonical_top(root, it));
            fold_to_some(namespace.namespace())
        });
        (namespace, refused)
    }

    /// The manifest of a place and why it gives no namespace, if it was refused.
    fn refusal(&self, root: &RootWalk, place: &PathUri) -> Option<RefusedManifest> {
        let manifest = self.places.get(place)?.manifest.as_ref()?;
        let error = manifest.as_ref().err()?;
        let directory = self.canonical_top(root, place);
        let path = error
            .path()
            .and_then(|path| rebase(path, place, &directory));
        Some(RefusedManifest {
            path: path.unwrap_or(directory),
            error: PluginProviderError::clone(error),
        })
    }
}

/// The directory at a canonical path, if some root listed it by that turn.
fn listed<'r>(roots: &'r [RootWalk], path: &PathUri, turn: u64) -> Option<&'r Directory> {
    let listed = roots.iter().filter_map(|root| {
        let found = root.visited.get(&root.location_at(path))?;
        (found.turn <= turn).then_some(found.as_ref())
    });
    listed.min_by_key(|it| it.turn)
}

/// The paths of the wanted manifest locations in a directory.
fn probes(directory: &PathUri, wanted: ManifestDirectories) -> Vec<PathUri> {
    let candidates = manifest_candidates(directory).into_iter().flatten();
    let wanted = candidates
        .enumerate()
        .filter(|(index, _)| wanted.contains(*index));
    wanted.map(|(_, path)| path).collect()
}
