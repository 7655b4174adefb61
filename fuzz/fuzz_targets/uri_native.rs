//! Fuzzes native paths of both conventions; the laws are those of [`codex_fuzz::uri_native`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::uri_native(data));
