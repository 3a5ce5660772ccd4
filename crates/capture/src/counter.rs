//! Counts I/Os in the order of their starts.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use record::{Histogram, Latency};
use units::order::OrderBy;

use crate::bursts::BurstCounter;
use crate::document::{Facts, Head};
use crate::figures::{Arrivals, Depths, Direction, Figures, Flushes, Losses, Program, SizeShare, Waits};
use crate::io::{Flags, Io, Layer, Operation, SECTOR_BYTES};
use crate::latencies::Latencies;
use crate::over_time::OverTime;
use crate::regions::RegionCounter;
use crate::slow::Slowest;
use crate::streams::Streams;

const SECOND_NS: u64 = 1_000_000_000;
/// Most sizes of a direction that are counted, and that are shown.
const SIZES_MAX: usize = 1 << 16;
const SIZES_SHOWN: usize = 8;
const PROGRAMS_SHOWN: usize = 16;
/// Longer times, of damaged files, count as 78 hours: the sums of their squares fit.
const LONGEST_NS: u64 = 1 << 48;
/// Most I/Os in flight that are counted.
const DEPTH_MAX: usize = 1 << 20;
/// Fewer I/Os can be in flight at the end of a short capture.
const UNFINISHED_MIN: u64 = 100;

/// Most flushes whose times are kept.
const FLUSHES_MAX: usize = 1 << 20;

/// Counts the I/Os of a capture.
#[derive(Default)]
pub struct Counter {
    operations: [Counts; Operation::ALL.len()],
    /// Completions of the I/Os in flight.
    ends: BinaryHeap<Reverse<u64>>,
    depths: Histogram,
    depth_max: u64,
    /// Of completed I/Os.
    in_flight_ns: u128,
    /// Number of the other I/Os, and the sum of their starts.
    unfinished: u64,
    unfinished_starts_ns: u128,
    forced_writes: u64,
    /// Start and end of each flush.
    flushes: Vec<(u64, u64)>,
    bursts: BurstCounter,
    over_time: OverTime,
    /// I/Os and bytes by the index of the program.
    programs: HashMap<u32, (u64, u64)>,
}

/// Counts of an operation.
#[derive(Default)]
struct Counts {
    ios: u64,
    bytes: u64,
    /// Numbers of I/Os by their sectors.
    sizes: HashMap<u32, u64>,
    streams: Streams<()>,
    sequential: u64,
    sync: u64,
    metadata: u64,
    read_ahead: u64,
    failed: u64,
    slowest: Slowest,
    device: Latency,
    /// From the start to the issue, and the part of it in the scheduler.
    wait: Latency,
    scheduler_ns: u128,
    /// From the start to the completion.
    whole: Latency,
    regions: RegionCounter,
    bursts: BurstCounter,
}

impl Counts {
    fn add(&mut self, io: &Io) {
        self.ios += 1;
        self.bytes = self.bytes.saturating_add(io.bytes());
        if self.sizes.len() < SIZES_MAX || self.sizes.contains_key(&io.sectors) {
            *self.sizes.entry(io.sectors).or_default() += 1;
        }
        self.sequential += u64::from(self.streams.add(io.sector, io.end(), ()).is_some());
        let has = |flag| u64::from(io.flags.has(flag));
        self.sync += has(Flags::SYNC);
        self.metadata += has(Flags::METADATA);
        self.read_ahead += has(Flags::READ_AHEAD);
        self.failed += has(Flags::FAILED);
        self.slowest.add(io);
        io.device_ns().into_iter().for_each(|ns| self.device.record(ns.min(LONGEST_NS)));
        io.completed_ns.into_iter().for_each(|ns| self.whole.record(ns.min(LONGEST_NS)));
        if io.sectors > 0 {
            self.regions.add(io.sector);
        }
        if let Some(issued_ns) = io.issued_ns {
            self.wait.record(issued_ns.min(LONGEST_NS));
            self.scheduler_ns += io.inserted_ns.map_or(0, |ns| u128::from(issued_ns.saturating_sub(ns)));
        }
        self.bursts.add(io.start_ns);
    }

    fn sizes(&self) -> Vec<SizeShare> {
        let mut sizes: Vec<(u32, u64)> = self.sizes.iter().map(|(sectors, ios)| (*sectors, *ios)).collect();
        sizes.order_by_key(|(sectors, ios)| (Reverse(*ios), *sectors));
        let share = |(sectors, ios): &(u32, u64)| SizeShare {
            bytes: u64::from(*sectors) * SECTOR_BYTES,
            ios_share: *ios as f64 / self.ios as f64,
        };
        sizes.iter().take(SIZES_SHOWN).map(share).collect()
    }

