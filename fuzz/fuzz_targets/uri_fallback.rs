//! Fuzzes paths without an ordinary URI; the laws are those of [`codex_fuzz::uri_fallback`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::uri_fallback(data));
