//! Any machine with an SSH server as an environment, with nothing installed on it.
//!
//! [`SftpFileSystem`] implements [`ExecutorFileSystem`](codex_file_system::ExecutorFileSystem)
//! over version 3 of SFTP, which practically every SSH server offers. The user's own `ssh`
//! carries it, with the user's configuration, agent and jump hosts: [`ssh_command`] says how it
//! is started. Any other program that speaks SFTP on its standard input and output will do, and
//! so will two streams that lead to a server by other ways.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use codex_file_system::{Environment, EnvironmentId, EnvironmentSet, find_git_root};
//! use codex_path_uri::PathUri;
//! use codex_sftp::{SftpFileSystem, SftpOptions, ssh_command};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let fs = SftpFileSystem::spawn(ssh_command("build-host")?, SftpOptions::default()).await?;
//! let cwd = PathUri::parse("file:///srv/repo/crates/core")?;
//! let build = Environment::new(EnvironmentId::new("build")?, cwd, Arc::new(fs));
//! let environments = EnvironmentSet::new(vec![build])?;
//!
//! let build = environments.get("build")?;
//! println!("{:?}", find_git_root(build.filesystem(), build.cwd(), None).await);
//! # Ok(())
//! # }
//! ```
//!
//! # How it stays fast
//!
//! Every request is sent as soon as it is known, and answers are matched by id. What one call
//! needs to know together is asked together; what it needs to know of a file is known from its
//! size. The table of [`SftpFileSystem`] counts requests and round trips of every call, and
//! tests assert the numbers.
//!
//! # Where things are
//!
//! A call goes down: `file_system` → `link` (a connection, and another when it is lost) → `attempt`
//! → `operation` (what is asked, what the answers mean) → `rpc` (messages out and in) → `wire`
//! (their bytes). `path` spells paths as a server does, `error` maps status codes to kinds.
//!
//! # What it never does
//!
//! No cryptography, no passwords, no configuration of SSH: that is the user's `ssh`. No cache. No
//! write is ever repeated. A server that cannot be reached is an error and never the host's own
//! files. Versions above 3 and extensions other than `limits@openssh.com` are out of scope.

mod attempt;
mod error;
mod file_system;
mod handshake;
mod link;
mod operation;
mod options;
mod path;
mod rpc;
mod special_files;
mod wire;

pub use error::{ConnectError, SftpError};
pub use file_system::SftpFileSystem;
pub use options::{SftpOptions, ssh_command};
