//! A run of a suite: its targets and files, its plans and sizes, and the file for `--resume`.

pub mod announcement;
pub mod choice;
pub mod criteria;
pub mod ready;
pub mod resume;
#[cfg(test)]
mod tests;
pub mod volumes;
