//! One canonical spelling per path, for files of POSIX and Windows machines, on any host.
//!
//! A program that works with files on several machines cannot use its own host's path type for them:
//! on Linux, `C:\work` is a file name with a backslash in it, and on Windows no string names the
//! POSIX file `a\b`. A [`PathUri`] names either anywhere. It is a `file:` URI in one fixed spelling,
//! so that equal paths are equal texts, and it never forgets which [`PathConvention`] it follows.
//!
//! ```
//! use codex_path_uri::{PathConvention::{Posix, Windows}, PathUri};
//!
//! # fn main() -> Result<(), codex_path_uri::PathUriError> {
//! // Three spellings of one Windows path, read on any host.
//! let project = PathUri::from_native(r"c:\work\app", Windows)?;
//! assert_eq!(project, PathUri::from_native(r"\\?\C:\work\.\app\", Windows)?);
//! assert_eq!(project, PathUri::parse("file:///c%3A/work//app")?);
//! assert_eq!(project.as_str(), "file:///C:/work/app");
//!
//! // Relative text is read as the path's own machine reads it.
//! let manifest = project.join(r"src\..\app.toml")?;
//! assert_eq!(manifest.to_native(Windows)?, r"C:\work\app\app.toml");
//! assert!(project.join_descendant(r"..\secret").is_err());
//!
//! let up: Vec<String> = manifest.ancestors().map(|path| path.to_string()).collect();
//! assert_eq!(up.len(), manifest.lexical_depth().unwrap() + 1);
//! assert!(manifest.starts_with(&project));
//!
//! // What one system calls a separator is part of a name on the other.
//! let odd = PathUri::from_native(r"/work/a\b", Posix)?;
//! assert_eq!(odd.as_str(), "file:///work/a%5Cb");
//! assert_eq!(odd.basename().as_deref(), Some(r"a\b"));
//! # Ok(())
//! # }
//! ```
//!
//! # The values
//!
//! | kind | native | canonical text |
//! |---|---|---|
//! | POSIX | `/a b` | `file:///a%20b` |
//! | drive | `C:\a` | `file:///C:/a` |
//! | UNC | `\\host\share\a` | `file://host/share/a` |
//! | lexical fallback | `/C:/a`, on POSIX | [`FALLBACK_PREFIX`] and base64 |
//! | opaque fallback | `\\.\COM1`, names with NUL or a lone surrogate | the same |
//!
//! The fallbacks exist because URL parsers would change or refuse the obvious spelling. A lexical one
//! behaves as the POSIX path it is; an opaque one is carried, compared and converted back, but
//! [has no components](PathUri::is_opaque).
//!
//! # Ways in
//!
//! - [`PathUri::from_native`] reads native text of either convention. Nothing absolute is refused.
//! - [`PathUri::parse`] reads a URI and refuses whatever it would have to guess: an encoded
//!   separator, a lone `%`, a drive in the place of a host.
//! - [`PathUri::parse_lenient`] repairs common mistakes instead, and reports each [`Repair`].
//! - [`PathUri::join`] takes text, [`PathUri::join_name`] exactly one [`FileName`] from a listing.
//! - [`AbsolutePathBuf`] is a path of this host; [`PathUri::from_abs_path`] and
//!   [`PathUri::to_abs_path`] convert it byte for byte.
//!
//! All of them agree: a path has one value, whichever way it came in.
//!
//! # What is never done
//!
//! Nothing here touches a filesystem, an environment variable or the current directory, so a path
//! need not exist, links are not followed, and `~` is a name. No character of a name is dropped,
//! trimmed, folded or normalised. A value does not say *which* machine it belongs to: that is kept
//! with it. Whether a filesystem ignores case is for the caller to know, who then asks under a
//! [`CasePolicy`].

mod absolute;
mod case;
mod components;
mod convention;
mod encoding;
mod error;
mod join;
mod lexical;
mod name;
mod native;
mod opaque;
mod parse;
mod root;
mod uri;
mod wtf8;

pub use crate::{
    absolute::AbsolutePathBuf,
    case::{CasePolicy, PathKey},
    convention::PathConvention,
    error::{PathRule, PathUriError},
    name::FileName,
    opaque::FALLBACK_PREFIX,
    parse::Repair,
    uri::PathUri,
};
