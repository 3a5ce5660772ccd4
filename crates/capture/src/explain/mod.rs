//! Explains the slowest I/Os of a run: how much of their time each layer took, and what else happened then.

mod activity;
mod causes;
mod evidence;
mod parts;
#[cfg(test)]
mod tests;
mod times;
mod waits;
mod window;

use std::cmp::Reverse;

use plan::Ddir;
use record::{IoLayer, SlowCause, SlowIos, SlowSample, TimePart};

use crate::slow::period_s;
use causes::{Causes, Sums};
pub use evidence::{Evidence, Tick};
pub use parts::Explained;
pub use times::{Time, Times};
use waits::Waits;
pub use window::{Life, Place, Window};

/// The slowest I/Os are one in this number.
const ONE_IN: u64 = 1000;
/// Of few I/Os these are the slowest, but at most one in ten.
const IOS_MIN: u64 = 10;
const FEW_ONE_IN: u64 = 10;
/// I/Os that are faster than the slowest ones by at most this factor are compared as well.
const COMPARED_MIN: u64 = 2;
/// Most samples of a direction.
const SAMPLES_MAX: usize = 500;
/// Parts of a smaller share, or of a cause of a smaller share, belong to their layer without a cause.
const SHARE_MIN: f64 = 0.005;
/// A trace of a smaller share of the time has pauses.
const TRACED_MIN: f64 = 0.99;

/// Facts about the run.
#[derive(Clone, Debug)]
pub struct Totals {
    /// Completed I/Os by direction.
    pub ios: [u64; 3],
    /// Share of the measured time that was traced.
    pub traced_share: f64,
    /// Start of the measured time, by `CLOCK_MONOTONIC`.
    pub start_ns: u64,
    /// Times that were measured and traced.
    pub times: Times,
}

/// Explains the slowest I/Os of each direction. `ios` has at least the slowest ones.
pub fn explain(ios: &[Explained], evidence: &Evidence, totals: &Totals) -> Vec<SlowIos> {
    let compared: Vec<Compared> = Ddir::ALL.into_iter().filter_map(|ddir| Compared::of(ddir, ios, totals)).collect();
    // A wait of a worker is in the I/Os of all directions.
    let all: Vec<Explained> = compared.iter().flat_map(|of| &of.ios).copied().collect();
    let waits = Waits::of(evidence, &all);
    compared.into_iter().map(|of| direction(of, evidence, &waits, totals)).collect()
}

/// Slow I/Os of a direction, the slowest first.
struct Compared {
    ddir: Ddir,
    ios: Vec<Explained>,
    /// The first ones are explained.
    slowest: usize,
    /// Lowest latency of the explained ones.
    from_ns: u64,
}

impl Compared {
    /// Returns `None` without an I/O.
    fn of(ddir: Ddir, ios: &[Explained], totals: &Totals) -> Option<Compared> {
        // With windows, the 0.1 % are of the traced I/Os.
        let traced_ios = (totals.ios[ddir as usize] as f64 * totals.traced_share.min(1.0)).round() as u64;
        let wanted = (traced_ios / ONE_IN).max(IOS_MIN.min(traced_ios / FEW_ONE_IN)).max(1);
        let mut slow: Vec<Explained> = ios.iter().filter(|io| io.io.ddir == ddir).copied().collect();
        slow.sort_unstable_by_key(|io| (Reverse(io.io.latency_ns()), io.io));
        let slowest = usize::try_from(wanted).map_or(slow.len(), |wanted| wanted.min(slow.len()));
        let from_ns = slow[..slowest].last()?.io.latency_ns();
        slow.retain(|io| io.io.latency_ns() >= from_ns / COMPARED_MIN);
        Some(Compared { ddir, ios: slow, slowest, from_ns })
    }
}

fn direction(compared: Compared, evidence: &Evidence, waits: &Waits, totals: &Totals) -> SlowIos {
    let causes = Causes::of(evidence, &compared.ios, compared.slowest, waits, &totals.times);
    let Compared { ddir, ios: mut slowest, slowest: explained, from_ns } = compared;
    slowest.truncate(explained);
    let mut sums = Sums::new();
    let mut whole_ns = 0.0;
    for io in &slowest {
        let parts = io.parts();
        whole_ns += parts.iter().map(|part| part.ns() as f64).sum::<f64>();
        let largest = parts.iter().max_by_key(|part| part.ns()).copied();
        for part in parts.iter().filter(|part| part.ns() > 0) {
            let (ios, ns) = sums.entry((part.layer, causes.of_part(io, part))).or_default();
            *ios += u64::from(largest == Some(*part));
            *ns += part.ns() as f64;
        }
    }
    let has = |changed: fn(&Life) -> bool| {
        slowest.iter().filter(|io| io.life.as_ref().is_some_and(|(_, life)| changed(life))).count() as u64
    };
    SlowIos {
        ddir,
        all_ios: totals.ios[ddir as usize],
        ios: slowest.len() as u64,
        from_ns,
        parts: time_parts(sums, whole_ns),
        // I/Os that are found in windows of the time come in bursts by themselves.
        period_s: (totals.traced_share >= TRACED_MIN)
            .then(|| period_s(slowest.iter().map(|io| io.io.submitted_ns).collect()))
            .flatten(),
        merged: has(|life| life.is_merged),
        split: has(|life| life.is_split),
        samples: samples(&slowest, totals.start_ns),
    }
}

/// Returns the parts, the largest first.
fn time_parts(sums: Sums, whole_ns: f64) -> Vec<TimePart> {
    let part = |((layer, cause), (ios, ns)): ((IoLayer, Option<SlowCause>), (u64, f64))| {
        let time_share = ns / whole_ns.max(1.0);
        // A cause of next to nothing is not named.
        let cause = cause.filter(|_| time_share >= SHARE_MIN || ios > 0);
        TimePart { layer, cause, time_share, ios }
    };
    let mut all: Vec<TimePart> = sums.into_iter().map(part).collect();
    all.sort_by(|a, b| (a.layer, &a.cause).cmp(&(b.layer, &b.cause)));
    let mut parts: Vec<TimePart> = Vec::new();
    for TimePart { layer, cause, time_share, ios } in all {
        match parts.last_mut().filter(|last| last.layer == layer && last.cause == cause) {
            Some(last) => (last.time_share, last.ios) = (last.time_share + time_share, last.ios + ios),
            None => parts.push(TimePart { layer, cause, time_share, ios }),
        }
    }
    parts.sort_by(|a, b| b.time_share.total_cmp(&a.time_share));
    parts
}

fn samples(slowest: &[Explained], start_ns: u64) -> Vec<SlowSample> {
    let sample = |io: &Explained| SlowSample {
        at_ns: io.io.reaped_ns.saturating_sub(start_ns),
        latency_ns: io.io.latency_ns(),
        layer: io.parts().iter().max_by_key(|part| part.ns()).map_or(IoLayer::NotTraced, |part| part.layer),
    };
    let mut samples: Vec<SlowSample> = slowest.iter().take(SAMPLES_MAX).map(sample).collect();
    samples.sort_unstable_by_key(|sample| sample.at_ns);
    samples
}
