//! Upward searches.

mod cases;
mod formula;
mod model;
mod rules;
