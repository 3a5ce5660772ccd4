//! Engines whose targets are on another machine, with servers on the loopback interface.

#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

mod ceph;
mod http;
mod iscsi;
mod jobs;
mod nbd;
mod nfs;
mod object_server;
