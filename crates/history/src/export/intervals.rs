//! The time series of saved runs: a row for each interval and direction.

use plan::Ddir;
use record::{Record, Slot, Timeline};

use super::table::{Cell, Column, Kind, Table};
use crate::Document;
use crate::summary::SINGLE;

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind }
}

const COLUMNS: [Column; 18] = [
    column("id", Kind::Count),
    column("started_unix_ms", Kind::UnixMs),
    column("test", Kind::Text),
    column("at", Kind::Text),
    // Numbers from 0: of the round in a test, of the phase in a run.
    column("round", Kind::Count),
    column("phase", Kind::Count),
    // Counted from the start of the phase's measured time.
    column("from_ns", Kind::Count),
    column("length_ns", Kind::Count),
    column("workers", Kind::Count),
    column("direction", Kind::Text),
    column("ios", Kind::Count),
    column("bytes", Kind::Count),
    column("iops", Kind::Figure),
    column("bytes_per_s", Kind::Figure),
    column("mean_ns", Kind::Figure),
    column("p50_ns", Kind::Figure),
    column("p99_ns", Kind::Figure),
    column("p99_9_ns", Kind::Figure),
];

pub fn empty() -> Table {
    Table { columns: &COLUMNS, rows: Vec::new() }
}

/// The run, test and phase of an interval.
struct Place<'a> {
    id: i64,
    test: &'a str,
    at: String,
    round: usize,
    started_unix_ms: u64,
}

pub fn add(table: &mut Table, id: i64, document: &Document) {
    let mut take = |test: &str, at: String, round: usize, record: &Record| {
        let place = Place { id, test, at, round, started_unix_ms: record.started_unix_ms };
        table.rows.extend(record.timeline.iter().flat_map(|timeline| rows(&place, timeline)));
    };
    match document {
        Document::Record(record) => take(SINGLE, String::new(), 0, record),
        Document::Assessment(assessment) => {
            for test in &assessment.tests {
                for (at, round) in test.rounds.iter().enumerate() {
                    let differs: Vec<String> = round.at.iter().map(|(name, value)| format!("{name}={value}")).collect();
                    take(&test.name, differs.join(" "), at, &round.record);
                }
            }
        }
    }
}

/// Adds a row for each direction with I/O.
fn rows(place: &Place, timeline: &Timeline) -> Vec<Vec<Cell>> {
    let done = |ddir: &Ddir| timeline.slots.iter().any(|slot| slot.ddirs[*ddir as usize].ios > 0);
    let ddirs: Vec<Ddir> = [Ddir::Read, Ddir::Write, Ddir::Trim].into_iter().filter(done).collect();
    let slots = timeline.slots.iter().enumerate();
    slots.flat_map(|(at, slot)| ddirs.iter().map(move |ddir| row(place, timeline, (at, slot), *ddir))).collect()
}

fn row(place: &Place, timeline: &Timeline, (at, slot): (usize, &Slot), ddir: Ddir) -> Vec<Cell> {
    let (counts, length_ns) = (&slot.ddirs[ddir as usize], timeline.slot_ns(at));
    let rate = |count: u64| (length_ns > 0).then(|| count as f64 * 1e9 / length_ns as f64);
    let percentile = |percent: f64| counts.lat.percentile(percent).map(|ns| ns as f64);
    let from_ns = timeline.from_ns.saturating_add((at as u64).saturating_mul(timeline.interval_ns));
    let cells: [Cell; COLUMNS.len()] = [
        Cell::Count(place.id),
        place.started_unix_ms.into(),
        place.test.into(),
        place.at.as_str().into(),
        (place.round as u64).into(),
        (timeline.phase as u64).into(),
        from_ns.into(),
        length_ns.into(),
        u64::from(slot.workers).into(),
        ddir.name().into(),
        counts.ios.into(),
        counts.bytes.into(),
        rate(counts.ios).into(),
        rate(counts.bytes).into(),
        counts.lat.mean().into(),
        percentile(50.0).into(),
        percentile(99.0).into(),
        percentile(99.9).into(),
    ];
    cells.into()
}
