//! Fuzzes replies of SFTP servers; the laws are those of [`codex_fuzz::sftp_replies`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| codex_fuzz::sftp_replies(data));
