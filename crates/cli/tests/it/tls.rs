//! `wss://`: a proxy that speaks TLS in front of a server, as there is one before a real server.

use std::net::SocketAddr;
use std::sync::Arc;

use pretty_assertions::assert_eq;
use rcgen::generate_simple_self_signed;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::sandbox::{Ran, Sandbox};
use crate::server::Server;

/// Whom nobody trusts unless told so.
struct Proxy {
    url: String,
    /// Its own certificate, which nobody else vouches for.
    certificate: String,
    _runtime: Runtime,
}

impl Proxy {
    /// Passes on what comes over TLS to a server that takes plain connections.
    fn before(server: &Server) -> Self {
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let made = generate_simple_self_signed(names).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
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
            certificate: made.cert.pem(),
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
    sandbox.write("/w/authority.pem", &proxy.certificate);
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
