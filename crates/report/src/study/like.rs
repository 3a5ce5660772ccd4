//! A search over multiples of a captured load: its sentence and notes.

use assessment::{Knee, KneeResult, Like, LikeFit};
use plan::Ddir;
use units::format::{iops, time_ns};
use units::markup::one_line;

/// Returns a load in percent of the captured one as a multiple, such as `1.5`.
pub fn multiple(percent: u64) -> String {
    format!("{}.{:02}", percent / 100, percent % 100).trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns what is replayed, and how.
pub fn notes(like: &Like) -> Vec<String> {
    let [from, length, whole] = [like.from_ns, like.length_ns, like.duration_ns].map(|ns| time_ns(ns as f64));
    let part = if like.length_ns < like.duration_ns {
        format!("the busiest {length} of {whole} (from {from} on)")
    } else {
        format!("all of its {whole}")
    };
    let fit = match like.fit {
        LikeFit::Kept => "offsets are unchanged",
        LikeFit::Packed => "offsets are fitted to the target: parts of 1 MiB without I/Os are left out",
        LikeFit::Wrapped => {
            "offsets are fitted to the target: it is smaller than the parts with I/Os, so several parts share the same offsets"
        }
    };
    let rate = iops(like.ios_per_s());
    let mut notes = vec![
        format!("replays {part}: {rate} at 1; at a multiple, the times between I/Os are divided by it"),
        fit.to_owned(),
        "flushes are replayed and have no bound; writes with FUA are writes".to_owned(),
    ];
    notes.extend(like.has_discards.then(|| "places of discards were filled again before each run".to_owned()));
    notes
}

/// Returns the bounds: `p99 at most 5 ms`, or `p99 of reads at most 5 ms and of writes at most 2 ms`.
fn bound(request: &Knee, like: &Like) -> String {
    let percentile = one_line(&request.percentile).into_owned();
    if let Some(bound_ns) = request.bound_ns {
        return format!("{percentile} at most {}", time_ns(bound_ns as f64));
    }
    let names = ["reads", "writes", "discards"];
    let each = Ddir::ALL
        .into_iter()
        .zip(names)
        .filter_map(|(ddir, name)| Some(format!("of {name} at most {}", time_ns(like.bounds_ns[ddir]? as f64))));
    let as_captured = if like.has_captured_bounds { " (as captured)" } else { "" };
    format!("{percentile} {}{as_captured}", each.collect::<Vec<_>>().join(", "))
}

/// Returns that the highest multiple is below the margin, and not below the captured load: then neither PASS nor FAIL is
/// certain.
pub fn below_margin(like: &Like, result: &KneeResult) -> Option<String> {
    let held = result.points.get(result.sustained?)?.load;
    let margin = like.margin_percent().filter(|margin| held >= 100 && held < *margin)?;
    let [held, margin] = [held, margin].map(multiple);
    Some(format!("{held} times the load is held, and the margin is {margin}"))
}

/// Returns the highest multiple and its range.
pub fn sentence(request: &Knee, like: &Like, result: &KneeResult) -> String {
    let load = |at: Option<usize>| at.and_then(|at| result.points.get(at)).map(|point| multiple(point.load));
    let bound = bound(request, like);
    match (load(result.sustained), load(result.missed)) {
        (None, None) => "nothing was measured".to_owned(),
        (None, Some(lowest)) => format!("does not hold {lowest} times this load with {bound}"),
        (Some(held), Some(missed)) => format!("holds {held} times this load with {bound} ({held} to {missed})"),
        (Some(held), None) => {
            format!("holds at least {held} times this load with {bound}; no higher multiple was tried")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_have_as_many_digits_as_they_need() {
        assert_eq!([100, 150, 341, 7, 1000].map(multiple), ["1", "1.5", "3.41", "0.07", "10"]);
    }
}
