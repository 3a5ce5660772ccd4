//! The targets of a study on one host.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::sync::Arc;

use ::fleet::{HOST_MARK, Place, Sharing};
use diskspd::lower::Machine as _;
use plan::Plan;
use record::Machine;
use record::schema::{self, Layout};
use serde::{Deserialize, Serialize};
use targets::Lease;

use crate::like::{self, TemporaryLog};
use crate::machine::RealMachine;
use crate::scratch::{RunId, Scratch, TestFiles};
use crate::target::{self, Found};

/// A question to the worker of each host. `%h` in paths is the name of the host.
#[derive(Serialize, Deserialize)]
pub enum HostQuestion {
    /// Find a target. The answer is a [`FoundOnHost`].
    Find(NamedTarget),
    /// Create the folder of the tests. With `--shared`, only the first host creates it. The answer is true if direct I/O is
    /// possible there.
    MakeFiles { target: NamedTarget, id: RunId, keeps: bool },
    /// Open the shared folder that the first host has created. The answer has no content.
    OpenSharedFiles { target: NamedTarget, id: RunId },
    /// Find the largest size of a new file in the folder of the tests, up to `wanted`. The answer is the size.
    FileBytesMax { wanted: u64 },
    /// Add lines to this host's part of a log. Runs replay it in place of `log`, which is a path on the machine that plans them. The
    /// answer has no content.
    KeepLog { log: String, lines: String },
}

/// A target as the user named it.
#[derive(Clone, Serialize, Deserialize)]
pub struct NamedTarget {
    pub given: String,
    /// The consent to overwrite data: the paths of files or devices.
    pub overwrite: Vec<String>,
}

/// A target, and the machine that has it.
#[derive(Serialize, Deserialize)]
pub struct FoundOnHost {
    pub found: Found,
    pub machine: Machine,
    /// The kernel allows io_uring.
    pub has_rings: bool,
}

/// The targets on this host.
#[derive(Default)]
pub struct HostTargets {
    files: Vec<Scratch>,
    lease: Arc<Lease>,
    /// This host's parts of logs, by the path in plans.
    logs: BTreeMap<String, TemporaryLog>,
}

impl HostTargets {
    /// Answers a question.
    ///
    /// # Errors
    /// The target cannot be used.
    pub fn answer(&mut self, question: &str, place: &Place) -> Result<String, String> {
        let question = schema::read_document(question.as_bytes()).map_err(|error| error.to_string())?;
        let answer = match question {
            HostQuestion::Find(target) => {
                let found = find(&target, place)?;
                Layout::LINE.format(&FoundOnHost {
                    found,
                    machine: engine::machine(),
                    has_rings: RealMachine.has_rings(),
                })
            }
            HostQuestion::MakeFiles { target, id, keeps } => {
                if others_create_files(place) {
                    return Ok("true".to_owned());
                }
                let files = Scratch::make(&find(&target, place)?, &id, keeps, &self.lease)?;
                let has_direct_io = files.has_direct_io();
                self.files.push(files);
                Layout::LINE.format(&has_direct_io)
            }
            HostQuestion::OpenSharedFiles { target, id } => {
                if others_create_files(place) {
                    self.files.push(Scratch::open_shared(&find(&target, place)?, &id, &self.lease)?);
                }
                Layout::LINE.format(&())
            }
            HostQuestion::FileBytesMax { wanted } => {
                let sizes = self.files.iter().map(|files| files.file_bytes_max(wanted));
                Layout::LINE.format(&sizes.min().unwrap_or(wanted))
            }
            HostQuestion::KeepLog { log, lines } => {
                self.keep_log(log, &lines, place.rank).map_err(like::log_failed)?;
                Layout::LINE.format(&())
            }
        };
        answer.map_err(|error| error.to_string())
    }

    /// Prepares for a run of the plan. Returns the lease of its targets.
    ///
    /// # Errors
    /// The files that it makes cannot be noted.
    pub fn will_run(&mut self, plan: &Plan) -> Result<Arc<Lease>, String> {
        self.files.iter_mut().try_for_each(|files| files.will_run(plan))?;
        // A study without test files (`run`, `sweep`) opens its targets anew in each run: they may be replaced between two
        // runs.
        Ok(if self.files.is_empty() { Arc::default() } else { Arc::clone(&self.lease) })
    }

    /// Returns this host's part of a log.
    pub fn own_log(&self, log: &str) -> Option<String> {
        Some(self.logs.get(log)?.path().to_string_lossy().into_owned())
    }

    fn keep_log(&mut self, log: String, lines: &str, rank: usize) -> io::Result<()> {
        // Ranks can share the folder. Each one removes only its own old files.
        let name = format!("part-{rank}-{}", self.logs.len());
        let part = match self.logs.entry(log) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(TemporaryLog::create(&name)?),
        };
        part.add(lines.as_bytes())
    }

    /// Removes the files of the tests.
    pub fn remove(&mut self) {
        self.files.clear();
        self.logs.clear();
    }
}

/// Returns true if the files of the tests are shared, and the first host creates and removes them.
fn others_create_files(place: &Place) -> bool {
    place.sharing == Sharing::Shared && place.rank > 0
}

fn find(target: &NamedTarget, place: &Place) -> Result<Found, String> {
    let of_host = |path: &String| path.replace(HOST_MARK, place.host());
    let overwrite: Vec<String> = target.overwrite.iter().map(of_host).collect();
    target::find(&of_host(&target.given), &overwrite)
}
