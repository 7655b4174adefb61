//! Where the files of a run are: the environments that commands are given.
//!
//! One environment, this machine, stands for all targets so far; commands take an
//! [`EnvironmentSet`] and iterate over it, so they do not know.

use codex_file_system::{Environment, EnvironmentId, EnvironmentSet};
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
        Failure::new("cannot bind the environments", "give every environment its own name")
            .caused_by(error)
    };
    let id = EnvironmentId::new(LOCAL).map_err(|error| refused(error.into()))?;
    let local = Environment::new(id, directory, meter.filesystem().clone());
    EnvironmentSet::new(vec![local]).map_err(|error| refused(error.into()))
}
