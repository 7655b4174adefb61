//! The methods on single paths, and those that are answered without asking the filesystem.
//!
//! Parameters arrive with their shape checked. What is checked here is their meaning: paths,
//! sandboxes, base64; only then is the filesystem asked.

use std::io;

use codex_file_system::{CopyOptions, CreateDirectoryOptions, FileMetadata, RemoveOptions};

use super::dispatch::{Answer, Caller, refused};
use super::outbox::LARGE_REPLY_BYTES;
use crate::codec::{Content, WireError, code, decode_base64};
use crate::error_map::{Access, refusal, to_wire};
use crate::protocol::{
    CanonicalizeResult, ConfigLayers, CopyParams, CreateDirectoryParams,
    EnvironmentConfigReadParams, EnvironmentConfigReadResult, EnvironmentInfo,
    EnvironmentStatusResult, GetMetadataResult, Nothing, PathParams, ReadFileResult, RemoveParams,
    WatchMissingParams, WatchMissingResult, WriteFileParams,
};

/// `fs/getMetadata`
pub(super) async fn metadata(
    caller: Caller,
    params: PathParams,
) -> Result<GetMetadataResult, WireError> {
    let path = caller.path(&params.path)?;
    let sandbox = caller.sandbox(params.sandbox)?;
    let metadata = caller.filesystem().get_metadata(&path, sandbox.as_ref());
    Ok(described(&metadata.await.map_err(failed_read)?))
}

/// The wire has no word for an unknown length or time of something that is no file: it says 0.
fn described(metadata: &FileMetadata) -> GetMetadataResult {
    GetMetadataResult {
        is_directory: metadata.is_directory,
        is_file: metadata.is_file,
        is_symlink: metadata.is_symlink,
        size: metadata.size.or((!metadata.is_file).then_some(0)),
        created_at_ms: metadata.created_at_ms.unwrap_or_default(),
        modified_at_ms: metadata.modified_at_ms.unwrap_or_default(),
    }
}

/// `fs/readFile`
pub(super) async fn read_file(caller: Caller, params: PathParams) -> Result<Answer, WireError> {
    let path = caller.path(&params.path)?;
    let sandbox = caller.sandbox(params.sandbox)?;
    let read = async |most: u64| {
        let filesystem = caller.filesystem();
        let prefix = filesystem.read_file_prefix(&path, most, None, sandbox.as_ref());
        prefix.await.map_err(failed_read)
    };
    let most = caller.service().options.limits.file_bytes();
    let mut prefix = read(most.min(LARGE_REPLY_BYTES as u64)).await?;
    let mut room = None;
    if !prefix.is_complete && prefix.size.is_none_or(|size| size <= most) {
        // A large file is read when there is room for it, so that a client that does not
        // read its answers does not fill the memory with them.
        room = caller.room_for_file(prefix.size.unwrap_or(most)).await;
        prefix = read(most).await?;
    }
    if !prefix.is_complete {
        let message = format!("the file has more than the {most} bytes of one answer");
        let error = io::Error::new(io::ErrorKind::FileTooLarge, message);
        return Err(failed_read(error));
    }
    let bytes = prefix.bytes.len().div_ceil(3) * 4;
    let result = ReadFileResult {
        data_base64: Content(prefix.bytes),
    };
    Ok(caller.large_answer(&result, bytes, room))
}

/// `fs/canonicalize`
pub(super) async fn canonicalize(
    caller: Caller,
    params: PathParams,
) -> Result<CanonicalizeResult, WireError> {
    let path = caller.path(&params.path)?;
    let sandbox = caller.sandbox(params.sandbox)?;
    let canonical = caller.filesystem().canonicalize(&path, sandbox.as_ref());
    let path = canonical.await.map_err(failed_read)?.as_str().to_owned();
    Ok(CanonicalizeResult { path })
}

