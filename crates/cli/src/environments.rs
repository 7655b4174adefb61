//! Where the files of a run are: the environments that commands are given.
//!
//! Commands are given an [`EnvironmentSet`] and do not know what is behind it. Here it holds one
//! environment: this machine.

use codex_file_system::{Environment, EnvironmentId, EnvironmentSet, LocalFileSystem};
use codex_path_uri::PathUri;

use crate::cost::Meter;
use crate::exit::Failure;

/// The name of this machine among environments.
const LOCAL: &str = "local";

/// Binds this machine, with `directory` as the directory an agent starts in.
///
/// # Errors
/// None on this machine alone; a set of several refuses a name that is given twice.
pub(crate) fn bind(meter: &Meter, directory: PathUri) -> Result<EnvironmentSet, Failure> {
    let refused = |error: Box<dyn std::error::Error + Send + Sync>| {
        Failure::new(
            "cannot bind the environments",
            "give every environment its own name",
        )
        .caused_by(error)
    };
    let id = EnvironmentId::new(LOCAL).map_err(|error| refused(error.into()))?;
    let filesystem = meter.around(&id, LocalFileSystem::inline());
    let local = Environment::new(id, directory, filesystem);
    EnvironmentSet::new(vec![local]).map_err(|error| refused(error.into()))
}

/// The environment whose directory the agent starts in.
///
/// # Errors
/// When the set does not hold it.
pub(crate) fn primary(environments: &EnvironmentSet) -> Result<&Environment, Failure> {
    environments.get(LOCAL).map_err(|error| {
        Failure::new("cannot choose an environment", "bind this machine").caused_by(error)
    })
}
