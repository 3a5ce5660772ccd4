//! DiskSpd's dialect: its command lines and XML profiles in, its reports out; all of them meet in one [`Profile`].
//!
//! Invariant: no device and no file is touched here.

pub mod lower;
pub mod options;
pub mod parse;
pub mod profile;
pub mod render;
pub mod validate;
pub mod vary;
pub mod xml;

pub use parse::{Invocation, Request, parse};
pub use profile::Profile;
