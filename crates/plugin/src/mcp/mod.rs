//! The MCP servers that plugins register, as inert data.
//!
//! A registration says which program of the plugin's environment would be started, with what. Here
//! nothing is started, expanded or looked up, and no variable or path of the host is consulted: a
//! server of an environment runs in that environment, or not at all.
//!
//! Only stdio servers are registered. One bad server costs that server, one bad file that file.

mod check;
mod collect;
mod config_file;
mod cwd;
mod load;
mod reads;
mod server;
mod types;

pub use collect::{ParsedMcpConfig, parse_mcp_config};
pub use load::load_mcp_servers;
pub use types::{McpServerRegistration, McpServerSource, PluginMcpServers, StdioServer};
