//! Whether a project is trusted: which of its layers count, and whether its documents are given.
//!
//! The policy of a session start, as a function of the `[projects]` table and of where the project
//! lies. A person writes one spelling of one directory; the project may be started through a link,
//! from below, or as a linked worktree. So an entry is looked up for the start directory, the
//! project root, the Git root and the main checkout, each as given and as its canonical path. What
//! cannot be found out never makes a project more trusted.
//!
//! An entry names a path and not a machine: it withholds documents in every environment where the
//! path is met. Layers are those of the first environment only, which is the host's choice.

use std::io;
use std::{fmt, iter};

use codex_file_system::{
    Environment, EnvironmentId, ExecutorFileSystem, FileSystemError, Lookahead, ReadCall, Window,
};
use codex_path_uri::{CasePolicy, PathConvention, PathUri};
use serde::Serialize;

use crate::{ConfigDiagnostic, DisabledReason, ProjectLayerDecision};

mod table;
mod worktree;

pub use table::{ProjectTrustTable, TrustLevel};
use worktree::{Checkout, find_main_checkout};

/// Whether the documents of a project are given to a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProjectDocuments {
    /// They are loaded.
    #[default]
    Allowed,
    /// They are not, and no call is made for them.
    Withheld,
}

/// Whether the skills of a project are given to a model.
///
/// [`find_project_trust`] always allows them, as the Codex CLI does: a model learns their names and
/// reads one when it wants to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProjectSkills {
    /// They are looked for.
    #[default]
    Allowed,
    /// They are not.
    Withheld,
}

/// What the trust in a project depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TrustQuestion {
    /// The canonical path of a directory.
    CanonicalPath,
    /// The nearest directory that holds `.git`.
    GitRoot,
    /// The checkout that a linked worktree belongs to.
    MainCheckout,
}

/// The words between `cannot` and a path.
impl fmt::Display for TrustQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CanonicalPath => "resolve",
            Self::GitRoot => "look for the Git root at",
            Self::MainCheckout => "tell the main checkout of the worktree from",
        })
    }
}

/// The entry that decides about the documents of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TrustDecision {
    /// The path that has the entry; where something could not be found out, the path asked for.
    pub path: PathUri,
    /// What the path is to the project.
    pub place: TrustPlace,
    /// What counts.
    pub level: TrustLevel,
}

/// What a directory with an entry is to the project that is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustPlace {
    /// The directory asked about.
    Directory,
    /// The project root.
    ProjectRoot,
    /// The Git root.
    GitRoot,
    /// The main checkout of the linked worktree.
    MainCheckout,
}

/// What a session may use of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectTrust {
    /// Whether its documents are given.
    pub documents: ProjectDocuments,
    /// Whether its skills are.
    pub skills: ProjectSkills,
    /// What decides about the documents; `None` where no entry speaks of the project.
    pub decided_by: Option<TrustDecision>,
    /// What could not be found out, and what did not count.
    pub diagnostics: Vec<ConfigDiagnostic>,
    table: ProjectTrustTable,
    places: Vec<Place>,
}

impl ProjectTrust {
    /// Whether the project layer of `directory` counts: only where the nearest entry of the
    /// directory, the project root, the Git root and the main checkout says `trusted`.
    pub fn layer(&self, directory: &PathUri) -> ProjectLayerDecision {
        let of_directory = self
            .places
            .iter()
            .filter(|place| place.role == TrustPlace::Directory && place.given == *directory);
        let of_project = self
            .places
            .iter()
            .filter(|place| place.role != TrustPlace::Directory);
        match decide(&self.table, of_directory.chain(of_project)) {
            Some(decision) => match decision.level {
                TrustLevel::Trusted => ProjectLayerDecision::Enable,
                TrustLevel::Untrusted => ProjectLayerDecision::Disable(DisabledReason::Untrusted),
            },
            None => ProjectLayerDecision::Disable(DisabledReason::NotTrusted),
        }
    }
}

