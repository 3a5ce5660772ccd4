//! What a test's runs come to: runs with the same settings added up, by direction.

use assessment::{Round, Test};
use plan::{Ddir, Origin};
use record::{DdirStats, Latency, Record};

/// More jobs than these are no table that anybody reads.
const JOBS_MOST: usize = 64;

/// The runs of a test with the same settings: those of the steady state, where there is one.
pub struct Cell<'a> {
    /// What differs from the other cells, as (`bs`, `64k`); empty where there is one cell.
    pub at: Vec<(&'a str, &'a str)>,
    pub runs: usize,
    ddirs: [DdirStats; 3],
    pub all: DdirStats,
    syncs: Latency,
}

/// What a cell did in one direction, or its flushes.
pub struct Side<'a> {
    pub name: &'static str,
    /// As a class of the charts: the direction's colour.
    pub colour: usize,
    /// `None` of flushes, which are counted with their writes.
    pub rates: Option<Rates>,
    /// From the issue to the completion.
    pub latency: &'a Latency,
}

#[derive(Clone, Copy)]
pub struct Rates {
    pub iops: f64,
    pub bytes_per_s: f64,
}

impl Rates {
    fn of(stats: &DdirStats) -> Rates {
        Rates { iops: stats.ios_per_s(), bytes_per_s: stats.bytes_per_s() }
    }
}

impl Cell<'_> {
    /// `bs=64k rwmixread=0`.
    pub fn name(&self) -> String {
        let words: Vec<String> = self.at.iter().map(|(name, value)| format!("{name}={value}")).collect();
        words.join(" ")
    }

    /// The same without one of the settings.
    pub fn name_without(&self, setting: &str) -> String {
        let others = self.at.iter().filter(|(name, _)| *name != setting);
        others.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    pub fn value(&self, setting: &str) -> Option<&str> {
        self.at.iter().find(|(name, _)| *name == setting).map(|(_, value)| *value)
    }

    /// The directions in which something was done, and the flushes.
    pub fn sides(&self) -> Vec<Side<'_>> {
        let mut sides = Vec::new();
        for ddir in Ddir::ALL {
            let stats = &self.ddirs[ddir as usize];
            if stats.ios > 0 {
                let rates = Some(Rates::of(stats));
                sides.push(Side { name: ddir.name(), colour: ddir as usize, rates, latency: latency(stats) });
            }
        }
        if self.syncs.count() > 0 {
            sides.push(Side { name: "flush", colour: 3, rates: None, latency: &self.syncs });
        }
        sides
    }

    /// All directions together.
    pub fn rates(&self) -> Rates {
        Rates::of(&self.all)
    }

    /// As a load curve needs it: from when each I/O was due, where that was planned; else from its issue.
    pub fn load_latency(&self) -> &Latency {
        if self.all.response.count() > 0 { &self.all.response } else { latency(&self.all) }
    }

    /// I/Os that were due per second, where that was planned.
    pub fn offered_iops(&self) -> Option<f64> {
        let due = self.all.arrivals.as_ref()?.due;
        (self.all.ios > 0 && due > 0).then(|| self.rates().iops * due as f64 / self.all.ios as f64)
    }

    pub fn has_response(&self) -> bool {
        self.all.response.count() > 0
    }

    /// Response times, by direction.
    pub fn responses(&self) -> impl Iterator<Item = (Ddir, &Latency)> {
        Ddir::ALL.into_iter().map(|ddir| (ddir, &self.ddirs[ddir as usize].response)).filter(|(_, l)| l.count() > 0)
    }

    fn take(&mut self, record: &Record) {
        let totals = record.totals();
        self.ddirs.iter_mut().zip(&totals.ddirs).for_each(|(sum, more)| sum.append(more));
        self.all.append(&totals.all);
        record.workers.iter().for_each(|worker| self.syncs.merge(&worker.stats.sync_lat));
        self.runs += 1;
    }
}

/// From the issue to the completion, as timelines have it; of a job that doesn't record that, from the submission on.
fn latency(stats: &DdirStats) -> &Latency {
    if stats.lat.count() > 0 { &stats.lat } else { &stats.clat }
}

/// For each round which of those with its settings it is, counted from 0.
pub fn repeats(test: &Test) -> Vec<usize> {
    let mut seen: Vec<(&[(String, String)], usize)> = Vec::new();
    let mut repeats = Vec::with_capacity(test.rounds.len());
    for round in &test.rounds {
        let known = seen.iter_mut().find(|(at, _)| *at == round.at.as_slice());
        repeats.push(known.as_ref().map_or(0, |(_, times)| *times));
        match known {
            Some((_, times)) => *times += 1,
            None => seen.push((&round.at, 1)),
        }
    }
    repeats
}

pub fn cells(test: &Test) -> Vec<Cell<'_>> {
    let mut cells: Vec<(Cell, Vec<&Record>)> = Vec::new();
    for Round { at, record } in &test.rounds {
        let at: Vec<(&str, &str)> = at.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        match cells.iter_mut().find(|(cell, _)| cell.at == at) {
            Some((_, records)) => records.push(record),
            None => {
                let (ddirs, all, syncs) = Default::default();
                cells.push((Cell { at, runs: 0, ddirs, all, syncs }, vec![record]));
            }
        }
    }
    // What was measured on the way to the steady state is no part of it.
    let from = test.steady.as_ref().and_then(|steady| steady.from_round).unwrap_or(0);
    for (cell, records) in &mut cells {
        let from = if records.len() > from { from } else { 0 };
        records[from..].iter().for_each(|record| cell.take(record));
    }
    cells.into_iter().map(|(cell, _)| cell).collect()
}

/// The jobs of a test that is one run of several of fio's, each by itself; else nothing.
pub fn jobs(test: &Test) -> Vec<Cell<'_>> {
    let [Round { record, .. }] = test.rounds.as_slice() else { return Vec::new() };
    if !matches!(record.plan.origin, Origin::Fio(_)) {
        return Vec::new();
    }
    let mut jobs: Vec<Cell> = Vec::new();
    for (worker, done) in record.plan.workers.iter().zip(&record.workers) {
        let at = vec![("job", worker.name.as_str())];
        let known = jobs.iter().position(|job| job.at == at).unwrap_or_else(|| {
            let (ddirs, all, syncs) = Default::default();
            jobs.push(Cell { at, runs: 1, ddirs, all, syncs });
            jobs.len() - 1
        });
        let job = &mut jobs[known];
        for (sum, more) in job.ddirs.iter_mut().zip(&done.stats.ddirs) {
            sum.merge(more);
            job.all.merge(more);
        }
        job.syncs.merge(&done.stats.sync_lat);
    }
    if (2..=JOBS_MOST).contains(&jobs.len()) { jobs } else { Vec::new() }
}
