//! Resolving roots: is there a directory, which file is its manifest, what does it declare?
//!
//! One serial program per root (`inspect`). What it will ask next stands in `expect_plugin_root` and decides nothing.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use codex_file_system::error::is_broken_link;
use codex_file_system::{
    Answer, ExecutorFileSystem, Expectation, FileKind, Lookahead, ReadCall, ReadDirectoryEntry,
    Window,
};
use codex_path_uri::{FileName, PathConvention, PathUri, PathUriError};
use tracing::{Instrument, debug_span};

use crate::error::ErrorPlace;
use crate::locations::AGENT_PLUGINS_MANIFEST;
use crate::manifest::{parse_agent_plugins_manifest, read_overlay};
use crate::read::{ContainedFile, FileFault, contained_calls, decode_utf8};
use crate::{
    DISCOVERABLE_PLUGIN_MANIFEST_PATHS, EntryProblem, MAX_MANIFEST_BYTES, ManifestFormat,
    ParsedManifest, PluginDiagnostic, PluginProviderError, PluginResourceLocator, ResolvedPlugin,
    SelectedCapabilityRoot, parse_plugin_manifest,
};

/// How roots are resolved and MCP servers loaded.
///
/// # Examples
/// ```
/// use codex_plugin::{PluginOptions, SymlinkPolicy};
///
/// let options = PluginOptions { symlinks: SymlinkPolicy::Follow, ..PluginOptions::default() };
/// assert!(options.agent_plugins_root);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginOptions {
    /// What links may do. The files of an Agent Plugins 1.0 plugin never leave the root, whatever this says.
    pub symlinks: SymlinkPolicy,
    /// Largest manifest accepted, in bytes.
    pub max_manifest_bytes: usize,
    /// Whether a `plugin.json` of Agent Plugins 1.0 in the root itself counts, before all other locations.
    pub agent_plugins_root: bool,
    /// The most calls in flight per environment, for the functions that make their own [`Lookahead`].
    pub window: Window,
}

/// What a link may do to a file of a plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SymlinkPolicy {
    /// A file whose canonical path is outside the canonical root is refused.
    #[default]
    RefuseEscape,
    /// Links lead anywhere.
    Follow,
}

impl Default for PluginOptions {
    fn default() -> Self {
        Self {
            symlinks: SymlinkPolicy::default(),
            max_manifest_bytes: MAX_MANIFEST_BYTES,
            agent_plugins_root: true,
            window: Window::default(),
        }
    }
}

impl PluginOptions {
    /// The policy for files of a plugin of this format.
    pub(crate) fn symlinks_of(&self, format: ManifestFormat) -> SymlinkPolicy {
        match format {
            ManifestFormat::AgentPlugins => SymlinkPolicy::RefuseEscape,
            ManifestFormat::Plugin => self.symlinks,
        }
    }
}

/// What a root turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedRoot {
    /// The plugin; none if there is no manifest, and the root is a standalone capability.
    pub plugin: Option<ResolvedPlugin>,
    /// Files and directories of the root that are not what the grammar or the manifest says. What the manifest says
    /// wrongly is in [`ResolvedPlugin::diagnostics`].
    pub diagnostics: Vec<PluginDiagnostic>,
}

/// Resolves roots of the environment that `lookahead` asks, expecting the calls of all of them. The results have the
/// length and order of `roots`; a directory that stands twice is asked about once.
///
/// # Round trips
/// A root with a manifest: 2, and 6 calls under [`SymlinkPolicy::RefuseEscape`], else 4; one call more for a second
/// directory of manifests, a trip more if the first holds none. A root without: 1, and 3 or 2 calls. Many roots share
/// the window: with W calls in flight and all calls sent ahead, `ceil(calls / W)` and one.
///
/// # Errors
/// One result per root; see [`PluginProviderError`].
pub async fn resolve_all_with<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    roots: &[SelectedCapabilityRoot],
    options: &PluginOptions,
) -> Vec<Result<ResolvedRoot, PluginProviderError>> {
    for root in roots {
        expect_plugin_root(lookahead, root.path(), options);
    }
    let span = debug_span!("plugin_roots", roots = roots.len());
    let resolve = async {
        let mut known: HashMap<&PathUri, usize> = HashMap::new();
        let mut results: Vec<Result<ResolvedRoot, PluginProviderError>> = Vec::new();
        for root in roots {
            let index = *known.entry(root.path()).or_insert(results.len());
            let result = match results.get(index) {
                Some(Ok(resolved)) => Ok(resolved.clone().with_root_id(&root.id)),
                Some(Err(error)) => Err(error.clone().with_root_id(&root.id)),
                None => inspect(lookahead, root, options).await,
            };
            results.push(result);
        }
        results
    };
    resolve.instrument(span).await
}

