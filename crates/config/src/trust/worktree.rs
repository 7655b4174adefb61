//! The main checkout of a linked Git worktree.
//!
//! ```text
//! wt/.git                            gitdir: /main/.git/worktrees/wt     names its entry
//! /main/.git/worktrees/wt/commondir  ../..                               the common directory
//! /main/.git/worktrees/wt/gitdir     /wt/.git                            names the worktree back
//! ```
//!
//! What a worktree says of itself counts only if the checkout it names says the same: else any
//! directory could borrow the trust in another one.

use std::io;

use codex_file_system::{ExecutorFileSystem, Lookahead, ReadCall};
use codex_path_uri::PathUri;

/// Most bytes of one of Git's small files.
const MAX_GIT_FILE_BYTES: u64 = 64 * 1024;

/// What `.git` says about the checkout that a directory belongs to.
#[derive(Debug)]
pub(super) enum Checkout {
    /// No other one: the directory is no linked worktree.
    None,
    /// This one, which knows the worktree. For a bare repository, the directory that holds it.
    Main(PathUri),
    /// This one, which does not know the worktree.
    Unknown {
        git_file: PathUri,
        main_checkout: PathUri,
    },
    /// It cannot be found out.
    Undecided { path: PathUri, kind: io::ErrorKind },
}

/// Finds the main checkout of the worktree at `git_root`.
///
/// One call where `.git` is a directory; two more, together, where it names one.
pub(super) async fn find_main_checkout(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    git_root: &PathUri,
) -> Checkout {
    match read_checkout(fs, git_root).await {
        Ok(found) => found.unwrap_or(Checkout::None),
        Err((path, kind)) => Checkout::Undecided { path, kind },
    }
}

/// The call that [`find_main_checkout`] begins with.
pub(super) fn first_call(git_root: &PathUri) -> Option<ReadCall> {
    let git_file = git_root.join(".git").ok()?;
    Some(ReadCall::prefix(&git_file, MAX_GIT_FILE_BYTES))
}

/// The path that could not be made use of, and why.
type Failure = (PathUri, io::ErrorKind);

async fn read_checkout(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    git_root: &PathUri,
) -> Result<Option<Checkout>, Failure> {
    let git_file = joined(git_root, b".git")?;
    let Some(text) = read_small(fs, &git_file).await? else {
        return Ok(None);
    };
    let Some(entry) = text.strip_prefix(b"gitdir:") else {
        return Ok(None);
    };
    let entry = joined(git_root, entry.trim_ascii())?;
    let (common, back) = (joined(&entry, b"commondir")?, joined(&entry, b"gitdir")?);
    fs.expect_all([&common, &back].map(|path| ReadCall::prefix(path, MAX_GIT_FILE_BYTES)));
    let Some(common) = read_small(fs, &common).await? else {
        // A submodule, or a repository whose directory is kept elsewhere.
        return Ok(None);
    };
    let common = joined(&entry, common.trim_ascii())?;
    let (Some(main_checkout), Some(name)) = (common.parent(), entry.file_name()) else {
        return Ok(None);
    };
    // Looked up in the common directory, for the entry may lie anywhere.
    let registered = joined(&common, b"worktrees")?.join_name(&name);
    let registered = registered.map_err(|error| (entry, io::Error::from(error).kind()))?;
    let known = match read_small(fs, &joined(&registered, b"gitdir")?).await? {
        Some(back) => names_worktree(fs, &registered, back.trim_ascii(), &git_file).await?,
        None => false,
    };
    Ok(Some(if known {
        Checkout::Main(main_checkout)
    } else {
        Checkout::Unknown {
            git_file,
            main_checkout,
        }
    }))
}

/// Whether the text of a registered `gitdir` names this `.git` file, by its path or through links.
async fn names_worktree(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    registered: &PathUri,
    text: &[u8],
    git_file: &PathUri,
) -> Result<bool, Failure> {
    let named = joined(registered, text)?;
    if named == *git_file {
        return Ok(true);
    }
    let canonical = async |path: &PathUri| match fs.canonicalize(path, None).await {
        Ok(canonical) => Ok(Some(canonical)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err((path.clone(), error.kind())),
    };
    let named = canonical(&named).await?;
    Ok(named.is_some() && named == canonical(git_file).await?)
}

/// The bytes of a small file; `None` where there is no file.
async fn read_small(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    path: &PathUri,
) -> Result<Option<Vec<u8>>, Failure> {
    let limit = MAX_GIT_FILE_BYTES;
    match fs.read_file_prefix(path, limit, None, None).await {
        Ok(prefix) if prefix.is_complete => Ok(Some(prefix.bytes)),
        Ok(_) => Err((path.clone(), io::ErrorKind::FileTooLarge)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::IsADirectory => Ok(None),
            kind => Err((path.clone(), kind)),
        },
    }
}

fn joined(base: &PathUri, path: &[u8]) -> Result<PathUri, Failure> {
    let joined = base.join_native_bytes(path);
    joined.map_err(|error| (base.clone(), io::Error::from(error).kind()))
}
