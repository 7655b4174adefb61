//! The published client as the server's peer: it must be given what its own server gives it.
//!
//! Run by `just test-peer`, which installs the peer and names it in `CODEX_PEER`. For each layout
//! the client prints its prompt once through its own server and once through ours; what the two
//! prompts say of instructions and skills must be the same text.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a program for tests, whose trees are on the host"
)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use codex_exec_server::server::{Auth, CapabilityToken};
use codex_exec_server::{EnvironmentInfo, Server, ServerOptions, Shell};
use codex_file_system::LocalFileSystem;
use codex_path_uri::PathUri;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// A tree below the root of a layout, and where the client starts.
struct Layout {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    cwd: &'static str,
    /// A text that shows that the client has read the layout at all.
    shows: &'static str,
}

const LAYOUTS: &[Layout] = &[
    Layout {
        name: "documents_on_the_way_from_the_root",
        files: &[
            ("repo/.git/HEAD", "ref: refs/heads/main\n"),
            ("repo/AGENTS.md", "Root rules.\n"),
            ("repo/a/AGENTS.override.md", "Overriding rules.\n"),
            ("repo/a/AGENTS.md", "Never seen.\n"),
            ("repo/a/b/AGENTS.md", "Inner rules, \u{e9}.\n"),
        ],
        cwd: "repo/a/b",
        shows: "Inner rules",
    },
    Layout {
        name: "a_large_document",
        files: &[
            ("repo/.git/HEAD", "ref: refs/heads/main\n"),
            ("repo/AGENTS.md", LARGE),
        ],
        cwd: "repo",
        shows: "xxxxxxxx",
    },
    Layout {
        name: "skills_of_the_project_and_below_links",
        files: &[
            ("repo/.git/HEAD", "ref: refs/heads/main\n"),
            ("repo/AGENTS.md", "Rules.\n"),
            (
                "repo/.agents/skills/lint/SKILL.md",
                "---\nname: lint\ndescription: Lints.\n---\nB\n",
            ),
            (
                "repo/.agents/skills/deep/er/SKILL.md",
                "---\nname: deeper\ndescription: D.\n---\nB\n",
            ),
            (
                "elsewhere/linked/SKILL.md",
                "---\nname: linked\ndescription: L.\n---\nB\n",
            ),
            ("repo/.agents/skills/link -> ../../../elsewhere/linked", ""),
        ],
        cwd: "repo",
        shows: "Lints.",
    },
];

const LARGE: &str = {
    const BYTES: [u8; 200_000] = [b'x'; 200_000];
    match std::str::from_utf8(&BYTES) {
        Ok(text) => text,
        Err(_) => "",
    }
};

impl Layout {
    fn build(&self, root: &Path) {
        for (name, text) in self.files {
            let (name, target) = name.split_once(" -> ").unwrap_or((name, ""));
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("parents");
            if target.is_empty() {
                fs::write(path, text).expect("file");
            } else {
                std::os::unix::fs::symlink(target, path).expect("link");
            }
        }
        fs::create_dir_all(root.join("home")).expect("home");
    }
}

/// The client's own server.
struct Own {
    child: Child,
    url: String,
}

