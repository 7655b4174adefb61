//! The sandbox a request asks for, as the published server spells it.
//!
//! Only what decides about files is read; the rest is skipped.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::json;
use serde_json::value::RawValue;

use super::{Bounded, MAX_LISTED_PATHS, object};

/// The `sandbox` field of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum SandboxParam {
    /// No restriction: `null`, a missing field, or permissions of the type `disabled`.
    #[default]
    Unrestricted,
    /// Some paths may be read or written, and nothing else.
    Restricted(WireRestriction),
    /// Permissions of any other kind. No end enforces them: the request is refused.
    Unknown,
}

/// What a restricted request may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WireRestriction {
    pub(crate) entries: Vec<WireSandboxEntry>,
    /// The directory the request is made for, a `file:` URI.
    pub(crate) cwd: Option<String>,
}

/// A path, a `file:` URI, and what may be done with it and below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WireSandboxEntry {
    pub(crate) path: String,
    pub(crate) access: WireAccess,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WireAccess {
    #[serde(alias = "deny")]
    None,
    Read,
    Write,
}

impl Serialize for SandboxParam {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let restriction = match self {
            SandboxParam::Unrestricted => return serializer.serialize_none(),
            SandboxParam::Restricted(restriction) => restriction,
            SandboxParam::Unknown => {
                return json!({"permissions": {"type": "external"}}).serialize(serializer);
            }
        };
        let entries = restriction.entries.iter().map(
            |entry| json!({"path": {"type": "path", "path": entry.path}, "access": entry.access}),
        );
        let entries: Vec<_> = entries.collect();
        let mut sandbox = json!({
            "permissions": {
                "type": "managed",
                "file_system": {"type": "restricted", "entries": entries},
                "network": "restricted",
            },
            "windowsSandboxLevel": "disabled",
        });
        if let Some(cwd) = &restriction.cwd {
            sandbox["cwd"] = json!(cwd);
        }
        sandbox.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SandboxParam {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(Sandbox(fields)) = Option::<Sandbox>::deserialize(deserializer)? else {
            return Ok(SandboxParam::Unrestricted);
        };
        Ok(understood(fields).unwrap_or(SandboxParam::Unknown))
    }
}

/// What the fields mean; `None` for what no end enforces.
fn understood(fields: Fields) -> Option<SandboxParam> {
    let permissions: Permissions = object_of(&fields.permissions)?;
    match permissions.kind.as_str() {
        "disabled" => return Some(SandboxParam::Unrestricted),
        "managed" => {}
        _ => return None,
    }
    let file_system: FileSystem = object_of(&permissions.file_system?)?;
    match file_system.kind.as_str() {
        "unrestricted" => return Some(SandboxParam::Unrestricted),
        "restricted" => {}
        _ => return None,
    }
    let entries: Bounded<Entry, MAX_LISTED_PATHS> =
        serde_json::from_str(file_system.entries?.get()).ok()?;
    let entries = entries.0.into_iter().map(Entry::into_wire);
    Some(SandboxParam::Restricted(WireRestriction {
        entries: entries.collect::<Option<_>>()?,
        cwd: fields.cwd,
    }))
}

fn object_of<T: DeserializeOwned>(value: &RawValue) -> Option<T> {
    object(&mut serde_json::Deserializer::from_str(value.get())).ok()
}

/// A sandbox that is an object.
struct Sandbox(Fields);

impl<'de> Deserialize<'de> for Sandbox {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Sandbox)
    }
}

#[derive(serde::Deserialize)]
struct Fields {
    /// Of any type: it is there, or the sandbox is none.
    permissions: Box<RawValue>,
    #[serde(default)]
    cwd: Option<String>,
}

// Values take many times the memory of their text, so what does not decide stays text.

#[derive(serde::Deserialize)]
struct Permissions {
    #[serde(rename = "type")]
    kind: String,
    file_system: Option<Box<RawValue>>,
}

#[derive(serde::Deserialize)]
struct FileSystem {
    #[serde(rename = "type")]
    kind: String,
    entries: Option<Box<RawValue>>,
}

#[derive(serde::Deserialize)]
struct Entry {
    path: EntryPath,
    access: WireAccess,
}

#[derive(serde::Deserialize)]
struct EntryPath {
    #[serde(rename = "type")]
    kind: String,
    path: Option<String>,
}

impl Entry {
    /// `None` for a pattern, or a place that only the other end knows.
    fn into_wire(self) -> Option<WireSandboxEntry> {
        let path = self.path.path.filter(|_| self.path.kind == "path")?;
        let access = self.access;
        Some(WireSandboxEntry { path, access })
    }
}
