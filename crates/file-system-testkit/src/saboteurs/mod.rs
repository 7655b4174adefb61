//! Filesystems that break one rule each, to prove that the conformance suite notices.
//!
//! A saboteur is the memory filesystem with one rule of the contract broken, and named after the
//! mistake. A suite that lets one pass has a hole. They examine the suite, nothing else: no other
//! test should use them.

mod contents;
mod errors;
mod links;
mod listing;
mod rules;
mod sabotage;
mod walk;
mod writes;

use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use codex_file_system::ExecutorFileSystem;
use codex_file_system::error::filesystem_loop;
use codex_path_uri::PathUri;
use tokio::runtime::{Builder, Runtime};

use crate::conformance::{Built, Fixture, Need, Subject};
use crate::flavor::Flavor;
use crate::memory::MemoryFileSystem;
use errors::Retold;
use links::Remarked;
use listing::Relisted;
use sabotage::{Sabotage, Sabotaged};

/// A filesystem that breaks one rule, as a subject of the conformance suite.
#[derive(Clone, Copy)]
pub struct Saboteur {
    /// The mistake it makes.
    pub name: &'static str,
    sabotage: fn(MemoryFileSystem) -> Arc<dyn ExecutorFileSystem>,
    /// What becomes of a tree before it is planted.
    replant: fn(&str) -> String,
}

/// Every saboteur.
pub const SABOTEURS: &[Saboteur] = &[
    saboteur("DeniedAsNotFound", |honest| {
        retold(honest, ErrorKind::PermissionDenied, ErrorKind::NotFound)
    }),
    saboteur("NotADirectoryAsNotFound", |honest| {
        retold(honest, ErrorKind::NotADirectory, ErrorKind::NotFound)
    }),
    saboteur("LoopAsNotFound", |honest| {
        retold(honest, filesystem_loop(), ErrorKind::NotFound)
    }),
    saboteur("LoopAsOther", |honest| {
        retold(honest, filesystem_loop(), ErrorKind::Other)
    }),
    saboteur("MissingAsOther", |honest| {
        retold(honest, ErrorKind::NotFound, ErrorKind::Other)
    }),
    saboteur("UnsortedListing", |honest| {
        with(honest, Relisted(listing::unsorted))
    }),
    saboteur("DuplicateEntry", |honest| {
        with(honest, Relisted(listing::duplicated))
    }),
    saboteur("ListsDotEntries", |honest| {
        with(honest, Relisted(listing::with_dot_entries))
    }),
    saboteur("LinkKindInsteadOfTarget", |honest| {
        with(honest, Remarked(links::kind_of_link))
    }),
    saboteur("LinkSizeInsteadOfTarget", |honest| {
        with(honest, Remarked(links::size_of_link))
    }),
    saboteur("NeverLink", |honest| {
        with(honest, Remarked(links::never_link))
    }),
    saboteur("AlwaysLink", |honest| {
        with(honest, Remarked(links::always_link))
    }),
    saboteur("LossyNames", |honest| {
        with(honest, Relisted(listing::lossy))
    }),
    saboteur("LowercasesNames", |honest| {
        with(honest, Relisted(listing::lowercased))
    }),
    saboteur("TrimsNames", |honest| {
        with(honest, Relisted(listing::trimmed))
    }),
    saboteur("CanonicalizeIsIdentity", |honest| {
        with(honest, links::CanonicalizeIsIdentity)
    }),
    saboteur("CanonicalizeMissingSucceeds", |honest| {
        with(honest, links::CanonicalizeMissingSucceeds)
    }),
    Saboteur {
        replant: links::links_from_root,
        ..saboteur("RelativeLinkFromRoot", |honest| Arc::new(honest))
    },
    saboteur("ReadsDirectoryAsEmpty", |honest| {
        with(honest, contents::ReadsDirectoryAsEmpty)
    }),
    saboteur("DropsLastByte", |honest| {
        with(honest, contents::DropsLastByte)
    }),
    saboteur("LossyText", |honest| with(honest, contents::LossyText)),
    saboteur("PrefixIgnoresLimit", |honest| {
        with(honest, contents::PrefixIgnoresLimit)
    }),
    saboteur("WriteDropsExisting", |honest| {
        with(honest, writes::WriteDropsExisting)
    }),
    saboteur("RemoveFollowsLink", |honest| {
        with(honest, writes::RemoveFollowsLink)
    }),
    saboteur("RemoveMissingFails", |honest| {
        with(honest, writes::RemoveMissingFails)
    }),
    saboteur("CopyFollowsLink", |honest| {
        with(honest, writes::CopyFollowsLink)
    }),
    saboteur("IgnoresSandbox", |honest| {
        with(honest, rules::IgnoresSandbox)
    }),
    saboteur("SandboxIsLexical", |honest| {
        with(honest, rules::SandboxIsLexical)
    }),
    saboteur("EagerIo", |honest| with(honest, rules::EagerIo)),
    saboteur("SerializesCalls", |honest| {
        with(honest, rules::SerializesCalls::default())
    }),
    saboteur("ForeignPathAsNative", |honest| {
        with(honest, rules::ForeignPathAsNative(Flavor::Posix))
    }),
    saboteur("WalkUnsorted", |honest| with(honest, walk::WalkUnsorted)),
    saboteur("WalkFollowsForever", |honest| {
        with(honest, walk::WalkFollowsForever)
    }),
];

impl Subject for Saboteur {
    fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
        Box::pin(async move {
            let tree = (self.replant)(tree);
            let honest = MemoryFileSystem::from_tree(Flavor::Posix, &tree)?;
            Ok(Fixture::new(
                (self.sabotage)(honest),
                PathUri::parse("file:///")?,
            ))
        })
    }

    fn lacks(&self, need: Need) -> Option<&str> {
        match need {
            Need::WindowsNames => Some("a POSIX filesystem"),
            _ => None,
        }
    }

    /// A runtime on a paused clock: a call that never answers is noticed at once.
    fn runtime(&self) -> io::Result<Runtime> {
        Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
    }
}

impl fmt::Debug for Saboteur {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Saboteur").field(&self.name).finish()
    }
}

const fn saboteur(
    name: &'static str,
    sabotage: fn(MemoryFileSystem) -> Arc<dyn ExecutorFileSystem>,
) -> Saboteur {
    Saboteur {
        name,
        sabotage,
        replant: str::to_owned,
    }
}

fn with(honest: MemoryFileSystem, sabotage: impl Sabotage) -> Arc<dyn ExecutorFileSystem> {
    Arc::new(Sabotaged { honest, sabotage })
}

fn retold(honest: MemoryFileSystem, from: ErrorKind, to: ErrorKind) -> Arc<dyn ExecutorFileSystem> {
    with(honest, Retold { from, to })
}
