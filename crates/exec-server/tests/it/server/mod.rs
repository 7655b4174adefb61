//! The server as a client meets it.

mod blocks;
mod cases;
mod confined;
mod expect;
mod fixture;
mod hardening;
mod http;
mod stub;
mod wire;