/// Resolves one root of the environment that `lookahead` asks.
///
/// # Round trips
/// Those of [`resolve_all_with`].
///
/// # Errors
/// [`PluginProviderError`].
pub async fn resolve_one_with<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    root: &SelectedCapabilityRoot,
    options: &PluginOptions,
) -> Result<ResolvedRoot, PluginProviderError> {
    expect_plugin_root(lookahead, root.path(), options);
    inspect(lookahead, root, options).await
}

/// Says which calls resolving the root will probably make. Makes none.
pub fn expect_plugin_root<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    root: &PathUri,
    options: &PluginOptions,
) {
    lookahead.expect_all(plugin_root_calls(root, options));
}

pub(crate) fn plugin_root_calls<'f>(
    root: &PathUri,
    options: &PluginOptions,
) -> Vec<Expectation<'f>> {
    let (path, own) = (root.clone(), options.clone());
    let listing = ReadCall::listing(root).then(move |answer| manifest_calls(&path, answer, &own));
    let mut calls = vec![ReadCall::metadata(root).into(), listing];
    if options.symlinks == SymlinkPolicy::RefuseEscape {
        calls.push(ReadCall::canonical(root).into());
    }
    calls
}

/// What a listing of the root makes probable: that the first location it shows holds the manifest.
fn manifest_calls<'f>(
    root: &PathUri,
    answer: &Answer,
    options: &PluginOptions,
) -> Vec<Expectation<'f>> {
    let listing = RootListing(answer.listing().map(<[_]>::to_vec));
    let shown = locations(root, options).unwrap_or_default().into_iter();
    let shown: Vec<Location> = shown
        .filter(|location| location.may_hold_a_manifest(&listing))
        .take(2)
        .collect();
    let mut calls: Vec<ReadCall> = shown
        .iter()
        .map(|it| ReadCall::metadata(&it.path))
        .collect();
    let mut symlinks = options.symlinks;
    for location in &shown {
        if location.format == ManifestFormat::AgentPlugins {
            calls.push(ReadCall::canonical(root));
            symlinks = SymlinkPolicy::RefuseEscape;
        }
        calls.extend(contained_calls(
            &location.path,
            options.max_manifest_bytes,
            symlinks,
        ));
        // The manifest of Agent Plugins has an overlay, if that is there; another one stands alone.
        if location.format == ManifestFormat::Plugin {
            break;
        }
    }
    calls.into_iter().map(Into::into).collect()
}

impl ResolvedRoot {
    fn with_root_id(self, id: &str) -> Self {
        Self {
            plugin: self.plugin.map(|plugin| plugin.with_root_id(id)),
            ..self
        }
    }
}

/// A place where a manifest may be.
struct Location {
    path: PathUri,
    /// The entry of the root that the path leads through: the file itself, or its directory.
    entry: &'static str,
    format: ManifestFormat,
}

fn locations(root: &PathUri, options: &PluginOptions) -> Result<Vec<Location>, PathUriError> {
    let own = options.agent_plugins_root.then_some(AGENT_PLUGINS_MANIFEST);
    let all = own.into_iter().chain(DISCOVERABLE_PLUGIN_MANIFEST_PATHS);
    let location = |path: &'static str| {
        let (entry, format) = match path.split_once('/') {
            Some((directory, _)) => (directory, ManifestFormat::Plugin),
            None => (path, ManifestFormat::AgentPlugins),
        };
        Ok(Location {
            path: root.join(path)?,
            entry,
            format,
        })
    };
    all.map(location).collect()
}

impl Location {
    fn may_hold_a_manifest(&self, listing: &RootListing) -> bool {
        match (listing.lookup(self.entry), self.format) {
            (Lookup::Unknown, _) => true,
            (Lookup::Is(FileKind::File | FileKind::Other), ManifestFormat::AgentPlugins) => true,
            // Something else than a directory fails when it is asked about.
            (Lookup::Is(kind), ManifestFormat::Plugin) => kind != FileKind::BrokenLink,
            _ => false,
        }
    }
}

