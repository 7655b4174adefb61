//! How many files and sockets a server may have open.

/// As many as are counted on where the system does not say.
const USUAL: usize = 1024;
/// More than the limits of a server can make use of.
const MOST: usize = 65_536;

/// Raises the limit as far as this user may, and gives what it is then.
pub(super) fn raised() -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let before = getrlimit(Resource::Nofile);
        let wanted = before.maximum.unwrap_or(MOST as u64).min(MOST as u64);
        let raised = Rlimit {
            current: Some(wanted),
            maximum: before.maximum,
        };
        // Where it cannot be raised, the limits of the server follow from what is there.
        let is_higher = before.current.is_some_and(|current| current < wanted);
        if is_higher && setrlimit(Resource::Nofile, raised).is_ok() {
            return usize::try_from(wanted).unwrap_or(USUAL);
        }
        before.current.map_or(MOST, |current| {
            usize::try_from(current).unwrap_or(MOST).min(MOST)
        })
    }
    #[cfg(not(unix))]
    USUAL.min(MOST)
}
