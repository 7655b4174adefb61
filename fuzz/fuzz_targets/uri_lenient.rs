//! Fuzzes lenient parsing of URIs; the laws are those of [`codex_fuzz::uri_lenient`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::uri_lenient(data));
