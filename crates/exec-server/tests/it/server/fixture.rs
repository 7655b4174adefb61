//! The directory that the cases speak of, somewhere on this host.
//!
//! Cases name it `/srv/fx`. A [`Fixture`] is built in a scratch directory, and what a case sends
//! or expects is respelled accordingly, texts inside of messages too.

use codex_exec_server::ServerOptions;
use codex_exec_server::server::{Access, ConfinedFileSystem, EnvironmentInfo, Server};
use codex_file_system::LocalFileSystem;
use codex_file_system_testkit::ScratchDirectory;
use codex_path_uri::{AbsolutePathBuf, PathUri};
use serde_json::Value;

pub(crate) struct Fixture {
    _scratch: ScratchDirectory,
    prefix: String,
}

impl Fixture {
    pub(crate) fn build(tree: &str) -> Self {
        let scratch = ScratchDirectory::build(tree).unwrap();
        let real = scratch.path().canonicalize().unwrap();
        let prefix = real.to_str().unwrap().to_owned();
        Self {
            _scratch: scratch,
            prefix,
        }
    }

    /// The text of a case with the directory where it really is.
    pub(crate) fn respelled(&self, text: &str) -> String {
        let prefix = &self.prefix;
        let mut text = text.to_owned();
        for before in ["file://", "FILE://", "file:", "file://localhost"] {
            text = text.replace(&format!("{before}/srv"), &format!("{before}{prefix}/srv"));
        }
        text
    }

    pub(crate) fn respelled_value(&self, value: &Value) -> Value {
        serde_json::from_str(&self.respelled(&value.to_string())).unwrap()
    }

    /// A path of a case as the host spells it.
    pub(crate) fn host_path(&self, path: &str) -> AbsolutePathBuf {
        AbsolutePathBuf::from_absolute_path_checked(format!("{}{path}", self.prefix)).unwrap()
    }

    pub(crate) fn info(&self) -> EnvironmentInfo {
        let cwd = PathUri::from_abs_path(&self.host_path("/srv/fx"));
        EnvironmentInfo {
            executor_version: Some("1".to_owned()),
            platform_os: Some("linux".to_owned()),
            user_home: Some(cwd.clone()),
            codex_home: Some(cwd.clone()),
            hostname: Some("host".to_owned()),
            ..EnvironmentInfo::new(cwd)
        }
    }

    pub(crate) fn options(&self) -> ServerOptions {
        ServerOptions::new(self.info())
    }

    /// The server that a case asks for by these arguments of the command.
    pub(crate) fn server(&self, arguments: &[String], mut options: ServerOptions) -> Server {
        let mut roots = Vec::new();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--root" => roots.push(self.host_path(arguments.next().unwrap())),
                "--read-only" => options.access = Access::ReadOnly,
                other => panic!("{other} is no argument of a server"),
            }
        }
        if roots.is_empty() {
            return Server::local(LocalFileSystem::new(), options);
        }
        let confined = ConfinedFileSystem::new(roots).unwrap();
        Server::confined(confined, options)
    }
}
