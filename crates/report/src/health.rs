//! What the disks reported about themselves before the first and after the last run of an assessment.

use assessment::Assessment;
use record::{DiskUse, HealthChange, WriteCache};
use units::format;

/// Returns the name of each disk with its state in words.
pub fn lines(assessment: &Assessment) -> Vec<(String, String)> {
    let mut changes: Vec<(String, HealthChange)> = Vec::new();
    let rounds = assessment.tests.iter().flat_map(|test| &test.rounds);
    for disk in rounds.flat_map(|round| &round.record.disks) {
        add(disk, &mut changes);
    }
    let lines = changes.iter().map(|(name, change)| (name.clone(), words(change).join("; ")));
    lines.filter(|(_, words)| !words.is_empty()).collect()
}

fn add(disk: &DiskUse, changes: &mut Vec<(String, HealthChange)>) {
    for slave in &disk.slaves {
        add(slave, changes);
    }
    let Some(change) = &disk.health else { return };
    let name = disk.name.to_string();
    match changes.iter_mut().find(|(known, _)| *known == name) {
        Some((_, known)) => known.after = change.after.clone(),
        None => changes.push((name, change.clone())),
    }
}

fn words(HealthChange { before, after }: &HealthChange) -> Vec<String> {
    let mut words = Vec::new();
    let sensors = before.temperature_c.zip(after.temperature_c);
    let logs = before.nvme.as_ref().zip(after.nvme.as_ref());
    let by_log = || {
        let (before, after) = logs?;
        Some((f64::from(before.temperature_c?), f64::from(after.temperature_c?)))
    };
    words.extend(sensors.or_else(by_log).map(|(before, after)| format!("{before:.0} °C before, {after:.0} °C after")));
    if let Some((before, after)) = logs {
        let size = |bytes: u64| format::size(bytes);
        words.push(format!(
            "{} % of the endurance used, {} % of the spare left",
            after.used_percent, after.spare_percent
        ));
        let written = after.written_bytes.saturating_sub(before.written_bytes);
        words.push(format!("{} written in all, {} of it meanwhile", size(after.written_bytes), size(written)));
        words.push(format!("{} media errors, {} unsafe shutdowns", after.media_errors, after.unsafe_shutdowns));
    }
    words.extend(after.write_cache.map(|cache| match cache {
        WriteCache::WriteBack => "volatile write cache".to_owned(),
        WriteCache::WriteThrough => "no volatile write cache".to_owned(),
    }));
    words.extend(after.link.map(|link| format!("PCIe {} GT/s on {} lanes", link.gt_per_s, link.lanes)));
    words
}

#[cfg(test)]
mod tests {
    use record::{DiskHealth, NvmeHealth, PcieLink};

    use super::*;

    #[test]
    fn health_is_in_words_and_a_disk_that_says_nothing_has_none() {
        let health = |temperature_c, written_bytes| DiskHealth {
            write_cache: Some(WriteCache::WriteBack),
            link: Some(PcieLink { gt_per_s: 8.0, max_gt_per_s: 16.0, lanes: 4, max_lanes: 4 }),
            nvme: Some(NvmeHealth {
                temperature_c: Some(temperature_c),
                written_bytes,
                used_percent: 3,
                spare_percent: 100,
                ..NvmeHealth::default()
            }),
            ..DiskHealth::default()
        };
        let change = HealthChange { before: health(41, 1 << 40), after: health(63, (1 << 40) + (12 << 30)) };
        assert_eq!(
            words(&change).join("; "),
            "41 °C before, 63 °C after; 3 % of the endurance used, 100 % of the spare left; 1.01 TiB written in all, 12 GiB of it \
             meanwhile; 0 media errors, 0 unsafe shutdowns; volatile write cache; PCIe 8 GT/s on 4 lanes"
        );
        assert!(words(&HealthChange::default()).is_empty());
    }
}
