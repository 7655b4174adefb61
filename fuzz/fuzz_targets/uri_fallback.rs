//! Fuzzes paths without an ordinary URI; the laws are those of [`codex_fuzz::uri_fallback`].
#![no_main]
#![expect(
    clippy::disallowed_types,
    reason = "the macro can write what it was given to a file"
)]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::uri_fallback(data));
