//! How much either end takes from the other before it says no.

use std::time::Duration;

/// Largest message the server reads, in bytes (64 MiB).
pub const MAX_SERVER_INBOUND_MESSAGE: usize = 64 * 1024 * 1024;
/// Largest message the client reads, in bytes (128 MiB).
pub const MAX_CLIENT_INBOUND_MESSAGE: usize = 128 * 1024 * 1024;
/// Most bytes of a file in one `fs/readFile` reply of the server (11 MiB), so that the reply stays
/// below the 16 MiB at which other clients drop their connection.
pub const MAX_READ_FILE_RESPONSE: u64 = 11 * 1024 * 1024;
/// Most bytes of one block of a file (1 MiB).
pub const MAX_BLOCK_BYTES: u64 = 1024 * 1024;
/// Most files a connection may hold open.
pub const MAX_HANDLES: usize = 128;
/// Longest handle id, in bytes.
pub const MAX_HANDLE_ID_BYTES: usize = 32;
/// Most bytes of the entries in one `fs/walk` reply (4 MiB); a walk that needs more ends early.
pub const MAX_WALK_RESPONSE_BYTES: usize = 4 * 1024 * 1024;
/// Largest `fs/readDirectory` reply of the server, in bytes (16 MiB); other clients drop their
/// connection at a larger message.
pub const MAX_DIRECTORY_RESPONSE: usize = 16 * 1024 * 1024;
/// Longest path the server reads, in bytes of its URI (64 KiB); no system has longer ones.
pub const MAX_PATH_BYTES: usize = 64 * 1024;
/// Most paths, or keys of a configuration, in one request that lists some.
pub const MAX_LISTED_PATHS: usize = 4096;
/// Most entries of a listing or a walk that the client reads; twice what fits in an answer of our
/// server. What they come to in memory is several times their text.
pub const MAX_LISTED_ENTRIES: usize = 500_000;
/// Most names in one key of a configuration.
pub const MAX_KEY_NAMES: usize = 128;
/// Most keys of an object in the parameters of a request, one that is skipped included.
pub const MAX_OBJECT_KEYS: usize = 4096;
/// Longest id of a request that is text, in bytes (64 KiB).
pub const MAX_REQUEST_ID_BYTES: usize = 64 * 1024;
/// Deepest nesting of arrays and objects in a message.
pub const MAX_JSON_DEPTH: usize = 128;
/// Most connections a server holds at once.
pub const MAX_CONNECTIONS: usize = 64;
/// Most sessions without a connection a server remembers.
pub const MAX_DETACHED_SESSIONS: usize = 256;
/// How long a session without a connection is remembered.
pub const SESSION_KEPT_FOR: Duration = Duration::from_secs(30);
