//! The load of a capture on another target: its busiest part is replayed, and multiplied by a search.

mod division;
mod log;
mod search;

use std::collections::BTreeMap;

use ::capture::{Counter, Direction, Extents, Facts, Figures, Head, Io, Operation};
use plan::{Ddir, PerDdir};

use crate::capture;
use crate::command_error::CommandError;
pub use division::{Division, divide};
pub use log::{TemporaryLog, log_failed};
pub use search::{LikeArgs, run};

const SECOND_NS: u64 = 1_000_000_000;
/// The 99th percentile of fewer I/Os is their maximum.
const IOS_OF_P99: u64 = 100;

/// A capture.
struct CapturedLoad {
    path: String,
    figures: Figures,
    /// Reads, writes and discards by the second of their start.
    ios_by_second: BTreeMap<u64, u64>,
}

/// A time of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Span {
    from_ns: u64,
    length_ns: u64,
}

/// The part of a capture that is replayed.
struct Part {
    span: Span,
    /// Figures of the I/Os that start in it.
    figures: Figures,
    /// Places of the replayed I/Os.
    extents: Extents,
    /// The target can discard.
    can_discard: bool,
    /// Discards that the target cannot do.
    discards_left_out: u64,
    /// Lines of its log.
    lines: u64,
}

impl CapturedLoad {
    /// Reads a capture.
    ///
    /// # Errors
    /// The file cannot be read, has no reads, writes or discards, or decides nothing.
    fn read(path: &str) -> Result<CapturedLoad, CommandError> {
        let mut ios_by_second = BTreeMap::new();
        let figures = capture::load_each(path, |_, io| {
            if ddir(io).is_some() {
                *ios_by_second.entry(io.start_ns / SECOND_NS).or_default() += 1;
            }
        })?;
        if ios_by_second.is_empty() {
            return Err(format!("{path} has no reads, writes or discards").into());
        }
        if !figures.is_conclusive {
            let help = "`fathom capture show` has the reason; capture the load again";
            return Err(format!("{path} is INCONCLUSIVE: its load is not complete\nhelp: {help}").into());
        }
        Ok(CapturedLoad { path: path.to_owned(), figures, ios_by_second })
    }

    /// Returns true if the load changes data.
    fn writes(&self) -> bool {
        self.figures.write.is_some() || self.figures.discard.is_some()
    }

    /// Returns the busiest part of at most this length, by the number of its I/Os. It begins with a second in which I/Os start.
    ///
    /// # Errors
    /// The capture cannot be read again, or the target can do none of its I/Os.
    fn busiest_part(&self, length_ns: u64, can_discard: bool) -> Result<Part, CommandError> {
        let span = self.busiest_span(length_ns);
        let (mut counter, mut lines, mut discards_left_out) = (Counter::default(), 0, 0);
        let mut extents: Option<Extents> = None;
        self.each_in(span, |head, at_ns, io| {
            if !is_replayed(io, can_discard) {
                discards_left_out += 1;
                return;
            }
            counter.add(&Io { start_ns: at_ns, ..*io });
            lines += log::lines(io, head.layer);
            if ddir(io).is_some() {
                let base = head.partition.as_ref().map_or(0, |partition| partition.first_sector);
                extents.get_or_insert_with(|| Extents::new(base)).add(io);
            }
        })?;
        let extents = extents.ok_or_else(|| format!("{} has no I/Os that the target can do", self.path))?;
        let figures = counter.finish(self.figures.capture.clone(), &self.facts(span));
        Ok(Part { span, figures, extents, can_discard, discards_left_out, lines })
    }

    fn busiest_span(&self, length_ns: u64) -> Span {
        let duration_ns = self.figures.duration_ns;
        if duration_ns <= length_ns {
            return Span { from_ns: 0, length_ns: duration_ns };
        }
        let second = busiest_second(&self.ios_by_second, (length_ns / SECOND_NS).max(1));
        Span { from_ns: second.saturating_mul(SECOND_NS).min(duration_ns - length_ns), length_ns }
    }

    /// Returns the facts of a part.
    fn facts(&self, span: Span) -> Facts {
        let Figures { end, losses, changes, left_out, .. } = &self.figures;
        Facts {
            end: *end,
            duration_ns: span.length_ns,
            events: losses.events,
            lost_events: losses.lost_events,
            unreadable: losses.unreadable,
            changes: *changes,
            cpu_ns: losses.cpu_ns,
            programs: Vec::new(),
            left_out: *left_out,
        }
    }

