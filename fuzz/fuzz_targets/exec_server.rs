//! Fuzzes the server of the executor protocol; the laws are those of [`codex_fuzz::exec_server`].
#![no_main]
#![expect(
    clippy::disallowed_types,
    reason = "the macro can write what it was given to a file"
)]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::exec_server(data));
