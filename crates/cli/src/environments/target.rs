//! What `--env` and `--cwd` may say. Pure: shapes only, nothing is looked up.

use std::str::FromStr;

use codex_exec_server::ssh_command;
use codex_file_system::EnvironmentId;
use codex_path_uri::{PathConvention, PathUri};

/// The id of this machine, which no other one can have.
pub(crate) const LOCAL: &str = "local";
/// The id of a server whose URL names no host, which is told when it is reached.
const REMOTE: &str = "remote";
/// Means no environment wherever an id is given.
const NONE: &str = "none";
const MAX_ID_LENGTH: usize = 64;

/// One `--env`: `TARGET` or `ID=TARGET`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnvironmentChoice {
    /// What the environment is called.
    pub(crate) id: EnvironmentId,
    /// Where it is.
    pub(crate) target: Target,
    /// The target as it was typed, without the credentials of a URL.
    pub(crate) text: String,
}

/// Where an environment is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// This machine.
    Local,
    /// An exec-server at a WebSocket URL.
    Url(String),
    /// An exec-server that `ssh` starts on a host.
    Ssh(String),
    /// A host's SFTP server, reached by `ssh`.
    Sftp(String),
    /// A program that speaks the protocol of exec-servers, and its arguments.
    Program(String, Vec<String>),
    /// An entry of `environments.toml`.
    Named(String),
}

impl Target {
    /// Whether it is this machine.
    pub(crate) fn is_local(&self) -> bool {
        *self == Self::Local
    }

    /// What it is called unless a person says otherwise.
    fn usual_id(&self) -> String {
        match self {
            Self::Local => LOCAL.to_owned(),
            Self::Url(url) => match host_of(url) {
                "" => REMOTE.to_owned(),
                host => id_from(host),
            },
            Self::Ssh(host) | Self::Sftp(host) => id_from(without_user(host)),
            Self::Program(program, _) => {
                id_from(program.rsplit(['/', '\\']).next().unwrap_or_default())
            }
            Self::Named(name) => name.clone(),
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == LOCAL {
            return Ok(Self::Local);
        }
        if text.starts_with("ws://") || text.starts_with("wss://") {
            return Ok(Self::Url(text.to_owned()));
        }
        match text.split_once(':') {
            Some(("ssh", host)) => Ok(Self::Ssh(checked_host(host)?)),
            Some(("sftp", host)) => Ok(Self::Sftp(checked_host(host)?)),
            Some(("exec", command)) => {
                let mut words = words(command)?.into_iter();
                let program = words.next().filter(|program| !program.is_empty());
                let program = program.ok_or("name a program after `exec:`")?;
                Ok(Self::Program(program, words.collect()))
            }
            None if EnvironmentId::new(text).is_ok() && text != NONE => {
                Ok(Self::Named(text.to_owned()))
            }
            _ => Err(
                "give local, ws://HOST:PORT, wss://..., ssh:HOST, sftp:HOST, \
                      exec:PROGRAM ARG... or a name of environments.toml"
                    .to_owned(),
            ),
        }
    }
}

fn checked_host(host: &str) -> Result<String, String> {
    match ssh_command(host) {
        Ok(_) => Ok(host.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

impl EnvironmentChoice {
    /// This machine.
    pub(crate) fn local() -> Option<Self> {
        LOCAL.parse().ok()
    }
}

impl FromStr for EnvironmentChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (named, rest) = named(text);
        let target: Target = rest.parse()?;
        let id = named.map_or_else(|| target.usual_id(), str::to_owned);
        if id == NONE || (id == LOCAL && !target.is_local()) {
            return Err(format!(
                "`{id}` is reserved, give the environment another id"
            ));
        }
        let id = EnvironmentId::new(&id).map_err(|error| error.to_string())?;
        Ok(Self {
            id,
            target,
            text: without_credentials(rest),
        })
    }
}

/// One `--cwd`: `PATH` or `ID=PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DirectoryChoice {
    /// The one environment that is meant, if one is named.
    pub(crate) id: Option<String>,
    /// The directory there.
    pub(crate) directory: PathUri,
}

impl FromStr for DirectoryChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, rest) = named(text);
        Ok(Self {
            id: id.map(str::to_owned),
            directory: absolute(rest)?,
        })
    }
}

/// A URI, or an absolute path of either convention: which machine it is on is not known here.
pub(super) fn absolute(text: &str) -> Result<PathUri, String> {
    let parsed = if text
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
    {
        PathUri::parse_lenient(text, None).map(|(uri, _)| uri)
    } else {
        let convention = PathConvention::infer_absolute(text);
        let convention = convention.ok_or("give an absolute path or a file: URI")?;
        PathUri::from_native(text, convention)
    };
    parsed.map_err(|error| error.to_string())
}

/// Takes `ID=` off; whatever else holds a `=` is no id.
fn named(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((id, rest)) if EnvironmentId::new(id).is_ok() => (Some(id), rest),
        _ => (None, text),
    }
}

