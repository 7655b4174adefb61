//! The conformance suite on a real server, with the exceptions that the protocol makes.

use std::fs;
use std::io;
use std::os::unix::fs::lchown;
use std::path::Path;

use codex_file_system_testkit::ScratchDirectory;
use codex_file_system_testkit::conformance::{self, Built, Fixture, Need, Subject};
use codex_sftp::{SftpFileSystem, SftpOptions};
use libtest_mimic::Trial;

use crate::servers::Server;

/// The cases that speak of a path below a regular file or of a link loop, which the server
/// reports as missing. What else they say is said in `exceptions`.
const AS_MISSING: &[&str] = &[
    "stat_below_file_is_not_a_directory",
    "read_below_file_is_not_a_directory",
    "list_file_is_not_a_directory",
    "stat_loop_is_filesystem_loop",
    "read_loop",
    "list_loop",
    "canonicalize_missing",
    "canonicalize_loop",
    "write_missing_parent",
    "walk_loop_enters_once",
    "error_kind_survives",
];

/// The cases above, those of names, of Windows and of the sandbox, and one of listings.
const SKIPS: usize = 18;

/// Where nothing is forbidden, the cases of modes as well, of which one is among the others.
const SKIPS_WITHOUT_MODES: usize = SKIPS + 6;

/// The suite on one server.
pub(crate) fn trials(name: &str, server: &Server) -> Vec<Trial> {
    let skips = match server.obeys_modes {
        true => SKIPS,
        false => SKIPS_WITHOUT_MODES,
    };
    conformance::trials(name, Real(server.clone()), skips)
}

/// A server as the suite sees it.
pub(crate) struct Real(pub(crate) Server);

impl Subject for Real {
    fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
        Box::pin(async move {
            let scratch = ScratchDirectory::build(tree)?;
            if let Some(owner) = self.0.owner {
                give_to(scratch.path(), owner)?;
            }
            let base = scratch.base()?;
            let command = self.0.command.clone();
            let fs = SftpFileSystem::spawn(command, SftpOptions::default()).await?;
            Ok(Fixture::new(fs, base).keeping(scratch))
        })
    }

    fn lacks(&self, need: Need) -> Option<&str> {
        match need {
            Need::WindowsNames => Some("a POSIX server"),
            Need::Sandbox => Some("SFTP enforces no sandbox"),
            Need::Modes if !self.0.obeys_modes => Some("nothing is forbidden to this user"),
            _ => None,
        }
    }

    fn excuse(&self, case: &str) -> Option<&str> {
        match case {
            "name_not_utf8_listed_and_read" => Some("SFTP names are text"),
            "list_unsearchable_keeps_kinds" => Some("the server leaves out what it cannot stat"),
            _ => AS_MISSING
                .contains(&case)
                .then_some("the server reports it as missing"),
        }
    }
}

/// Makes somebody the owner of a directory and of what is in it.
pub(crate) fn give_to(path: &Path, owner: u32) -> io::Result<()> {
    lchown(path, Some(owner), Some(owner))?;
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            give_to(&entry?.path(), owner)?;
        }
    }
    Ok(())
}
