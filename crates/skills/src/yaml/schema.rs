//! What a scalar is: the YAML 1.2 core schema, and the tags that overrule it.

use serde_saphyr::granit_parser::Tag;

use super::tree::{Content, Node};

const CORE_PREFIX: &str = "tag:yaml.org,2002:";

/// What a tag means here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagKind {
    /// No tag.
    None,
    /// A tag of the author's: it says nothing about the value.
    Foreign,
    String,
    Null,
    Boolean,
    /// A number, a date or binary: a scalar that is no string.
    OtherScalar,
    Sequence,
    Mapping,
    Merge,
}

impl TagKind {
    pub(super) fn of(tag: Option<&Tag>) -> Self {
        let Some(tag) = tag else { return Self::None };
        if tag.handle() != CORE_PREFIX {
            return Self::Foreign;
        }
        match tag.suffix() {
            "str" => Self::String,
            "null" => Self::Null,
            "bool" => Self::Boolean,
            "int" | "float" | "binary" | "timestamp" => Self::OtherScalar,
            "seq" | "omap" | "pairs" => Self::Sequence,
            "map" | "set" => Self::Mapping,
            "merge" => Self::Merge,
            _ => Self::Foreign,
        }
    }

    /// Whether the tag stands on the kind of node it speaks of.
    pub(super) fn fits(self, content: &Content<'_>) -> bool {
        match self {
            Self::None | Self::Foreign => true,
            Self::Sequence => matches!(content, Content::Sequence(_)),
            Self::Mapping => matches!(content, Content::Mapping(_)),
            Self::String | Self::Null | Self::Boolean | Self::OtherScalar | Self::Merge => {
                matches!(content, Content::Scalar { .. })
            }
        }
    }

    /// Whether the text of the scalar decides what it is.
    fn is_silent(self) -> bool {
        matches!(self, Self::None | Self::Foreign)
    }
}

/// Whether a scalar is null: by its tag, or plain by its text.
pub(super) fn is_null(node: &Node<'_>) -> bool {
    let Content::Scalar { text, is_plain } = &node.content else {
        return false;
    };
    node.tag == TagKind::Null || (node.tag.is_silent() && *is_plain && is_null_text(text))
}

/// The truth value of a scalar that is a YAML boolean.
pub(super) fn boolean(node: &Node<'_>) -> Option<bool> {
    let Content::Scalar { text, is_plain } = &node.content else {
        return None;
    };
    let is_boolean = node.tag == TagKind::Boolean || (node.tag.is_silent() && *is_plain);
    match text.as_ref() {
        "true" | "True" | "TRUE" if is_boolean => Some(true),
        "false" | "False" | "FALSE" if is_boolean => Some(false),
        _ => None,
    }
}

/// Whether a scalar is a string, not a number, a boolean or null.
pub(super) fn is_string(node: &Node<'_>) -> bool {
    let Content::Scalar { text, is_plain } = &node.content else {
        return false;
    };
    let reads_otherwise = || is_null_text(text) || boolean(node).is_some() || is_number(text);
    match node.tag {
        TagKind::String | TagKind::Foreign => true,
        TagKind::None => !is_plain || !reads_otherwise(),
        _ => false,
    }
}

/// Whether a node is the key that merges other mappings into its own.
pub(super) fn is_merge_key(node: &Node<'_>) -> bool {
    let Content::Scalar { text, is_plain } = &node.content else {
        return false;
    };
    let is_merge = node.tag == TagKind::Merge || (node.tag == TagKind::None && *is_plain);
    is_merge && text == "<<"
}

fn is_null_text(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_radix = |prefix: &str, radix| {
        let digits = text.strip_prefix(prefix).unwrap_or_default();
        !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix))
    };
    let starts_as_decimal =
        unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    // Rust reads every decimal spelling of the schema; `inf` and `nan` need a dot in YAML.
    (starts_as_decimal && unsigned.parse::<f64>().is_ok())
        || is_radix("0x", 16)
        || is_radix("0o", 8)
        || matches!(unsigned, ".inf" | ".Inf" | ".INF")
        || matches!(text, ".nan" | ".NaN" | ".NAN")
}

#[cfg(test)]
mod tests {
    use super::is_number;

    #[test]
    fn numbers_are_those_of_the_core_schema() {
        for number in [
            "0", "-1", "+2.5", ".5", "1e3", "1.", "0x1F", "0o17", "-.inf", ".nan",
        ] {
            assert!(is_number(number), "{number}");
        }
        for text in [
            "",
            "a",
            "1a",
            "inf",
            "nan",
            "0x",
            "0xg",
            "1.2.3",
            "2024-01-02",
            "--1",
            ".",
        ] {
            assert!(!is_number(text), "{text}");
        }
    }
}
