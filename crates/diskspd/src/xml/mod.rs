//! DiskSpd's XML profiles: parsing, writing and templates.

mod decode;
mod element;
mod keywords;
mod overrides;
pub mod read;
mod reading;
mod target;
pub mod template;
mod time_span;
mod value;
pub mod write;
pub mod writer;

pub use overrides::Overrides;
pub(crate) use read::{BYTES_MAX, too_big};
pub use read::{FILE_BYTES_MAX, read, read_bytes};
pub use reading::Reading;
pub use write::{write, write_into};
