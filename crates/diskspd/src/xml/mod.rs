//! DiskSpd's XML.

pub mod writer;
