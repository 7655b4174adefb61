//! The servers that are compared, each a process of its own.
//!
//! This program starts itself again as our server, as the floor, and as a client whose memory is
//! looked at; what it is to be stands in the variable `RATES_ROLE`.

use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use codex_exec_server::{ClientOptions, EnvironmentInfo, RemoteFileSystem, Server, ServerOptions};
use codex_file_system::{CommandSpec, LocalFileSystem};
use codex_path_uri::PathUri;
use tokio::net::TcpListener;

use crate::process::Process;

/// Where this program learns what it is to be.
pub(crate) const ROLE: &str = "RATES_ROLE";

/// A program that serves.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    path: PathBuf,
    role: &'static str,
    home: PathBuf,
}

impl Program {
    /// This program, in a role.
    pub(crate) fn own(role: &'static str, home: &Path) -> io::Result<Self> {
        Ok(Self {
            path: std::env::current_exe()?,
            role,
            home: home.to_owned(),
        })
    }

    /// The published program, if the environment names it.
    pub(crate) fn published(home: &Path) -> Option<Self> {
        Some(Self {
            path: std::env::var_os("CODEX_PEER")?.into(),
            role: "",
            home: home.to_owned(),
        })
    }

    /// A client at the pipes of the program; it runs in the runtime at hand.
    pub(crate) async fn on_pipes(&self) -> io::Result<RemoteFileSystem> {
        let home = self.home.display().to_string();
        let env = [(ROLE, self.role), ("HOME", &home), ("CODEX_HOME", &home)];
        let command = CommandSpec {
            program: self.path.display().to_string(),
            args: ["exec-server", "--listen", "stdio"]
                .map(str::to_owned)
                .into(),
            env: env
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            cwd: None,
        };
        let client = RemoteFileSystem::spawn(command, ClientOptions::default());
        client.await.map_err(io::Error::other)
    }

    /// Starts the program on a socket.
    pub(crate) fn listen(&self) -> io::Result<Listening> {
        let mut child = Command::new(&self.path)
            .args(["exec-server", "--listen", "ws://127.0.0.1:0"])
            .env(ROLE, self.role)
            .envs([("HOME", &self.home), ("CODEX_HOME", &self.home)])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut listening = Listening {
            child,
            url: String::new(),
        };
        for line in BufReader::new(output).lines() {
            let line = line?;
            if let Some(at) = line.find("ws://") {
                listening.url = line.get(at..).unwrap_or_default().trim().to_owned();
                return Ok(listening);
            }
        }
        Err(io::Error::other("the server does not say where it listens"))
    }
}

/// A server on a socket; it ends with this value.
#[derive(Debug)]
pub(crate) struct Listening {
    child: Child,
    pub(crate) url: String,
}

impl Listening {
    pub(crate) fn process(&self) -> Process {
        Process::below(self.child.id())
    }

    pub(crate) async fn client(&self, options: ClientOptions) -> io::Result<RemoteFileSystem> {
        let client = RemoteFileSystem::connect_websocket(&self.url, options);
        client.await.map_err(io::Error::other)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // A launcher hands this signal on, and could not hand on a kill.
        let id = self.child.id().to_string();
        let _ = Command::new("kill").arg(id).status();
        let _ = self.child.wait();
    }
}

fn server() -> io::Result<Server> {
    let info = EnvironmentInfo::new(PathUri::parse("file:///").map_err(io::Error::from)?);
    Ok(Server::local(
        LocalFileSystem::new(),
        ServerOptions::new(info),
    ))
}

/// Serves on the pipes of this process.
pub(crate) async fn serve_pipes() -> io::Result<()> {
    server()?.serve_standard_streams().await
}

/// Serves on a socket, which is announced.
pub(crate) async fn serve_socket() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let announcement = format!("ws://{}\n", listener.local_addr()?);
    io::Write::write_all(&mut io::stdout(), announcement.as_bytes())?;
    server()?.serve_websocket(listener).await
}