/// A directory whose entry speaks for the project.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    role: TrustPlace,
    given: PathUri,
    canonical: Canonical,
}

/// The other spelling of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Canonical {
    Path(PathUri),
    /// There is none: nothing is there.
    Missing,
    /// It cannot be found out, so an entry for it may exist.
    Undecided,
}

/// Decides what a session that is started in `cwd` may use of its project.
///
/// `project_root` and `git_root` are those of `cwd`; a search for the Git root that failed is given
/// as its error. The documents are withheld where the nearest entry of the start directory, the Git
/// root and the main checkout says `untrusted`. What cannot be found out counts as `untrusted` if
/// any entry of the table says so, and else as no entry. A config home that lies inside the project
/// trusts nothing of it.
///
/// # Round trips
/// None while the table is empty. Else the canonical path of `cwd` and the Git root's `.git` are
/// asked together: 2 calls, 1 round trip. 2 more calls and 2 round trips in a linked worktree and
/// one call for its main checkout, one call for each directory up to the roots, together, where
/// `cwd` is not canonical, and one for a config home that is not seen to lie inside.
///
/// # Errors
/// None: what fails is told in [`ProjectTrust::diagnostics`].
///
/// # Cancellation
/// Dropping the future starts no further call.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use codex_config::{
///     ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack, ProjectDocuments, ProjectTrustTable,
///     find_project_trust,
/// };
/// use codex_file_system::{Environment, EnvironmentId};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // The user wrote one spelling; the session is started through a link.
/// let text = "[projects.'/real/repo']\ntrust_level = 'untrusted'\n";
/// let layer = ConfigLayerEntry::from_toml_text(ConfigLayerSource::SessionFlags, text)?;
/// let table = ProjectTrustTable::from_stack(&ConfigLayerStack::new(vec![layer])?)?;
///
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/real/repo/.git/\n/link -> real")?;
/// let cwd = PathUri::parse("file:///link/repo")?;
/// let environment = Environment::new(EnvironmentId::new("local")?, cwd.clone(), Arc::new(fs));
/// let root = Some(&cwd);
/// let trust = find_project_trust(&environment, &cwd, root, Ok(root), &table).await;
/// assert_eq!(trust.documents, ProjectDocuments::Withheld);
/// # Ok(())
/// # }
/// ```
pub async fn find_project_trust(
    environment: &Environment,
    cwd: &PathUri,
    project_root: Option<&PathUri>,
    git_root: Result<Option<&PathUri>, &io::Error>,
    table: &ProjectTrustTable,
) -> ProjectTrust {
    let filesystem: &dyn ExecutorFileSystem = environment.filesystem();
    let fs = Lookahead::new(filesystem, Window::default());
    let id = environment.id();
    let search = find_project_trust_with(&fs, id, cwd, project_root, git_root, table);
    fs.drive(search).await
}

/// [`find_project_trust`] as part of a larger load: its calls share the window and the answers of
/// that.
///
/// # Round trips
/// As [`find_project_trust`], in the window of the load.
pub async fn find_project_trust_with(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    environment_id: &EnvironmentId,
    cwd: &PathUri,
    project_root: Option<&PathUri>,
    git_root: Result<Option<&PathUri>, &io::Error>,
    table: &ProjectTrustTable,
) -> ProjectTrust {
    let search = Search {
        fs,
        environment_id,
        cwd,
        project_root,
        git_root: git_root.as_ref().ok().copied().flatten(),
    };
    let mut trust = ProjectTrust {
        table: table.clone(),
        ..ProjectTrust::default()
    };
    if !table.is_empty() {
        search.find_places(&mut trust).await;
        if let Err(error) = git_root {
            let path = FileSystemError::find(error).map_or(cwd, |context| &context.path);
            let (role, question) = (TrustPlace::GitRoot, TrustQuestion::GitRoot);
            trust.push_undecided(environment_id, role, path, question, error.kind());
        }
    }
    search.leave_out_config_home(&mut trust).await;
    let of_documents = trust.places.iter().filter(|place| match place.role {
        TrustPlace::Directory => place.given == *cwd,
        TrustPlace::ProjectRoot => false,
        TrustPlace::GitRoot | TrustPlace::MainCheckout => true,
    });
    trust.decided_by = decide(&trust.table, of_documents);
    trust.documents = match &trust.decided_by {
        Some(decision) if decision.level == TrustLevel::Untrusted => ProjectDocuments::Withheld,
        _ => ProjectDocuments::Allowed,
    };
    trust
}

