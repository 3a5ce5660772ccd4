//! Progress and warnings of a run on many hosts.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use ::fleet::{Progress, RunDisplay};
use record::Record;

use crate::output::{stderr_line, write_stderr_raw};
use crate::signals;
use crate::terminal::stderr_is_terminal;

/// The progress line.
#[derive(Default)]
pub struct View {
    before: Option<(Instant, u64, u64)>,
}

impl RunDisplay for View {
    fn progress(&mut self, hosts: &[Progress]) {
        let sum = |of: fn(&Progress) -> [u64; 3]| hosts.iter().flat_map(of).sum::<u64>();
        let (ios, bytes) = (sum(|host| host.ios), sum(|host| host.bytes));
        let now = Instant::now();
        let before = self.before.replace((now, ios, bytes));
        if let Some((then, ios_then, bytes_then)) = before.filter(|_| ios > 0 && stderr_is_terminal()) {
            let seconds = now.duration_since(then).as_secs_f64().max(0.001);
            let iops = ios.saturating_sub(ios_then) as f64 / seconds;
            let mib_per_s = bytes.saturating_sub(bytes_then) as f64 / seconds / f64::from(1 << 20);
            write_stderr_raw(&format!("{} hosts: {mib_per_s:.0} MiB/s, {iops:.0} IOPS\r", hosts.len()));
        }
    }

    fn is_stopped(&mut self) -> bool {
        signals::stop_flag().load(Relaxed)
    }
}

/// Prints a warning per host without a complete result, and a note per host whose CPUs the launcher had restricted.
pub fn warn(record: &Record) {
    for host in record.hosts() {
        if let Some(failure) = &host.failure {
            stderr_line!("warning: {} has no complete result: {failure}", host.name);
        }
        if let Some(cpus) = host.narrowed_cpus {
            stderr_line!("note: the launcher bound {} to {cpus} CPU(s). fathom used all CPUs", host.name);
        }
    }
}
