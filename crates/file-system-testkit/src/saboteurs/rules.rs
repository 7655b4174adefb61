//! Saboteurs that break a rule every call shares: sandbox, laziness, independence, paths.

use std::borrow::Cow;
use std::future::ready;
use std::io::{self, ErrorKind};

use codex_file_system::{FileSystemFuture, SandboxAccess, granted_access};
use codex_path_uri::{PathConvention, PathUri};
use futures::FutureExt;
use futures::lock::Mutex;

use crate::flavor::Flavor;
use crate::saboteurs::sabotage::{Sabotage, Sandbox};

/// Every call is made as if there were no sandbox.
pub(super) struct IgnoresSandbox;

impl Sabotage for IgnoresSandbox {
    fn sandbox<'a>(
        &self,
        _: SandboxAccess,
        _: &PathUri,
        _: Sandbox<'a>,
    ) -> io::Result<Sandbox<'a>> {
        Ok(None)
    }
}

/// The sandbox judges the path as it is spelled, not where it leads.
pub(super) struct SandboxIsLexical;

impl Sabotage for SandboxIsLexical {
    fn sandbox<'a>(
        &self,
        need: SandboxAccess,
        path: &PathUri,
        sandbox: Sandbox<'a>,
    ) -> io::Result<Sandbox<'a>> {
        let Some(entries) = sandbox.and_then(|sandbox| sandbox.restrictions()) else {
            return Ok(sandbox);
        };
        match granted_access(path, entries.iter().cloned()) >= need {
            true => Ok(None),
            false => Err(ErrorKind::PermissionDenied.into()),
        }
    }
}

/// A call is made when its future is created.
pub(super) struct EagerIo;

impl Sabotage for EagerIo {
    fn around<'a, T: Send + 'a>(
        &'a self,
        mut inner: FileSystemFuture<'a, T>,
    ) -> FileSystemFuture<'a, T> {
        // The memory filesystem answers at the first poll.
        match (&mut inner).now_or_never() {
            Some(answer) => Box::pin(ready(answer)),
            None => inner,
        }
    }
}

/// A call waits until the one before it has been answered.
#[derive(Default)]
pub(super) struct SerializesCalls(Mutex<()>);

impl Sabotage for SerializesCalls {
    fn around<'a, T: Send + 'a>(
        &'a self,
        inner: FileSystemFuture<'a, T>,
    ) -> FileSystemFuture<'a, T> {
        Box::pin(async move {
            let _turn = self.0.lock().await;
            tokio::task::yield_now().await;
            inner.await
        })
    }
}

/// A path of the other convention is taken for one of this machine.
pub(super) struct ForeignPathAsNative(pub(super) Flavor);

impl Sabotage for ForeignPathAsNative {
    fn path<'a>(&self, path: &'a PathUri) -> Cow<'a, PathUri> {
        let text = path.inferred_native_path_string();
        let native = match (self.0, path.convention()) {
            (Flavor::Posix, Some(PathConvention::Windows)) => {
                format!("/{}", text.replace('\\', "/"))
            }
            (Flavor::Windows, Some(PathConvention::Posix)) => format!("C:{text}"),
            _ => return Cow::Borrowed(path),
        };
        match PathUri::from_native(&native, self.0.convention()) {
            Ok(native) => Cow::Owned(native),
            Err(_) => Cow::Borrowed(path),
        }
    }
}
