//! An endpoint with the figures of the run in the OpenMetrics text format, for Prometheus.

pub(crate) mod counts;
mod exported;
mod server;
mod text;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::Live;
use plan::Plan;
use record::Event;
use units::markup::one_line;

use crate::host_report::HostReport;
use crate::job::Job;
use crate::meter::Meter;
use crate::view::{JobView, Reporting};
use counts::{IoCounts, JobCounts, RunCounts};
use exported::{Exported, ExportedRun};
use server::Server;

/// Jobs, targets and hosts with series of their own, over all runs. A response is bounded by it.
const SERIES_MAX: usize = 256;
/// Name of the sum of all further jobs, targets or hosts of a run.
const OTHERS: &str = "others";

/// The endpoint, and the counts of the active run. It is closed on drop.
pub struct Metrics {
    exported: Arc<Mutex<Exported>>,
    server: Server,
    active: RunCounts,
    /// Prefix of folders whose names differ from command to command. Labels do not contain them.
    scratch_prefix: &'static str,
}

impl Metrics {
    /// Opens the endpoint.
    ///
    /// # Errors
    /// The address is in use or is not one of this machine, or the thread cannot be started.
    pub fn start(address: SocketAddr, version: &str, scratch_prefix: &'static str) -> io::Result<Self> {
        let exported = Arc::new(Mutex::new(Exported { version: version.to_owned(), ..Exported::default() }));
        let answers = Arc::clone(&exported);
        let server =
            Server::start(address, move || text::render(&answers.lock().unwrap_or_else(PoisonError::into_inner)))?;
        Ok(Metrics { exported, server, active: RunCounts::default(), scratch_prefix })
    }

    /// Returns the address of the endpoint.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Starts a run. The counts of the earlier runs stay. Runs of one name are added up.
    pub fn begin(&mut self, name: &str, meter: &Meter, plan: &Plan) {
        self.active = RunCounts::new(plan);
        let mut exported = lock(&self.exported);
        let ended = std::mem::take(&mut exported.active);
        match exported.ended.iter_mut().find(|earlier| earlier.name == ended.name) {
            Some(earlier) => earlier.add(&ended),
            None if ended.jobs.is_empty() => {}
            None => exported.ended.push(ended),
        }
        exported.active.name = one_line(name).into_owned();
        drop(exported);
        self.publish(meter);
        let mut exported = lock(&self.exported);
        let active = exported.active.series();
        while active + exported.ended.iter().map(ExportedRun::series).sum::<usize>() > SERIES_MAX
            && !exported.ended.is_empty()
        {
            exported.ended.remove(0);
        }
    }

    /// Adds an event.
    pub fn event(&mut self, event: &Event, meter: &Meter) {
        self.active.event(event);
        if let Event::Ended { .. } = event {
            self.publish(meter);
        }
    }

    /// Adds the counts of a host.
    pub fn take_report(&mut self, from: Reporting, report: &HostReport) {
        self.active.take_report(from, report.counts());
    }

    /// Reads the counters of all workers.
    pub fn read(&mut self, live: &Live) {
        self.active.read(live);
    }

    /// Publishes the counts and the figures of the meter.
    pub fn publish(&self, meter: &Meter) {
        let counts = self.active.by_job();
        let stable = |job: &Job| Job { target: without_scratch(&job.target, self.scratch_prefix), ..job.clone() };
        let mut jobs: Vec<(Job, JobCounts)> = meter.jobs().iter().map(stable).zip(counts).collect();
        let mut view = meter.view().clone();
        if jobs.len() > SERIES_MAX {
            let mut others = (Job { name: OTHERS.to_owned(), ..Job::default() }, JobCounts::default());
            for (job, counts) in jobs.drain(SERIES_MAX - 1..) {
                others.0.workers += job.workers;
                others.0.depth += job.depth;
                others.1.add(&counts);
            }
            jobs.push(others);
            let mut rest = JobView::default();
            view.jobs.drain(SERIES_MAX - 1..).for_each(|job| rest.add(&job));
            view.jobs.push(rest);
        }
        let mut exported = lock(&self.exported);
        let targets = self.active.by_target().into_iter();
        let targets = targets.map(|(path, counts)| (without_scratch(&path, self.scratch_prefix), counts));
        exported.active.targets = bounded(targets.collect());
        exported.active.hosts = bounded(self.active.by_host());
        exported.active.jobs = jobs;
        exported.view = view;
    }
}

/// Returns a path without the folders whose names begin with `prefix`.
fn without_scratch(path: &str, prefix: &str) -> String {
    let parts = path.split('/').filter(|part| !part.starts_with(prefix));
    parts.collect::<Vec<_>>().join("/")
}

/// Returns at most [`SERIES_MAX`] names with their counts. If there are more, adds up the rest as [`OTHERS`].
fn bounded(mut list: Vec<(String, IoCounts)>) -> Vec<(String, IoCounts)> {
    if list.len() > SERIES_MAX {
        let mut others = IoCounts::default();
        list.drain(SERIES_MAX - 1..).for_each(|(_, counts)| others.add(counts));
        list.push((OTHERS.to_owned(), others));
    }
    list
}

fn lock(exported: &Mutex<Exported>) -> MutexGuard<'_, Exported> {
    exported.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parses the address of an endpoint: a port of the loopback interface, or an IP address and a port. Port 0 lets the system
/// choose.
///
/// # Errors
/// The text is neither.
pub fn metrics_address(text: &str) -> Result<SocketAddr, AddressError> {
    match (text.parse::<u16>(), text.parse::<SocketAddr>()) {
        (Ok(port), _) => Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)),
        (_, Ok(address)) => Ok(address),
        _ => Err(AddressError),
    }
}

/// A text that is not the address of an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected a port, such as 9100, or an IP address and a port, such as 192.0.2.1:9100")]
pub struct AddressError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_no_folder_of_one_command() {
        let stable = |path| without_scratch(path, ".fathom-assess-");
        assert_eq!(stable("/mnt/.fathom-assess-7cb52addfdf68e32/data and 2 more"), "/mnt/data and 2 more");
        assert_eq!((stable("/dev/sda"), stable("file")), ("/dev/sda".to_owned(), "file".to_owned()));
    }

    #[test]
    fn a_port_alone_is_of_the_loopback_interface() {
        assert_eq!(metrics_address("9100"), Ok("127.0.0.1:9100".parse().unwrap()));
        assert_eq!(metrics_address("[::1]:0"), Ok("[::1]:0".parse().unwrap()));
        assert_eq!(metrics_address("0.0.0.0:9100"), Ok("0.0.0.0:9100".parse().unwrap()));
        for wrong in ["", ":9100", "localhost:9100", "0.0.0.0", "99999", "-1"] {
            assert!(metrics_address(wrong).is_err(), "{wrong}");
        }
    }
}