/// Expects the first calls of [`find_project_trust_with`] in a table with entries. Makes no call.
pub fn expect_project_trust(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    cwd: &PathUri,
    git_root: Option<&PathUri>,
) {
    fs.expect_all([ReadCall::canonical(cwd)]);
    fs.expect_all(git_root.and_then(worktree::first_call));
}

/// The nearest entry of these places. One that may exist counts as `untrusted` in a table that has
/// such entries.
fn decide<'a>(
    table: &ProjectTrustTable,
    places: impl Iterator<Item = &'a Place>,
) -> Option<TrustDecision> {
    let decision = |place: &Place, path: &PathUri, level| TrustDecision {
        path: path.clone(),
        place: place.role,
        level,
    };
    places.into_iter().find_map(|place| {
        if let Some(level) = table.get(&place.given) {
            return Some(decision(place, &place.given, level));
        }
        match &place.canonical {
            Canonical::Path(path) => Some(decision(place, path, table.get(path)?)),
            Canonical::Missing => None,
            Canonical::Undecided => {
                let level = table.has_untrusted().then_some(TrustLevel::Untrusted)?;
                Some(decision(place, &place.given, level))
            }
        }
    })
}

impl ProjectTrust {
    /// Adds a place that is not known, and tells why.
    fn push_undecided(
        &mut self,
        environment_id: &EnvironmentId,
        role: TrustPlace,
        path: &PathUri,
        question: TrustQuestion,
        kind: io::ErrorKind,
    ) {
        self.places.push(Place {
            role,
            given: path.clone(),
            canonical: Canonical::Undecided,
        });
        let diagnostic = ConfigDiagnostic::TrustUndecided {
            environment_id: environment_id.clone(),
            path: path.clone(),
            question,
            kind,
            is_untrusted: self.table.has_untrusted(),
        };
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }
}

/// Where a project lies, and whom to ask about it.
struct Search<'a, 'f, F: ExecutorFileSystem + ?Sized> {
    fs: &'a Lookahead<'f, F>,
    environment_id: &'a EnvironmentId,
    cwd: &'a PathUri,
    project_root: Option<&'a PathUri>,
    git_root: Option<&'a PathUri>,
}

impl<F: ExecutorFileSystem + ?Sized> Search<'_, '_, F> {
    /// Adds the places whose entries count, nearest first.
    async fn find_places(&self, trust: &mut ProjectTrust) {
        expect_project_trust(self.fs, self.cwd, self.git_root);
        let canonical = self.fs.canonicalize(self.cwd, None).await;
        // Above a canonical path everything is canonical.
        let is_canonical = matches!(&canonical, Ok(path) if path == self.cwd);
        let is_known = |path: &PathUri| is_canonical && self.cwd.starts_with(path);
        let above: Vec<_> = self.places_above().collect();
        let asked = above.iter().filter(|(_, path)| !is_known(path));
        self.fs
            .expect_all(asked.map(|(_, path)| ReadCall::canonical(path)));
        self.add(trust, TrustPlace::Directory, self.cwd, canonical);
        for (role, path) in &above {
            let answer = if is_known(path) {
                Ok(path.clone())
            } else {
                self.fs.canonicalize(path, None).await
            };
            self.add(trust, *role, path, answer);
        }
        if let Some(git_root) = self.git_root {
            let found = find_main_checkout(self.fs, git_root).await;
            self.add_main_checkout(trust, found).await;
        }
    }

