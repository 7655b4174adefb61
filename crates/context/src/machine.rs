//! [`Machines`]: one [`Lookahead`] for each environment of a session.

use std::io;
use std::sync::Arc;

use codex_file_system::{
    Answer, CopyOptions, CreateDirectoryOptions, Environment, EnvironmentId, EnvironmentSet,
    ExecutorFileSystem, FileMetadata, FilePrefix, FileSystemFuture, FileSystemSandboxContext,
    Lookahead, Question, ReadCall, ReadDirectoryEntry, RemoveOptions, Window,
};
use codex_path_uri::PathUri;
use futures::channel::{mpsc, oneshot};
use futures::future::{BoxFuture, Either, join_all, select};
use futures::stream::{FuturesUnordered, StreamExt as _};

/// A machine, and what is asked of it.
pub(crate) struct Machine<'a> {
    pub(crate) environment: &'a Environment,
    /// What loaders ask.
    pub(crate) files: Lookahead<'a>,
    /// The same for loaders that keep their filesystem.
    pub(crate) owned: Environment,
}

/// The machines of a session.
pub(crate) struct Machines<'a>(pub(crate) Vec<Machine<'a>>);

/// Calls of loaders that keep their filesystem, one stream for each machine.
pub(crate) struct Relays(Vec<mpsc::UnboundedReceiver<Relayed>>);

struct Relayed {
    call: ReadCall,
    size_hint: Option<u64>,
    answer: oneshot::Sender<io::Result<Answer>>,
}

impl<'a> Machines<'a> {
    pub(crate) fn new(environments: &'a EnvironmentSet, window: Window) -> (Self, Relays) {
        let machines = environments.iter().map(|environment| {
            let (sender, relay) = mpsc::unbounded();
            let (id, cwd) = (environment.id().clone(), environment.cwd().clone());
            let machine = Machine {
                environment,
                files: Lookahead::new(environment.filesystem().as_ref(), window),
                owned: Environment::new(id, cwd, Arc::new(Relay(sender))),
            };
            (machine, relay)
        });
        let (list, relays) = machines.unzip();
        (Self(list), Relays(relays))
    }

    pub(crate) fn get(&self, id: &EnvironmentId) -> Option<&Machine<'a>> {
        self.0.iter().find(|it| it.environment.id() == id)
    }

    /// The machines as loaders take them that keep them.
    pub(crate) fn owned(&self) -> EnvironmentSet {
        let owned = self.0.iter().map(|machine| machine.owned.clone());
        EnvironmentSet::new(owned.collect()).unwrap_or_default()
    }

    /// Runs a program that asks any of the machines, and what is expected of each while it waits.
    pub(crate) async fn drive<T: Send>(&self, relays: Relays, program: BoxFuture<'_, T>) -> T {
        let served = self.0.iter().zip(relays.0);
        let served = join_all(served.map(|(machine, relay)| serve(&machine.files, relay)));
        let mut driven: BoxFuture<'_, T> = Box::pin(async move {
            match select(program, Box::pin(served)).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right((_, program)) => program.await,
            }
        });
        for machine in &self.0 {
            driven = Box::pin(machine.files.drive(driven));
        }
        driven.await
    }
}

async fn serve(files: &Lookahead<'_>, mut relay: mpsc::UnboundedReceiver<Relayed>) {
    let mut calls = FuturesUnordered::new();
    loop {
        let next = async {
            match calls.is_empty() {
                true => std::future::pending().await,
                false => calls.next().await,
            }
        };
        let relayed = match select(Box::pin(relay.next()), Box::pin(next)).await {
            Either::Left((relayed, _)) => Some(relayed),
            Either::Right(_) => None,
        };
        match relayed {
            Some(Some(relayed)) => calls.push(make(files, relayed)),
            Some(None) => return,
            None => {}
        }
    }
}

async fn make(files: &Lookahead<'_>, relayed: Relayed) {
    let Relayed {
        call,
        size_hint,
        mut answer,
    } = relayed;
    let path = &call.path;
    let made = async {
        Ok(match call.question {
            Question::Metadata => Answer::Metadata(files.get_metadata(path, None).await?),
            Question::Listing => Answer::Listing(Arc::new(files.read_directory(path, None).await?)),
            Question::CanonicalPath => Answer::CanonicalPath(files.canonicalize(path, None).await?),
            Question::File => Answer::File(files.read_file(path, None).await?),
            Question::Prefix { max_bytes } => Answer::Prefix(
                files
                    .read_file_prefix(path, max_bytes, size_hint, None)
                    .await?,
            ),
            Question::Walk(_) => return Err(io::ErrorKind::Unsupported.into()),
        })
    };
    match select(Box::pin(made), answer.cancellation()).await {
        Either::Left((made, _)) => {
            let _dropped = answer.send(made);
        }
        Either::Right(_) => {}
    }
}

/// A filesystem whose calls are made by whoever drives the session.
struct Relay(mpsc::UnboundedSender<Relayed>);

impl Relay {
    async fn ask(&self, call: ReadCall, size_hint: Option<u64>) -> io::Result<Answer> {
        let (answer, answered) = oneshot::channel();
        let relayed = Relayed {
            call,
            size_hint,
            answer,
        };
        let over = |_| io::Error::from(io::ErrorKind::NotConnected);
        self.0
            .unbounded_send(relayed)
            .map_err(|_| io::Error::from(io::ErrorKind::NotConnected))?;
        answered.await.map_err(over)?
    }
}

fn unexpected() -> io::Error {
    io::Error::other("the answer belongs to another question")
}

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

impl ExecutorFileSystem for Relay {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        Box::pin(async move {
            match self.ask(ReadCall::metadata(path), None).await? {
                Answer::Metadata(metadata) => Ok(metadata),
                _ => Err(unexpected()),
            }
        })
    }

    fn read_file<'a>(&'a self, path: &'a PathUri, _: Sandbox<'a>) -> FileSystemFuture<'a, Vec<u8>> {
        Box::pin(async move {
            match self.ask(ReadCall::file(path), None).await? {
                Answer::File(bytes) => Ok(bytes),
                _ => Err(unexpected()),
            }
        })
    }

    fn read_file_prefix<'a>(
        &'a self,
        path: &'a PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        Box::pin(async move {
            match self
                .ask(ReadCall::prefix(path, max_bytes), size_hint)
                .await?
            {
                Answer::Prefix(prefix) => Ok(prefix),
                _ => Err(unexpected()),
            }
        })
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        Box::pin(async move {
            match self.ask(ReadCall::listing(path), None).await? {
                Answer::Listing(entries) => Ok(Arc::unwrap_or_clone(entries)),
                _ => Err(unexpected()),
            }
        })
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        Box::pin(async move {
            match self.ask(ReadCall::canonical(path), None).await? {
                Answer::CanonicalPath(path) => Ok(path),
                _ => Err(unexpected()),
            }
        })
    }

    fn write_file<'a>(
        &'a self,
        _: &'a PathUri,
        _: Vec<u8>,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async { Err(io::ErrorKind::Unsupported.into()) })
    }

    fn create_directory<'a>(
        &'a self,
        _: &'a PathUri,
        _: CreateDirectoryOptions,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async { Err(io::ErrorKind::Unsupported.into()) })
    }

    fn remove<'a>(
        &'a self,
        _: &'a PathUri,
        _: RemoveOptions,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async { Err(io::ErrorKind::Unsupported.into()) })
    }

    fn copy<'a>(
        &'a self,
        _: &'a PathUri,
        _: &'a PathUri,
        _: CopyOptions,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async { Err(io::ErrorKind::Unsupported.into()) })
    }
}
