//! Fuzzes plugin manifests; the laws are those of [`codex_fuzz::plugin_manifest`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::plugin_manifest(data));
