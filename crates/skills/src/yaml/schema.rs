//! What a scalar is: the YAML 1.2 core schema, and the tags that overrule it.

use serde_saphyr::granit_parser::Tag;

use super::tree::{Content, Node};

const CORE_PREFIX: &str = "tag:yaml.org,2002:";

/// Whether a tag of the core schema stands on the kind of node it speaks of. Other tags fit all.
pub(super) fn tag_fits(tag: &Tag, content: &Content<'_>) -> bool {
    match core_tag(tag) {
        Some("map" | "set") => matches!(content, Content::Mapping(_)),
        Some("seq" | "omap" | "pairs") => matches!(content, Content::Sequence(_)),
        Some("str" | "int" | "float" | "bool" | "null" | "binary" | "timestamp") => {
            matches!(content, Content::Scalar { .. })
        }
        _ => true,
    }
}

/// Whether a scalar is null: by its tag, or plain and untagged by its text.
pub(super) fn is_null(node: &Node<'_>) -> bool {
    let Content::Scalar { text, is_plain } = &node.content else {
        return false;
    };
    match node.tag.as_deref().map(core_tag) {
        Some(Some(tag)) => tag == "null",
        _ => *is_plain && is_null_text(text),
    }
}

/// The truth value of a scalar that is a YAML boolean.
pub(super) fn boolean(node: &Node<'_>) -> Option<bool> {
    let Content::Scalar { text, is_plain } = &node.content else {
        return None;
    };
    let is_boolean = match node.tag.as_deref().map(core_tag) {
        Some(Some(tag)) => tag == "bool",
        _ => *is_plain,
    };
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
    match node.tag.as_deref().map(core_tag) {
        Some(Some(tag)) => tag == "str",
        Some(None) => true,
        None => {
            !is_plain
                || !(is_null_text(text) || boolean(node).is_some() || is_number(text.as_ref()))
        }
    }
}

/// Whether a node is the key that merges other mappings into its own.
pub(super) fn is_merge_key(node: &Node<'_>) -> bool {
    let Content::Scalar { text, is_plain } = &node.content else {
        return false;
    };
    let is_merge = match &node.tag {
        Some(tag) => core_tag(tag) == Some("merge"),
        None => *is_plain,
    };
    is_merge && text == "<<"
}

fn core_tag(tag: &Tag) -> Option<&str> {
    Some(tag.suffix()).filter(|_| tag.handle() == CORE_PREFIX)
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