impl Own {
    fn start(peer: &Path, root: &Path) -> Self {
        let mut child = program(peer, root, "home-of-server")
            .args(["exec-server", "--listen", "ws://127.0.0.1:0"])
            .current_dir(root)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the peer starts");
        let mut lines = BufReader::new(child.stdout.take().expect("stdout")).lines();
        let url = lines.find_map(|line| {
            let line = line.expect("a line of text");
            line.find("ws://")
                .and_then(|at| line.get(at..).map(str::to_owned))
        });
        let url = url.expect("the peer announces its URL").trim().to_owned();
        Self { child, url }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // The program is a launcher: it hands this signal on, and could not hand on a kill.
        let asked = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Our server, on a runtime of its own.
struct Ours {
    url: String,
    _runtime: Runtime,
}

impl Ours {
    fn start(root: &Path, auth: Auth) -> Self {
        let runtime = Runtime::new().expect("runtime");
        let uri = |path: PathBuf| PathUri::from_host_native_path(path).expect("a path of the host");
        let home = root.join("home-of-server");
        let info = EnvironmentInfo {
            platform_os: Some("linux".to_owned()),
            user_home: Some(uri(home.clone())),
            codex_home: Some(uri(home)),
            hostname: Some("host".to_owned()),
            shell: Some(Shell {
                name: "bash".to_owned(),
                path: "/bin/bash".to_owned(),
            }),
            ..EnvironmentInfo::new(uri(root.to_owned()))
        };
        let options = ServerOptions {
            auth,
            ..ServerOptions::new(info)
        };
        let server = Server::local(LocalFileSystem::new(), options);
        let listener = runtime
            .block_on(TcpListener::bind("127.0.0.1:0"))
            .expect("socket");
        let address = listener.local_addr().expect("address");
        runtime.spawn(async move { server.serve_websocket(listener).await });
        Self {
            url: format!("ws://{address}"),
            _runtime: runtime,
        }
    }
}

fn program(peer: &Path, root: &Path, home: &str) -> Command {
    let home = root.join(home);
    fs::create_dir_all(&home).expect("home");
    let mut command = Command::new(peer);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", &home)
        .env("CODEX_HOME", &home);
    command
}

/// What the client tells its model, text by text.
fn prompt(peer: &Path, root: &Path, cwd: &str, url: &str) -> Result<Vec<String>, Failed> {
    let mut client = program(peer, root, "home");
    client.env("CODEX_EXEC_SERVER_URL", url);
    prompt_of(client.current_dir(root.join(cwd)))
}

/// The same, told of the server and its token by a definitions file.
fn prompt_with_token(
    peer: &Path,
    root: &Path,
    cwd: &str,
    url: &str,
    token: &str,
) -> Result<Vec<String>, Failed> {
    let mut client = program(peer, root, "home");
    let definitions = format!(
        "default = \"ours\"\ninclude_local = false\n\n[[environments]]\nid = \"ours\"\nurl = \"{url}\"\n\
         auth_bearer_token = \"{token}\"\n"
    );
    fs::write(root.join("home/environments.toml"), definitions)?;
    prompt_of(client.current_dir(root.join(cwd)))
}

fn prompt_of(client: &mut Command) -> Result<Vec<String>, Failed> {
    let output = client.args(["debug", "prompt-input", "hi"]).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let prompt: Value = serde_json::from_slice(&output.stdout)?;
    let items = prompt.as_array().ok_or("the prompt is no list")?;
    let texts = items
        .iter()
        .flat_map(|item| item["content"].as_array().into_iter().flatten())
        .filter_map(|part| part["text"].as_str());
    Ok(texts.map(str::to_owned).collect())
}

fn compare(layout: &Layout, peer: &Path) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let root = scratch.path().canonicalize()?;
    layout.build(&root);
    let own = Own::start(peer, &root);
    let theirs = prompt(peer, &root, layout.cwd, &own.url)?;
    let ours = prompt(peer, &root, layout.cwd, &Ours::start(&root, Auth::None).url)?;
    if !theirs.iter().any(|text| text.contains(layout.shows)) {
        return Err("the layout shows nothing even through the peer's own server".into());
    }
    if ours == theirs {
        return Ok(());
    }
    let difference = pretty_assertions::Comparison::new(&ours, &theirs);
    Err(format!("ours, theirs:\n{difference}").into())
}

/// With a token asked for, the client that has it is let in and the one that has another is not.
fn authenticate(layout: &Layout, peer: &Path) -> Result<(), Failed> {
    let scratch = tempfile::tempdir()?;
    let root = scratch.path().canonicalize()?;
    layout.build(&root);
    let token = CapabilityToken::from_token("right-token")?;
    let ours = Ours::start(&root, Auth::CapabilityToken(token));
    let shows = |prompt: Vec<String>| prompt.iter().any(|text| text.contains(layout.shows));
    if !prompt_with_token(peer, &root, layout.cwd, &ours.url, "right-token").map(shows)? {
        return Err("the client with the token is shown nothing".into());
    }
    // Whether it fails or goes on without an environment is its own business.
    if prompt_with_token(peer, &root, layout.cwd, &ours.url, "wrong").is_ok_and(shows) {
        return Err("the client with another token is let in".into());
    }
    Ok(())
}

fn main() {
    let arguments = Arguments::from_args();
    let Some(peer) = std::env::var_os("CODEX_PEER").map(PathBuf::from) else {
        eprintln!("CODEX_PEER is not set: run `just test-peer`, which installs the peer");
        std::process::exit(2);
    };
    let trial = |layout: &'static Layout| {
        let peer = peer.clone();
        Trial::test(layout.name, move || compare(layout, &peer))
    };
    let mut trials: Vec<_> = LAYOUTS.iter().map(trial).collect();
    if let Some(layout) = LAYOUTS.first() {
        let peer = peer.clone();
        trials.push(Trial::test(
            "a_token_lets_in_and_another_does_not",
            move || authenticate(layout, &peer),
        ));
    }
    libtest_mimic::run(&arguments, trials).exit();
}
