//! DiskSpd's XML profiles: read, written, and their templates filled in.

mod beside;
mod decode;
mod element;
pub mod read;
mod target;
pub mod template;
mod time_span;
mod value;
mod words;
pub mod write;
pub mod writer;

pub use beside::Beside;
pub use read::{FILE_BYTES_MAX, Reading, read, read_bytes};
pub use write::{write, write_into};
