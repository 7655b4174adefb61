//! `serve`: an exec-server for this machine, or for some directories of it.
//!
//! The one command that prints by itself, since it has no result to return: the real URL on
//! standard output, before the first client. It ends with its input, or at SIGINT, SIGTERM or SIGHUP
//! after what runs has ended; a second signal ends it at once.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::pin::pin;
use std::process::ExitCode;

use codex_exec_server::server::{Access, Auth, ConfinedFileSystem, Limits, Server, ServerOptions};
use codex_file_system::{EnvironmentId, LocalFileSystem};
use codex_path_uri::AbsolutePathBuf;
use tokio::net::TcpListener;

use self::arguments::{Listen, ServeArguments};
use crate::cost::Meter;
use crate::environments::target::LOCAL;
use crate::exit::{self, Failure};
use crate::host;
use crate::runtime;

pub(crate) mod arguments;
mod auth;
mod descriptors;
pub(crate) mod log;
mod machine;
mod signals;

use signals::Signals;

/// Serves until the end of the input or a signal.
///
/// # Errors
/// When a flag, a file or an address cannot be used.
pub(crate) fn run(arguments: &ServeArguments, meter: &Meter) -> Result<ExitCode, Failure> {
    let auth = auth::auth(arguments)?;
    check_exposure(arguments, &auth)?;
    check_announcement(arguments.listen)?;
    let roots = roots(arguments)?;
    let info = machine::info(arguments.config_home.as_deref(), &roots)?;
    let access = if arguments.read_only {
        Access::ReadOnly
    } else {
        Access::ReadWrite
    };
    let options = ServerOptions {
        concurrent_requests: arguments.concurrent_requests,
        auth,
        access,
        limits: Limits {
            descriptors: descriptors::raised(),
            ..Limits::default()
        },
        ..ServerOptions::new(info)
    };
    let runtime = match arguments.listen {
        // One client needs no second thread.
        Listen::Stdio => runtime::on_this_thread(),
        Listen::Socket(_) => runtime::on_every_processor(),
    };
    let runtime = runtime.map_err(not_started)?;
    let mut server = server(&roots, options)?;
    if arguments.cost.is_any() {
        let local = EnvironmentId::new(LOCAL).map_err(|error| {
            Failure::new("cannot count calls", "report this as a bug").caused_by(error)
        })?;
        server = server.wrapped(|filesystem| meter.around(&local, filesystem));
    }
    let ended = runtime.block_on(serve(server, arguments.listen));
    // A read of standard input cannot be taken back, so nobody waits for it.
    runtime.shutdown_background();
    ended
}

/// Refuses to let everybody in from elsewhere, unless that is what is asked for.
fn check_exposure(arguments: &ServeArguments, auth: &Auth) -> Result<(), Failure> {
    match arguments.listen {
        Listen::Socket(address)
            if matches!(auth, Auth::None)
                && !address.ip().to_canonical().is_loopback()
                && !arguments.auth.allow_unauthenticated =>
        {
            let what = format!(
                "everybody who reaches ws://{address} could read and write the files of this user"
            );
            let advice = "ask for a token with --auth-token-file, listen on 127.0.0.1, or give \
                          --allow-unauthenticated";
            Err(Failure::new(what, advice))
        }
        _ => Ok(()),
    }
}

/// Refuses to listen where nobody would ever find out.
fn check_announcement(listen: Listen) -> Result<(), Failure> {
    match listen {
        Listen::Socket(address) if address.port() == 0 && host::stdout_is_discarded() => {
            let what = format!(
                "nobody could find the server: the system chooses the port of ws://{address}, and \
                 standard output, which tells it, is closed or discarded"
            );
            Err(Failure::new(what, "leave it open or choose a port"))
        }
        _ => Ok(()),
    }
}

fn roots(arguments: &ServeArguments) -> Result<Vec<AbsolutePathBuf>, Failure> {
    arguments
        .roots
        .iter()
        .map(|root| host::absolute(root))
        .collect()
}

fn server(roots: &[AbsolutePathBuf], options: ServerOptions) -> Result<Server, Failure> {
    if roots.is_empty() {
        return Ok(Server::local(LocalFileSystem::new(), options));
    }
    for root in roots {
        // One by one, so that the complaint names the one that is none.
        ConfinedFileSystem::new([root.clone()]).map_err(|error| {
            let what = format!("cannot serve {}", root.display());
            Failure::new(what, "name an existing directory").caused_by(error)
        })?;
    }
    let confined = ConfinedFileSystem::new(roots.iter().cloned()).map_err(|error| {
        Failure::new(
            "cannot serve these directories",
            "name existing directories",
        )
        .caused_by(error)
    })?;
    Ok(Server::confined(confined, options))
}

async fn serve(server: Server, listen: Listen) -> Result<ExitCode, Failure> {
    let mut signals = Signals::new().map_err(not_started)?;
    let serving = async {
        match listen {
            Listen::Stdio => server.serve_standard_streams().await.map_err(failed),
            Listen::Socket(address) => {
                let listener = bind(address).await?;
                server.serve_websocket(listener).await.map_err(failed)
            }
        }
    };
    let mut serving = pin!(serving);
    tokio::select! {
        ended = &mut serving => return ended.map(|()| ExitCode::from(exit::FINE)),
        () = signals.next() => server.shutdown(),
    }
    tokio::select! {
        ended = &mut serving => ended.map(|()| ExitCode::from(exit::FINE)),
        () = signals.next() => Ok(ExitCode::from(exit::INTERRUPTED)),
    }
}

/// Listens, and tells where.
async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind(address).await;
    let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = bound.map_err(|error| {
        let what = format!("cannot listen on ws://{address}");
        Failure::new(what, "choose an address of this machine and a free port").caused_by(error)
    })?;
    let mut stdout = io::stdout().lock();
    let told = writeln!(stdout, "ws://{address}").and_then(|()| stdout.flush());
    told.map_err(|error| {
        Failure::new("cannot tell the URL on standard output", "leave it open").caused_by(error)
    })?;
    Ok(listener)
}

fn not_started(error: io::Error) -> Failure {
    Failure::new("cannot start a server", runtime::ADVICE).caused_by(error)
}

fn failed(error: io::Error) -> Failure {
    Failure::new("cannot go on serving", "start the server again").caused_by(error)
}
