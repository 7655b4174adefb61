//! Fault injection: a script that says which calls fail, dawdle or never answer.
//!
//! The script knows nothing of the filesystem below; calls it does not name pass unchanged. A
//! provided method counts as the operation it is made of, once: faults below a `walk` need
//! [`Scalar`](crate::Scalar) around this wrapper.

use std::io;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use codex_file_system::call::{Call, Uniform};
use codex_file_system::{ExecutorFileSystem, FileSystemFuture, Operation, uniform_file_system};
use codex_path_uri::PathUri;

/// What becomes of the calls that a fault speaks of.
///
/// A fault that is not narrowed down speaks of every call.
///
/// # Examples
/// ```
/// use std::io::ErrorKind;
///
/// use codex_file_system::Operation;
/// use codex_file_system_testkit::Fault;
/// use codex_path_uri::PathUri;
///
/// let disk_full = Fault::error(ErrorKind::StorageFull).of(Operation::WriteFile);
/// let second_read_hangs = Fault::silence()
///     .of(Operation::ReadFile)
///     .at(PathUri::parse("file:///srv/AGENTS.md")?)
///     .nth(2);
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    operation: Option<Operation>,
    path: Option<PathUri>,
    nth: Option<u64>,
    effect: Effect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Error(io::ErrorKind),
    Delay(Duration),
    Silence,
}

impl Fault {
    /// The call fails with this kind, and the inner filesystem does not see it.
    pub const fn error(kind: io::ErrorKind) -> Self {
        Self::new(Effect::Error(kind))
    }

    /// The call is made after this time on tokio's clock.
    pub const fn delay(duration: Duration) -> Self {
        Self::new(Effect::Delay(duration))
    }

    /// The call never answers, and the inner filesystem does not see it.
    pub const fn silence() -> Self {
        Self::new(Effect::Silence)
    }

    /// Only calls of this operation.
    #[must_use]
    pub fn of(self, operation: Operation) -> Self {
        Self {
            operation: Some(operation),
            ..self
        }
    }

    /// Only calls on this path; for a copy, from it or to it.
    #[must_use]
    pub fn at(self, path: PathUri) -> Self {
        Self {
            path: Some(path),
            ..self
        }
    }

    /// Only the nth of the calls that operation and path leave, counted from 1 at the first poll
    /// of each.
    #[must_use]
    pub fn nth(self, nth: u64) -> Self {
        Self {
            nth: Some(nth),
            ..self
        }
    }

    const fn new(effect: Effect) -> Self {
        Self {
            operation: None,
            path: None,
            nth: None,
            effect,
        }
    }

    fn speaks_of<'a, C: Call<'a>>(&self, call: &C) -> bool {
        let is_asked = |path| call.path() == path || call.destination() == Some(path);
        self.operation
            .is_none_or(|operation| operation == C::KIND.operation())
            && self.path.as_ref().is_none_or(is_asked)
    }
}

/// A filesystem that fails by script.
///
/// Of several faults that speak of one call, the one added first decides; each counts every call
/// it speaks of, decided by it or not.
///
/// # Examples
/// ```
/// use std::io::ErrorKind;
///
/// use codex_file_system::ExecutorFileSystem;
/// use codex_file_system_testkit::{Fault, Faulty, Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let memory = MemoryFileSystem::from_tree(Flavor::Posix, "/a.txt = hello")?;
/// let fs = Faulty::new(memory).on(Fault::error(ErrorKind::TimedOut).nth(1));
/// let path = PathUri::parse("file:///a.txt")?;
/// let kind = fs.read_file(&path, None).await.map_err(|error| error.kind());
/// assert_eq!(kind, Err(ErrorKind::TimedOut));
/// assert_eq!(fs.read_file(&path, None).await?, b"hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Faulty<F> {
    inner: F,
    script: Mutex<Vec<Scripted>>,
}

#[derive(Debug)]
struct Scripted {
    fault: Fault,
    calls: u64,
}

impl<F> Faulty<F> {
    /// A filesystem with an empty script.
    pub fn new(inner: F) -> Self {
        Self {
            inner,
            script: Mutex::default(),
        }
    }

    /// Adds a fault to the end of the script.
    #[must_use]
    pub fn on(self, fault: Fault) -> Self {
        self.add(fault);
        self
    }

    /// Adds a fault to the end of the script of a filesystem that is in use.
    pub fn add(&self, fault: Fault) {
        self.with_script(|script| script.push(Scripted { fault, calls: 0 }));
    }

    /// Counts a call and says what becomes of it.
    fn effect<'a>(&self, call: &impl Call<'a>) -> Option<Effect> {
        self.with_script(|script| {
            let mut decided = None;
            for scripted in script
                .iter_mut()
                .filter(|scripted| scripted.fault.speaks_of(call))
            {
                scripted.calls += 1;
                let is_due = scripted.fault.nth.is_none_or(|nth| nth == scripted.calls);
                decided = decided.or(is_due.then_some(scripted.fault.effect));
            }
            decided
        })
    }

    fn with_script<T>(&self, use_script: impl FnOnce(&mut Vec<Scripted>) -> T) -> T {
        use_script(&mut self.script.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<F: ExecutorFileSystem> Uniform for Faulty<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            match self.effect(&call) {
                None => {}
                Some(Effect::Error(kind)) => return Err(kind.into()),
                Some(Effect::Delay(duration)) => tokio::time::sleep(duration).await,
                Some(Effect::Silence) => std::future::pending().await,
            }
            call.make(&self.inner).await
        })
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Faulty<F> }
