//! DiskSpd's dialect: parses command lines and XML profiles into a [`Profile`], and renders reports.
//!
//! Invariant: this crate does not access devices or files.
//!
//! Start with [`Profile`], to which both parsers lead, then `lower` and `render`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod lower;
pub mod options;
pub mod parse;
pub mod profile;
pub mod render;
pub mod validate;
pub mod vary;
pub mod wording;
pub mod xml;

pub use parse::{Invocation, Request, parse};
pub use profile::Profile;
