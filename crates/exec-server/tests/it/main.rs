//! Behaviour of both ends through the public API.
