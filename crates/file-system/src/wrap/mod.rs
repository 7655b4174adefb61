//! Skeleton of the wrappers: the filesystem crate replaces it.
#![allow(missing_docs, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
use std::{future::Future, pin::Pin, time::Duration};
pub trait Timer: Send + Sync { fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>; }
