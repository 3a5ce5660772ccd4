//! What the disks under the targets report about themselves: throttling because of heat, errors, wear, and the PCIe link. The facts are
//! those of the log of NVMe (base specification 2.0, 5.16.1.3), of SMART and device statistics (ACS-4), or of SCSI's log pages (SPC-5).

use assessment::{Finding, FindingKind, HotTime, Severity, Subject};
use record::{DiskHealth, DiskUse, DiskWarning, HealthChange, NvmeHealth, PcieLink, Record};

pub fn find(record: &Record) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, change) in disks(record) {
        let last = change.last();
        let kinds = [
            overheated(record, &name, change),
            media_errors(&name, change),
            worn_out(&name, last),
            last.link.filter(|_| last.nvme.is_some()).and_then(|link| slow_link(&name, link)),
        ];
        // A link is how the disk is installed. It decides only what the disk can do at best.
        let severity = |kind: &FindingKind| match kind {
            FindingKind::SlowLink { .. } => Severity::Info,
            _ => Severity::Warning,
        };
        let finding = |kind| Finding { severity: severity(&kind), kind, subject: Subject::Run };
        found.extend(kinds.into_iter().flatten().map(finding));
    }
    found
}

/// Returns the disks of a run and those that they consist of, each once, with their health.
pub fn disks(record: &Record) -> Vec<(String, &HealthChange)> {
    fn add<'a>(disk: &'a DiskUse, all: &mut Vec<(String, &'a HealthChange)>) {
        disk.slaves.iter().for_each(|slave| add(slave, all));
        let name = disk.name.to_string();
        if let Some(change) = &disk.health
            && all.iter().all(|(known, _)| *known != name)
        {
            all.push((name, change));
        }
    }
    let mut all = Vec::new();
    record.disks.iter().for_each(|disk| add(disk, &mut all));
    all
}

fn overheated(record: &Record, disk: &str, change: &HealthChange) -> Option<FindingKind> {
    let (before, after) = change.counter(|health| health.nvme.clone())?;
    let throttles = [(before.light_throttle, after.light_throttle), (before.heavy_throttle, after.heavy_throttle)];
    let rise = |before: u32, after: u32| u64::from(after.saturating_sub(before));
    let throttled_s = throttles.iter().map(|(before, after)| rise(before.seconds, after.seconds)).sum();
    let transitions = throttles.iter().map(|(before, after)| rise(before.transitions, after.transitions)).sum();
    if throttled_s == 0 && transitions == 0 {
        return None;
    }
    let read = read_during(record, disk);
    let logs = [&before, &after].into_iter().filter_map(|log: &NvmeHealth| log.temperature_c.map(f64::from));
    let temperature_c = read.iter().map(|(_, _, degrees)| *degrees).chain(logs).reduce(f64::max);
    let setup = change.last().nvme_setup.as_ref();
    let limit_c = setup.and_then(|setup| setup.throttle_temperature_c.or(setup.warning_temperature_c));
    let hot = limit_c.and_then(|limit_c| hot_time(&read, limit_c));
    Some(FindingKind::Overheated { disk: disk.to_owned(), throttled_s, transitions, temperature_c, hot })
}

/// Returns the temperatures of a disk during the run, each with its slot, in seconds after the start of the phase. A device that
/// consists only of the disk has its temperature.
fn read_during(record: &Record, disk: &str) -> Vec<(f64, f64, f64)> {
    fn is_only(device: &DiskUse, disk: &str) -> bool {
        device.name.raw() == disk || matches!(device.slaves.as_slice(), [one] if is_only(one, disk))
    }
    let device = record.disks.iter().find(|device| is_only(device, disk));
    let of_timeline = |timeline: &record::Timeline| {
        let at = timeline.disks.iter().position(|name| device.is_some_and(|device| device.name.raw() == name));
        let slot = |(nth, slot): (usize, &record::Slot)| {
            let from_s = (timeline.from_ns + nth as u64 * timeline.interval_ns) as f64 / 1e9;
            Some((from_s, from_s + timeline.slot_ns(nth) as f64 / 1e9, (*slot.temperatures_c.get(at?)?)?))
        };
        timeline.slots.iter().enumerate().filter_map(slot).collect::<Vec<_>>()
    };
    record.timeline.iter().flat_map(of_timeline).collect()
}

