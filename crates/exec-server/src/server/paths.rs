//! What a path on the wire means to the machine that is served.
//!
//! Only URIs are paths here; native text is refused, since it would have to be guessed whose it
//! is. A URI that others write in another way is repaired, one of another machine's convention is
//! refused before the filesystem hears of it.

use std::io;

use codex_path_uri::{PathConvention, PathRule, PathUri, PathUriError};

use crate::envelope::{WireError, code};
use crate::error_map::refusal;
use crate::protocol::MAX_PATH_BYTES;

/// Reads a path for a machine of this convention.
pub(super) fn received(text: &str, convention: PathConvention) -> Result<PathUri, WireError> {
    if text.len() > MAX_PATH_BYTES {
        // As the system says of a name that is too long, on this side of reading it.
        let message = format!("a path has at most {MAX_PATH_BYTES} bytes");
        let kind = io::ErrorKind::InvalidFilename;
        return Err(refusal(code::INTERNAL_ERROR, kind, message));
    }
    let (path, _repairs) =
        PathUri::parse_lenient(text, None).map_err(|error| not_a_path(&error, convention))?;
    if path.convention() != Some(convention) {
        return Err(refused(format!(
            "`{path}` is no path of this machine, whose convention is {convention}"
        )));
    }
    // What has an ordinary URI has no other one: a path has one spelling on the wire.
    if path.is_opaque()
        && let Err(error) = path.to_native(convention)
        && error.rule() == PathRule::NonCanonicalFallback
    {
        return Err(refused(error.to_string()));
    }
    Ok(path)
}

fn not_a_path(error: &PathUriError, convention: PathConvention) -> WireError {
    match (error.rule(), convention) {
        // Complete but for the share, and on a machine without shares no path anyway.
        (PathRule::MissingShare | PathRule::AuthorityWithDrive, PathConvention::Posix) => {
            refused(error.to_string())
        }
        _ => refusal(
            code::INVALID_PARAMS,
            io::ErrorKind::InvalidInput,
            error.to_string(),
        ),
    }
}

fn refused(message: String) -> WireError {
    refusal(code::INVALID_REQUEST, io::ErrorKind::InvalidInput, message)
}