/// The host of a URL, without user, port and brackets.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = without_user(authority);
    match host.strip_prefix('[').and_then(|it| it.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or_default(),
    }
}

/// The name of a user may hold an `@`, that of a host may not.
fn without_user(host: &str) -> &str {
    host.rsplit_once('@').map_or(host, |(_, host)| host)
}

/// What may be shown of a target: no user and no password of a URL.
fn without_credentials(target: &str) -> String {
    match target.split_once("://") {
        Some((scheme @ ("ws" | "wss"), rest)) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            match authority.rsplit_once('@') {
                Some((_, host)) => format!("{scheme}://***@{host}{path}"),
                None => target.to_owned(),
            }
        }
        _ => target.to_owned(),
    }
}

/// A text as an id: characters that no id has become `-`.
fn id_from(text: &str) -> String {
    let allowed = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let replaced = text.chars().map(|it| if allowed(it) { it } else { '-' });
    replaced.take(MAX_ID_LENGTH).collect()
}

/// Takes `text` apart at blanks. What stands between quotes, single or double, is taken as it is.
///
/// # Errors
/// When a quote is not closed.
pub(super) fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some(next) if next == character => break,
                        Some(next) => word.push(next),
                        None => return Err(format!("a {character} is not closed")),
                    }
                }
            }
            blank if blank.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::words;
    use super::*;

    fn choice(text: &str) -> (String, Target) {
        let choice: EnvironmentChoice = text.parse().unwrap();
        (choice.id.to_string(), choice.target)
    }

    #[test]
    fn targets_are_told_apart_by_their_beginning() {
        let program = |words: &[&str]| {
            let mut words = words.iter().map(|word| (*word).to_owned());
            Target::Program(words.next().unwrap(), words.collect())
        };
        let url = |text: &str| Target::Url(text.to_owned());
        let host = |text: &str| text.to_owned();
        for (text, id, target) in [
            ("local", "local", Target::Local),
            ("ws://h:1", "h", url("ws://h:1")),
            (
                "wss://box.example/?a=b:c",
                "box-example",
                url("wss://box.example/?a=b:c"),
            ),
            ("ws://127.0.0.1:1", "127-0-0-1", url("ws://127.0.0.1:1")),
            ("ws://[::1]:1", "--1", url("ws://[::1]:1")),
            ("ws://u:p@h:1", "h", url("ws://u:p@h:1")),
            ("ws://", "remote", url("ws://")),
            ("b=ws://h:1", "b", url("ws://h:1")),
            (
                "ssh:me@build.example",
                "build-example",
                Target::Ssh(host("me@build.example")),
            ),
            ("sftp:box", "box", Target::Sftp(host("box"))),
            ("sftp:me@corp@box", "box", Target::Sftp(host("me@corp@box"))),
            (
                "exec:/usr/bin/docker exec -i 'a b'",
                "docker",
                program(&["/usr/bin/docker", "exec", "-i", "a b"]),
            ),
            ("c=exec:x", "c", program(&["x"])),
            ("build", "build", Target::Named(host("build"))),
            ("other=build", "other", Target::Named(host("build"))),
        ] {
            assert_eq!(choice(text), (id.to_owned(), target), "{text}");
        }
    }

    #[test]
    fn what_is_no_target_is_refused() {
        for text in [
            "",
            "none",
            "a b",
            "http://h",
            "ssh:",
            "ssh:-oProxyCommand=x",
            "sftp:-x",
            "exec:",
            "exec:''",
            "exec:'x",
            "local=ssh:h",
            "none=local",
            "ssh:@",
        ] {
            assert!(text.parse::<EnvironmentChoice>().is_err(), "{text}");
        }
    }

    #[test]
    fn directories_are_uris_or_absolute_paths_of_either_convention() {
        let shown = |text: &str| {
            let choice: DirectoryChoice = text.parse().unwrap();
            (choice.id, choice.directory.to_string())
        };
        assert_eq!(shown("/srv/a=b"), (None, "file:///srv/a=b".to_owned()));
        assert_eq!(
            shown(r"w=C:\x"),
            (Some("w".to_owned()), "file:///C:/x".to_owned())
        );
        assert_eq!(shown("FILE:///srv"), (None, "file:///srv".to_owned()));
        for text in ["srv", "w=srv", "file:srv?x", ""] {
            assert!(text.parse::<DirectoryChoice>().is_err(), "{text}");
        }
    }

    #[test]
    fn blanks_separate_and_quotes_hold_together() {
        let cases: [(&str, &[&str]); 5] = [
            ("", &[]),
            ("  a  b\tc ", &["a", "b", "c"]),
            ("'a b' c\"d e\"", &["a b", "cd e"]),
            (r#"'' "it's""#, &["", "it's"]),
            (r"C:\x", &[r"C:\x"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).unwrap(), expected, "{text}");
        }
        assert!(words("a 'b").is_err());
    }
}