/// `fs/writeFile`
pub(super) async fn write_file(
    caller: Caller,
    params: WriteFileParams,
) -> Result<Nothing, WireError> {
    let path = caller.path(&params.path)?;
    let sandbox = caller.sandbox(params.sandbox)?;
    let contents = decode_base64(&params.data_base64);
    drop(params.data_base64);
    let contents = contents.map_err(|error| refused(error.to_string()))?;
    let filesystem = caller.filesystem();
    done(
        filesystem
            .write_file(&path, contents, sandbox.as_ref())
            .await,
    )
}

/// `fs/createDirectory`
pub(super) async fn create_directory(
    caller: Caller,
    params: CreateDirectoryParams,
) -> Result<Nothing, WireError> {
    let path = caller.path(&params.path)?;
    let sandbox = caller.sandbox(params.sandbox)?;
    let recursive = params.recursive.unwrap_or(true);
    let options = CreateDirectoryOptions { recursive };
    let filesystem = caller.filesystem();
    done(
        filesystem
            .create_directory(&path, options, sandbox.as_ref())
            .await,
    )
}

/// `fs/remove`
pub(super) async fn remove(caller: Caller, params: RemoveParams) -> Result<Nothing, WireError> {
    let path = caller.path(&params.path)?;
    let sandbox = caller.sandbox(params.sandbox)?;
    let options = RemoveOptions {
        recursive: params.recursive.unwrap_or(true),
        force: params.force.unwrap_or(true),
    };
    done(
        caller
            .filesystem()
            .remove(&path, options, sandbox.as_ref())
            .await,
    )
}

/// `fs/copy`
pub(super) async fn copy(caller: Caller, params: CopyParams) -> Result<Nothing, WireError> {
    let source = caller.path(&params.source_path)?;
    let destination = caller.path(&params.destination_path)?;
    let sandbox = caller.sandbox(params.sandbox)?;
    let options = CopyOptions {
        recursive: params.recursive,
    };
    let filesystem = caller.filesystem();
    done(
        filesystem
            .copy(&source, &destination, options, sandbox.as_ref())
            .await,
    )
}

fn done(answer: io::Result<()>) -> Result<Nothing, WireError> {
    match answer {
        Ok(()) => Ok(Nothing {}),
        Err(error) => Err(to_wire(&error, Access::Write)),
    }
}

pub(super) fn failed_read(error: io::Error) -> WireError {
    to_wire(&error, Access::Read)
}

/// `fs/watchMissing`: nothing is watched.
pub(super) async fn watch_missing(
    caller: Caller,
    params: WatchMissingParams,
) -> Result<WatchMissingResult, WireError> {
    for path in params.missing.0.iter().chain([&params.present]) {
        caller.path(path)?;
    }
    caller.sandbox(params.sandbox)?;
    Ok(WatchMissingResult { watching: false })
}

/// `environment/info`
pub(super) async fn environment_info(
    caller: Caller,
    _: Nothing,
) -> Result<EnvironmentInfo, WireError> {
    Ok(caller.service().wire_info.clone())
}

/// `environment/status`
pub(super) async fn environment_status(
    _: Caller,
    _: Nothing,
) -> Result<EnvironmentStatusResult, WireError> {
    Ok(EnvironmentStatusResult {
        status: "ready".to_owned(),
    })
}

/// `environmentConfig/read`: no layers, as a client that asks this way reads the files themselves
/// by `fs/readFile`.
pub(super) async fn environment_config(
    caller: Caller,
    params: EnvironmentConfigReadParams,
) -> Result<EnvironmentConfigReadResult, WireError> {
    caller.path(&params.cwd)?;
    let info = &caller.service().options.info;
    let (Some(user_home), Some(codex_home), Some(hostname)) =
        (&info.user_home, &info.codex_home, &info.hostname)
    else {
        return Err(refusal(
            code::INTERNAL_ERROR,
            io::ErrorKind::Unsupported,
            "the server was not told the directories of its user",
        ));
    };
    Ok(EnvironmentConfigReadResult {
        user_home_dir: user_home.as_str().to_owned(),
        codex_home_dir: codex_home.as_str().to_owned(),
        hostname: hostname.clone(),
        config: ConfigLayers::default(),
        requirements: ConfigLayers::default(),
    })
}
