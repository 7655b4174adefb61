//! Skeleton.
#![allow(
    missing_docs,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason
)]
pub struct LocalFileSystem;
pub struct TokioTimer;
