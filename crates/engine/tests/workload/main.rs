//! Offsets and contents of a workload, compared with those of fio and DiskSpd.

mod access_like_fio;
mod content_like_fio;
#[path = "../job/mod.rs"]
mod job;
mod streams_like_diskspd;
