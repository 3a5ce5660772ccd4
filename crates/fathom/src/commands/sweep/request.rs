//! What a user requests of `fathom sweep`.

use std::path::PathBuf;
use std::time::Duration;

use assessment::Metric;
use study::{Axis, Order};

use crate::lines::Dialect;

pub struct Request {
    pub axes: Vec<Axis>,
    pub metric: Option<Metric>,
    pub repeats: usize,
    pub order: Order,
    pub cooldown: Duration,
    pub format: ReportFormat,
    pub output: Option<PathBuf>,
    pub svg: Option<PathBuf>,
    pub reports: Vec<String>,
    pub save: Option<PathBuf>,
    pub tags: Vec<String>,
    pub in_history: bool,
    pub dialect: Dialect,
    /// The dialect's own words.
    pub line: Vec<String>,
}

/// Format of the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportFormat {
    Text,
    Csv,
    Json,
    Markdown,
}
