//! The limits that apply to a load: the lowest of those of the disk, the stripe and the machine.
//!
//! Each part limits I/Os per second and bytes per second. At a given block size one of the two is reached first.

use assessment::{Citation, Confidence, Metric, Quantity};
use plan::Ddir;
use units::order::OrderBy;

use super::catalogue::{Enough, Kind};
use super::expectation::{Expectation, Part};
use super::formula::Formula;

/// The properties of a load that decide its limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Load {
    /// Block size, if all I/Os of the direction have one size.
    pub block_bytes: Option<u64>,
    pub sequential: bool,
    /// The test is meant for a machine's cache.
    pub cached: bool,
    /// One I/O is in flight at a time, so its latency is that of the disk.
    pub alone: bool,
}

/// A published limit of a load.
#[derive(Clone, PartialEq, Debug)]
pub struct Limit {
    pub metric: Metric,
    /// In the metric's unit. For a latency, the upper bound.
    pub value: f64,
    /// Name of the part with the limit: `Standard_D8ds_v4 uncached`, `3 x P30`.
    pub of: String,
    /// Key of that part: its kind, and the path of a machine.
    pub(crate) part: (Kind, String),
    pub enough: Enough,
    pub source: String,
    pub date: String,
    pub confidence: Confidence,
    pub note: String,
    /// The burst above the limit.
    pub burst: Option<Burst>,
    /// The limit if sequential I/Os are merged.
    pub merged: Option<f64>,
    /// The limits of the other parts, the lowest first, in the metric's unit.
    pub others: Vec<(String, f64)>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Burst {
    /// In the metric's unit.
    pub value: f64,
    /// Duration of the burst from a full bucket.
    pub seconds: Option<f64>,
}

/// The limits of one part in one direction.
#[derive(Clone, Copy, Default)]
struct Caps {
    iops: Option<f64>,
    bytes_per_s: Option<f64>,
}

struct Candidate<'a> {
    part: &'a Part,
    of: String,
    base: Caps,
    burst: Caps,
}

impl Expectation {
    /// Returns the limits of a load in a direction. With a block size it is the one that is reached first.
    pub fn limits(&self, ddir: Ddir, load: Load) -> Vec<Limit> {
        if self.ddir.is_some_and(|only| only != ddir) || ddir == Ddir::Trim {
            return Vec::new();
        }
        let candidates = self.candidates(ddir, load);
        let mut limits: Vec<Limit> = match load.block_bytes {
            Some(bytes) => rate(&candidates, ddir, bytes.max(1) as f64, load.sequential).into_iter().collect(),
            None => [Quantity::Iops, Quantity::Bandwidth]
                .into_iter()
                .filter_map(|quantity| plain(&candidates, ddir, quantity))
                .collect(),
        };
        if load.alone {
            limits.extend(candidates.iter().flat_map(|candidate| latencies(candidate, ddir)));
        }
        limits
    }

    fn candidates(&self, ddir: Ddir, load: Load) -> Vec<Candidate<'_>> {
        let machine = self.active(ddir, load);
        // I/O that a cache or local storage serves does not reach the disk.
        let without_disk = machine.is_some_and(|part| part.entry.group.local || !part.entry.group.serves.is_empty());
        let disk = self.disk.as_ref().filter(|_| !without_disk);
        let parts = disk.into_iter().chain(machine);
        parts
            .map(|part| Candidate {
                part,
                of: part.shown(),
                base: part.caps(&part.entry.group.limit, ddir),
                burst: part.bursting().caps(&part.bursting().entry.group.burst, ddir),
            })
            .collect()
    }

    /// The machine's path that I/O of the direction takes.
    fn active(&self, ddir: Ddir, load: Load) -> Option<&Part> {
        let word = if ddir == Ddir::Read { "read" } else { "write" };
        let serves = |part: &Part| part.entry.group.serves.iter().any(|served| served == word);
        let of_path = |path: &str| self.machine.iter().find(|part| part.entry.group.path == path);
        let fallback =
            || of_path(&self.default_path).or_else(|| self.machine.first().filter(|_| self.machine.len() == 1));
        match &self.path {
            Some(path) => match of_path(path) {
                Some(part) if !part.entry.group.serves.is_empty() && !serves(part) => fallback(),
                named => named,
            },
            None => self.machine.iter().find(|part| load.cached && serves(part)).or_else(fallback),
        }
    }
}

impl Part {
    /// The name of a part in messages.
    pub fn shown(&self) -> String {
        let (name, path) = (&self.entry.name, &self.entry.group.path);
        match (self.entry.group.kind, self.count) {
            (Kind::Disk, 1) => name.clone(),
            (Kind::Disk, count) => format!("{count} x {name}"),
            (Kind::Machine, _) => format!("{name} {path}"),
        }
    }

    fn caps(&self, limits: &[(Metric, Formula)], ddir: Ddir) -> Caps {
        let least = |quantity: Quantity| {
            let of_direction =
                |metric: &Metric| metric.quantity == quantity && metric.ddir.is_none_or(|only| only == ddir);
            let values = limits.iter().filter(|(metric, _)| of_direction(metric));
            let value = values.filter_map(|(_, formula)| self.value(formula)).reduce(f64::min)?;
            let scale = if self.entry.group.together { 1.0 } else { self.count as f64 };
            Some(value * scale).filter(|value| *value > 0.0)
        };
        Caps { iops: least(Quantity::Iops), bytes_per_s: least(Quantity::Bandwidth) }
    }
}

impl Caps {
    fn of(self, quantity: Quantity) -> Option<f64> {
        if quantity == Quantity::Iops { self.iops } else { self.bytes_per_s }
    }