    fn waits(&self) -> Option<Waits> {
        let issued = self.wait.count();
        (issued > 0).then(|| {
            let scheduler_mean_ns = self.scheduler_ns as f64 / issued as f64;
            Waits {
                before_queue_mean_ns: (self.wait.mean_ns() - scheduler_mean_ns).max(0.0),
                scheduler_mean_ns,
                p99_ns: self.wait.percentile_ns(99.0),
            }
        })
    }

    /// Returns the figures; `None` without I/Os. `flushes` are the times of flushes.
    fn direction(self, layer: Layer, duration_ns: u64, flushes: &[(u64, u64)]) -> Option<Direction> {
        let seconds = duration_ns as f64 / SECOND_NS as f64;
        let ios = self.ios as f64;
        let share = |count: u64| count as f64 / ios;
        (self.ios > 0).then(|| Direction {
            ios: self.ios,
            bytes: self.bytes,
            ios_per_s: self.ios as f64 / seconds,
            bytes_per_s: self.bytes as f64 / seconds,
            peak_ios_per_s: self.bursts.most_per_s(),
            burstiness: self.bursts.finish(duration_ns),
            mean_bytes: self.bytes as f64 / self.ios as f64,
            sizes: self.sizes(),
            sequential_share: share(self.sequential),
            sync_share: share(self.sync),
            metadata_share: share(self.metadata),
            read_ahead_share: share(self.read_ahead),
            failed: self.failed,
            latency: Latencies::of(&self.device),
            waits: self.waits().filter(|_| layer == Layer::Requests),
            whole: Latencies::of(&self.whole),
            slow: self.slowest.finish(flushes),
            regions: self.regions.finish(),
        })
    }
}

impl Counter {
    /// Adds an I/O. Call this in the order of starts.
    pub fn add(&mut self, io: &Io) {
        self.operations[io.operation.index()].add(io);
        self.forced_writes += u64::from(io.operation == Operation::Write && io.flags.has(Flags::FORCED));
        match io.completed_ns {
            Some(ns) => {
                self.in_flight_ns += u128::from(ns);
                if io.operation == Operation::Flush && self.flushes.len() < FLUSHES_MAX {
                    self.flushes.push((io.start_ns, io.start_ns.saturating_add(ns)));
                }
            }
            None => {
                self.unfinished += 1;
                self.unfinished_starts_ns += u128::from(io.start_ns);
            }
        }
        self.count_depth(io);
        self.bursts.add(io.start_ns);
        self.over_time.add(io);
        if let Some(program) = io.program {
            let (ios, bytes) = self.programs.entry(program).or_default();
            (*ios, *bytes) = (*ios + 1, bytes.saturating_add(io.bytes()));
        }
    }

    fn count_depth(&mut self, io: &Io) {
        while self.ends.peek().is_some_and(|Reverse(end)| *end <= io.start_ns) {
            self.ends.pop();
        }
        if let Some(completed_ns) = io.completed_ns
            && self.ends.len() < DEPTH_MAX
        {
            self.ends.push(Reverse(io.start_ns.saturating_add(completed_ns)));
        }
        // Unfinished I/Os stay in flight.
        let depth = self.ends.len() as u64 + self.unfinished;
        self.depths.record(depth);
        self.depth_max = self.depth_max.max(depth);
    }

    /// Returns the figures at the end.
    pub fn finish(self, capture: Head, facts: &Facts) -> Figures {
        let duration_ns = facts.duration_ns.max(1);
        let seconds = duration_ns as f64 / SECOND_NS as f64;
        let has_completions = capture.origin.has_completions();
        let depth = has_completions.then(|| self.depths(duration_ns));
        let arrivals = Arrivals {
            ios_per_s: self.bursts.total() as f64 / seconds,
            peak_ios_per_s: self.bursts.most_per_s(),
            burstiness: self.bursts.finish(duration_ns),
        };
        let [read, write, discard, flush, other] = self.operations;
        let direction = |counts: Counts| counts.direction(capture.layer, duration_ns, &self.flushes);
        let all_events = facts.events.saturating_add(facts.lost_events).max(1);
        let losses = Losses {
            events: facts.events,
            lost_events: facts.lost_events,
            lost_share: facts.lost_events as f64 / all_events as f64,
            unreadable: facts.unreadable,
            cpu_ns: facts.cpu_ns,
        };
        let has_flushes = flush.ios > 0 || self.forced_writes > 0;
        let flush = has_flushes.then(|| Flushes {
            flushes: flush.ios,
            flushes_per_s: flush.ios as f64 / seconds,
            latency: Latencies::of(&flush.device),
            forced_writes: self.forced_writes,
        });
        let is_mostly_unfinished = has_completions && self.unfinished > (self.bursts.total() / 2).max(UNFINISHED_MIN);
        let (interval_ns, over_time) = self.over_time.finish(duration_ns);
        Figures {
            schema: Figures::SCHEMA,
            end: facts.end,
            duration_ns: facts.duration_ns,
            is_conclusive: losses.is_conclusive() && facts.changes.given_up == 0 && !is_mostly_unfinished,
            losses,
            left_out: facts.left_out,
            read: direction(read),
            write: direction(write),
            discard: direction(discard),
            flush,
            others: other.ios,
            unfinished: has_completions.then_some(self.unfinished),
            depth,
            arrivals,
            changes: facts.changes,
            programs: programs(&self.programs, facts),
            interval_ns,
            over_time,
            capture,
        }
    }

