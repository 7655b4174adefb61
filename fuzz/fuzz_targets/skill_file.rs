//! Fuzzes `SKILL.md` and its sidecar; the laws are those of [`codex_fuzz::skill_file`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::skill_file(data));
