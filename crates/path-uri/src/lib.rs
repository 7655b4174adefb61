//! One canonical spelling per path, for files of POSIX and Windows machines, on any host.

mod absolute;
mod assemble;
mod buffer;
mod convention;
mod dots;
mod encoding;
mod error;
mod fallback;
mod host;
mod join;
mod key;
mod lenient;
mod lexical;
mod name;
mod names;
mod native;
mod os;
mod parse;
mod plain;
mod render;
mod resolve;
mod serde;
mod strict;
mod uri;
mod url;
mod windows;
mod wtf8;

pub use crate::{
    absolute::AbsolutePathBuf,
    convention::PathConvention,
    error::{PathRule, PathUriError},
    fallback::FALLBACK_PREFIX,
    key::{CasePolicy, PathKey},
    lenient::Repair,
    name::FileName,
    uri::PathUri,
};
