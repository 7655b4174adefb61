//! The rules of `environments.toml`.

use std::collections::BTreeSet;

use codex_file_system::{CommandSpec, EnvironmentId};
use codex_path_uri::AbsolutePathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fields::{Fields, Source};
use super::{
    DefinitionError, DefinitionFault, EnvironmentDefinition, EnvironmentDefinitions, Target,
};

/// Ids that mean something else wherever an id is given.
const RESERVED_IDS: [&str; 2] = ["local", "none"];
/// Keys of environments that are reached through a program.
const PROGRAM_KEYS: [&str; 3] = ["args", "env", "cwd"];
/// Keys of environments that are reached at a URL.
const URL_KEYS: [&str; 3] = ["connect_timeout_sec", "bearer_token_env", TOKEN_KEY];
/// Where the reference keeps a token, which is not read here.
const TOKEN_KEY: &str = "auth_bearer_token";
/// The id of the environment that a URL in the process environment defines.
const URL_VARIABLE_ID: &str = "remote";
/// What is wrong with a text that names nothing.
const EMPTY: &str = "it is empty";
/// What errors call the process environment's variable.
const URL_VARIABLE: &str = "CODEX_EXEC_SERVER_URL";

pub(super) fn parse(text: &str, file: &str) -> Result<EnvironmentDefinitions, DefinitionError> {
    let source = Source { file, text };
    let table = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        source.error(offset, DefinitionFault::Toml(error.message().to_owned()))
    })?;
    let mut top = Fields::new(source, None, 0, table.into_inner());
    let default = top.text("default")?;
    let include_local = top.boolean("include_local")?.unwrap_or(true);
    let entries = top.array("environments", "an array of tables")?;
    top.end()?;
    let mut environments = Vec::new();
    let mut ids = BTreeSet::new();
    for (at, entry) in entries.unwrap_or_default().into_iter().enumerate() {
        let fields = entry_fields(source, at + 1, entry)?;
        environments.push(environment(fields, &mut ids)?);
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

/// The fields of an entry, called by its number until its id is known.
fn entry_fields<'a>(
    source: Source<'a>,
    number: usize,
    entry: Spanned<DeValue<'a>>,
) -> Result<Fields<'a>, DefinitionError> {
    let begin = entry.span().start;
    let fields = |table| Fields::new(source, Some(number.to_string()), begin, table);
    match entry.into_inner() {
        DeValue::Table(table) => Ok(fields(table)),
        _ => Err(fields(DeTable::new()).whole(DefinitionFault::Type("a table"))),
    }
}

fn environment(
    mut fields: Fields<'_>,
    ids: &mut BTreeSet<String>,
) -> Result<EnvironmentDefinition, DefinitionError> {
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
    let definition = EnvironmentDefinition {
        id: checked,
        target,
        connect_timeout: fields.seconds("connect_timeout_sec")?,
        initialize_timeout: fields.seconds("initialize_timeout_sec")?,
    };
    fields.end()?;
    Ok(definition)
}

fn url_target(fields: &mut Fields<'_>, url: String) -> Result<Target, DefinitionError> {
    fields.refuse(&PROGRAM_KEYS, DefinitionFault::NotHere("program"))?;
    fields.refuse(&[TOKEN_KEY], DefinitionFault::Token)?;
    check_url(&url).map_err(|message| fields.value("url", message))?;
    let bearer_token_env = fields.text("bearer_token_env")?;
    if bearer_token_env.as_deref() == Some("") {
        return Err(fields.value("bearer_token_env", EMPTY.to_owned()));
    }
    Ok(Target::Url {
        url,
        bearer_token_env,
    })
}

fn program_target(fields: &mut Fields<'_>, program: String) -> Result<Target, DefinitionError> {
    fields.refuse(&URL_KEYS, DefinitionFault::NotHere("url"))?;
    if program.trim().is_empty() {
        return Err(fields.value("program", EMPTY.to_owned()));
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
        position: None,
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
