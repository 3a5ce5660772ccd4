//! The bandwidth of the whole run over time (`--bandwidth-log`): one file per direction.

use std::fs::File;
use std::io::Write;

use os::clock::NEVER_NS;
use plan::{Ddir, Plan};
use targets::{Existing, NamedBy, OutputGuard};

use super::error::LogError;
use super::io::NS_PER_MS;

/// Default window, if no job sets one.
const WINDOW_MS: u64 = 500;

pub struct AggregateLog {
    files: [(String, File); 3],
    window_ns: u64,
    /// Start of the current window; `None` while nothing is measured.
    began_ns: Option<u64>,
    last_bytes: [u64; 3],
}

/// Returns the file of a direction.
fn path(stem: &str, ddir: Ddir) -> String {
    format!("{stem}-{}_bw.log", ddir.name())
}

impl AggregateLog {
    /// Returns the files of a plan.
    pub fn paths(plan: &Plan) -> impl Iterator<Item = String> {
        plan.aggregate_bandwidth_log.iter().flat_map(|stem| Ddir::ALL.map(|ddir| path(stem, ddir)))
    }

    /// Creates the files. Returns `None` if the plan has no such log.
    ///
    /// # Errors
    /// A file cannot be created, or the output guard refuses it.
    pub fn open(plan: &Plan, guard: &mut OutputGuard) -> Result<Option<Self>, LogError> {
        let Some(stem) = &plan.aggregate_bandwidth_log else { return Ok(None) };
        let mut file = |ddir: Ddir| {
            let path = path(stem, ddir);
            match guard.open(path.as_ref(), Existing::Truncate, NamedBy::Program) {
                Ok(file) => Ok((path, file)),
                Err(error) => Err(LogError::of_output(&path, error)),
            }
        };
        let windows = plan.workers.iter().map(|worker| worker.measure.bandwidth_sample_ms);
        let window_ms = windows.filter(|&window_ms| window_ms > 0).min().unwrap_or(WINDOW_MS);
        Ok(Some(AggregateLog {
            files: [file(Ddir::Read)?, file(Ddir::Write)?, file(Ddir::Trim)?],
            window_ns: window_ms.saturating_mul(NS_PER_MS),
            began_ns: None,
            last_bytes: [0; 3],
        }))
    }

    /// Returns the end of the current window, since the start of the run.
    pub fn due_ns(&self) -> u64 {
        self.began_ns.map_or(NEVER_NS, |began_ns| began_ns.saturating_add(self.window_ns))
    }

    /// Logs a window if it is over. `bytes` is the total of all workers, or `None` while some are in their ramp. The first
    /// window starts with the first call that has a total.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn sample(&mut self, since_start_ns: u64, bytes: Option<[u64; 3]>) -> Result<(), LogError> {
        let (Some(bytes), Some(began_ns)) = (bytes, self.began_ns) else {
            self.began_ns = bytes.map(|_| since_start_ns);
            self.last_bytes = bytes.unwrap_or_default();
            return Ok(());
        };
        if since_start_ns < self.due_ns() {
            return Ok(());
        }
        let spent_ns = u128::from(since_start_ns - began_ns);
        for (at, (path, file)) in self.files.iter_mut().enumerate() {
            let moved = u128::from(bytes[at].saturating_sub(self.last_bytes[at]));
            let kib_per_s = moved * 1_000_000_000 / spent_ns.max(1) / 1024;
            let line = format!("{}, {kib_per_s}, {at}, 0, 0\n", since_start_ns / NS_PER_MS);
            file.write_all(line.as_bytes()).map_err(|error| LogError::of_file(path, &error))?;
        }
        (self.began_ns, self.last_bytes) = (Some(since_start_ns), bytes);
        Ok(())
    }

    /// Closes the files.
    ///
    /// # Errors
    /// Returns the first error of a file.
    pub fn finish(self) -> Result<(), LogError> {
        let close =
            |(path, file): (String, File)| os::file::close(file).map_err(|error| LogError::of_file(&path, &error));
        self.files.into_iter().try_for_each(close)
    }
}