/// The entries of a root; none if they could not be listed, and every place is asked about.
struct RootListing(Option<Vec<ReadDirectoryEntry>>);

/// What a listing tells of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lookup {
    Unknown,
    Absent,
    Is(FileKind),
}

impl RootListing {
    /// Names are compared exactly on POSIX, and without ASCII case on Windows.
    fn lookup(&self, name: &str) -> Lookup {
        let Some(entries) = &self.0 else {
            return Lookup::Unknown;
        };
        let is_it = |entry: &&ReadDirectoryEntry| match entry.file_name.convention() {
            PathConvention::Posix => entry.file_name.as_str() == Some(name),
            PathConvention::Windows => entry
                .file_name
                .as_str()
                .is_some_and(|it| it.eq_ignore_ascii_case(name)),
        };
        entries
            .iter()
            .find(is_it)
            .map_or(Lookup::Absent, |entry| Lookup::Is(entry.kind))
    }
}

/// The serial program of one root.
pub(crate) async fn inspect<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    root: &SelectedCapabilityRoot,
    options: &PluginOptions,
) -> Result<ResolvedRoot, PluginProviderError> {
    let path = root.path();
    let locations =
        locations(path, options).map_err(|error| PluginProviderError::InvalidManifestPath {
            place: place_in(root, path),
            source: Arc::new(error),
        })?;
    match lookahead.get_metadata(path, None).await {
        Ok(metadata) if metadata.is_directory => {}
        Ok(_) => {
            return Err(PluginProviderError::RootNotDirectory {
                place: place_in(root, path),
            });
        }
        Err(error) => return Err(inspect_root(root, error)),
    }
    // The listing spares calls and tells what is missing; whether there is a manifest is not its to decide.
    let listing = RootListing(lookahead.read_directory(path, None).await.ok());
    let mut search = Search {
        lookahead,
        root,
        options,
        listing,
        diagnostics: Vec::new(),
        hints: Vec::new(),
    };
    for location in &locations {
        if search.finds_manifest(location).await?
            && let Some(plugin) = search.read_plugin(location, &locations).await?
        {
            return Ok(ResolvedRoot {
                plugin: Some(plugin),
                diagnostics: search.diagnostics,
            });
        }
    }
    search.diagnostics.append(&mut search.hints);
    Ok(ResolvedRoot {
        plugin: None,
        diagnostics: search.diagnostics,
    })
}

pub(crate) fn place_in(root: &SelectedCapabilityRoot, path: &PathUri) -> ErrorPlace {
    ErrorPlace {
        root_id: root.id.clone(),
        environment_id: Some(root.environment_id().clone()),
        path: Some(path.clone()),
    }
}

fn inspect_root(root: &SelectedCapabilityRoot, error: io::Error) -> PluginProviderError {
    PluginProviderError::InspectRoot {
        place: place_in(root, root.path()),
        source: Arc::new(error),
    }
}

/// The search for the manifest of one root.
struct Search<'s, 'f, F: ExecutorFileSystem + ?Sized> {
    lookahead: &'s Lookahead<'f, F>,
    root: &'s SelectedCapabilityRoot,
    options: &'s PluginOptions,
    listing: RootListing,
    diagnostics: Vec<PluginDiagnostic>,
    /// What is told only if there is no manifest at all.
    hints: Vec<PluginDiagnostic>,
}

impl<F: ExecutorFileSystem + ?Sized> Search<'_, '_, F> {
    fn about(&self, path: PathUri, field: &str, problem: EntryProblem) -> PluginDiagnostic {
        PluginDiagnostic::Entry {
            file: PluginResourceLocator::new(self.root.environment_id().clone(), path),
            field: field.to_owned(),
            problem,
        }
    }

