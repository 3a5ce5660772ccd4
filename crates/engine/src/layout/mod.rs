//! Layout: everything between a job and its first I/O. It finds the targets, divides the job's size among them, creates
//! what is missing, and removes files after the run if the job requests it.
//!
//! Invariant: nothing here makes a file shorter than it was, or changes a byte of it. The same holds for a layout that
//! fails or is stopped.

mod append;
mod cache;
mod extend;
mod find;
mod lay_out;
mod site;
mod sizes;
#[cfg(test)]
mod tests;
mod unlink;
mod zones;

pub use append::{append, appends_each_pass};
pub use cache::{invalidate, pre_read};
pub(crate) use find::{device_size, kind_of_target, paths, refuse_devices};
pub(crate) use lay_out::{lay_out, planned};
pub(crate) use sizes::check_size;
pub use unlink::unlink;
