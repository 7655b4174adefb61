//! From a method's name to what it does.
//!
//! Parameters are read, and handles looked up, in the order in which requests come; what a method
//! does then runs by itself. Reading parameters, writing the answer and telling errors is the same
//! for all methods, and is here.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use codex_file_system::{
    ExecutorFileSystem, FileSystemSandboxContext, SandboxAccess, SandboxEntry, SandboxPolicy,
};
use codex_path_uri::{PathConvention, PathRule, PathUri, PathUriError};
use serde::Serialize;
use serde_json::value::RawValue;

use super::connection::Shared;
use super::handles::{self, Handles};
use super::outbox::{NoRoom, Room};
use super::{Access, Service, files, listing};
use crate::codec::{RequestId, WireError, code, encode_failure, encode_success};
use crate::error_map::refusal;
use crate::protocol::{
    Canonicalize, CloseHandle, CloseHandleParams, CopyPath, CreateDirectory, EnvironmentConfigRead,
    EnvironmentInfoMethod, EnvironmentStatus, GetMetadata, MAX_PATH_BYTES, Method, Nothing,
    OpenHandle, ReadBlock, ReadDirectory, ReadFile, RemovePath, SandboxParam, ShapeError,
    WalkDirectory, WatchMissing, WireAccess, WireSandboxEntry, WriteBlock, WriteFile,
    decode_params,
};

/// What a request does, and its answer.
pub(super) type Job = Pin<Box<dyn Future<Output = Result<Answer, WireError>> + Send>>;

/// The text of a successful answer, and the room that was taken for it.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) room: Option<Room>,
}

/// Begins what one request asks: what must be done in the order of requests is done here.
pub(super) type Begin = fn(Caller, Option<&RawValue>) -> Result<Job, WireError>;

/// The method of this name, other than `initialize`, which is part of the handshake.
pub(super) fn method(name: &str) -> Option<Begin> {
    let begin: Begin = match name {
        GetMetadata::NAME => {
            |caller, params| job::<GetMetadata, _>(caller, params, files::metadata)
        }
        Canonicalize::NAME => {
            |caller, params| job::<Canonicalize, _>(caller, params, files::canonicalize)
        }
        ReadFile::NAME => |caller, params| large::<ReadFile, _>(caller, params, files::read_file),
        ReadDirectory::NAME => {
            |caller, params| large::<ReadDirectory, _>(caller, params, listing::directory)
        }
        WalkDirectory::NAME => {
            |caller, params| large::<WalkDirectory, _>(caller, params, listing::walk)
        }
        WriteFile::NAME => {
            |caller, params| change::<WriteFile, _>(caller, params, files::write_file)
        }
        CreateDirectory::NAME => {
            |caller, params| change::<CreateDirectory, _>(caller, params, files::create_directory)
        }
        RemovePath::NAME => |caller, params| change::<RemovePath, _>(caller, params, files::remove),
        CopyPath::NAME => |caller, params| change::<CopyPath, _>(caller, params, files::copy),
        OpenHandle::NAME => open_handle,
        ReadBlock::NAME => read_block,
        WriteBlock::NAME => write_block,
        CloseHandle::NAME => close_handle,
        WatchMissing::NAME => {
            |caller, params| job::<WatchMissing, _>(caller, params, files::watch_missing)
        }
        EnvironmentInfoMethod::NAME => |caller, params| {
            job::<EnvironmentInfoMethod, _>(caller, params, files::environment_info)
        },
        EnvironmentStatus::NAME => {
            |caller, params| job::<EnvironmentStatus, _>(caller, params, files::environment_status)
        }
        EnvironmentConfigRead::NAME => |caller, params| {
            job::<EnvironmentConfigRead, _>(caller, params, files::environment_config)
        },
        _ => return None,
    };
    Some(begin)
}

fn open_handle(caller: Caller, params: Option<&RawValue>) -> Result<Job, WireError> {
    let opening = handles::open(caller.clone(), read::<OpenHandle>(params)?)?;
    Ok(answered(caller, opening))
}

