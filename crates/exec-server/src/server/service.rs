//! What all connections of a server share.

use std::sync::Arc;

use codex_file_system::ExecutorFileSystem;

use super::budget::Budget;
use super::handles::OpenFiles;
use super::session::Sessions;
use super::{EnvironmentInfo, ServerOptions};
use crate::protocol;

/// The filesystem that is served, and how.
pub(super) struct Service {
    pub(super) filesystem: Arc<dyn ExecutorFileSystem>,
    pub(super) files: Arc<dyn OpenFiles>,
    pub(super) options: ServerOptions,
    pub(super) sessions: Arc<Sessions>,
    /// What listings and walks may come to while they are made.
    pub(super) listings: Budget,
    /// The object of the handshake, made once.
    pub(super) wire_info: protocol::EnvironmentInfo,
}

impl Service {
    pub(super) fn new(
        filesystem: Arc<dyn ExecutorFileSystem>,
        files: Arc<dyn OpenFiles>,
        options: ServerOptions,
    ) -> Self {
        Self {
            filesystem,
            files,
            sessions: Arc::new(Sessions::new(&options.limits)),
            listings: Budget::new(options.limits.listings),
            wire_info: options.info.to_wire(),
            options,
        }
    }

    pub(super) fn info(&self) -> &EnvironmentInfo {
        &self.options.info
    }
}
