//! The server as a client meets it.

mod cases;
mod expect;
mod fixture;
mod wire;
