//! Strategies for one component of a path.

use codex_path_uri::FileName;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::flavor::Flavor;

/// Names that need care on both conventions; no two are the same file when case is ignored.
const PLAIN: [&str; 10] = [
    "a",
    "b",
    "c",
    "d.txt",
    ".git",
    "AGENTS.md",
    " e ",
    "f%41#",
    "é",
    "中-𝄞",
];

/// Names that a machine of this flavor allows: ordinary ones, odd ones, and any at all.
pub fn names(flavor: Flavor) -> BoxedStrategy<FileName> {
    let any = match flavor {
        Flavor::Posix => vec(any::<u8>(), 1..12)
            .prop_filter_map("a POSIX name", |bytes| {
                FileName::from_posix_bytes(bytes).ok()
            })
            .boxed(),
        Flavor::Windows => vec(any::<u16>(), 1..12)
            .prop_filter_map("a Windows name", |units| {
                FileName::from_windows_units(&units).ok()
            })
            .prop_filter("an allowed name", |name| Flavor::Windows.allows(name))
            .boxed(),
    };
    prop_oneof![3 => pooled(flavor), 1 => any].boxed()
}

/// Names of a small pool, different files whatever the flavor thinks of case.
pub(super) fn pooled(flavor: Flavor) -> BoxedStrategy<FileName> {
    let odd = match flavor {
        Flavor::Posix => vec![
            FileName::from_posix_bytes(b"g\xFF".to_vec()),
            FileName::from_posix_bytes(b"h\\i".to_vec()),
            FileName::from_posix_bytes(b"A".to_vec()),
        ],
        Flavor::Windows => vec![FileName::from_windows_units(&[0x67, 0xD800])],
    };
    let plain = PLAIN
        .iter()
        .map(|text| FileName::new(text, flavor.convention()));
    let pool: Vec<FileName> = plain.chain(odd).filter_map(Result::ok).collect();
    select(pool).boxed()
}
