//! Offsets and contents of a workload, compared with fio and DiskSpd.

mod access_like_fio;
mod captured;
mod cases;
mod content_like_fio;
#[path = "../job/mod.rs"]
mod job;
mod streams_like_diskspd;
