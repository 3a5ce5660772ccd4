//! What becomes of an I/O when it is done: counted, gone on with, survived or fatal; and how the counts are seen.

use std::sync::atomic::Ordering::Relaxed;

use os::errno;
use os::io::{Completion, Kind, Op};
use plan::Ddir;
use record::{RunError, WorkerStats};

use super::depth_search::DepthSearch;
use super::flight::{Flight, Purpose};
use super::io_loop::{IoLoop, Supply};
use crate::logs::LoggedIo;
use crate::message::Line;

/// What a job that goes on after errors goes on after if it doesn't say: the device's word that it failed, and data
/// that turned out wrong.
const SURVIVABLE: [i32; 2] = [errno::EIO, errno::EILSEQ];

/// What an I/O error led to.
enum Failure {
    Survived,
    /// The device or file system is full, which is what the job waits for.
    Full,
    Fatal(RunError),
}

impl IoLoop<'_> {
    /// Counts one completion.
    #[inline]
    pub(super) fn complete(&mut self, completion: Completion) -> Result<(), RunError> {
        let slot = completion.slot;
        let flight = self.flights[slot];
        if completion.result < 0 {
            return self.count_failure(slot, -completion.result);
        }
        let Purpose::Data(ddir) = flight.purpose else {
            self.flights.give_back(slot);
            self.stats.syncs += 1;
            if self.worker.measure.clat {
                self.stats.sync_lat.record(self.clocks.now_ns - flight.issue_ns);
            }
            return Ok(());
        };
        let moved = if ddir == Ddir::Trim { flight.len } else { flight.done + completion.result as u32 };
        if moved < flight.len {
            return self.go_on_with_rest(slot, ddir, moved, completion.result == 0);
        }
        self.flights.give_back(slot);
        self.count(ddir, &flight)
    }

    #[cold]
    fn count_failure(&mut self, slot: u32, errno: i32) -> Result<(), RunError> {
        let flight = self.flights[slot];
        self.flights.give_back(slot);
        self.counts.completed_ios += u64::from(flight.purpose != Purpose::Sync);
        match self.failed(&flight, errno) {
            Failure::Survived => Ok(()),
            Failure::Full => {
                self.live.stop.store(true, Relaxed);
                Ok(())
            }
            Failure::Fatal(error) => Err(error),
        }
    }

    #[inline]
    fn count(&mut self, ddir: Ddir, flight: &Flight) -> Result<(), RunError> {
        let now_ns = self.clocks.now_ns;
        let (clat_ns, lat_ns) = (now_ns - flight.issue_ns, now_ns - flight.start_ns);
        let measure = &self.worker.measure;
        let stats = match self.stats.targets.get_mut(flight.file as usize) {
            None => &mut self.stats.ddirs[ddir as usize],
            Some(target) => {
                if let Some(series) = &mut target.series {
                    series.record(now_ns - self.clocks.measured_from_ns.unwrap_or(now_ns), ddir, lat_ns);
                }
                &mut target.ddirs[ddir as usize]
            }
        };
        stats.ios += 1;
        stats.bytes += u64::from(flight.len);
        if self.metadata.is_none() {
            if measure.clat {
                stats.clat.record(clat_ns);
            }
            if measure.lat {
                stats.lat.record(lat_ns);
            }
        }
        self.counts.completed_ios += 1;
        self.counts.completed_bytes += u64::from(flight.len);
        if let Some(search) = &mut self.search {
            search.completed(lat_ns);
        }
        if let Some(logs) = &mut self.logs {
            logs.complete(&LoggedIo {
                at_ns: now_ns,
                issued_ns: flight.issue_ns,
                ddir,
                bytes: flight.len,
                offset: flight.offset,
                clat_ns,
                lat_ns,
            });
        }
        let limit_ns = self.worker.errors.max_latency_ns[ddir];
        if limit_ns > 0 && lat_ns > limit_ns {
            return Err(self.too_late(ddir, flight, lat_ns, limit_ns));
        }
        Ok(())
    }

    fn too_late(&self, ddir: Ddir, flight: &Flight, lat_ns: u64, limit_ns: u64) -> RunError {
        let message = format!(
            "latency of {lat_ns} nsec exceeds specified max ({limit_ns} nsec): {} {} {} {}",
            self.files.name(flight.file),
            ddir.name(),
            flight.offset,
            flight.len
        );
        RunError { errno: errno::ETIMEDOUT, func: "max latency exceeded".into(), message }
    }

    /// The kernel moved less than asked: ask for the rest, or give up where nothing moves any more.
    fn go_on_with_rest(&mut self, slot: u32, ddir: Ddir, moved: u32, stuck: bool) -> Result<(), RunError> {
        let flight = self.flights[slot];
        if flight.done == 0 {
            self.stats.counters(flight.file, ddir).short += 1;
        }
        if stuck {
            // Nothing moves any more: the end of a file or device that was longer before.
            let (path, name, offset) = (self.files.name(flight.file), ddir.name(), flight.offset);
            let message = match self.supply {
                Supply::Pattern { .. } => {
                    format!("{path}: {name} at offset {offset} moved nothing: the end of the file or device")
                }
                Supply::Streams(_) => {
                    format!("{path}: {name} at {offset} moved nothing: it became shorter while the test ran")
                }
            };
            let func = "full resid".to_owned();
            return self.count_failure(slot, errno::EIO).map_err(|error| RunError { func, message, ..error });
        }
        self.flights[slot].done = moved;
        let start = self.data_at(ddir);
        let kind = if ddir == Ddir::Read { Kind::Read } else { Kind::Write };
        self.ops.push(Op {
            kind,
            ioprio: 0,
            file: flight.file,
            slot,
            len: flight.len - moved,
            skip: start + moved,
            offset: flight.offset + u64::from(moved),
        });
        Ok(())
    }

    fn failed(&mut self, flight: &Flight, errno: i32) -> Failure {
        let policy = &self.worker.errors;
        let (name, kind, goes_on) = match flight.purpose {
            Purpose::Data(Ddir::Read) => ("read", Ddir::Read, policy.continue_on_read),
            Purpose::Data(Ddir::Write) => ("write", Ddir::Write, policy.continue_on_write),
            Purpose::Data(Ddir::Trim) => ("trim", Ddir::Write, policy.continue_on_write),
            Purpose::Sync => ("sync", Ddir::Write, policy.continue_on_write),
        };
        let listed = &policy.survivable_errno[kind as usize];
        let survivable = if listed.is_empty() { &SURVIVABLE[..] } else { listed.as_slice() };
        let survives = goes_on && survivable.contains(&errno);
        if !survives && self.worker.targets.extent.fill_device && matches!(errno, errno::ENOSPC | errno::EDQUOT) {
            return Failure::Full;
        }
        if goes_on {
            self.counts.errors += 1;
            if self.counts.first_errno == 0 {
                self.counts.first_errno = errno;
            }
        }
        if survives && !policy.dump {
            return Failure::Survived;
        }
        let reason = std::io::Error::from_raw_os_error(errno);
        let (file, offset, bytes) = (self.files.name(flight.file), flight.offset, flight.len);
        let message = match self.supply {
            Supply::Pattern { .. } => {
                format!("io_u error on file {file}: {reason}: {name} offset={offset}, buflen={bytes}")
            }
            Supply::Streams(_) => format!("{file}: {name} of {bytes} bytes at {offset} failed: {reason}"),
        };
        if survives {
            // People know errors by their names.
            let message = message.replace(&format!(" (os error {errno})"), "");
            self.voice.say(Line::Warning(format!("fio: {message}")));
            return Failure::Survived;
        }
        Failure::Fatal(RunError { errno, func: "io_u error".into(), message })
    }

    pub(super) fn engine_failed(&self, call: &str, error: &std::io::Error) -> RunError {
        RunError {
            errno: error.raw_os_error().unwrap_or(errno::EIO),
            func: call.into(),
            message: format!("ioengine={}: {call}: {error}", self.worker.echo.ioengine),
        }
    }

    /// Lets others see the counters.
    #[inline]
    pub(super) fn publish(&self) {
        for at in 0..self.stats.ddirs.len() {
            let (mut bytes, mut ios) = (self.stats.ddirs[at].bytes, self.stats.ddirs[at].ios);
            for target in &self.stats.targets {
                (bytes, ios) = (bytes + target.ddirs[at].bytes, ios + target.ddirs[at].ios);
            }
            self.live.bytes[at].store(bytes, Relaxed);
            self.live.ios[at].store(ios, Relaxed);
        }
    }

    /// The counters as they are now, with times filled in.
    pub fn current_stats(&mut self) -> Box<WorkerStats> {
        if let Supply::Streams(streams) = &self.supply
            && let Some(stats) = &streams.kept
        {
            return stats.to_boxed();
        }
        let now_ns = self.tick();
        self.stats_until(now_ns)
    }

    /// The counters at a point in time that the clock has just come to.
    pub(super) fn stats_until(&mut self, now_ns: u64) -> Box<WorkerStats> {
        let usage = super::setup::usage_since(&self.usage_from);
        let mut stats = self.stats.to_boxed();
        if self.open_loop {
            self.add_arrivals(&mut stats, now_ns);
        }
        if matches!(self.supply, Supply::Streams(_)) && self.clocks.measured_from_ns.is_none() {
            // What completes while a thread warms up never counts.
            stats.clear();
            return stats;
        }
        // A ramp that was cut short is all that there is to tell of.
        let from_ns = self.clocks.measured_from_ns.unwrap_or(self.clocks.start_ns);
        let runtime_ns = now_ns - from_ns;
        let of_targets = stats.targets.iter_mut().flat_map(|target| &mut target.ddirs);
        for ddir in stats.ddirs.iter_mut().chain(of_targets).filter(|ddir| ddir.bytes > 0 || ddir.ios > 0) {
            ddir.runtime_ns = runtime_ns;
        }
        stats.add_up_targets();
        stats.runtime_ns = runtime_ns;
        let ago_us = self.clock.now().saturating_sub(from_ns) / 1000;
        stats.measured_from_unix_us = self.clock.unix_us().saturating_sub(ago_us);
        stats.elapsed_ns = now_ns - self.clocks.start_ns;
        stats.usage = usage;
        stats.latency_depth = self.search.as_ref().map_or(self.worker.depth.iodepth, DepthSearch::depth);
        stats
    }

    #[cold]
    pub(super) fn snapshot(&mut self) {
        self.live.snapshot_wanted.store(false, Relaxed);
        self.clock.refresh();
        let stats = self.current_stats();
        self.voice.snapshot(stats);
    }
}