fn read_block(caller: Caller, params: Option<&RawValue>) -> Result<Job, WireError> {
    Ok(Box::pin(handles::read_block(
        caller,
        read::<ReadBlock>(params)?,
    )?))
}

fn write_block(caller: Caller, params: Option<&RawValue>) -> Result<Job, WireError> {
    let params = read::<WriteBlock>(params)?;
    may_write(&caller)?;
    let block = handles::write_block(&caller, params)?;
    Ok(answered(caller, block))
}

fn close_handle(caller: Caller, params: Option<&RawValue>) -> Result<Job, WireError> {
    let CloseHandleParams { handle_id } = read::<CloseHandle>(params)?;
    caller.handles().close(&handle_id);
    Ok(answered(caller, async { Ok(Nothing {}) }))
}

fn read<M: Method>(params: Option<&RawValue>) -> Result<M::Params, WireError> {
    decode_params::<M>(params).map_err(|error| wrong_params(&error))
}

/// A method whose result is small.
fn job<M, F>(
    caller: Caller,
    params: Option<&RawValue>,
    serve: fn(Caller, M::Params) -> F,
) -> Result<Job, WireError>
where
    M: Method + 'static,
    F: Future<Output = Result<M::Result, WireError>> + Send + 'static,
{
    let params = read::<M>(params)?;
    Ok(answered(caller.clone(), serve(caller, params)))
}

/// The same, for a method that changes something.
fn change<M, F>(
    caller: Caller,
    params: Option<&RawValue>,
    serve: fn(Caller, M::Params) -> F,
) -> Result<Job, WireError>
where
    M: Method + 'static,
    F: Future<Output = Result<M::Result, WireError>> + Send + 'static,
{
    let params = read::<M>(params)?;
    may_write(&caller)?;
    Ok(answered(caller.clone(), serve(caller, params)))
}

/// A method whose answer may be large, and which makes it itself when there is room for it.
fn large<M, F>(
    caller: Caller,
    params: Option<&RawValue>,
    serve: fn(Caller, M::Params) -> F,
) -> Result<Job, WireError>
where
    M: Method,
    F: Future<Output = Result<Answer, WireError>> + Send + 'static,
{
    Ok(Box::pin(serve(caller, read::<M>(params)?)))
}

fn answered<R: Serialize + Send + 'static>(
    caller: Caller,
    result: impl Future<Output = Result<R, WireError>> + Send + 'static,
) -> Job {
    Box::pin(async move { Ok(caller.large_answer(&result.await?, 0, None)) })
}

/// What one request may use.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) shared: Arc<Shared>,
    pub(super) id: RequestId,
}

impl Caller {
    pub(super) fn service(&self) -> &Service {
        &self.shared.service
    }

    pub(super) fn filesystem(&self) -> &dyn ExecutorFileSystem {
        &*self.shared.service.filesystem
    }

    pub(super) fn handles(&self) -> &Handles {
        &self.shared.handles
    }

