//! `-c key=value` arguments as one table.
//!
//! The key is taken as written between its dots: quotes have no meaning there and are refused,
//! because a setting that a person believes to be active must not vanish.

use crate::layer::TomlTable;
use crate::{ConfigError, OverrideProblem, TomlValue, toml_text};

/// The most segments the key of a `-c` argument may have.
pub const MAX_OVERRIDE_SEGMENTS: usize = 64;

/// The session-flags table that the arguments make.
///
/// Each argument is split at its first `=` and both sides are trimmed. The key is split at every
/// `.`. The value is parsed as TOML; what is no TOML is a string: the text without the `"` and
/// `'` around it. Arguments are applied in order: a later one wins, and a value that stands in
/// the way of a longer key is replaced by a table.
///
/// # Errors
/// [`ConfigError::InvalidOverride`] for the first malformed argument.
///
/// # Examples
///
/// ```
/// use codex_config::parse_overrides;
///
/// let arguments = ["limits.bytes=3", "name=gpt-x", "limits.calls = 4"].map(str::to_owned);
/// let table = parse_overrides(&arguments)?;
/// assert_eq!(table, toml::from_str("limits = { bytes = 3, calls = 4 }\nname = 'gpt-x'")?);
///
/// let argument = r#"projects."/repo".trust_level="trusted""#.to_owned();
/// assert!(parse_overrides(&[argument]).is_err());
/// let argument = r#"projects={"/repo"={trust_level="trusted"}}"#.to_owned();
/// assert!(parse_overrides(&[argument]).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_overrides(arguments: &[String]) -> Result<TomlValue, ConfigError> {
    let mut table = TomlTable::new();
    for argument in arguments {
        let invalid = |reason| ConfigError::InvalidOverride {
            argument: argument.clone(),
            reason,
        };
        let (key, value) = argument
            .split_once('=')
            .ok_or_else(|| invalid(OverrideProblem::MissingEquals))?;
        let segments = parse_key(key.trim()).map_err(invalid)?;
        insert(&mut table, &segments, parse_value(value.trim()));
    }
    Ok(TomlValue::Table(table))
}

fn parse_key(key: &str) -> Result<Vec<&str>, OverrideProblem> {
    if key.is_empty() {
        return Err(OverrideProblem::EmptyKey);
    }
    // Judged before the segments: `projects."..".x` has an empty one only because of its quotes.
    if key.contains(['"', '\'']) {
        return Err(OverrideProblem::QuotedKey);
    }
    let segments: Vec<&str> = key.split('.').collect();
    if segments.iter().any(|segment| segment.is_empty()) {
        return Err(OverrideProblem::EmptySegment);
    }
    if segments.len() > MAX_OVERRIDE_SEGMENTS {
        return Err(OverrideProblem::TooDeep);
    }
    Ok(segments)
}

fn parse_value(text: &str) -> TomlValue {
    // Parsed as a document rather than a value, so that a comment behind the value is one. More
    // than the one key means that the text went on after the value.
    match toml_text::parse(&format!("value = {text}")) {
        Ok((mut document, _)) if document.len() == 1 => document.remove("value"),
        _ => None,
    }
    .unwrap_or_else(|| TomlValue::String(text.trim_matches(['"', '\'']).to_owned()))
}

fn insert(table: &mut TomlTable, segments: &[&str], value: TomlValue) {
    match segments {
        [] => {}
        [name] => {
            table.insert((*name).to_owned(), value);
        }
        [first, rest @ ..] => {
            let mut below = match table.remove(*first) {
                Some(TomlValue::Table(entries)) => entries,
                _ => TomlTable::new(),
            };
            insert(&mut below, rest, value);
            table.insert((*first).to_owned(), TomlValue::Table(below));
        }
    }
}
