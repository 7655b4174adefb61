//! Fuzzes strict parsing of URIs; the laws are those of [`codex_fuzz::uri_strict`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::uri_strict(data));