    /// Reads the path a parameter names.
    ///
    /// Only URIs are paths here; native text is refused, since it would have to be guessed whose it
    /// is. A URI that others write in another way is repaired, one of another machine's convention
    /// is refused before the filesystem hears of it.
    pub(super) fn path(&self, text: &str) -> Result<PathUri, WireError> {
        let convention = self.service().options.info.convention();
        if text.len() > MAX_PATH_BYTES {
            // As the system says of a name that is too long, on this side of reading it.
            let message = format!("a path has at most {MAX_PATH_BYTES} bytes");
            let kind = io::ErrorKind::InvalidFilename;
            return Err(refusal(code::INTERNAL_ERROR, kind, message));
        }
        let parsed = PathUri::parse_lenient(text, None);
        let (path, _repairs) = parsed.map_err(|error| not_a_path(&error, convention))?;
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

    /// Reads what a request may touch. A filesystem that does not enforce it says so itself.
    pub(super) fn sandbox(
        &self,
        sandbox: SandboxParam,
    ) -> Result<Option<FileSystemSandboxContext>, WireError> {
        let restriction = match sandbox {
            SandboxParam::Unrestricted => return Ok(None),
            SandboxParam::Restricted(restriction) if self.service().files.enforces_sandboxes() => {
                restriction
            }
            SandboxParam::Restricted(_) | SandboxParam::Unknown => {
                let kind = io::ErrorKind::Unsupported;
                let message = "this sandbox cannot be enforced here";
                return Err(refusal(code::INVALID_REQUEST, kind, message));
            }
        };
        let entry = |entry: WireSandboxEntry| {
            Ok(SandboxEntry {
                path: self.path(&entry.path)?,
                access: match entry.access {
                    WireAccess::None => SandboxAccess::None,
                    WireAccess::Read => SandboxAccess::Read,
                    WireAccess::Write => SandboxAccess::Write,
                },
            })
        };
        let entries = restriction.entries.into_iter().map(entry);
        let policy = SandboxPolicy::Restricted(entries.collect::<Result<_, WireError>>()?);
        let mut context = FileSystemSandboxContext::new(policy);
        context.cwd = match restriction.cwd {
            Some(cwd) => Some(self.path(&cwd)?),
            None => None,
        };
        Ok(Some(context))
    }

    /// Waits until the answer with so many bytes of a file may be made; at once for a small one.
    /// The room is that of the bytes, their base64 and the copy of it that is written.
    pub(super) async fn room_for_file(&self, bytes: u64) -> Option<Room> {
        let room = bytes.div_ceil(3).saturating_mul(12);
        self.shared.outbox.room_for(room).await
    }

    /// Waits for the room of an answer of about so many bytes.
    pub(super) async fn room_for(&self, bytes: u64) -> Option<Room> {
        self.shared.outbox.room_for(bytes).await
    }

    /// The room of an answer of about so many bytes, if there is some at once.
    pub(super) fn try_room_for(&self, bytes: u64) -> Result<Option<Room>, NoRoom> {
        self.shared.outbox.try_room_for(bytes)
    }

    /// The answer with a result of about so many bytes.
    pub(super) fn large_answer(
        &self,
        result: &impl Serialize,
        bytes: usize,
        room: Option<Room>,
    ) -> Answer {
        let text = encode_success(&self.id, result, bytes + ENVELOPE_BYTES);
        let text = text.unwrap_or_else(|error| {
            let kind = io::ErrorKind::Other;
            encode_failure(
                &self.id,
                &refusal(code::INTERNAL_ERROR, kind, error.to_string()),
            )
        });
        Answer { text, room }
    }
}

/// What an answer takes besides a large result.
const ENVELOPE_BYTES: usize = 96;

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

/// Parameters that are understood and cannot be granted.
pub(super) fn refused(message: impl Into<String>) -> WireError {
    refusal(code::INVALID_REQUEST, io::ErrorKind::InvalidInput, message)
}

/// What is said of parameters of another shape.
pub(super) fn wrong_params(error: &ShapeError) -> WireError {
    let message = format!("invalid params: {error}");
    refusal(code::INVALID_PARAMS, io::ErrorKind::InvalidInput, message)
}

/// What is said of a method this server does not have.
pub(super) fn unknown_method(name: &str) -> WireError {
    let name: String = name.chars().take(MAX_ECHOED_NAME).collect();
    let message = format!("unknown method `{name}`");
    refusal(code::METHOD_NOT_FOUND, io::ErrorKind::Unsupported, message)
}

/// How much of a name the client chose is repeated to it.
const MAX_ECHOED_NAME: usize = 64;

fn may_write(caller: &Caller) -> Result<(), WireError> {
    match caller.service().options.access {
        Access::ReadWrite => Ok(()),
        Access::ReadOnly => Err(read_only()),
    }
}

/// What is said of a change where nothing may be changed.
pub(super) fn read_only() -> WireError {
    let kind = io::ErrorKind::ReadOnlyFilesystem;
    refusal(code::INTERNAL_ERROR, kind, kind.to_string())
}
