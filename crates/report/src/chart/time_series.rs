//! The time series of a test: the timelines of its runs in sequence, reduced to a number of points.

use assessment::Test;
use plan::Ddir;
use record::{CoarseHistogram, DiskSlot, Record, Slot, Timeline};

use crate::figures;

/// With more borders between runs, none is drawn.
const BORDERS_MOST: usize = 60;
/// Smallest unit of I/O sizes, in bytes.
const SECTOR: f64 = 512.0;
/// Share of the I/Os of a point that rounding can move to another.
const ROUNDING: f64 = 0.02;

#[derive(Default)]
pub struct TimeSeries {
    pub points: Vec<Point>,
    /// Ends of all runs but the last, in s.
    pub borders: Vec<f64>,
    /// Starts of all runs, in s.
    pub starts_s: Vec<f64>,
    /// Steps of the rate from one level to another.
    pub steps: Vec<Step>,
    /// Names of the devices that counted; empty if none did.
    pub devices: String,
    pub end_s: f64,
}

pub struct Step {
    pub at_s: f64,
    pub what: String,
}

pub struct Point {
    pub from_s: f64,
    pub to_s: f64,
    pub ddirs: [Sum; 3],
    /// Counters of the devices, if known.
    pub device: Option<DiskSlot>,
    /// Highest temperature of the devices, in degrees Celsius.
    pub temperature_c: Option<f64>,
    /// Name of the run, if there are several.
    pub run: String,
}

#[derive(Default)]
pub struct Sum {
    pub ios: u64,
    pub bytes: u64,
    pub lat: CoarseHistogram,
}

impl Point {
    fn seconds(&self) -> f64 {
        (self.to_s - self.from_s).max(1e-9)
    }

    pub fn iops(&self, ddir: Ddir) -> f64 {
        self.ddirs[ddir as usize].ios as f64 / self.seconds()
    }

    pub fn bytes_per_s(&self, ddir: Ddir) -> f64 {
        self.ddirs[ddir as usize].bytes as f64 / self.seconds()
    }

    /// Returns the rate that the devices counted, in one direction.
    pub fn device_iops(&self, ddir: Ddir) -> Option<f64> {
        self.device?.ios.get(ddir as usize).map(|ios| *ios as f64 / self.seconds())
    }

    pub fn device_bytes_per_s(&self, ddir: Ddir) -> Option<f64> {
        self.device?.bytes.get(ddir as usize).map(|bytes| *bytes as f64 / self.seconds())
    }

    /// Returns the latencies of all directions.
    pub fn latencies(&self) -> CoarseHistogram {
        let mut all = CoarseHistogram::default();
        self.ddirs.iter().for_each(|sum| all.merge(&sum.lat));
        all
    }
}

impl TimeSeries {
    pub fn of(test: &Test, points_most: usize) -> TimeSeries {
        let repeats = figures::repeats(test);
        let is_repeated = repeats.iter().any(|repeat| *repeat > 0);
        let is_search = figures::is_search(test);
        let rounds = test.rounds.iter().zip(repeats).map(|(round, repeat)| {
            let mut words: Vec<String> = Vec::new();
            words.extend(is_repeated.then(|| format!("round {}", repeat + 1)));
            words.extend(round.at.iter().map(|(name, value)| figures::setting(name, value, is_search)));
            (&round.record, words.join(" "))
        });
        TimeSeries::of_records(&rounds.collect::<Vec<_>>(), points_most)
    }

    /// Returns the time series of records in sequence, each with the name of its run.
    pub fn of_records(records: &[(&Record, String)], points_most: usize) -> TimeSeries {
        let timelines = records.iter().flat_map(|(record, _)| &record.timeline);
        let all: usize = timelines.map(|timeline| timeline.slots.len()).sum();
        let together = all.div_ceil(points_most.max(1)).max(1);
        let mut series = TimeSeries::default();
        for (record, run) in records {
            series.starts_s.push(series.end_s);
            let changes = judge::changes(record);
            for timeline in &record.timeline {
                let starts_s = series.end_s - timeline.from_ns as f64 / 1e9;
                let of_phase = changes.iter().filter(|change| change.phase == timeline.phase);
                series.steps.extend(of_phase.map(|change| Step { at_s: starts_s + change.at_s, what: levels(change) }));
                series.take(timeline, &counted(record, timeline), together, run);
            }
        }
        series.borders.pop();
        if series.borders.len() > BORDERS_MOST {
            series.borders.clear();
        }
        series
    }