fn hot_time(read: &[(f64, f64, f64)], limit_c: i32) -> Option<HotTime> {
    let mut hot = read.iter().filter(|(_, _, degrees)| *degrees >= f64::from(limit_c));
    let &(from_s, first_until_s, _) = hot.next()?;
    let until_s = hot.next_back().map_or(first_until_s, |&(_, until_s, _)| until_s);
    Some(HotTime { limit_c, from_s, until_s })
}

fn media_errors(disk: &str, change: &HealthChange) -> Option<FindingKind> {
    let (before, after) = change.counter(DiskHealth::media_errors)?;
    let errors = after.saturating_sub(before);
    (errors > 0).then(|| FindingKind::MediaErrors { disk: disk.to_owned(), errors })
}

fn worn_out(disk: &str, health: &DiskHealth) -> Option<FindingKind> {
    let used_percent = health.used_percent();
    let spare = health.nvme.as_ref().map(|log| (log.spare_percent, log.spare_threshold_percent));
    let predicts_failure = health.scsi.as_ref().is_some_and(|log| log.predicts_failure == Some(true));
    let of_log = health.nvme.iter().flat_map(|log| log.warnings.iter().copied());
    // The temperature is another finding if it slowed the disk down.
    let of_log = of_log.filter(|warning| *warning != DiskWarning::Temperature);
    let warnings: Vec<DiskWarning> = of_log.chain(predicts_failure.then_some(DiskWarning::Failure)).collect();
    let is_low = spare.is_some_and(|(left, threshold)| left < threshold);
    let is_worn = used_percent.is_some_and(|percent| percent >= 100) || is_low || !warnings.is_empty();
    is_worn.then(|| FindingKind::WornOut {
        disk: disk.to_owned(),
        used_percent,
        spare_percent: spare.map(|(left, _)| left),
        spare_threshold_percent: spare.map(|(_, threshold)| threshold),
        warnings,
    })
}

fn slow_link(disk: &str, link: PcieLink) -> Option<FindingKind> {
    let is_below = link.gt_per_s < link.max_gt_per_s || link.lanes < link.max_lanes;
    is_below.then(|| FindingKind::SlowLink { disk: disk.to_owned(), link })
}

#[cfg(test)]
mod tests {
    use record::{NvmeSetup, ScsiHealth, Throttle, Timeline};

    use super::*;
    use crate::time_series::simulated::run;

    fn healthy() -> DiskHealth {
        let nvme = NvmeHealth { spare_percent: 100, spare_threshold_percent: 10, ..NvmeHealth::default() };
        let link = PcieLink { gt_per_s: 16.0, max_gt_per_s: 16.0, lanes: 4, max_lanes: 4 };
        DiskHealth { nvme: Some(nvme), link: Some(link), ..DiskHealth::default() }
    }

    /// Returns the kinds of findings on a disk below a dm device, whose health is changed before and after the run.
    fn kinds(both: impl Fn(&mut DiskHealth), after: impl Fn(&mut DiskHealth)) -> Vec<FindingKind> {
        let mut states = [healthy(), healthy()];
        states.iter_mut().for_each(both);
        after(&mut states[1]);
        let [before, after] = states;
        kinds_of(run(&[500.0; 20]), HealthChange { before, after: Some(after) })
    }

    fn kinds_of(mut record: Record, change: HealthChange) -> Vec<FindingKind> {
        let disk = DiskUse { name: "nvme0n1".into(), health: Some(change), ..DiskUse::default() };
        let dm = DiskUse { name: "dm-0".into(), slaves: vec![disk.clone()], ..DiskUse::default() };
        record.disks = vec![dm, disk];
        find(&record).into_iter().map(|finding| finding.kind).collect()
    }

    fn nvme(health: &mut DiskHealth) -> &mut NvmeHealth {
        health.nvme.as_mut().unwrap()
    }

