//! Lists the considered directories of a report, for what metadata of the candidates does not
//! tell: documents that the chosen one hides, and names that are wrong in case only.
//!
//! Nothing here changes what was loaded. Listings cost calls, so they are made on request only;
//! what one means is judged in `report/listing.rs`.

use codex_file_system::{ExecutorFileSystem, Window};
use futures::stream::{FuturesOrdered, StreamExt};

use crate::calls::EnvironmentCalls;
use crate::report::{DirectoryRow, InstructionsReport, NamesBeside};
use crate::snapshot::TurnEnvironmentSnapshot;

/// Lists every considered directory and fills in what the report's rows say of hidden documents
/// and of names that differ in ASCII case only.
///
/// `environments` are those the report was made for; an environment of the report that has no
/// counterpart at its position is left as it is. [`InstructionsReport::listing_diagnostics`] then
/// tells what was found.
///
/// # Round trips
/// One listing per considered directory of all environments together: D calls, ⌈D/window⌉ round
/// trips.
///
/// # Errors
/// None: a directory that cannot be listed keeps `None` in its row.
///
/// # Cancellation
/// Dropping the future starts no further call and leaves the report as it was.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use codex_agents_md::{
///     TurnEnvironment, TurnEnvironmentSnapshot, add_listings, load_project_instructions,
/// };
/// use codex_config::Config;
/// use codex_file_system::{Environment, EnvironmentId, Window};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # futures::executor::block_on(async {
/// let tree = "/repo/.git/\n/repo/agents.md = lower case";
/// let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, tree)?);
/// let cwd = PathUri::parse("file:///repo")?;
/// let id = EnvironmentId::new("local")?;
/// let environment = Environment::new(id.clone(), cwd.clone(), fs);
/// let turn_environments = vec![TurnEnvironment::new(id, environment, cwd)];
/// let snapshot = TurnEnvironmentSnapshot { turn_environments };
///
/// let mut outcome = load_project_instructions(&Config::default(), None, &snapshot).await;
/// assert!(outcome.loaded.is_none());
/// add_listings(&mut outcome.report, &snapshot, Window::SERIAL).await;
/// let found = outcome.report.listing_diagnostics();
/// assert_eq!(found[0].code.as_str(), "case_variant_present");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub async fn add_listings(
    report: &mut InstructionsReport,
    environments: &TurnEnvironmentSnapshot,
    window: Window,
) {
    let turns = environments.turn_environments.iter();
    let calls: Vec<_> = turns
        .map(|turn| {
            let filesystem: &dyn ExecutorFileSystem = turn.environment.filesystem();
            EnvironmentCalls::new(filesystem, &turn.environment_id)
        })
        .collect();
    let considered = considered(report, environments, &calls);
    let listed = list_all(considered, window).await;
    for Listed {
        environment,
        row,
        names,
    } in listed
    {
        let environment = report.environments.get_mut(environment);
        let row = environment.and_then(|environment| environment.directories.get_mut(row));
        if let (Some(row), Some(names)) = (row, names) {
            row.shadowed = Some(names.shadowed);
            row.case_variants = Some(names.case_variants);
        }
    }
    for (environment, calls) in report.environments.iter_mut().zip(&calls) {
        environment.calls.listings += calls.listings();
    }
}

/// A considered directory: the position of its row, and what its listing is asked and judged by.
struct Considered<'a> {
    position: (usize, usize),
    row: &'a DirectoryRow,
    names: &'a [String],
    calls: &'a EnvironmentCalls<'a>,
}

/// What became of it: the positions of environment and row, and the names if it could be listed.
struct Listed {
    environment: usize,
    row: usize,
    names: Option<NamesBeside>,
}

/// The directories of the environments that have their counterpart, in the order of the rows.
fn considered<'a>(
    report: &'a InstructionsReport,
    environments: &TurnEnvironmentSnapshot,
    calls: &'a [EnvironmentCalls<'a>],
) -> Vec<Considered<'a>> {
    let reports = report.environments.iter();
    let turns = environments.turn_environments.iter();
    let mut considered = Vec::new();
    for (environment, ((report, turn), calls)) in reports.zip(turns).zip(calls).enumerate() {
        if report.environment_id != turn.environment_id || report.cwd != turn.cwd {
            continue;
        }
        let names = &report.names;
        for (index, row) in report.directories.iter().enumerate() {
            let position = (environment, index);
            considered.push(Considered {
                position,
                row,
                names,
                calls,
            });
        }
    }
    considered
}

async fn list_all(considered: Vec<Considered<'_>>, window: Window) -> Vec<Listed> {
    let mut listed = Vec::with_capacity(considered.len());
    let mut to_list = considered.into_iter();
    let mut listing = FuturesOrdered::new();
    loop {
        while listing.len() < window.get()
            && let Some(considered) = to_list.next()
        {
            listing.push_back(list(considered));
        }
        match listing.next().await {
            Some(answer) => listed.push(answer),
            None => return listed,
        }
    }
}

/// Lists one directory and keeps of its entries only the names that matter.
async fn list(considered: Considered<'_>) -> Listed {
    let Considered {
        position: (environment, index),
        row,
        names,
        calls,
    } = considered;
    let entries = calls.list(&row.directory).await;
    let names = entries
        .ok()
        .map(|entries| NamesBeside::new(row, names, &entries));
    Listed {
        environment,
        row: index,
        names,
    }
}
