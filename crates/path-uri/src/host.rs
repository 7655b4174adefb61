//! Which hosts may stand in a URI: those whose spelling every URL parser keeps.

use std::borrow::Cow;

use url::Host;

/// `host` with ASCII letters in lower case, if that is a spelling no URL parser changes.
///
/// `localhost` passes: it is for the caller to decide what it means.
pub(crate) fn canonical(host: &str) -> Option<Cow<'_, str>> {
    let folded = if host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(host.to_ascii_lowercase())
    } else {
        Cow::Borrowed(host)
    };
    (is_kept_by_every_parser(&folded)).then_some(folded)
}

/// The spelling that the URL standard gives `host`, if it has one that is kept afterwards.
pub(crate) fn repaired(host: &str) -> Option<String> {
    let spelling = Host::parse(host).ok()?.to_string();
    is_kept_by_every_parser(&spelling).then_some(spelling)
}

fn is_kept_by_every_parser(host: &str) -> bool {
    match host {
        "" | "." | ".." => false,
        _ if is_plain_name(host) => true,
        _ => Host::parse(host).is_ok_and(|parsed| parsed.to_string() == host),
    }
}

/// Names that need no call into the `url` crate: no punycode to check, and nothing that reads as an
/// IPv4 address.
fn is_plain_name(host: &str) -> bool {
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'$');
    let last_label = host.rsplit('.').next().unwrap_or_default();
    host.bytes().all(plain)
        && !host.split('.').any(|label| label.starts_with("xn--"))
        && last_label
            .bytes()
            .next()
            .is_some_and(|first| !first.is_ascii_digit())
}
