//! Laws of everything that reads what others wrote, as functions from any bytes to nothing.
//!
//! Each function takes the bytes of a fuzzer, makes of them what one reader takes, and panics where
//! a law is broken: not only where the reader itself panics, but where two spellings of one path are
//! two values, a locator leaves its root, an answer has no question. What the bytes mean is said at
//! each function, so that a seed can be written by hand.
//!
//! ```text
//! fuzz_targets/NAME.rs   one line: libFuzzer calls the function NAME
//! src/NAME.rs            the function, and the laws
//! seeds/NAME/            bytes to start from, which the tests of this crate run as well
//! ```
//!
//! Nothing here looks at the host: files are those of the in-memory filesystem, connections are
//! pipes in memory, and the clock stands still.
#![expect(
    clippy::expect_used,
    reason = "a law that does not hold stops the process, which is what a fuzzer looks for"
)]

mod any_file_system;
mod config_layer;
mod exec_client;
mod exec_server;
mod path_laws;
mod plugin_manifest;
mod runtime;
mod sftp_replies;
mod skill_file;
mod uri_fallback;
mod uri_lenient;
mod uri_native;
mod uri_strict;

pub use config_layer::config_layer;
pub use exec_client::exec_client;
pub use exec_server::exec_server;
pub use plugin_manifest::plugin_manifest;
pub use sftp_replies::sftp_replies;
pub use skill_file::skill_file;
pub use uri_fallback::uri_fallback;
pub use uri_lenient::uri_lenient;
pub use uri_native::uri_native;
pub use uri_strict::uri_strict;

/// The law of a target.
pub type Law = fn(&[u8]);

/// Every target and its law, by name.
pub const TARGETS: [(&str, Law); 10] = [
    ("config_layer", config_layer),
    ("exec_client", exec_client),
    ("exec_server", exec_server),
    ("plugin_manifest", plugin_manifest),
    ("sftp_replies", sftp_replies),
    ("skill_file", skill_file),
    ("uri_fallback", uri_fallback),
    ("uri_lenient", uri_lenient),
    ("uri_native", uri_native),
    ("uri_strict", uri_strict),
];

/// Stands on a line of its own between the two texts of a target that takes two.
const SEPARATOR: &[u8] = b"\n=====\n";

/// The two texts of a target that takes two; the second is `None` without the separator.
fn two_texts(data: &[u8]) -> (&[u8], Option<&[u8]>) {
    let at = data
        .windows(SEPARATOR.len())
        .position(|window| window == SEPARATOR);
    match at.and_then(|at| data.split_at_checked(at)) {
        Some((first, rest)) => (first, rest.get(SEPARATOR.len()..)),
        None => (data, None),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "seeds are files of this host")]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::TARGETS;

    #[test]
    fn every_seed_obeys_its_law() {
        for (name, law) in TARGETS {
            let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("seeds")
                .join(name);
            let mut seeds = 0;
            for seed in fs::read_dir(&directory).expect("a target has seeds") {
                let path = seed.expect("a directory can be listed").path();
                law(&fs::read(path).expect("a seed can be read"));
                seeds += 1;
            }
            assert!(seeds > 0, "{name} has no seed");
        }
    }
}
