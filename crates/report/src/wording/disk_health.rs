//! What a disk reports about itself, in words.

use assessment::FindingKind;
use record::{NvmeWarning, PcieLink};

use super::names::names;

/// Returns the numbers of a finding on a disk's health; `None` for other kinds.
pub fn disk_health(kind: &FindingKind) -> Option<String> {
    let (disk, text) = match kind {
        FindingKind::Overheated { disk, throttled_s, transitions, temperature_c } => {
            let times = if *transitions == 1 { "once".to_owned() } else { format!("{transitions} times") };
            let at = temperature_c.map_or_else(String::new, |degrees| format!("; {degrees} °C"));
            (disk, format!("{times}, for {throttled_s} s{at}"))
        }
        FindingKind::MediaErrors { disk, errors } => (disk, format!("{errors} more")),
        FindingKind::WornOut { disk, used_percent, spare_percent, spare_threshold_percent, warnings } => {
            let warnings: String = warnings.iter().map(|it| format!("; {}", warning(*it))).collect();
            let spare = format!("{spare_percent} % of the spare left, at least {spare_threshold_percent} % wanted");
            (disk, format!("{used_percent} % of the endurance used, {spare}{warnings}"))
        }
        FindingKind::SlowLink { disk, link } => {
            let PcieLink { gt_per_s, max_gt_per_s, lanes, max_lanes } = link;
            (disk, format!("{gt_per_s} GT/s on {lanes} lanes, of {max_gt_per_s} GT/s on {max_lanes}"))
        }
        _ => return None,
    };
    Some(format!("{}: {text}", names(std::slice::from_ref(disk))))
}

fn warning(warning: NvmeWarning) -> &'static str {
    match warning {
        NvmeWarning::Spare => "spare below its threshold",
        NvmeWarning::Temperature => "temperature beyond a threshold",
        NvmeWarning::Reliability => "less reliable because of errors",
        NvmeWarning::ReadOnly => "read only",
        NvmeWarning::VolatileMemoryBackup => "no backup of the volatile memory",
        NvmeWarning::PersistentMemoryRegion => "persistent memory region not reliable",
    }
}