    /// The directories between start directory and project root, and the two roots.
    fn places_above(&self) -> impl Iterator<Item = (TrustPlace, PathUri)> {
        let root = self.project_root;
        let between = self.cwd.ancestors().skip(1);
        let between =
            between.take_while(move |path| root.is_some_and(|root| path.starts_with(root)));
        let roots = [
            (TrustPlace::ProjectRoot, self.project_root),
            (TrustPlace::GitRoot, self.git_root),
        ];
        let roots = roots
            .into_iter()
            .filter_map(|(role, path)| Some((role, path?.clone())));
        between
            .map(|path| (TrustPlace::Directory, path))
            .chain(roots)
    }

    fn add(
        &self,
        trust: &mut ProjectTrust,
        role: TrustPlace,
        given: &PathUri,
        answer: io::Result<PathUri>,
    ) {
        let canonical = match answer {
            Ok(path) => Canonical::Path(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Canonical::Missing,
            Err(error) => {
                let (id, question) = (self.environment_id, TrustQuestion::CanonicalPath);
                return trust.push_undecided(id, role, given, question, error.kind());
            }
        };
        let given = given.clone();
        trust.places.push(Place {
            role,
            given,
            canonical,
        });
    }

    async fn add_main_checkout(&self, trust: &mut ProjectTrust, found: Checkout) {
        let (role, environment_id) = (TrustPlace::MainCheckout, self.environment_id);
        match found {
            Checkout::None => {}
            Checkout::Main(path) => {
                let answer = self.fs.canonicalize(&path, None).await;
                self.add(trust, role, &path, answer);
            }
            Checkout::Unknown {
                git_file,
                main_checkout,
            } => {
                if trust.table.get(&main_checkout).is_some() {
                    trust.diagnostics.push(ConfigDiagnostic::WorktreeUnknown {
                        environment_id: environment_id.clone(),
                        path: git_file,
                        main_checkout,
                    });
                }
            }
            Checkout::Undecided { path, kind } => {
                let question = TrustQuestion::MainCheckout;
                trust.push_undecided(environment_id, role, &path, question, kind);
            }
        }
    }

    /// Takes from the table what a config home inside the project says in the project's favour.
    async fn leave_out_config_home(&self, trust: &mut ProjectTrust) {
        let Some(home) = trust.table.config_home().cloned() else {
            return;
        };
        let mut project: Vec<PathUri> = [Some(self.cwd), self.project_root, self.git_root]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        project.extend(
            trust
                .places
                .iter()
                .filter_map(|place| match &place.canonical {
                    Canonical::Path(path) if place.role != TrustPlace::MainCheckout => {
                        Some(path.clone())
                    }
                    _ => None,
                }),
        );
        let is_inside = |home: &PathUri| project.iter().any(|directory| lies_in(home, directory));
        if !is_inside(&home) {
            if !trust.table.trusts_by_config_home() {
                return;
            }
            match self.fs.canonicalize(&home, None).await {
                Ok(canonical) if is_inside(&canonical) => {}
                _ => return,
            }
        }
        let ignored_entry = trust.places.iter().find_map(|place| {
            let canonical = match &place.canonical {
                Canonical::Path(path) => Some(path),
                Canonical::Missing | Canonical::Undecided => None,
            };
            let mut spellings = iter::once(&place.given).chain(canonical);
            spellings
                .find(|path| trust.table.is_trusted_by_config_home(path))
                .cloned()
        });
        trust.table = trust.table.without_config_home();
        trust
            .diagnostics
            .push(ConfigDiagnostic::ConfigHomeInProject {
                environment_id: self.environment_id.clone(),
                path: home,
                ignored_entry,
            });
    }
}

/// Whether `path` is `directory` or below it, by the rules of the path's machine.
fn lies_in(path: &PathUri, directory: &PathUri) -> bool {
    let policy = match path.convention() {
        Some(PathConvention::Windows) => CasePolicy::AsciiFold,
        _ => CasePolicy::Exact,
    };
    path.starts_with_under(directory, policy)
}
