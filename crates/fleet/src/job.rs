//! The job as it travels to the hosts: the command line, with all that was read to parse it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A command line of fio with the files and variables that it uses. Each host plans it with its own CPUs and paths.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Job {
    /// The arguments after the program's name.
    pub args: Vec<String>,
    /// Files that the parser read, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Environment variables that the parser read. `None`: not set.
    pub variables: BTreeMap<String, Option<String>>,
}
