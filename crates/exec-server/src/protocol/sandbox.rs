//! The sandbox a request asks for, as far as either end understands it.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use serde_json::{Value, json};

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
        let sandbox = match Value::deserialize(deserializer)? {
            Value::Null => return Ok(SandboxParam::Unrestricted),
            Value::Object(fields) => fields,
            _ => return Err(D::Error::custom("the sandbox is not an object")),
        };
        let permissions = sandbox
            .get("permissions")
            .ok_or_else(|| D::Error::missing_field("permissions"))?;
        match permissions.get("type").and_then(Value::as_str) {
            Some("disabled") => Ok(SandboxParam::Unrestricted),
            _ => Ok(SandboxParam::Restricted),
        }
    }
}
