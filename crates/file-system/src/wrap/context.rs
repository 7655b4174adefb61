//! [`Context`]: errors that say what, where and in which environment.

use tracing::trace;

use crate::call::{Call, InContext, Uniform};
use crate::error::kind_name;
use crate::{
    EnvironmentId, ExecutorFileSystem, FileSystemError, FileSystemFuture, uniform_file_system,
};

/// Adds operation, path and environment to the errors of the inner filesystem.
///
/// The payload is a [`FileSystemError`] and is added once: an error that has one keeps it, and
/// only a missing environment id is filled in. The kind of the error stays what it was. The
/// errors inside a [`Walk`](crate::Walk) are treated alike.
///
/// Each call is one `trace` event when it ends.
#[derive(Clone, Debug)]
pub struct Context<F> {
    inner: F,
    environment_id: Option<EnvironmentId>,
}

impl<F> Context<F> {
    /// Errors of `inner` name this environment, where it is known.
    pub fn new(inner: F, environment_id: Option<EnvironmentId>) -> Self {
        Self {
            inner,
            environment_id,
        }
    }
}

impl<F: ExecutorFileSystem> Uniform for Context<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let environment_id = self.environment_id.as_ref();
            let environment = environment_id.map(EnvironmentId::as_str);
            let (kind, path) = (C::KIND, call.path());
            match call.make(&self.inner).await {
                Ok(answer) => {
                    trace!(call = ?kind, %path, environment, "answered");
                    Ok(answer.add_context(environment_id))
                }
                Err(error) => {
                    trace!(call = ?kind, %path, environment, error = kind_name(error.kind()));
                    Err(FileSystemError::attach(
                        error,
                        kind.operation(),
                        path,
                        environment_id,
                    ))
                }
            }
        })
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Context<F> }
