//! `fs/writeFile`, `fs/createDirectory`, `fs/remove` and `fs/copy`.

use codex_file_system::{CopyOptions, CreateDirectoryOptions, RemoveOptions};

use super::refused;
use crate::envelope::WireError;
use crate::error_map::{Access, to_wire};
use crate::protocol::{
    CopyPath, CopyPathParams, CreateDirectory, CreateDirectoryParams, Nothing, RemovePath,
    RemovePathParams, WriteFile, WriteFileParams, decode_base64,
};
use crate::server::connection::Caller;
use crate::server::dispatch::Serve;

impl Serve for WriteFile {
    const WRITES: bool = true;

    async fn serve<'a>(
        caller: &'a Caller,
        params: WriteFileParams<'a>,
    ) -> Result<Nothing, WireError> {
        let path = caller.path(&params.path, params.sandbox)?;
        let contents =
            decode_base64(&params.data_base64).map_err(|error| refused(error.to_string()))?;
        done(caller.filesystem().write_file(&path, contents, None).await)
    }
}

impl Serve for CreateDirectory {
    const WRITES: bool = true;

    async fn serve<'a>(
        caller: &'a Caller,
        params: CreateDirectoryParams<'a>,
    ) -> Result<Nothing, WireError> {
        let path = caller.path(&params.path, params.sandbox)?;
        let recursive = params.recursive.unwrap_or(true);
        let options = CreateDirectoryOptions { recursive };
        let created = caller.filesystem().create_directory(&path, options, None);
        done(created.await)
    }
}

impl Serve for RemovePath {
    const WRITES: bool = true;

    async fn serve<'a>(
        caller: &'a Caller,
        params: RemovePathParams<'a>,
    ) -> Result<Nothing, WireError> {
        let path = caller.path(&params.path, params.sandbox)?;
        let options = RemoveOptions {
            recursive: params.recursive.unwrap_or(true),
            force: params.force.unwrap_or(true),
        };
        done(caller.filesystem().remove(&path, options, None).await)
    }
}

impl Serve for CopyPath {
    const WRITES: bool = true;

    async fn serve<'a>(
        caller: &'a Caller,
        params: CopyPathParams<'a>,
    ) -> Result<Nothing, WireError> {
        let source = caller.path(&params.source_path, params.sandbox)?;
        let destination = caller.path(&params.destination_path, params.sandbox)?;
        let options = CopyOptions {
            recursive: params.recursive,
        };
        let copied = caller
            .filesystem()
            .copy(&source, &destination, options, None);
        done(copied.await)
    }
}

fn done(answer: std::io::Result<()>) -> Result<Nothing, WireError> {
    match answer {
        Ok(()) => Ok(Nothing {}),
        Err(error) => Err(to_wire(&error, Access::Write)),
    }
}
