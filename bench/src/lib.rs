//! fathom beside fio and `t/io_uring`, in turns, on the same job file: what each does in a second, what an I/O costs it,
//! what it takes to begin. `docs/performance.md` says how to start it and what came out.

pub mod arguments;
pub mod instructions;
pub mod machine;
pub mod pairing;
pub mod programs;
pub mod results;
pub mod session;
pub mod show;
pub mod statistics;
pub mod targets;
pub mod watch;
pub mod works;
