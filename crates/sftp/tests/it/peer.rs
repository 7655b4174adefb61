//! A server of SFTP version 3 that does as it is told: a tree in memory, and a script of what it
//! does unlike others. Its encoding is its own, so that both ends cannot share a mistake.

mod codec;
mod serve;
mod server;
mod tree;

pub(crate) use serve::{LATENCY, Peer, serve};
pub(crate) use tree::{Node, Tree};

/// What a peer does unlike others.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// The version it speaks.
    pub(crate) version: u32,
    /// The directory it says it is in.
    pub(crate) own_directory: &'static str,
    /// Most bytes of a read and of a write, announced as `limits@openssh.com`.
    pub(crate) limits: Option<(u64, u64)>,
    /// Most names in one answer.
    pub(crate) names_per_reply: usize,
    /// Most bytes it gives for one read, whatever was asked for.
    pub(crate) longest_read: usize,
    /// Bytes it gives beyond those that were asked for.
    pub(crate) surplus: usize,
    /// The size it tells of every file, whatever is true.
    pub(crate) told_size: Option<u64>,
    /// No file and no directory ends, and names are so long.
    pub(crate) endless: Option<usize>,
    /// Requests that are refused with this code.
    pub(crate) refused: Vec<(&'static str, u32)>,
    /// Requests that are never answered.
    pub(crate) silent: Vec<&'static str>,
    /// Answers that are ready together are sent last first.
    pub(crate) is_reversed: bool,
    /// The connection ends when so many requests were read, the last one unanswered.
    pub(crate) cut_at: Option<usize>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            version: 3,
            own_directory: "/home/peer",
            limits: None,
            names_per_reply: 100,
            longest_read: usize::MAX,
            surplus: 0,
            told_size: None,
            endless: None,
            refused: Vec::new(),
            silent: Vec::new(),
            is_reversed: false,
            cut_at: None,
        }
    }
}
