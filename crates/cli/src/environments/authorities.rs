//! Whom this machine trusts to vouch for servers.
//!
//! As other programs do: the certificates that `SSL_CERT_FILE` and `SSL_CERT_DIR` name, else those
//! of the operating system. Where there are none at all, the list that is built into the client
//! holds.

use crate::exit::Failure;
use crate::host;

const FILE_VARIABLE: &str = "SSL_CERT_FILE";
const DIRECTORY_VARIABLE: &str = "SSL_CERT_DIR";

/// The certificates of the authorities in DER; `None` where the machine has none.
///
/// # Errors
/// When a variable names certificates and none of them can be read.
pub(super) fn authorities() -> Result<Option<Vec<Vec<u8>>>, Failure> {
    let found = rustls_native_certs::load_native_certs();
    let certificates = found.certs.iter().map(|certificate| certificate.to_vec());
    let certificates: Vec<_> = certificates.collect();
    if !certificates.is_empty() {
        return Ok(Some(certificates));
    }
    for name in [FILE_VARIABLE, DIRECTORY_VARIABLE] {
        if let Some(path) = host::text_variable(name)? {
            let what = format!("cannot find a certificate in {path}, which {name} names");
            let failure = Failure::new(what, "name PEM certificates or unset it");
            let cause = found.errors.into_iter().next();
            return Err(match cause {
                Some(cause) => failure.caused_by(cause),
                None => failure,
            });
        }
    }
    Ok(None)
}