    fn take(&mut self, timeline: &Timeline, disks: &[usize], together: usize, run: &str) {
        let names: Vec<&str> = disks.iter().map(|at| timeline.disks[*at].as_str()).collect();
        if self.devices.is_empty() {
            self.devices = names.join(", ");
        }
        for (nth, slots) in timeline.slots.chunks(together).enumerate() {
            let first = nth * together;
            let length_ns: u64 = (first..first + slots.len()).map(|at| timeline.slot_ns(at)).sum();
            let (from_s, to_s) = (self.end_s, self.end_s + length_ns as f64 / 1e9);
            let device = (!disks.is_empty()).then(DiskSlot::default);
            let mut point =
                Point { from_s, to_s, ddirs: Default::default(), device, temperature_c: None, run: run.to_owned() };
            slots.iter().for_each(|slot| point.take(slot, disks));
            self.points.push(point);
            self.end_s = to_s;
        }
        self.borders.push(self.end_s);
    }

    /// Returns the size of all I/Os; `None` if they have several. Slots divide I/Os, so that a count can be off by one.
    pub fn block_bytes(&self) -> Option<u64> {
        let sums = || self.points.iter().flat_map(|point| &point.ddirs);
        let (ios, bytes) =
            sums().fold((0.0, 0.0), |(ios, bytes), sum| (ios + sum.ios as f64, bytes + sum.bytes as f64));
        let size = bytes / ios;
        let is_same =
            |sum: &Sum| (sum.bytes as f64 / size - sum.ios as f64).abs() <= (sum.ios as f64 * ROUNDING).max(1.0);
        (ios > 0.0 && size >= 1.0 && sums().all(is_same)).then(|| (size / SECTOR).round() as u64 * SECTOR as u64)
    }

    /// Returns the directions with I/O.
    pub fn ddirs(&self) -> Vec<Ddir> {
        let worked = |ddir: &Ddir| self.points.iter().any(|point| point.ddirs[*ddir as usize].ios > 0);
        Ddir::ALL.into_iter().filter(worked).collect()
    }
}

impl Point {
    fn take(&mut self, slot: &Slot, disks: &[usize]) {
        if let Some(sum) = &mut self.device {
            for counted in disks.iter().filter_map(|at| slot.disks.get(*at)) {
                for way in 0..2 {
                    sum.ios[way] = sum.ios[way].saturating_add(counted.ios[way]);
                    sum.bytes[way] = sum.bytes[way].saturating_add(counted.bytes[way]);
                }
            }
        }
        let read = disks.iter().filter_map(|at| *slot.temperatures_c.get(*at)?);
        self.temperature_c = read.chain(self.temperature_c).reduce(f64::max);
        for (sum, counts) in self.ddirs.iter_mut().zip(&slot.ddirs) {
            sum.ios += counts.ios;
            sum.bytes += counts.bytes;
            sum.lat.merge(&counts.lat);
        }
    }
}

/// Returns the timeline's devices under the targets, by index.
fn counted(record: &Record, timeline: &Timeline) -> Vec<usize> {
    let facts = || record.targets.iter().filter(|facts| facts.phase as usize == timeline.phase);
    let under = |name: &String| facts().any(|facts| facts.disks.contains(name));
    (0..timeline.disks.len()).filter(|at| under(&timeline.disks[*at])).collect()
}

fn levels(change: &judge::Change) -> String {
    format!("from {} to {}", change.unit.show(change.before), change.unit.show(change.after))
}
