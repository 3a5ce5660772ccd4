//! DiskSpd's dialect: its command lines and XML profiles in, its reports out; all of them meet in one [`Profile`].
//!
//! Invariant: no device and no file is touched here.

pub mod lower;
pub mod profile;
pub mod render;
pub mod vary;
pub mod xml;

pub use profile::Profile;
