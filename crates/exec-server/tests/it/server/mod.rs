//! The server as a client meets it.

mod blocks;
mod bounds;
mod budget;
mod cases;
mod confined;
mod expect;
mod farewell;
mod fixture;
mod hardening;
mod http;
mod paths;
mod stub;
mod wire;
