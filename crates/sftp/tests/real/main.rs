//! The filesystem against OpenSSH: the conformance suite, and how fast it is.
//!
//! `just test-ssh` unpacks the servers and says in the environment where they are. Without them
//! every test is skipped with the reason; nothing is skipped in silence.

#![expect(
    clippy::disallowed_methods,
    reason = "the server's files are on this host, and the recipe speaks through the environment"
)]

mod exceptions;
mod measures;
mod servers;
mod subject;

use libtest_mimic::{Arguments, Trial};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::from_args();
    let mut all = Vec::new();
    for (name, server) in [
        ("sftp-server", servers::on_pipes()),
        ("sshd", servers::over_ssh()),
    ] {
        match server {
            Ok(server) => {
                all.extend(subject::trials(name, &server));
                all.extend(exceptions::trials(name, &server));
            }
            Err(reason) => all.push(skipped(name, reason)),
        }
    }
    if let Ok(server) = servers::on_pipes() {
        all.extend(measures::trials(&server));
    }
    libtest_mimic::run(&arguments, all).exit();
}

/// One trial that tells why a server is not there.
fn skipped(name: &str, reason: String) -> Trial {
    Trial::ignorable_test(format!("{name}::everything"), move || {
        Ok(libtest_mimic::Completion::ignored_with(reason))
    })
}
