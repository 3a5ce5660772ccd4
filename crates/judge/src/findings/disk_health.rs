//! What the disks under the targets report about themselves: throttling because of heat, errors, wear, and the PCIe link. The log is
//! that of NVMe (base specification 2.0, 5.16.1.3).

use assessment::{Finding, FindingKind, Severity, Subject};
use record::{DiskUse, NvmeHealth, NvmeWarning, PcieLink, Record};

pub fn find(record: &Record) -> Vec<Finding> {
    let mut found = Vec::new();
    for disk in &record.disks {
        add(disk, &mut found);
    }
    found
}

/// Adds the findings on a disk and those that it consists of. Two disks can have one below them.
fn add(disk: &DiskUse, found: &mut Vec<Finding>) {
    for slave in &disk.slaves {
        add(slave, found);
    }
    let Some(change) = &disk.health else { return };
    let Some((before, after)) = change.before.nvme.as_ref().zip(change.after.nvme.as_ref()) else { return };
    let name = disk.name.to_string();
    let kinds = [
        overheated(&name, before, after),
        media_errors(&name, before, after),
        worn_out(&name, after),
        change.after.link.and_then(|link| slow_link(&name, link)),
    ];
    for kind in kinds.into_iter().flatten() {
        // A link is how the disk is installed. It decides only what the disk can do at best.
        let severity = if matches!(kind, FindingKind::SlowLink { .. }) { Severity::Info } else { Severity::Warning };
        let finding = Finding { kind, subject: Subject::Run, severity };
        if !found.contains(&finding) {
            found.push(finding);
        }
    }
}

fn overheated(disk: &str, before: &NvmeHealth, after: &NvmeHealth) -> Option<FindingKind> {
    let throttles = [(before.light_throttle, after.light_throttle), (before.heavy_throttle, after.heavy_throttle)];
    let rise = |before: u32, after: u32| u64::from(after.saturating_sub(before));
    let throttled_s = throttles.iter().map(|(before, after)| rise(before.seconds, after.seconds)).sum();
    let transitions = throttles.iter().map(|(before, after)| rise(before.transitions, after.transitions)).sum();
    let temperature_c = before.temperature_c.max(after.temperature_c);
    let kind = FindingKind::Overheated { disk: disk.to_owned(), throttled_s, transitions, temperature_c };
    (throttled_s > 0 || transitions > 0).then_some(kind)
}

fn media_errors(disk: &str, before: &NvmeHealth, after: &NvmeHealth) -> Option<FindingKind> {
    let errors = after.media_errors.saturating_sub(before.media_errors);
    (errors > 0).then(|| FindingKind::MediaErrors { disk: disk.to_owned(), errors })
}

fn worn_out(disk: &str, health: &NvmeHealth) -> Option<FindingKind> {
    let &NvmeHealth { used_percent, spare_percent, spare_threshold_percent, .. } = health;
    // The temperature is another finding if it slowed the disk down.
    let warnings: Vec<NvmeWarning> =
        health.warnings.iter().copied().filter(|warning| *warning != NvmeWarning::Temperature).collect();
    let is_worn = used_percent >= 100 || spare_percent < spare_threshold_percent || !warnings.is_empty();
    is_worn.then(|| FindingKind::WornOut {
        disk: disk.to_owned(),
        used_percent,
        spare_percent,
        spare_threshold_percent,
        warnings,
    })
}

fn slow_link(disk: &str, link: PcieLink) -> Option<FindingKind> {
    let is_below = link.gt_per_s < link.max_gt_per_s || link.lanes < link.max_lanes;
    is_below.then(|| FindingKind::SlowLink { disk: disk.to_owned(), link })
}

#[cfg(test)]
mod tests {
    use record::{DiskHealth, HealthChange, Throttle};

    use super::*;
    use crate::time_series::simulated::run;

    fn healthy() -> DiskHealth {
        let nvme = NvmeHealth { spare_percent: 100, spare_threshold_percent: 10, ..NvmeHealth::default() };
        let link = PcieLink { gt_per_s: 16.0, max_gt_per_s: 16.0, lanes: 4, max_lanes: 4 };
        DiskHealth { nvme: Some(nvme), link: Some(link), ..DiskHealth::default() }
    }

    /// Returns the kinds of findings on a disk below a dm device, whose health is changed before and after the run.
    fn kinds(both: impl Fn(&mut DiskHealth), after: impl Fn(&mut DiskHealth)) -> Vec<FindingKind> {
        let mut change = HealthChange { before: healthy(), after: healthy() };
        both(&mut change.before);
        both(&mut change.after);
        after(&mut change.after);
        let disk = DiskUse { name: "nvme0n1".into(), health: Some(change), ..DiskUse::default() };
        let dm = DiskUse { name: "dm-0".into(), slaves: vec![disk.clone()], ..DiskUse::default() };
        let mut record = run(&[500.0; 20]);
        record.disks = vec![disk, dm];
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
        let expected =
            FindingKind::Overheated { disk: disk(), throttled_s: 40, transitions: 3, temperature_c: Some(82) };
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
        assert!(is_worn(|log| log.warnings = vec![NvmeWarning::ReadOnly]));
        assert!(!is_worn(|log| log.warnings = vec![NvmeWarning::Temperature]));
        let narrow = |health: &mut DiskHealth| health.link.as_mut().unwrap().lanes = 2;
        let link = PcieLink { gt_per_s: 16.0, max_gt_per_s: 16.0, lanes: 2, max_lanes: 4 };
        assert_eq!(kinds(narrow, |_| ()), [FindingKind::SlowLink { disk: "nvme0n1".to_owned(), link }]);
    }
}
