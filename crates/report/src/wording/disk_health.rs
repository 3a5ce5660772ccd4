//! What a disk reports about itself, in words.

use assessment::{FindingKind, HotTime};
use record::{DiskWarning, PcieLink};
use units::format::{grouped, time_ns};

use super::names::names;

/// Returns the numbers of a finding on a disk's health; `None` for other kinds.
pub fn disk_health(kind: &FindingKind) -> Option<String> {
    let (disk, text) = match kind {
        FindingKind::Overheated { disk, throttled_s, transitions, temperature_c, hot } => {
            let times = match transitions {
                // It began before the run.
                0 => String::new(),
                1 => "once, ".to_owned(),
                _ => format!("{transitions} times, "),
            };
            let at = temperature_c.map_or_else(String::new, |degrees| format!("; maximum {degrees:.0} °C"));
            (disk, format!("{times}for {throttled_s} s{at}{}", hot.map(hot_time).unwrap_or_default()))
        }
        FindingKind::MediaErrors { disk, errors } => (disk, format!("{errors} more")),
        FindingKind::WornOut { disk, used_percent, spare_percent, spare_threshold_percent, warnings } => {
            let used = used_percent.map(|percent| format!("{percent} % of the endurance used"));
            let spare = spare_percent.zip(*spare_threshold_percent);
            let spare = spare.map(|(left, least)| format!("available spare {left} %, threshold {least} %"));
            let facts: Vec<String> = used.into_iter().chain(spare).collect();
            let warnings = warnings.iter().map(|it| warning(*it).to_owned());
            let facts = (!facts.is_empty()).then(|| facts.join(", "));
            (disk, facts.into_iter().chain(warnings).collect::<Vec<_>>().join("; "))
        }
        FindingKind::SlowLink { disk, link: of } => (disk, pcie_link(of)),
        FindingKind::VolatileWriteCache { disk, .. } => return Some(names(std::slice::from_ref(disk))),
        FindingKind::PowerSaving { disk, state, pause_ms, median_ns } => {
            let (after, exit) = (grouped(f64::from(state.after_ms)), time_ns(f64::from(state.exit_us) * 1000.0));
            let [pause, median] = [pause_ms * 1e6, *median_ns as f64].map(time_ns);
            let of_run = format!("mean idle time between I/Os {pause}, median latency {median}");
            (disk, format!("{of_run}; power state {} after {after} ms idle, exit latency up to {exit}", state.state))
        }
        _ => return None,
    };
    Some(format!("{}: {text}", names(std::slice::from_ref(disk))))
}

/// Returns the speed and width of a link, and the maximum of the device if that is higher.
pub fn pcie_link(link: &PcieLink) -> String {
    let PcieLink { gt_per_s, max_gt_per_s, lanes, max_lanes } = link;
    let maximum = format!(", of {max_gt_per_s} GT/s on {max_lanes}");
    let is_below = gt_per_s < max_gt_per_s || lanes < max_lanes;
    format!("{gt_per_s} GT/s on {lanes} lanes{}", if is_below { maximum } else { String::new() })
}

fn hot_time(HotTime { limit_c, from_s, until_s }: HotTime) -> String {
    format!("; {limit_c} °C or more first at {} s, last until {} s", grouped(from_s), grouped(until_s))
}

fn warning(warning: DiskWarning) -> &'static str {
    match warning {
        DiskWarning::Spare => "spare below its threshold",
        DiskWarning::Temperature => "temperature beyond a threshold",
        DiskWarning::Reliability => "less reliable because of errors",
        DiskWarning::ReadOnly => "read only",
        DiskWarning::VolatileMemoryBackup => "no backup of the volatile memory",
        DiskWarning::PersistentMemoryRegion => "persistent memory region not reliable",
        DiskWarning::Failure => "the disk reports a predicted failure (SMART)",
    }
}

#[cfg(test)]
mod tests {
    use record::IdleState;

    use super::*;

    #[test]
    fn numbers_that_a_disk_does_not_report_are_left_out() {
        let disk = || "sda".to_owned();
        let worn = |used_percent, spare: Option<u8>, warnings| FindingKind::WornOut {
            disk: disk(),
            used_percent,
            spare_percent: spare,
            spare_threshold_percent: spare.map(|_| 10),
            warnings,
        };
        let hot = HotTime { limit_c: 75, from_s: 12.0, until_s: 60.0 };
        let overheated = |transitions, temperature_c, hot| FindingKind::Overheated {
            disk: disk(),
            throttled_s: 40,
            transitions,
            temperature_c,
            hot,
        };
        let state = IdleState { state: 4, after_ms: 2000, exit_us: 40_000 };
        let link = PcieLink { gt_per_s: 8.0, max_gt_per_s: 16.0, lanes: 2, max_lanes: 4 };
        let expected = [
            (worn(None, None, vec![DiskWarning::Failure]), "sda: the disk reports a predicted failure (SMART)"),
            (worn(Some(104), Some(9), vec![]), "sda: 104 % of the endurance used, available spare 9 %, threshold 10 %"),
            (overheated(1, None, None), "sda: once, for 40 s"),
            (overheated(0, None, None), "sda: for 40 s"),
            (
                overheated(2, Some(81.0), Some(hot)),
                "sda: 2 times, for 40 s; maximum 81 °C; 75 °C or more first at 12 s, last until 60 s",
            ),
            (
                FindingKind::PowerSaving { disk: disk(), state, pause_ms: 4000.0, median_ns: 38_000_000 },
                "sda: mean idle time between I/Os 4 s, median latency 38 ms; power state 4 after 2,000 ms idle, exit latency up to 40 ms",
            ),
            (FindingKind::SlowLink { disk: disk(), link }, "sda: 8 GT/s on 2 lanes, of 16 GT/s on 4"),
            (FindingKind::VolatileWriteCache { disk: disk(), is_flushed: true }, "sda"),
        ];
        for (kind, words) in expected {
            assert_eq!(disk_health(&kind).as_deref(), Some(words));
        }
        assert_eq!(disk_health(&FindingKind::InMemory), None);
    }
}
