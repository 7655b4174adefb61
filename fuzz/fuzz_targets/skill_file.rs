//! Fuzzes `SKILL.md` and its sidecar; the laws are those of [`codex_fuzz::skill_file`].
#![no_main]
#![expect(
    clippy::disallowed_types,
    reason = "the macro can write what it was given to a file"
)]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::skill_file(data));
