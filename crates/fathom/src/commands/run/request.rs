//! What a user requests of `fathom run`.

use std::path::PathBuf;
use std::time::Duration;

use judge::compare::ChangeLimit;
use study::Order;

use crate::workload::Workload;

pub struct Request {
    pub workloads: Vec<Workload>,
    /// None, one for all, or one for each workload.
    pub prepare: Vec<String>,
    pub repeats: usize,
    pub order: Order,
    pub cooldown: Duration,
    /// Changes that fail.
    pub limits: Vec<ChangeLimit>,
    pub tags: Vec<String>,
    pub in_history: bool,
    pub save: Option<PathBuf>,
    pub json: bool,
}