    #[test]
    fn counters_that_rose_during_the_run_are_found_once_and_older_ones_are_not() {
        let disk = || "nvme0n1".to_owned();
        let throttle = |health: &mut DiskHealth| nvme(health).light_throttle = Throttle { transitions: 3, seconds: 40 };
        let errors = |health: &mut DiskHealth| nvme(health).media_errors = 7;
        assert_eq!(kinds(|health| (throttle(health), errors(health)).0, |_| ()), []);
        let hot = |health: &mut DiskHealth| {
            throttle(health);
            nvme(health).temperature_c = Some(82);
        };
        let expected = FindingKind::Overheated {
            disk: disk(),
            throttled_s: 40,
            transitions: 3,
            temperature_c: Some(82.0),
            hot: None,
        };
        assert_eq!(kinds(|_| (), hot), [expected]);
        assert_eq!(kinds(|_| (), errors), [FindingKind::MediaErrors { disk: disk(), errors: 7 }]);
        // The log was reset.
        assert_eq!(kinds(errors, |health| nvme(health).media_errors = 0), []);
    }

    #[test]
    fn worn_disks_and_slow_links_are_found() {
        let is_worn = |change: fn(&mut NvmeHealth)| {
            matches!(kinds(|health| change(nvme(health)), |_| ())[..], [FindingKind::WornOut { .. }])
        };
        assert!(is_worn(|log| log.used_percent = 100) && !is_worn(|log| log.used_percent = 99));
        assert!(is_worn(|log| log.spare_percent = 9) && !is_worn(|log| log.spare_percent = 10));
        assert!(is_worn(|log| log.warnings = vec![DiskWarning::ReadOnly]));
        assert!(!is_worn(|log| log.warnings = vec![DiskWarning::Temperature]));
        let scsi = |log: ScsiHealth| {
            let states =
                [ScsiHealth::default(), log].map(|log| DiskHealth { scsi: Some(log), ..DiskHealth::default() });
            let [before, after] = states;
            kinds_of(run(&[500.0; 20]), HealthChange { before, after: Some(after) })
        };
        let failing = scsi(ScsiHealth { predicts_failure: Some(true), used_percent: Some(7), ..ScsiHealth::default() });
        let expected = FindingKind::WornOut {
            disk: "nvme0n1".to_owned(),
            used_percent: Some(7),
            spare_percent: None,
            spare_threshold_percent: None,
            warnings: vec![DiskWarning::Failure],
        };
        assert_eq!(failing, [expected]);
        // Without a count before the run, nothing is known about new errors.
        assert_eq!(scsi(ScsiHealth { uncorrectable_errors: Some(4), ..ScsiHealth::default() }), []);
        let narrow = |health: &mut DiskHealth| health.link.as_mut().unwrap().lanes = 2;
        let link = PcieLink { gt_per_s: 16.0, max_gt_per_s: 16.0, lanes: 2, max_lanes: 4 };
        assert_eq!(kinds(narrow, |_| ()), [FindingKind::SlowLink { disk: "nvme0n1".to_owned(), link }]);
    }

    #[test]
    fn a_disk_that_does_not_answer_after_the_run_has_no_new_errors() {
        let mut before = healthy();
        nvme(&mut before).media_errors = 7;
        assert_eq!(kinds_of(run(&[500.0; 20]), HealthChange { before, after: None }), []);
    }

    #[test]
    fn the_time_of_heat_is_that_of_the_temperatures_during_the_run() {
        let mut record = run(&[500.0; 20]);
        let timeline: &mut Timeline = &mut record.timeline[0];
        timeline.disks = vec!["dm-0".to_owned()];
        for (slot, degrees) in timeline.slots.iter_mut().zip([60.0, 70.0, 78.5, 74.0, 76.0, 60.0]) {
            slot.temperatures_c = vec![Some(degrees)];
        }
        let mut states = [healthy(), healthy()];
        nvme(&mut states[1]).light_throttle = Throttle { transitions: 1, seconds: 3 };
        let setup = NvmeSetup { warning_temperature_c: Some(75), ..crate::findings::disk_setup::simulated::setup() };
        states[1].nvme_setup = Some(setup);
        let [before, after] = states;
        let hot = Some(HotTime { limit_c: 75, from_s: 2.0, until_s: 5.0 });
        let disk = "nvme0n1".to_owned();
        let expected = FindingKind::Overheated { disk, throttled_s: 3, transitions: 1, temperature_c: Some(78.5), hot };
        assert_eq!(kinds_of(record, HealthChange { before, after: Some(after) }), [expected]);
    }
}