    /// Whether a location holds a regular file of an acceptable size. What is absent, or is anything else after
    /// following links, is passed over.
    async fn finds_manifest(&mut self, location: &Location) -> Result<bool, PluginProviderError> {
        let entry = self
            .root
            .path()
            .join(location.entry)
            .unwrap_or_else(|_| location.path.clone());
        let shown = self.listing.lookup(location.entry);
        if !location.may_hold_a_manifest(&self.listing) {
            let problem = match shown {
                Lookup::Is(FileKind::BrokenLink) => EntryProblem::BrokenLink,
                Lookup::Is(kind) => EntryProblem::NotRegular {
                    found: name_of(kind),
                },
                _ => return Ok(false),
            };
            self.diagnostics.push(self.about(entry, "", problem));
            return Ok(false);
        }
        let path = &location.path;
        let problem = match self.lookahead.get_metadata(path, None).await {
            Ok(metadata) if metadata.is_file => {
                let limit = self.options.max_manifest_bytes as u64;
                return match metadata.size.filter(|size| *size > limit) {
                    Some(actual) => Err(PluginProviderError::ManifestTooLarge {
                        place: place_in(self.root, path),
                        limit,
                        actual,
                    }),
                    None => Ok(true),
                };
            }
            Ok(metadata) => EntryProblem::NotRegular {
                found: name_of(metadata.kind),
            },
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(PluginProviderError::InspectManifest {
                    place: place_in(self.root, path),
                    source: Arc::new(error),
                });
            }
            Err(error) if is_broken_link(&error) => EntryProblem::BrokenLink,
            Err(_) => {
                if shown == Lookup::Is(FileKind::Directory) {
                    self.hints
                        .push(self.about(entry, "", EntryProblem::NoManifest));
                }
                return Ok(false);
            }
        };
        self.diagnostics.push(self.about(path.clone(), "", problem));
        Ok(false)
    }

    /// The plugin of a manifest; none if the file turns out to be something else.
    async fn read_plugin(
        &mut self,
        location: &Location,
        locations: &[Location],
    ) -> Result<Option<ResolvedPlugin>, PluginProviderError> {
        let symlinks = self.options.symlinks_of(location.format);
        let canonical_root = match symlinks {
            SymlinkPolicy::Follow => None,
            SymlinkPolicy::RefuseEscape => {
                let canonical = self.lookahead.canonicalize(self.root.path(), None).await;
                Some(canonical.map_err(|error| inspect_root(self.root, error))?)
            }
        };
        let bytes = self
            .read_manifest(&location.path, canonical_root.as_ref())
            .await?;
        let Some((mut declared, diagnostics)) = self.parse(location, &bytes)? else {
            return Ok(None);
        };
        let overlay = locations
            .iter()
            .find(|it| it.format == ManifestFormat::Plugin);
        if let (ManifestFormat::AgentPlugins, Some(overlay)) = (location.format, overlay)
            && self.finds_manifest(overlay).await?
        {
            let bytes = self
                .read_manifest(&overlay.path, canonical_root.as_ref())
                .await?;
            let text = self.decode(&overlay.path, &bytes)?;
            declared.interface = read_overlay(self.root.path(), text)
                .map_err(|error| self.parse_error(&overlay.path, error))?;
        }
        let (root, path) = (self.root.path().clone(), location.path.clone());
        let environment_id = self.root.environment_id().clone();
        let manifest = PluginResourceLocator::new(environment_id.clone(), path.clone());
        let diagnostics = diagnostics.into_iter().map(|it| it.at(&manifest)).collect();
        let id = &self.root.id;
        let plugin =
            ResolvedPlugin::from_environment(id, environment_id, root, path, declared, diagnostics)
                .map_err(|outside| PluginProviderError::ConstructDescriptor {
                    place: place_in(self.root, self.root.path()),
                    source: Arc::new(outside),
                })?;
        let missing = self.report_missing(&plugin);
        Ok(Some(plugin.with_layout(canonical_root, missing)))
    }

    async fn read_manifest(
        &self,
        path: &PathUri,
        canonical_root: Option<&PathUri>,
    ) -> Result<Vec<u8>, PluginProviderError> {
        let symlinks = match canonical_root {
            Some(_) => SymlinkPolicy::RefuseEscape,
            None => SymlinkPolicy::Follow,
        };
        let limit = self.options.max_manifest_bytes;
        self.lookahead
            .expect_all(contained_calls(path, limit, symlinks));
        let file = ContainedFile {
            field: "manifest",
            root: self.root.path(),
            canonical_root,
            path,
            limit,
        };
        let place = || place_in(self.root, path);
        file.read(self.lookahead)
            .await
            .map_err(|fault| match fault {
                FileFault::Outside(outside) => PluginProviderError::ConstructDescriptor {
                    place: place_in(self.root, self.root.path()),
                    source: Arc::new(outside),
                },
                FileFault::Read(error) => PluginProviderError::ReadManifest {
                    place: place(),
                    source: Arc::new(error),
                },
                FileFault::Canonicalize(error) => PluginProviderError::InspectManifest {
                    place: place(),
                    source: Arc::new(error),
                },
                FileFault::TooLarge { limit, actual } => PluginProviderError::ManifestTooLarge {
                    place: place(),
                    limit,
                    actual,
                },
            })
    }

    fn parse(
        &mut self,
        location: &Location,
        bytes: &[u8],
    ) -> Result<Option<ParsedManifest>, PluginProviderError> {
        let (root, path) = (self.root.path(), &location.path);
        if location.format == ManifestFormat::Plugin {
            let text = self.decode(path, bytes)?;
            let parsed = parse_plugin_manifest(root, text);
            return parsed
                .map(Some)
                .map_err(|error| self.parse_error(path, error));
        }
        let not_text = |_| Err(Ok("it is not UTF-8".to_owned()));
        let parsed = decode_utf8(bytes)
            .map_or_else(not_text, |text| parse_agent_plugins_manifest(root, text));
        match parsed {
            Ok(parsed) => Ok(Some(parsed)),
            Err(Err(error)) => Err(self.parse_error(path, error)),
            Err(Ok(reason)) => {
                let problem = EntryProblem::NotAManifest { reason };
                self.hints.push(self.about(path.clone(), "", problem));
                Ok(None)
            }
        }
    }

    fn decode<'b>(&self, path: &PathUri, bytes: &'b [u8]) -> Result<&'b str, PluginProviderError> {
        decode_utf8(bytes).map_err(|error| PluginProviderError::ReadManifest {
            place: place_in(self.root, path),
            source: Arc::new(error),
        })
    }

    fn parse_error(&self, path: &PathUri, error: crate::ManifestError) -> PluginProviderError {
        PluginProviderError::ParseManifest {
            place: place_in(self.root, path),
            source: Arc::new(error),
        }
    }

    /// The entries of the root that components need and that are not there. Of a declared one, and of a link without
    /// a target, it is told; declared MCP files are told of when they are read.
    fn report_missing(&mut self, plugin: &ResolvedPlugin) -> Vec<PathUri> {
        let mut resources: Vec<(String, PathUri, bool)> = Vec::new();
        let is_declared = plugin.manifest().format() == ManifestFormat::Plugin;
        let visit = |field: &str, locator: PluginResourceLocator| {
            let tells = is_declared && !field.starts_with("mcpServers");
            resources.push((field.to_owned(), locator.path().clone(), tells));
            Ok::<_, std::convert::Infallible>(locator)
        };
        let Ok(_) = plugin.manifest().clone().try_map_resources(visit);
        for default in plugin.default_places() {
            resources.push((String::new(), default.path().clone(), false));
        }
        let mut missing = Vec::new();
        for (field, path, tells) in resources {
            let name: Option<FileName> = path
                .names_below(self.root.path())
                .and_then(|mut names| names.next());
            let Some(entry) = name
                .as_ref()
                .and_then(|it| self.root.path().join_name(it).ok())
            else {
                continue;
            };
            let problem = match self
                .listing
                .lookup(&name.map_or_else(String::new, |it| it.to_string_lossy().into_owned()))
            {
                Lookup::Absent => EntryProblem::Missing,
                Lookup::Is(FileKind::BrokenLink) => EntryProblem::BrokenLink,
                _ => continue,
            };
            if tells {
                self.diagnostics.push(self.about(path, &field, problem));
            } else if problem == EntryProblem::BrokenLink {
                self.diagnostics
                    .push(self.about(entry.clone(), "", problem));
            }
            if !missing.contains(&entry) {
                missing.push(entry);
            }
        }
        missing
    }
}

fn name_of(kind: FileKind) -> &'static str {
    match kind {
        FileKind::File => "a file",
        FileKind::Directory => "a directory",
        FileKind::Other => "a device, socket or FIFO",
        FileKind::BrokenLink => "a link without a target",
    }
}
