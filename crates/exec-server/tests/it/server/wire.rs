//! A raw client: what it sends is what the test says, byte for byte.

use std::time::Duration;

use codex_exec_server::Server;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf,
    WriteHalf,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::{WebSocketStream, client_async};

/// More than any answer takes.
const PATIENCE: Duration = Duration::from_secs(20);
const PIPE_BYTES: usize = 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Pipe,
    Socket,
}

pub(crate) enum Wire {
    Pipe {
        reader: BufReader<ReadHalf<DuplexStream>>,
        writer: WriteHalf<DuplexStream>,
        serving: JoinHandle<std::io::Result<()>>,
    },
    Socket(Box<WebSocketStream<TcpStream>>),
}

/// A server that listens on loopback, until the test is over.
pub(crate) async fn listen(server: &Server) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = server.clone();
    tokio::spawn(async move { server.serve_websocket(listener).await });
    address
}

pub(crate) async fn connect(address: std::net::SocketAddr) -> Wire {
    try_connect(address).await.unwrap()
}

/// As [`connect`], for a server that may refuse.
pub(crate) async fn try_connect(
    address: std::net::SocketAddr,
) -> Result<Wire, tokio_tungstenite::tungstenite::Error> {
    let stream = TcpStream::connect(address).await?;
    let (socket, _) = client_async(format!("ws://{address}/"), stream).await?;
    Ok(Wire::Socket(Box::new(socket)))
}

impl Wire {
    pub(crate) async fn open(server: &Server, transport: Transport) -> Self {
        match transport {
            Transport::Socket => connect(listen(server).await).await,
            Transport::Pipe => {
                let (here, there) = tokio::io::duplex(PIPE_BYTES);
                let (reader, writer) = tokio::io::split(there);
                let server = server.clone();
                let serving = tokio::spawn(async move { server.serve_stdio(reader, writer).await });
                let (reader, writer) = tokio::io::split(here);
                Wire::Pipe {
                    reader: BufReader::new(reader),
                    writer,
                    serving,
                }
            }
        }
    }

    /// Sends one message of a case, with what its prefixes ask for.
    pub(crate) async fn send(&mut self, text: &str) {
        match text.split_once('>') {
            Some(("<eof", _)) => self.end_input().await,
            Some(("<no-newline", text)) => self.send_bytes(text.as_bytes()).await,
            Some(("<hex", hex)) => self.send_line(&from_hex(hex)).await,
            Some(("<binary", text)) => self.send_frame(Message::binary(text.to_owned())).await,
            Some(("<binary-hex", hex)) => self.send_frame(Message::binary(from_hex(hex))).await,
            Some((head, rest)) if head.starts_with("<bytes:") => {
                assert_eq!(rest, "");
                let length: usize = head["<bytes:".len()..].parse().unwrap();
                self.send_text(&format!("\"{}\"", "x".repeat(length - 2)))
                    .await;
            }
            Some((head, text)) if head.starts_with("<fragments:") => {
                let parts: usize = head["<fragments:".len()..].parse().unwrap();
                self.send_fragments(text, parts).await;
            }
            _ => self.send_text(text).await,
        }
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        match self {
            Wire::Pipe { .. } => self.send_line(text.as_bytes()).await,
            Wire::Socket(_) => self.send_frame(Message::text(text.to_owned())).await,
        }
    }

    async fn send_line(&mut self, line: &[u8]) {
        self.send_bytes(line).await;
        self.send_bytes(b"\n").await;
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        let Wire::Pipe { writer, .. } = self else {
            panic!("bytes are sent on a pipe");
        };
        timeout(PATIENCE, writer.write_all(bytes))
            .await
            .unwrap()
            .unwrap();
    }

    pub(crate) async fn end_input(&mut self) {
        let Wire::Pipe { writer, .. } = self else {
            panic!("only a pipe ends on one side");
        };
        writer.shutdown().await.unwrap();
    }

    /// Sends a frame; one that the server does not want to hear to its end may fail.
    pub(crate) async fn send_frame(&mut self, frame: Message) {
        let Wire::Socket(socket) = self else {
            panic!("frames are sent on a socket");
        };
        let _ = timeout(PATIENCE, socket.send(frame)).await.unwrap();
    }

    async fn send_fragments(&mut self, text: &str, parts: usize) {
        let bytes: Vec<u8> = text.bytes().collect();
        let chunks: Vec<&[u8]> = bytes.chunks(bytes.len().div_ceil(parts)).collect();
        for (index, chunk) in chunks.iter().enumerate() {
            let data = if index == 0 {
                Data::Text
            } else {
                Data::Continue
            };
            let is_last = index + 1 == chunks.len();
            let frame = Frame::message(chunk.to_vec(), OpCode::Data(data), is_last);
            self.send_frame(Message::Frame(frame)).await;
        }
    }

    /// The next answer; `None` when the server has nothing more to say.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        match self {
            Wire::Pipe { reader, .. } => {
                let mut line = String::new();
                let read = timeout(PATIENCE, reader.read_line(&mut line)).await;
                if read.expect("an answer in time").unwrap() == 0 {
                    return None;
                }
                Some(serde_json::from_str(&line).unwrap())
            }
            Wire::Socket(socket) => loop {
                let frame = timeout(PATIENCE, socket.next()).await;
                match frame.expect("an answer in time")? {
                    Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                    Ok(Message::Ping(_) | Message::Pong(_)) => {}
                    _ => return None,
                }
            },
        }
    }

    /// With which code the server closes the connection.
    pub(crate) async fn close_code(&mut self) -> Option<u16> {
        let Wire::Socket(socket) = self else {
            panic!("only a socket closes with a code");
        };
        loop {
            match timeout(PATIENCE, socket.next())
                .await
                .expect("a close in time")?
            {
                Ok(Message::Close(frame)) => return Some(frame?.code.into()),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    pub(crate) async fn request(&mut self, request: &Value) -> Value {
        self.send_text(&request.to_string()).await;
        self.receive().await.expect("an answer")
    }

    pub(crate) async fn greet(&mut self) -> Value {
        let request = r#"{"id": "hello", "method": "initialize", "params": {"clientName": "t"}}"#;
        self.send_text(request).await;
        self.send_text(r#"{"method": "initialized"}"#).await;
        self.receive().await.expect("an answer")
    }

    /// Leaves without a word, and waits until the server has let go of the connection.
    pub(crate) async fn hang_up(self) {
        match self {
            Wire::Pipe {
                reader,
                writer,
                serving,
            } => {
                drop((reader, writer));
                // A pipe that nobody reads may be an error; it is the end all the same.
                let _ = timeout(PATIENCE, serving).await.expect("an end in time");
            }
            Wire::Socket(socket) => {
                let mut stream = socket.into_inner();
                stream.shutdown().await.unwrap();
                let mut rest = Vec::new();
                let reading = stream.read_to_end(&mut rest);
                timeout(PATIENCE, reading)
                    .await
                    .expect("an end in time")
                    .unwrap();
            }
        }
    }

    /// What serving a pipe returned.
    pub(crate) async fn served(self) -> std::io::Result<()> {
        let Wire::Pipe { serving, .. } = self else {
            panic!("only a pipe is served by itself");
        };
        timeout(PATIENCE, serving).await.unwrap().unwrap()
    }
}

fn from_hex(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}
