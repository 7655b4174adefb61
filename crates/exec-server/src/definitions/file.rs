//! The rules of `environments.toml`.

use std::collections::BTreeSet;
use std::time::Duration;

use codex_file_system::{CommandSpec, EnvironmentId};
use codex_path_uri::AbsolutePathBuf;
use toml::{Table, Value};

use super::{EnvironmentDefinition, EnvironmentDefinitions, Target};

/// Ids that mean something else wherever an id is given.
const RESERVED_IDS: [&str; 2] = ["local", "none"];
/// The id of the environment that a URL in the process environment defines.
const URL_VARIABLE_ID: &str = "remote";
/// What errors call the process environment's variable.
const URL_VARIABLE: &str = "CODEX_EXEC_SERVER_URL";

/// Something in a definitions file that is not as it must be: where, and what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {}{fault}", place(entry.as_deref(), key.as_deref()))]
#[non_exhaustive]
pub struct DefinitionError {
    /// The file, as the host calls it.
    pub file: String,
    /// The entry: its id, or its place from 1 on.
    pub entry: Option<String>,
    /// The key.
    pub key: Option<String>,
    /// What is wrong.
    pub fault: DefinitionFault,
}

/// What is wrong in a definitions file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionFault {
    /// It is not TOML.
    #[error("invalid TOML: {0}")]
    Toml(String),
    /// There is no such key.
    #[error("unknown key")]
    UnknownKey,
    /// A key is missing.
    #[error("missing")]
    Missing,
    /// A value has another type.
    #[error("expected {0}")]
    Type(&'static str),
    /// A value of the right type that cannot be used.
    #[error("{0}")]
    Value(String),
    /// The id is one that an earlier entry has.
    #[error("an earlier environment has this id")]
    Duplicate,
    /// No environment has the id that is the default.
    #[error("there is no such environment")]
    UnknownDefault,
    /// Neither `url` nor `program` is given, or both are.
    #[error("give exactly one of `url` and `program`")]
    Target,
    /// The key does not belong to an environment that is reached in this way.
    #[error("this key needs `{0}`")]
    NotHere(&'static str),
}

fn place(entry: Option<&str>, key: Option<&str>) -> String {
    let entry = entry.map(|entry| format!("environment `{entry}`: "));
    let key = key.map(|key| format!("`{key}`: "));
    entry.unwrap_or_default() + &key.unwrap_or_default()
}

pub(super) fn parse(text: &str, file: &str) -> Result<EnvironmentDefinitions, DefinitionError> {
    let table: Table = toml::from_str(text).map_err(|error| DefinitionError {
        file: file.to_owned(),
        entry: None,
        key: None,
        fault: DefinitionFault::Toml(error.message().to_owned()),
    })?;
    let mut top = Fields::new(file, None, table);
    let default = top.text("default")?;
    let include_local = top.boolean("include_local")?.unwrap_or(true);
    let entries = top.array("environments", "an array of tables")?;
    top.end()?;
    let mut environments = Vec::new();
    let mut ids = BTreeSet::new();
    for (at, entry) in entries.unwrap_or_default().into_iter().enumerate() {
        let place = (at + 1).to_string();
        let Value::Table(table) = entry else {
            let fault = DefinitionFault::Type("a table");
            return Err(Fields::new(file, Some(place), Table::new()).whole(fault));
        };
        environments.push(environment(file, place, table, &mut ids)?);
    }
    let is_known = |id: &str| match id {
        "local" => include_local,
        "none" => true,
        _ => ids.contains(id),
    };
    if default.as_deref().is_some_and(|id| !is_known(id)) {
        return Err(top.at("default", DefinitionFault::UnknownDefault));
    }
    Ok(EnvironmentDefinitions {
        default,
        include_local,
        environments,
    })
}

fn environment(
    file: &str,
    place: String,
    table: Table,
    ids: &mut BTreeSet<String>,
) -> Result<EnvironmentDefinition, DefinitionError> {
    let mut fields = Fields::new(file, Some(place), table);
    let id = fields.text("id")?;
    let id = id.ok_or_else(|| fields.at("id", DefinitionFault::Missing))?;
    let checked = EnvironmentId::new(&id);
    let checked = checked.map_err(|error| fields.value("id", error.to_string()))?;
    fields.entry = Some(id.clone());
    if RESERVED_IDS.contains(&id.as_str()) {
        return Err(fields.value("id", format!("`{id}` is reserved")));
    }
    if !ids.insert(id) {
        return Err(fields.at("id", DefinitionFault::Duplicate));
    }
    let (url, program) = (fields.text("url")?, fields.text("program")?);
    let target = match (url, program) {
        (Some(url), None) => url_target(&mut fields, url)?,
        (None, Some(program)) => program_target(&mut fields, program)?,
        _ => return Err(fields.whole(DefinitionFault::Target)),
    };
    let definition = EnvironmentDefinition::new(checked, target)
        .with_connect_timeout(fields.seconds("connect_timeout_sec")?)
        .with_initialize_timeout(fields.seconds("initialize_timeout_sec")?);
    fields.end()?;
    Ok(definition)
}

fn url_target(fields: &mut Fields<'_>, url: String) -> Result<Target, DefinitionError> {
    fields.refuse(&["args", "env", "cwd"], "program")?;
    check_url(&url).map_err(|message| fields.value("url", message))?;
    Ok(Target::Url {
        url,
        bearer_token_env: fields.text("bearer_token_env")?,
    })
}

fn program_target(fields: &mut Fields<'_>, program: String) -> Result<Target, DefinitionError> {
    fields.refuse(&["connect_timeout_sec", "bearer_token_env"], "url")?;
    if program.trim().is_empty() {
        return Err(fields.value("program", "it is empty".to_owned()));
    }
    let cwd = fields
        .text("cwd")?
        .map(AbsolutePathBuf::from_absolute_path_checked);
    Ok(Target::Program(CommandSpec {
        program,
        args: fields.texts("args")?,
        env: fields.variables("env")?,
        cwd: cwd
            .transpose()
            .map_err(|error| fields.value("cwd", error.to_string()))?,
    }))
}

/// A `ws` or `wss` URL with a host; the rest is found out by connecting.
fn check_url(url: &str) -> Result<(), String> {
    let rest = url
        .strip_prefix("ws://")
        .or_else(|| url.strip_prefix("wss://"));
    let rest = rest.ok_or("expected a ws:// or wss:// URL")?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() || host.starts_with(':') || host.contains(char::is_whitespace) {
        return Err("the URL names no host".to_owned());
    }
    Ok(())
}

pub(super) fn from_url_variable(
    value: Option<&str>,
) -> Result<Option<EnvironmentDefinitions>, DefinitionError> {
    let url = match value.map(str::trim) {
        None | Some("") => return Ok(None),
        Some("none") => {
            return Ok(Some(EnvironmentDefinitions {
                default: Some("none".to_owned()),
                include_local: false,
                environments: Vec::new(),
            }));
        }
        Some(url) => url,
    };
    let error = |fault| DefinitionError {
        file: URL_VARIABLE.to_owned(),
        entry: None,
        key: None,
        fault,
    };
    check_url(url).map_err(|message| error(DefinitionFault::Value(message)))?;
    let id = EnvironmentId::new(URL_VARIABLE_ID);
    let id = id.map_err(|invalid| error(DefinitionFault::Value(invalid.to_string())))?;
    let target = Target::Url {
        url: url.to_owned(),
        bearer_token_env: None,
    };
    Ok(Some(EnvironmentDefinitions {
        default: Some(URL_VARIABLE_ID.to_owned()),
        include_local: true,
        environments: vec![EnvironmentDefinition::new(id, target)],
    }))
}

/// The fields of a table that have not been read yet, and what errors call the table.
struct Fields<'a> {
    file: &'a str,
    entry: Option<String>,
    table: Table,
}

