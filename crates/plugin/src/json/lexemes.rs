//! The ends of strings, numbers and literals.
//!
//! Each function takes the offset of a first character that is already known to fit, and gives the
//! offset behind the last one.

use super::escapes::check_escape;
use super::scan::Fault;

/// A string: the offset behind its closing quote, and whether it holds an escape.
pub(super) fn string_end(bytes: &[u8], start: usize) -> Result<(usize, bool), Fault> {
    let mut at = start + 1;
    let mut has_escape = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return Ok((at + 1, has_escape)),
            b'\\' => {
                has_escape = true;
                at = check_escape(bytes, at)?;
            }
            0..=0x1F => return Err(Fault::syntax(at)),
            _ => at += 1,
        }
    }
    Err(Fault::end(bytes))
}

/// A number of any size.
pub(super) fn number_end(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let mut at = start;
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    at = match bytes.get(at) {
        Some(b'0') => at + 1,
        _ => digits_end(bytes, at)?,
    };
    if bytes.get(at) == Some(&b'.') {
        at = digits_end(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits_end(bytes, at)?;
    }
    Ok(at)
}

/// One digit or more.
fn digits_end(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let rest = bytes.get(start..).unwrap_or_default();
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match (count, rest.is_empty()) {
        (0, true) => Err(Fault::end(bytes)),
        (0, false) => Err(Fault::syntax(start)),
        _ => Ok(start + count),
    }
}

/// One of `true`, `false` and `null`.
pub(super) fn literal_end(bytes: &[u8], start: usize, literal: &str) -> Result<usize, Fault> {
    for (at, wanted) in (start..).zip(literal.bytes()) {
        match bytes.get(at) {
            None => return Err(Fault::end(bytes)),
            Some(byte) if *byte != wanted => return Err(Fault::syntax(at)),
            Some(_) => {}
        }
    }
    Ok(start + literal.len())
}
