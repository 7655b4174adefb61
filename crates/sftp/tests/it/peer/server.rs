//! What a peer answers to each request.

use std::collections::BTreeMap;

use super::Script;
use super::codec::{Answer, Message};
use super::tree::{Node, Tree};

const OK: u32 = 0;
const END_OF_FILE: u32 = 1;
const NO_SUCH_FILE: u32 = 2;
const FAILURE: u32 = 4;
const UNSUPPORTED: u32 = 8;

/// What is open.
enum Open {
    File(Vec<u8>),
    Names(Vec<(Vec<u8>, Node)>),
}

/// The state of one connection.
pub(super) struct Server {
    script: Script,
    pub(super) tree: Tree,
    open: BTreeMap<Vec<u8>, Open>,
    next_handle: u8,
    /// The most that was open at once.
    pub(super) most_open: usize,
    /// The bytes that all reads asked for.
    pub(super) bytes_asked: usize,
}

/// What becomes of a request.
pub(super) enum Outcome {
    Answer(Vec<u8>),
    Nothing,
    /// The server waits for something else, and never reads again.
    Stuck,
}

impl Server {
    pub(super) fn new(script: Script, tree: Tree) -> Self {
        Self {
            script,
            tree,
            open: BTreeMap::new(),
            // No handle is UTF-8: they are bytes.
            next_handle: 0x80,
            most_open: 0,
            bytes_asked: 0,
        }
    }

    pub(super) fn open_now(&self) -> usize {
        self.open.len()
    }

    /// The first message of the server.
    pub(super) fn version(&self) -> Vec<u8> {
        let version = Answer::new(2, self.script.version);
        match self.script.limits {
            Some(_) => version.text(b"limits@openssh.com").text(b"1").framed(),
            None => version
                .text(b"posix-rename@openssh.com")
                .text(b"1")
                .framed(),
        }
    }

    pub(super) fn handle(&mut self, kind: u8, id: u32, body: &[u8]) -> Outcome {
        let name = name_of(kind);
        if self.script.silent.contains(&name) {
            return Outcome::Nothing;
        }
        let refused = self.script.refused.iter().find(|(other, _)| *other == name);
        if let Some((_, code)) = refused {
            return Outcome::Answer(status(id, *code));
        }
        let mut body = Message(body);
        let answer = match name {
            "open" => match self.open_file(id, &mut body) {
                Some(answer) => answer,
                None => return Outcome::Stuck,
            },
            "close" => {
                let known = self.open.remove(body.text()).is_some();
                status(id, if known { OK } else { FAILURE })
            }
            "read" => self.read(id, &mut body),
            "write" => self.write(id, &mut body),
            "lstat" => self.stat(id, body.text(), false),
            "stat" => self.stat(id, body.text(), true),
            "setstat" | "fsetstat" => status(id, OK),
            "opendir" => self.open_directory(id, body.text()),
            "readdir" => self.read_directory(id, body.text()),
            "remove" => self.remove(id, body.text(), |node| *node != Node::Directory),
            "rmdir" => self.remove(id, body.text(), |node| *node == Node::Directory),
            "mkdir" => self.create(id, body.text(), Node::Directory),
            "symlink" => {
                let target = body.text().to_vec();
                self.create(id, body.text(), Node::Link(target))
            }
            "realpath" => self.real_path(id, body.text()),
            "readlink" => match self.tree.node(body.text(), false) {
                Some((_, Node::Link(target))) => names(id, &[(target.clone(), Node::Fifo)]),
                _ => status(id, NO_SUCH_FILE),
            },
            "extended" => self.limits(id, body.text()),
            _ => status(id, UNSUPPORTED),
        };
        Outcome::Answer(answer)
    }

    fn opened(&mut self, id: u32, open: Open) -> Vec<u8> {
        let handle = vec![0, 0, 0, self.next_handle];
        self.next_handle = self.next_handle.wrapping_add(1);
        self.open.insert(handle.clone(), open);
        self.most_open = self.most_open.max(self.open.len());
        Answer::new(102, id).text(&handle).framed()
    }

    fn open_file(&mut self, id: u32, body: &mut Message<'_>) -> Option<Vec<u8>> {
        let path = body.text();
        let writes = body.number() & 2 != 0;
        let Some(real) = self.tree.resolved(path, true) else {
            return Some(status(id, NO_SUCH_FILE));
        };
        let answer = match self.tree.0.get(&real) {
            Some(Node::Fifo) => return None,
            Some(Node::Directory) if writes => status(id, FAILURE),
            None if !writes => status(id, NO_SUCH_FILE),
            _ => {
                if writes {
                    self.tree.0.insert(real.clone(), Node::File(Vec::new()));
                }
                self.opened(id, Open::File(real))
            }
        };
        Some(answer)
    }

    fn read(&mut self, id: u32, body: &mut Message<'_>) -> Vec<u8> {
        let handle = body.text();
        let (offset, length) = (body.long() as usize, body.number() as usize);
        self.bytes_asked += length;
        let length = length.min(self.script.longest_read) + self.script.surplus;
        let Some(Open::File(path)) = self.open.get(handle) else {
            return status(id, FAILURE);
        };
        let Some(Node::File(contents)) = self.tree.0.get(path) else {
            return status(id, FAILURE);
        };
        if self.script.endless.is_some() {
            return Answer::new(103, id).text(&vec![7; length]).framed();
        }
        match contents.get(offset..).unwrap_or_default() {
            [] => status(id, END_OF_FILE),
            rest => Answer::new(103, id)
                .text(&rest[..length.min(rest.len())])
                .framed(),
        }
    }

