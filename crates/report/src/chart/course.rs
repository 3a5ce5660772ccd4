//! What a test did over time: the timelines of its runs, one after another, in as many points as can be seen.

use judge::assessment::Test;
use plan::Ddir;
use record::{CoarseHistogram, Slot, Timeline};

use crate::figures;

/// More borders than these would hide the lines between them.
const BORDERS_MOST: usize = 60;

#[derive(Default)]
pub struct Course {
    pub points: Vec<Point>,
    /// Where one run ends and the next begins, in s.
    pub borders: Vec<f64>,
    pub end_s: f64,
}

pub struct Point {
    pub from_s: f64,
    pub to_s: f64,
    pub ddirs: [Sum; 3],
    /// Which run it is of, where there are several.
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

    /// Of all directions.
    pub fn latencies(&self) -> CoarseHistogram {
        let mut all = CoarseHistogram::default();
        self.ddirs.iter().for_each(|sum| all.merge(&sum.lat));
        all
    }
}

impl Course {
    pub fn of(test: &Test, points_most: usize) -> Course {
        let slots = |timeline: &Timeline| timeline.slots.len();
        let timelines = || test.rounds.iter().flat_map(|round| &round.record.timeline);
        let all: usize = timelines().map(slots).sum();
        let together = all.div_ceil(points_most.max(1)).max(1);
        let mut course = Course::default();
        let repeats = figures::repeats(test);
        let is_repeated = repeats.iter().any(|repeat| *repeat > 0);
        for (round, repeat) in test.rounds.iter().zip(repeats) {
            let mut words: Vec<String> = Vec::new();
            words.extend(is_repeated.then(|| format!("round {}", repeat + 1)));
            words.extend(round.at.iter().map(|(name, value)| format!("{name}={value}")));
            for timeline in &round.record.timeline {
                course.take(timeline, together, &words.join(" "));
            }
        }
        course.borders.pop();
        if course.borders.len() > BORDERS_MOST {
            course.borders.clear();
        }
        course
    }

    fn take(&mut self, timeline: &Timeline, together: usize, run: &str) {
        for (nth, slots) in timeline.slots.chunks(together).enumerate() {
            let first = nth * together;
            let length_ns: u64 = (first..first + slots.len()).map(|at| timeline.slot_ns(at)).sum();
            let (from_s, to_s) = (self.end_s, self.end_s + length_ns as f64 / 1e9);
            let mut point = Point { from_s, to_s, ddirs: Default::default(), run: run.to_owned() };
            slots.iter().for_each(|slot| point.take(slot));
            self.points.push(point);
            self.end_s = to_s;
        }
        self.borders.push(self.end_s);
    }

    /// In which something was done.
    pub fn ddirs(&self) -> Vec<Ddir> {
        let worked = |ddir: &Ddir| self.points.iter().any(|point| point.ddirs[*ddir as usize].ios > 0);
        Ddir::ALL.into_iter().filter(worked).collect()
    }
}

impl Point {
    fn take(&mut self, slot: &Slot) {
        for (sum, counts) in self.ddirs.iter_mut().zip(&slot.ddirs) {
            sum.ios += counts.ios;
            sum.bytes += counts.bytes;
            sum.lat.merge(&counts.lat);
        }
    }
}