impl<'a> Fields<'a> {
    fn new(file: &'a str, entry: Option<String>, table: Table) -> Self {
        Self { file, entry, table }
    }

    fn error(&self, key: Option<&str>, fault: DefinitionFault) -> DefinitionError {
        DefinitionError {
            file: self.file.to_owned(),
            entry: self.entry.clone(),
            key: key.map(str::to_owned),
            fault,
        }
    }

    fn at(&self, key: &str, fault: DefinitionFault) -> DefinitionError {
        self.error(Some(key), fault)
    }

    fn value(&self, key: &str, message: String) -> DefinitionError {
        self.at(key, DefinitionFault::Value(message))
    }

    fn whole(&self, fault: DefinitionFault) -> DefinitionError {
        self.error(None, fault)
    }

    /// Fails if one of the keys is given.
    fn refuse(&self, keys: &[&str], needs: &'static str) -> Result<(), DefinitionError> {
        match keys.iter().find(|key| self.table.contains_key(**key)) {
            Some(key) => Err(self.at(key, DefinitionFault::NotHere(needs))),
            None => Ok(()),
        }
    }

    /// Fails if a key is left.
    fn end(&self) -> Result<(), DefinitionError> {
        match self.table.keys().next() {
            Some(key) => Err(self.at(key, DefinitionFault::UnknownKey)),
            None => Ok(()),
        }
    }

    /// Takes a value that `read` understands.
    fn take<T>(
        &mut self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Option<T>, DefinitionError> {
        let Some(value) = self.table.remove(key) else {
            return Ok(None);
        };
        match read(value) {
            Some(value) => Ok(Some(value)),
            None => Err(self.at(key, DefinitionFault::Type(expected))),
        }
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, DefinitionError> {
        self.take(key, "a string", text)
    }

    fn boolean(&mut self, key: &str) -> Result<Option<bool>, DefinitionError> {
        self.take(key, "true or false", |value| value.as_bool())
    }

    fn array(
        &mut self,
        key: &str,
        expected: &'static str,
    ) -> Result<Option<Vec<Value>>, DefinitionError> {
        self.take(key, expected, |value| match value {
            Value::Array(values) => Some(values),
            _ => None,
        })
    }

    fn texts(&mut self, key: &str) -> Result<Vec<String>, DefinitionError> {
        let texts = self.take(key, "an array of strings", |value| match value {
            Value::Array(values) => values.into_iter().map(text).collect(),
            _ => None,
        })?;
        Ok(texts.unwrap_or_default())
    }

    fn variables(&mut self, key: &str) -> Result<Vec<(String, String)>, DefinitionError> {
        let variables = self.take(key, "a table of strings", |value| match value {
            Value::Table(table) => table
                .into_iter()
                .map(|(name, value)| Some((name, text(value)?)))
                .collect(),
            _ => None,
        })?;
        Ok(variables.unwrap_or_default())
    }

    fn seconds(&mut self, key: &str) -> Result<Option<Duration>, DefinitionError> {
        self.take(key, "a number of seconds above 0", |value| {
            let seconds = match value {
                Value::Integer(seconds) => Duration::from_secs(u64::try_from(seconds).ok()?),
                Value::Float(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
                _ => return None,
            };
            (!seconds.is_zero()).then_some(seconds)
        })
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}