    /// The mean is the sum of the times of all I/Os, divided by that of the capture.
    fn depths(&self, duration_ns: u64) -> Depths {
        let until_end_ns = u128::from(duration_ns) * u128::from(self.unfinished);
        let unfinished_ns = until_end_ns.saturating_sub(self.unfinished_starts_ns);
        let percentile = |percent| self.depths.percentile(percent).unwrap_or(0);
        Depths {
            mean: self.in_flight_ns.saturating_add(unfinished_ns) as f64 / duration_ns as f64,
            p50: percentile(50.0),
            p99: percentile(99.0),
            max: self.depth_max,
        }
    }
}

/// Returns the programs with the most I/Os.
fn programs(counted: &HashMap<u32, (u64, u64)>, facts: &Facts) -> Vec<Program> {
    let named = |(index, (ios, bytes)): (&u32, &(u64, u64))| {
        let name = facts.programs.get(*index as usize)?.clone();
        Some(Program { name, ios: *ios, bytes: *bytes })
    };
    let mut programs: Vec<Program> = counted.iter().filter_map(named).collect();
    programs.order_by_key(|program| (Reverse(program.ios), program.name.clone()));
    programs.truncate(PROGRAMS_SHOWN);
    programs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Device, End};
    use crate::lives::Changes;

    fn head(layer: Layer) -> Head {
        Head {
            fathom: String::new(),
            target: "".into(),
            device: Device::default(),
            partition: None,
            layer,
            started_unix_ms: Some(0),
            utc_offset_s: 0,
            has_names: true,
            origin: crate::document::Origin::Capture,
        }
    }

    fn facts(duration_ns: u64) -> Facts {
        let programs = vec!["one".into(), "other".into()];
        let changes = Changes::default();
        let (lost_events, left_out) = (1, None);
        Facts {
            end: End::Time,
            duration_ns,
            events: 999,
            lost_events,
            unreadable: 0,
            changes,
            cpu_ns: 0,
            programs,
            left_out,
        }
    }

    fn io(start_ns: u64, operation: Operation, sector: u64) -> Io {
        Io {
            start_ns,
            operation,
            flags: Flags::default(),
            sector,
            sectors: 8,
            inserted_ns: Some(1000),
            issued_ns: Some(3000),
            completed_ns: Some(103_000),
            program: Some(0),
        }
    }

    fn figures(ios: &[Io], duration_ns: u64) -> Figures {
        let mut counter = Counter::default();
        ios.iter().for_each(|io| counter.add(io));
        counter.finish(head(Layer::Requests), &facts(duration_ns))
    }

    #[test]
    fn an_even_load_has_its_parameters() {
        // 1000 I/Os of 4 KiB per second for 10 s: sequential reads, and each fourth a random write.
        let of_nth = |nth: u64| match nth % 4 {
            0 => io(nth * 1_000_000, Operation::Write, (nth * 7919) % 100_000 * 64 + 1_000_000),
            _ => io(nth * 1_000_000, Operation::Read, nth - nth / 4 - 1).times_8(),
        };
        let ios: Vec<Io> = (0..10_000).map(of_nth).collect();
        let found = figures(&ios, 10 * SECOND_NS);
        let (read, write) = (found.read.unwrap(), found.write.unwrap());
        assert_eq!((read.ios, write.ios), (7500, 2500));
        assert_eq!((read.ios_per_s, write.bytes_per_s), (750.0, 250.0 * 4096.0));
        assert_eq!((read.peak_ios_per_s, found.arrivals.peak_ios_per_s), (750, 1000));
        assert_eq!(read.sizes, [SizeShare { bytes: 4096, ios_share: 1.0 }]);
        assert!(read.sequential_share > 0.999 && write.sequential_share < 0.001);
        let latency = read.latency.unwrap();
        assert_eq!((latency.mean_ns, latency.max_ns), (100_000.0, 100_000));
        let waits = read.waits.unwrap();
        assert_eq!((waits.before_queue_mean_ns, waits.scheduler_mean_ns), (1000.0, 2000.0));
        let depth = found.depth.unwrap();
        assert!((depth.mean - 0.103).abs() < 1e-9 && (depth.p50, depth.max) == (1, 1), "{depth:?}");
        let burstiness = found.arrivals.burstiness;
        assert!(burstiness.dispersion < 1e-9 && burstiness.idle_share == 0.0, "{burstiness:?}");
        assert_eq!((found.interval_ns, found.over_time.len()), (SECOND_NS, 10));
        assert_eq!((found.over_time[3].reads, found.over_time[3].write_bytes), (750, 250 * 4096));
        assert!(found.is_conclusive, "0.1 % of the events are lost");
        assert_eq!(found.programs, [Program { name: "one".into(), ios: 10_000, bytes: 40_960_000 }]);
        assert!(found.discard.is_none() && found.flush.is_none());
    }

    impl Io {
        fn times_8(self) -> Io {
            Io { sector: self.sector * 8, ..self }
        }
    }

    #[test]
    fn bursts_and_depth_are_seen() {
        // 100 reads at once, in each second second.
        let ios: Vec<Io> = (0..500).map(|nth| io(nth / 100 * 2 * SECOND_NS + nth, Operation::Read, nth * 64)).collect();
        let found = figures(&ios, 10 * SECOND_NS);
        let burstiness = found.read.unwrap().burstiness;
        assert_eq!((found.arrivals.peak_ios_per_s, burstiness.idle_share), (100, 0.5));
        // 5 of 100 windows have 100 I/Os: the mean is 5, the variance 475.
        assert!((burstiness.dispersion - 95.0).abs() < 1e-9, "{burstiness:?}");
        assert_eq!(burstiness.bursts.unwrap().bursts, 5);
        assert_eq!(found.arrivals.burstiness, burstiness, "all I/Os are reads");
        let depth = found.depth.unwrap();
        assert_eq!((depth.max, depth.p50), (100, 50));
    }

    #[test]
    fn flushes_and_unfinished_ios_are_counted() {
        let flush = Io { sectors: 0, issued_ns: None, inserted_ns: None, ..io(10, Operation::Flush, 0) };
        let forced = Io { flags: Flags::FORCED.with(Flags::SYNC), ..io(20, Operation::Write, 8) };
        let open = Io { completed_ns: None, ..io(SECOND_NS / 2, Operation::Discard, 64) };
        let found = figures(&[flush, forced, open], SECOND_NS);
        let flushes = found.flush.unwrap();
        assert_eq!((flushes.flushes, flushes.forced_writes, flushes.latency.unwrap().max_ns), (1, 1, 103_000));
        assert_eq!((found.unfinished, found.write.unwrap().sync_share), (Some(1), 1.0));
        assert!(found.depth.unwrap().mean > 0.5 && found.discard.unwrap().latency.is_none());
    }

    #[test]
    fn more_than_a_thousandth_of_lost_events_decides_nothing() {
        let lost = |lost_events, unreadable| Facts { lost_events, unreadable, ..facts(1) };
        let is_conclusive = |facts| Counter::default().finish(head(Layer::Bios), &facts).is_conclusive;
        assert!(is_conclusive(lost(0, 0)) && is_conclusive(lost(1, 0)));
        assert!(!is_conclusive(lost(2, 0)) && !is_conclusive(lost(0, 1)));
        let changes = Changes { given_up: 1, ..Changes::default() };
        assert!(!is_conclusive(Facts { changes, ..facts(1) }));
    }

    #[test]
    fn a_capture_without_most_completions_decides_nothing() {
        let done = io(10, Operation::Read, 0);
        let open = Io { completed_ns: None, ..done };
        let is_conclusive = |done_ios, open_ios| {
            figures(&[vec![done; done_ios], vec![open; open_ios]].concat(), SECOND_NS).is_conclusive
        };
        assert!(is_conclusive(0, 1) && is_conclusive(0, 100) && is_conclusive(1000, 1000));
        assert!(!is_conclusive(0, 101) && !is_conclusive(1000, 1001));
    }

    #[test]
    fn any_numbers_have_figures() {
        let huge = Io {
            sector: u64::MAX,
            sectors: u32::MAX,
            completed_ns: Some(u64::MAX),
            ..io(u64::MAX, Operation::Read, 0)
        };
        for duration_ns in [0, 1, u64::MAX] {
            let found = figures(&[huge; 3], duration_ns);
            assert!(found.over_time.len() <= 600 && serde_json::to_string(&found).is_ok());
        }
    }
}
