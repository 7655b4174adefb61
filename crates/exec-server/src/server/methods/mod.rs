//! What each method does, one file for each group of them.
//!
//! Parameters arrive with their shape checked. What is checked here is their meaning: paths,
//! sandboxes, base64, ranges; only then is the filesystem asked.

mod environment;
mod files;
mod handles;
mod listing;
mod write;

use std::io;

use codex_path_uri::PathUri;

use super::connection::Caller;
use super::paths;
use crate::envelope::{WireError, code};
use crate::error_map::refusal;
use crate::protocol::SandboxParam;

impl Caller {
    /// The path a parameter names, which the request may touch.
    fn path(&self, text: &str, sandbox: SandboxParam) -> Result<PathUri, WireError> {
        let path = paths::received(text, self.service().info().convention())?;
        match sandbox {
            SandboxParam::Unrestricted => Ok(path),
            SandboxParam::Restricted => Err(refusal(
                code::INVALID_REQUEST,
                io::ErrorKind::Unsupported,
                "a sandbox cannot be enforced here",
            )),
        }
    }
}

/// Parameters that are understood and cannot be granted.
fn refused(message: impl Into<String>) -> WireError {
    refusal(code::INVALID_REQUEST, io::ErrorKind::InvalidInput, message)
}
