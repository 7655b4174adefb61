//! `wss://`: a proxy that speaks TLS in front of a server, as there is one before a real server.
//!
//! Its key and its certificate, which nobody but itself vouches for, are good for 127.0.0.1 only.

use std::net::SocketAddr;
use std::sync::Arc;

use pretty_assertions::assert_eq;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::sandbox::{Ran, Sandbox};
use crate::server::Server;

const CERTIFICATE: &str = include_str!("../data/tls/certificate.pem");
const KEY: &str = include_str!("../data/tls/key.pem");

/// Whom nobody trusts unless told so.
struct Proxy {
    url: String,
    _runtime: Runtime,
}

impl Proxy {
    /// Passes on what comes over TLS to a server that takes plain connections.
    fn before(server: &Server) -> Self {
        let certificate = CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let behind: SocketAddr = server.address().parse().unwrap();
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // A client that does not trust the proxy ends the connection.
                    let mut client = acceptor.accept(stream).await?;
                    let mut server = TcpStream::connect(behind).await?;
                    copy_bidirectional(&mut client, &mut server).await
                });
            }
        });
        Self {
            url: format!("wss://127.0.0.1:{port}"),
            _runtime: runtime,
        }
    }
}

/// Asks for a root through the proxy, with these variables.
fn root(sandbox: &Sandbox, proxy: &Proxy, variables: &[(&str, &str)]) -> Ran {
    let mut command = sandbox.command(&["root", "r", "--env", &proxy.url, "--token-env", "TOKEN"]);
    let command = command.env("TOKEN", "open sesame");
    sandbox.finish(command.envs(variables.iter().copied()))
}

#[test]
fn a_server_is_trusted_whose_certificate_the_variable_names() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/token = open sesame");
    let server = Server::start(&sandbox, &["--auth-token-file", "token"]);
    let proxy = Proxy::before(&server);
    sandbox.write("/w/authority.pem", CERTIFICATE);
    let trusting = [("SSL_CERT_FILE", "authority.pem")];
    let ran = root(&sandbox, &proxy, &trusting);
    assert_eq!(ran.clean(), "/sandbox/w/r\t.git\t/sandbox/w/r\n");
}

#[test]
fn a_server_that_nobody_vouches_for_is_not_talked_to() {
    let sandbox = Sandbox::new("/w/r/.git/");
    let server = Server::start(&sandbox, &[]);
    let proxy = Proxy::before(&server);
    let ran = root(&sandbox, &proxy, &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    assert!(
        ran.stderr.contains("invalid peer certificate"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("SSL_CERT_FILE"), "{}", ran.stderr);
}

#[test]
fn a_server_that_does_not_speak_tls_is_told_so_with_what_to_try() {
    let sandbox = Sandbox::new("/w/r/.git/");
    let server = Server::start(&sandbox, &[]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = listener.local_addr().unwrap();
    // What cannot be read is answered by one server and ends the connection of another.
    std::thread::spawn(move || listener.incoming().for_each(drop));
    for (address, expected) in [
        (
            server.address().to_owned(),
            "the server does not speak TLS: try",
        ),
        (
            silent.to_string(),
            "the server ended the connection when TLS began: if it does not speak TLS, try",
        ),
    ] {
        let target = format!("wss://{address}");
        let ran = sandbox.run(&["root", "r", "--env", &target]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
        let expected = format!("caused by: {expected} ws:// instead of wss://\n");
        assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
    }
}

#[test]
fn certificates_that_are_not_there_are_a_mistake_of_the_user() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/empty = ");
    let server = Server::start(&sandbox, &[]);
    let proxy = Proxy::before(&server);
    for file in ["missing.pem", "empty"] {
        let ran = root(&sandbox, &proxy, &[("SSL_CERT_FILE", file)]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{file}");
        let expected = format!(
            "error: cannot find a certificate in {file}, which SSL_CERT_FILE names; \
             name PEM certificates or unset it\n"
        );
        assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
    }
}