    /// The larger of both rates: a burst is never below the base rate.
    fn or(self, other: Caps) -> Caps {
        let larger = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (base, None) => base,
            (None, Some(_)) => None,
        };
        Caps { iops: larger(self.iops, other.iops), bytes_per_s: larger(self.bytes_per_s, other.bytes_per_s) }
    }
}

impl Candidate<'_> {
    /// I/Os per second at a block size, and whether IOPS or bandwidth limits them.
    fn rate(&self, caps: Caps, block_bytes: f64) -> Option<(f64, Quantity)> {
        let counted = self.part.entry.group.io_max_bytes.map_or(1.0, |most| (block_bytes / most).ceil().max(1.0));
        let by_iops = caps.iops.map(|iops| (iops / counted, Quantity::Iops));
        let by_bytes = caps.bytes_per_s.map(|bytes| (bytes / block_bytes, Quantity::Bandwidth));
        match (by_iops, by_bytes) {
            (Some(iops), Some(bytes)) => Some(if iops.0 <= bytes.0 { iops } else { bytes }),
            (one, other) => one.or(other),
        }
    }

    fn seconds(&self) -> Option<f64> {
        let part = self.part.bursting();
        let formula = part.entry.group.burst_seconds.as_ref()?;
        part.value(formula).filter(|time| *time > 0.0)
    }

    fn limit(&self, metric: Metric, value: f64) -> Limit {
        let group = &self.part.entry.group;
        Limit {
            metric,
            value,
            of: self.of.clone(),
            part: (group.kind, group.path.clone()),
            enough: group.enough.of(metric.quantity),
            source: group.source.clone(),
            date: group.date.clone(),
            confidence: group.confidence,
            note: group.note.clone(),
            burst: None,
            merged: None,
            others: Vec::new(),
        }
    }
}

/// The limit at a block size, in I/Os or bytes per second, whichever is reached first.
fn rate(candidates: &[Candidate], ddir: Ddir, block_bytes: f64, sequential: bool) -> Option<Limit> {
    let mut rates: Vec<(&Candidate, f64, Quantity)> = candidates
        .iter()
        .filter_map(|candidate| {
            candidate.rate(candidate.base, block_bytes).map(|(rate, quantity)| (candidate, rate, quantity))
        })
        .collect();
    rates.order_by(|one, other| one.1.total_cmp(&other.1));
    let (least, value, quantity) = *rates.first()?;
    let scale = if quantity == Quantity::Iops { 1.0 } else { block_bytes };
    let mut limit = least.limit(Metric { ddir: Some(ddir), quantity }, value * scale);
    limit.others = rates[1..].iter().map(|(other, rate, _)| (other.of.clone(), rate * scale)).collect();
    let allowed = |candidate: &Candidate, caps: Caps| candidate.rate(caps, block_bytes).map(|(rate, _)| rate);
    limit.burst = burst(candidates, allowed).map(|burst| Burst { value: burst.value * scale, ..burst });
    if sequential && quantity == Quantity::Iops && least.part.entry.group.merges {
        let merged = candidates.iter().filter_map(|candidate| candidate.base.bytes_per_s).reduce(f64::min);
        limit.merged = merged.map(|bytes| bytes / block_bytes).filter(|merged| *merged > value);
    }
    Some(limit)
}

/// The limit as published, without a block size.
fn plain(candidates: &[Candidate], ddir: Ddir, quantity: Quantity) -> Option<Limit> {
    let mut values: Vec<(&Candidate, f64)> =
        candidates.iter().filter_map(|candidate| Some((candidate, candidate.base.of(quantity)?))).collect();
    values.order_by(|one, other| one.1.total_cmp(&other.1));
    let (least, value) = *values.first()?;
    let mut limit = least.limit(Metric { ddir: Some(ddir), quantity }, value);
    limit.others = values[1..].iter().map(|(other, value)| (other.of.clone(), *value)).collect();
    limit.burst = burst(candidates, |_, caps| caps.of(quantity));
    Some(limit)
}

/// The lowest burst of the parts, if it is above the limit. It ends when the first burst ends.
fn burst(candidates: &[Candidate], allowed: impl Fn(&Candidate, Caps) -> Option<f64>) -> Option<Burst> {
    let base = |candidate: &Candidate| allowed(candidate, candidate.base);
    let most = |candidate: &Candidate| allowed(candidate, candidate.base.or(candidate.burst));
    let least = candidates.iter().filter_map(base).reduce(f64::min)?;
    let value = candidates.iter().filter_map(most).reduce(f64::min).filter(|value| *value > least)?;
    let bursting = candidates.iter().filter(|candidate| base(candidate).is_some_and(|base| base < value));
    let seconds = bursting.filter_map(Candidate::seconds).reduce(f64::min);
    Some(Burst { value, seconds })
}

/// The published latencies, as upper bounds.
fn latencies(candidate: &Candidate, ddir: Ddir) -> Vec<Limit> {
    let limits = candidate.part.entry.group.limit.iter();
    let of_direction = |metric: &Metric| !metric.is_rate() && metric.ddir.is_none_or(|only| only == ddir);
    limits
        .filter(|(metric, _)| of_direction(metric))
        .filter_map(|(metric, formula)| {
            let metric = Metric { ddir: Some(ddir), ..*metric };
            Some(candidate.limit(metric, candidate.part.value(formula)?))
        })
        .collect()
}

impl Limit {
    /// The source of the limit.
    pub fn citation(&self) -> Citation {
        Citation {
            of: Some(self.of.clone()),
            source: self.source.clone(),
            date: Some(self.date.clone()),
            confidence: self.confidence,
        }
    }
}
