//! What a user requests of `fathom assess`.

use judge::steady::Rule;
use study::suite::{FillWay, Form};

use super::criteria::CriteriaOptions;

#[derive(Clone, Debug)]
pub struct Request {
    /// Paths, or NAME=PATH for the suite's volumes.
    pub targets: Vec<String>,
    pub suite: String,
    pub tests: Vec<String>,
    pub form: Form,
    pub size_bytes: Option<u64>,
    pub runtime_s: Option<u64>,
    pub short: bool,
    pub until_steady: Option<Rule>,
    pub overwrite: Vec<String>,
    pub purge: bool,
    pub fill: FillWay,
    pub prepare: bool,
    pub keep_files: bool,
    pub resume: bool,
    pub criteria: CriteriaOptions,
    pub reports: Vec<String>,
    pub save: Option<String>,
    pub format: Format,
    pub tags: Vec<String>,
    pub history: bool,
    pub yes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Card,
    Json,
}