    fn write(&mut self, id: u32, body: &mut Message<'_>) -> Vec<u8> {
        let handle = body.text();
        let offset = body.long() as usize;
        let data = body.text();
        let Some(Open::File(path)) = self.open.get(handle) else {
            return status(id, FAILURE);
        };
        let Some(Node::File(contents)) = self.tree.0.get_mut(path) else {
            return status(id, FAILURE);
        };
        contents.resize(contents.len().max(offset + data.len()), 0);
        contents[offset..offset + data.len()].copy_from_slice(data);
        status(id, OK)
    }

    fn stat(&self, id: u32, path: &[u8], follows: bool) -> Vec<u8> {
        match self.tree.node(path, follows) {
            Some((_, node)) => {
                let size = self.script.told_size.unwrap_or(size_of(node));
                attributes(Answer::new(105, id), node, size).framed()
            }
            None => status(id, NO_SUCH_FILE),
        }
    }

    fn open_directory(&mut self, id: u32, path: &[u8]) -> Vec<u8> {
        match self.tree.node(path, true) {
            Some((real, Node::Directory)) => {
                let children = self.tree.children(&real).into_iter();
                let dots = [b".".to_vec(), b"..".to_vec()].map(|name| (name, Node::Directory));
                self.opened(id, Open::Names(dots.into_iter().chain(children).collect()))
            }
            _ => status(id, NO_SUCH_FILE),
        }
    }

    fn read_directory(&mut self, id: u32, handle: &[u8]) -> Vec<u8> {
        let Some(Open::Names(left)) = self.open.get_mut(handle) else {
            return status(id, FAILURE);
        };
        if let Some(length) = self.script.endless {
            let name = (vec![b'x'; length], Node::Directory);
            return names(id, &vec![name; self.script.names_per_reply]);
        }
        if left.is_empty() {
            return status(id, END_OF_FILE);
        }
        let next = self.script.names_per_reply.min(left.len());
        let next: Vec<_> = left.drain(..next).collect();
        names(id, &next)
    }

    fn remove(&mut self, id: u32, path: &[u8], fits: impl Fn(&Node) -> bool) -> Vec<u8> {
        match self.tree.node(path, false) {
            None => status(id, NO_SUCH_FILE),
            Some((real, node)) if fits(node) && self.tree.children(&real).is_empty() => {
                self.tree.0.remove(&real);
                status(id, OK)
            }
            Some(_) => status(id, FAILURE),
        }
    }

    fn create(&mut self, id: u32, path: &[u8], node: Node) -> Vec<u8> {
        match self.tree.resolved(path, false) {
            None => status(id, NO_SUCH_FILE),
            Some(real) if self.tree.0.contains_key(&real) => status(id, FAILURE),
            Some(real) => {
                self.tree.0.insert(real, node);
                status(id, OK)
            }
        }
    }

    fn real_path(&self, id: u32, path: &[u8]) -> Vec<u8> {
        if path == b"." {
            let own = self.script.own_directory.as_bytes().to_vec();
            return names(id, &[(own, Node::Directory)]);
        }
        match self.tree.resolved(path, true) {
            Some(real) => names(id, &[(real, Node::Directory)]),
            None => status(id, NO_SUCH_FILE),
        }
    }

    fn limits(&self, id: u32, extension: &[u8]) -> Vec<u8> {
        match self.script.limits {
            Some((read, write)) if extension == b"limits@openssh.com" => {
                let answer = Answer::new(201, id).long(256 * 1024);
                answer.long(read).long(write).long(0).framed()
            }
            _ => status(id, UNSUPPORTED),
        }
    }
}

pub(super) fn name_of(kind: u8) -> &'static str {
    match kind {
        3 => "open",
        4 => "close",
        5 => "read",
        6 => "write",
        7 => "lstat",
        9 => "setstat",
        10 => "fsetstat",
        11 => "opendir",
        12 => "readdir",
        13 => "remove",
        14 => "mkdir",
        15 => "rmdir",
        16 => "realpath",
        17 => "stat",
        19 => "readlink",
        20 => "symlink",
        200 => "extended",
        other => panic!("no request has type {other}"),
    }
}

fn status(id: u32, code: u32) -> Vec<u8> {
    let answer = Answer::new(101, id).number(code);
    answer.text(b"says the peer").text(b"").framed()
}

fn names(id: u32, all: &[(Vec<u8>, Node)]) -> Vec<u8> {
    let answer = Answer::new(104, id).number(all.len() as u32);
    let add = |answer: Answer, (name, node): &(Vec<u8>, Node)| {
        let answer = answer.text(name).text(b"a line for people");
        attributes(answer, node, size_of(node))
    };
    all.iter().fold(answer, add).framed()
}

fn size_of(node: &Node) -> u64 {
    match node {
        Node::File(contents) => contents.len() as u64,
        Node::Directory => 4096,
        Node::Link(target) => target.len() as u64,
        Node::Fifo => 0,
    }
}

/// Size, owner, permissions, times and an extension that nobody asked for.
fn attributes(answer: Answer, node: &Node, size: u64) -> Answer {
    let permissions = match node {
        Node::File(_) => 0o100_644,
        Node::Directory => 0o040_755,
        Node::Link(_) => 0o120_777,
        Node::Fifo => 0o010_644,
    };
    let answer = answer.number(0x8000_000F).long(size);
    let answer = answer.number(1000).number(1000).number(permissions);
    let answer = answer.number(1_600_000_000).number(1_700_000_000);
    answer.number(1).text(b"colour@peer").text(b"blue")
}
