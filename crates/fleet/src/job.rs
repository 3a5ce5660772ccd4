//! The work sent to the hosts: a command line with all that was read to parse it, or a plan.

use std::collections::BTreeMap;

use plan::Dialect;
use serde::{Deserialize, Serialize};

/// What each host runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Work {
    /// Each host plans it with its own CPUs and paths.
    Line(Job),
    /// A run of a study, planned on the machine that runs the study: the saved form of a record without results. Saved plans
    /// have no passwords and keys.
    Plan(String),
}

impl Default for Work {
    fn default() -> Self {
        Work::Line(Job::default())
    }
}

/// A command line with the files and variables that it uses.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Job {
    pub dialect: Dialect,
    /// The arguments after the program's name.
    pub args: Vec<String>,
    /// Files that the parser read, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Environment variables that the parser read. `None`: not set.
    pub variables: BTreeMap<String, Option<String>>,
}
