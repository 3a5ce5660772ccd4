//! DiskSpd's reports, from the profile and the record of its run.

mod byte_size;
mod distribution;
mod profile_text;

pub use profile_text::profile_text;
