//! What canonical entries allow at a canonical target.

use codex_file_system::SandboxAccess::{None, Read, Write};
use codex_file_system::{SandboxAccess, SandboxEntry, granted_access};
use pretty_assertions::assert_eq;

use crate::support::uri;

fn granted(target: &str, entries: &[(&str, SandboxAccess)]) -> SandboxAccess {
    let entry = |(path, access): &(&str, SandboxAccess)| SandboxEntry {
        path: uri(path),
        access: *access,
    };
    granted_access(&uri(target), entries.iter().map(entry))
}

#[test]
fn the_longest_entry_at_or_above_the_target_decides() {
    let entries = [
        ("file:///d/closed/open", Write),
        ("file:///d", Read),
        ("file:///d/closed", None),
        ("file:///d/closed/open/x/y", None),
    ];
    let cases = [
        ("file:///d", Read),
        ("file:///d/a", Read),
        ("file:///d/closed", None),
        ("file:///d/closed/a", None),
        ("file:///d/closed/open", Write),
        ("file:///d/closed/open/x", Write),
        ("file:///d/closed/open/x/y/z", None),
        ("file:///d/closed-beside", Read),
        ("file:///d-beside", None),
        ("file:///", None),
    ];
    for (target, expected) in cases {
        assert_eq!(granted(target, &entries), expected, "{target}");
    }
}

#[test]
fn of_equal_paths_the_smaller_access_decides_in_any_order() {
    let entries = [("file:///d", Write), ("file:///d", Read)];
    assert_eq!(granted("file:///d/a", &entries), Read);
    let entries = [("file:///d", Read), ("file:///d", Write)];
    assert_eq!(granted("file:///d/a", &entries), Read);
    let entries = [
        ("file:///d", Read),
        ("file:///d", None),
        ("file:///d", Write),
    ];
    assert_eq!(granted("file:///d/a", &entries), None);
}

#[test]
fn without_an_entry_there_is_no_access() {
    assert_eq!(granted("file:///d", &[]), None);
    assert_eq!(granted("file:///C:/d", &[("file:///", Write)]), None);
}

#[test]
fn only_windows_paths_are_compared_without_regard_to_case() {
    let windows = [("file:///C:/Dir", Read), ("file:///C:/dir/Closed", None)];
    assert_eq!(granted("file:///C:/DIR/a", &windows), Read);
    assert_eq!(granted("file:///C:/Dir/CLOSED/a", &windows), None);
    assert_eq!(granted("file:///DIR", &[("file:///dir", Read)]), None);
}