    /// Passes each I/O of a time to a function, with its start since the begin of this time.
    fn each_in(&self, span: Span, mut each: impl FnMut(&Head, u64, &Io)) -> Result<(), CommandError> {
        let each_io = |head: &Head, io: &Io| {
            if let Some(at_ns) = io.start_ns.checked_sub(span.from_ns).filter(|at_ns| *at_ns < span.length_ns) {
                each(head, at_ns, io);
            }
        };
        capture::load_each(&self.path, each_io).map(drop)
    }
}

impl Part {
    /// Returns the 99th percentile by direction, from submission to completion. That of fewer I/Os is their maximum.
    fn p99_ns(&self) -> PerDdir<Option<u64>> {
        let of_many = |direction: &&Direction| direction.ios >= IOS_OF_P99;
        PerDdir(self.directions().map(|direction| Some(direction.filter(of_many)?.whole?.p99_ns)))
    }

    /// Returns `value` for each direction with I/Os.
    fn each(&self, value: u64) -> PerDdir<Option<u64>> {
        PerDdir(self.directions().map(|direction| direction.map(|_| value)))
    }

    fn directions(&self) -> [Option<&Direction>; 3] {
        [self.figures.read.as_ref(), self.figures.write.as_ref(), self.figures.discard.as_ref()]
    }
}

/// Returns the first second of the time of `seconds` in which most I/Os start.
fn busiest_second(ios_by_second: &BTreeMap<u64, u64>, seconds: u64) -> u64 {
    let (mut first, mut ios, mut most) = (ios_by_second.iter(), 0, (0, 0));
    let mut from = first.next();
    for (second, started) in ios_by_second {
        ios += started;
        while let Some((_, begun)) = from.filter(|(begin, _)| *begin + seconds <= *second) {
            (ios, from) = (ios - begun, first.next());
        }
        if ios > most.0 {
            most = (ios, from.map_or(0, |(begin, _)| *begin));
        }
    }
    most.1
}

/// Returns the direction of an I/O with data.
fn ddir(io: &Io) -> Option<Ddir> {
    match io.operation {
        Operation::Read => Some(Ddir::Read),
        Operation::Write => Some(Ddir::Write),
        Operation::Discard => Some(Ddir::Trim),
        Operation::Flush | Operation::Other => None,
    }
    .filter(|_| io.sectors > 0)
}

/// Returns true if the target can do the I/O.
fn is_replayed(io: &Io, can_discard: bool) -> bool {
    can_discard || io.operation != Operation::Discard
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_part_of_a_long_capture_is_found_to_the_second() {
        let mut ios: BTreeMap<u64, u64> = (0..7200).step_by(60).map(|second| (second, 1)).collect();
        ios.extend((604_700..604_740).map(|second| (second, 50)));
        ios.insert(700_000, 100);
        assert_eq!([60, 1, 1_000_000].map(|seconds| busiest_second(&ios, seconds)), [604_700, 700_000, 0]);
    }

    #[test]
    fn the_bounds_and_the_depth_are_those_of_the_part() {
        let path = std::env::temp_dir().join(format!("fathom-like-part-{}.csv", std::process::id()));
        // One read per second with 10 ms; 100 reads with 1 ms in the second 50; a write after it.
        let line =
            |at_s: f64, kind: &str, ms: u64| format!("{},h,0,{kind},0,4096,{}\n", (at_s * 1e7) as u64, ms * 10_000);
        let mut text: String = (1..50).map(|second| line(f64::from(second), "Read", 10)).collect();
        text.extend((0..100).map(|nth| line(50.0 + f64::from(nth) / 1e4, "Read", 1)));
        text += &line(60.0, "Write", 5);
        std::fs::write(&path, text).unwrap();
        let captured = CapturedLoad::read(path.to_str().unwrap()).unwrap();
        let [part, all] =
            [SECOND_NS, captured.figures.duration_ns].map(|length_ns| captured.busiest_part(length_ns, true).unwrap());
        std::fs::remove_file(path).unwrap();
        assert_eq!(part.span, Span { from_ns: 49 * SECOND_NS, length_ns: SECOND_NS });
        let p99_ms = |part: &Part| part.p99_ns().0.map(|ns| Some((ns? as f64 / 1e6).round()));
        assert_eq!((p99_ms(&part), p99_ms(&all)), ([Some(1.0), None, None], [Some(10.0), None, None]), "one write");
        assert!((9..=11).contains(&part.figures.depth.unwrap().p99), "a read each 0.1 ms, for 1 ms each");
        assert_eq!((part.lines, all.lines), (100, 150));
    }
}
