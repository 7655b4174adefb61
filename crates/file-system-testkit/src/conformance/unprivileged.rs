//! Cases about permission bits, which hold for nobody but an unprivileged caller.

use std::io;
use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use tempfile::TempDir;

use crate::conformance::case::{CASES, Need};

/// The trials of a subject on this host, so that they mean something for root as well.
///
/// Run as root, each case that [needs modes](Need::Modes) is run again by the same binary in the
/// name of `nobody`, by `setpriv`, and its verdict is taken over. For anybody else the trials are
/// returned as they are.
///
/// # Errors
/// Whatever hinders finding out who runs the tests.
///
/// # Examples
/// ```no_run
/// use codex_file_system_testkit::Flavor;
/// use codex_file_system_testkit::conformance::{MemorySubject, trials, without_privileges};
///
/// # fn main() -> std::io::Result<()> {
/// let all = without_privileges(trials("subject", MemorySubject::new(Flavor::Posix), 2))?;
/// libtest_mimic::run(&libtest_mimic::Arguments::from_args(), all).exit();
/// # }
/// ```
pub fn without_privileges(trials: Vec<Trial>) -> io::Result<Vec<Trial>> {
    if !is_root()? {
        return Ok(trials);
    }
    let in_whose_name = |trial: Trial| {
        if needs_modes(trial.name()) {
            without_root(trial.name())
        } else {
            trial
        }
    };
    Ok(trials.into_iter().map(in_whose_name).collect())
}

/// Whoever owns what this process creates is who it runs as.
fn is_root() -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;

    let scratch = tempfile::tempdir()?;
    #[expect(clippy::disallowed_methods, reason = "the caller is one of the host")]
    let metadata = scratch.path().metadata()?;
    Ok(metadata.uid() == 0)
}

/// Whether the case of a trial named `SUBJECT::CASE` does.
fn needs_modes(trial: &str) -> bool {
    let name = trial.rsplit("::").next();
    let case = CASES.iter().find(|case| Some(case.name) == name);
    case.is_some_and(|case| case.needs.contains(&Need::Modes))
}

fn without_root(name: &str) -> Trial {
    let trial = name.to_owned();
    Trial::test(name, move || {
        let (_kept, program) = readable_copy()?;
        let output = Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
            .arg(&program)
            .args(["--exact", &trial])
            .current_dir("/")
            .output()?;
        if output.status.success() {
            return Ok(());
        }
        let streams = [output.stdout, output.stderr].concat();
        Err(Failed::from(String::from_utf8_lossy(&streams).into_owned()))
    })
}

/// This binary where everybody may run it: the directory it is built in may be closed.
fn readable_copy() -> io::Result<(TempDir, PathBuf)> {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let directory = tempfile::tempdir()?;
    set_permissions(directory.path(), Permissions::from_mode(0o755))?;
    let program = directory.path().join("conformance");
    // Copied by another process: while this one holds the copy open for writing, a command that
    // another trial starts would inherit it, and nobody could run it (ETXTBSY).
    let mut copy = Command::new("cp");
    copy.arg(std::env::current_exe()?).arg(&program).status()?;
    set_permissions(&program, Permissions::from_mode(0o755))?;
    Ok((directory, program))
}
