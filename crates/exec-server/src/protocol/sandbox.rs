//! The sandbox a request asks for, as far as either end understands it.
//!
//! Only what decides is read; the rest is skipped, since values take many times the memory of their
//! text.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::json;
use serde_json::value::RawValue;

use super::object;

/// The `sandbox` field of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxParam {
    /// No restriction: `null`, a missing field, or permissions of the type `disabled`.
    #[default]
    Unrestricted,
    /// Permissions of any other kind, which neither end enforces: the request is refused.
    Restricted,
}

impl Serialize for SandboxParam {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SandboxParam::Unrestricted => serializer.serialize_none(),
            SandboxParam::Restricted => {
                json!({"permissions": {"type": "managed"}}).serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for SandboxParam {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let sandbox = Option::<Sandbox>::deserialize(deserializer)?;
        let is_open = sandbox.is_none_or(|Sandbox(fields)| fields.are_disabled());
        Ok(if is_open {
            SandboxParam::Unrestricted
        } else {
            SandboxParam::Restricted
        })
    }
}

struct Sandbox(Fields);

impl<'de> Deserialize<'de> for Sandbox {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object::deserialize(deserializer).map(Sandbox)
    }
}

#[derive(serde::Deserialize)]
struct Fields {
    /// Of any type: it is there, or the sandbox is none.
    permissions: Box<RawValue>,
}

#[derive(serde::Deserialize)]
struct Permissions<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
}

impl Fields {
    fn are_disabled(&self) -> bool {
        let mut text = serde_json::Deserializer::from_str(self.permissions.get());
        let permissions = object::deserialize::<Permissions<'_>, _>(&mut text);
        permissions.is_ok_and(|permissions| permissions.kind == "disabled")
    }
}
