//! Fuzzes configuration layers; the laws are those of [`codex_fuzz::config_layer`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::config_layer(data));
