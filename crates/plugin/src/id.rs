//! Names a plugin can be installed under.
//!
//! This is the install rule, not the rule of manifests: a manifest may call its plugin anything
//! (see [`PluginNamespace`](crate::PluginNamespace)), and reports a name that fails here.

use std::fmt;

/// A plugin name of ASCII letters, digits, `_`, `-` and inner single `.`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PluginName(String);

/// A marketplace name of ASCII letters, digits, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MarketplaceName(String);

/// A plugin of a marketplace, written `<plugin>@<marketplace>`.
///
/// # Examples
/// ```
/// use codex_plugin::PluginId;
///
/// let id = PluginId::parse("git.tools@team_1")?;
/// assert_eq!(id.plugin().as_str(), "git.tools");
/// assert_eq!(id.marketplace().as_str(), "team_1");
/// assert!(PluginId::parse("git@tools@team").is_err());
/// # Ok::<(), codex_plugin::PluginIdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PluginId {
    key: String,
    plugin: PluginName,
    marketplace: MarketplaceName,
}

/// The text is no plugin name, or no marketplace name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidPluginName {
    /// No text at all.
    #[error("the name is empty")]
    Empty,
    /// A character outside the allowed set.
    #[error("the name holds {0:?}, which is no ASCII letter, digit or allowed sign")]
    Character(char),
    /// A dot at the beginning or the end, or two in a row.
    #[error("a dot stands at an end of the name or beside another")]
    Dot,
}

/// The text is no plugin id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PluginIdError {
    /// Not exactly one `@`.
    #[error("a plugin id holds exactly one `@`")]
    Separator,
    /// The part before the `@` is no plugin name.
    #[error("invalid plugin name")]
    Plugin(#[source] InvalidPluginName),
    /// The part after the `@` is no marketplace name.
    #[error("invalid marketplace name")]
    Marketplace(#[source] InvalidPluginName),
}

impl PluginName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`InvalidPluginName`] if it is empty, holds anything but ASCII letters, digits, `_`, `-` and
    /// `.`, begins or ends with a dot, or holds two dots in a row.
    pub fn new(name: &str) -> Result<Self, InvalidPluginName> {
        check(name, |character| character == '.')?;
        if name.starts_with('.') || name.ends_with('.') || name.contains("..") {
            return Err(InvalidPluginName::Dot);
        }
        Ok(Self(name.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl MarketplaceName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`InvalidPluginName`] if it is empty or holds anything but ASCII letters, digits, `_` and `-`.
    pub fn new(name: &str) -> Result<Self, InvalidPluginName> {
        check(name, |_| false)?;
        Ok(Self(name.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PluginId {
    /// Reads `<plugin>@<marketplace>`.
    ///
    /// # Errors
    /// [`PluginIdError`] unless there is exactly one `@` and both parts are valid names.
    pub fn parse(text: &str) -> Result<Self, PluginIdError> {
        let (plugin, marketplace) = text.split_once('@').ok_or(PluginIdError::Separator)?;
        if marketplace.contains('@') {
            return Err(PluginIdError::Separator);
        }
        let plugin = PluginName::new(plugin).map_err(PluginIdError::Plugin)?;
        let marketplace = MarketplaceName::new(marketplace).map_err(PluginIdError::Marketplace)?;
        Ok(Self {
            key: text.to_owned(),
            plugin,
            marketplace,
        })
    }

    /// The whole text, as it was parsed.
    pub fn as_key(&self) -> &str {
        &self.key
    }

    /// The plugin's name.
    pub fn plugin(&self) -> &PluginName {
        &self.plugin
    }

    /// The marketplace's name.
    pub fn marketplace(&self) -> &MarketplaceName {
        &self.marketplace
    }
}

impl fmt::Display for PluginName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for MarketplaceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for PluginId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.key)
    }
}

fn check(name: &str, is_also_allowed: impl Fn(char) -> bool) -> Result<(), InvalidPluginName> {
    if name.is_empty() {
        return Err(InvalidPluginName::Empty);
    }
    let is_allowed = |character: char| {
        character.is_ascii_alphanumeric()
            || matches!(character, '_' | '-')
            || is_also_allowed(character)
    };
    match name.chars().find(|character| !is_allowed(*character)) {
        Some(character) => Err(InvalidPluginName::Character(character)),
        None => Ok(()),
    }
}
