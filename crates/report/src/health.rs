//! What the disks reported about themselves before the first and after the last run of an assessment, as a table.

use assessment::Assessment;
use record::{DiskHealth, DiskUse, HealthChange, Record, VolatileWriteCache};
use units::format;

use crate::study::{Column, Row, Table};
use crate::text::NONE;
use crate::wording::pcie_link;

/// The used part of the endurance has no decimals: a smaller one is too coarse to divide.
const DIVISIBLE_PERCENT: u8 = 10;

/// A disk over all runs.
struct Disk {
    name: String,
    change: HealthChange,
    /// Lowest and highest temperature during the runs, in degrees Celsius.
    during_c: Option<(f64, f64)>,
}

/// A column, and its value of a disk. An unknown value is empty.
type Fact = (&'static str, fn(&Disk) -> String);

const FACTS: [Fact; 8] = [
    ("Model", model),
    ("Temperature", temperature),
    ("Wear", wear),
    ("Written", written),
    ("Errors", errors),
    ("PCIe link", |disk| disk.change.last().link.as_ref().map(pcie_link).unwrap_or_default()),
    ("Write cache", write_cache),
    ("Format", disk_format),
];

/// Returns a row for each disk that reports something; `None` without such a disk. Columns without a value are left out.
pub fn table(assessment: &Assessment) -> Option<Table> {
    of_records(assessment.tests.iter().flat_map(|test| &test.rounds).map(|round| &round.record))
}

fn of_records<'a>(records: impl Iterator<Item = &'a Record>) -> Option<Table> {
    let mut disks: Vec<Disk> = Vec::new();
    for record in records {
        record.disks.iter().for_each(|disk| add(disk, record, &mut disks));
    }
    let facts: Vec<Fact> = FACTS.into_iter().filter(|(_, of)| disks.iter().any(|disk| !of(disk).is_empty())).collect();
    let row = |disk: &Disk| {
        let cells = facts.iter().map(|(_, of)| Some(of(disk)).filter(|fact| !fact.is_empty()));
        let cells = cells.map(|fact| fact.unwrap_or_else(|| NONE.to_owned())).collect();
        Row { labels: vec![disk.name.clone()], cells: Ok(cells) }
    };
    let heads = std::iter::once("Disk").chain(facts.iter().map(|(head, _)| *head));
    let columns = heads.map(|head| Column::text(head).labelled(head)).collect();
    let rows: Vec<Row> = disks.iter().map(row).collect();
    (!facts.is_empty()).then(|| Table { title: "State of the disks".to_owned(), columns, rows })
}

fn add(disk: &DiskUse, record: &Record, disks: &mut Vec<Disk>) {
    disk.slaves.iter().for_each(|slave| add(slave, record, disks));
    let Some(change) = &disk.health else { return };
    let name = disk.name.to_string();
    let during_c = range_c(record, disk.name.raw());
    match disks.iter_mut().find(|known| known.name == name) {
        Some(known) => {
            known.change.after.clone_from(&change.after);
            known.during_c = [known.during_c, during_c].into_iter().flatten().reduce(wider);
        }
        None => disks.push(Disk { name, change: change.clone(), during_c }),
    }
}

fn range_c(record: &Record, name: &str) -> Option<(f64, f64)> {
    let of_timeline = |timeline: &record::Timeline| {
        let at = timeline.disks.iter().position(|disk| disk == name)?;
        let read = timeline.slots.iter().filter_map(|slot| *slot.temperatures_c.get(at)?);
        read.map(|degrees| (degrees, degrees)).reduce(wider)
    };
    record.timeline.iter().filter_map(of_timeline).reduce(wider)
}

fn wider(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    (one.0.min(other.0), one.1.max(other.1))
}

fn model(disk: &Disk) -> String {
    let DiskHealth { model, firmware, .. } = disk.change.last();
    match (model.to_string(), firmware.to_string()) {
        (model, firmware) if firmware.is_empty() => model,
        (model, firmware) => format!("{model}, firmware {firmware}"),
    }
}

fn temperature(disk: &Disk) -> String {
    let HealthChange { before, after } = &disk.change;
    let ends = match (before.degrees(), after.as_ref().map(DiskHealth::degrees)) {
        (Some(before), Some(Some(after))) => Some(format!("{before:.0} → {after:.0} °C")),
        (Some(before), None) => Some(format!("{before:.0} °C → not reported")),
        _ => None,
    };
    let during = disk.during_c.map(|(least, most)| format!("{least:.0} to {most:.0} °C during the runs"));
    ends.into_iter().chain(during).collect::<Vec<_>>().join(", ")
}

fn wear(disk: &Disk) -> String {
    let last = disk.change.last();
    let mut parts: Vec<String> = Vec::new();
    parts.extend(last.used_percent().map(|percent| format!("{percent} % used")));
    parts.extend(last.nvme.as_ref().map(|log| format!("{} % of the spare left", log.spare_percent)));
    let prediction = last.scsi.as_ref().and_then(|log| log.predicts_failure);
    parts.extend(prediction.map(|fails| if fails { "failure predicted" } else { "no failure predicted" }.to_owned()));
    parts.join(", ")
}

/// Returns what was written in all, what the runs wrote, and their share of the endurance by the disk's own counters.
fn written(disk: &Disk) -> String {
    let Some((before, after)) = disk.change.counter(DiskHealth::written_bytes) else { return String::new() };
    let meanwhile = after.saturating_sub(before);
    let used = disk.change.last().used_percent().filter(|percent| *percent >= DIVISIBLE_PERCENT && after > 0);
    let share = used.map(|percent| f64::from(percent) / 100.0 * meanwhile as f64 / after as f64);
    let share = share.filter(|share| *share > 0.0).map(|share| {
        // One digit: the used part has two or three, and grows in steps.
        let digit = 10f64.powf(share.log10().floor());
        format!(" (about {} of the endurance)", format::percent((share / digit).round() * digit))
    });
    let [all, part] = [after, meanwhile].map(format::size);
    format!("{all}, {part} between the first and the last reading{}", share.unwrap_or_default())
}

fn errors(disk: &Disk) -> String {
    let last = disk.change.last();
    let of_scsi = |of: fn(&record::ScsiHealth) -> Option<u64>| last.scsi.as_ref().and_then(of);
    let counts = [
        (last.media_errors(), "media errors"),
        (last.nvme.as_ref().map(|log| log.unsafe_shutdowns), "unsafe shutdowns"),
        (of_scsi(|log| log.reallocated_sectors), "reallocated sectors"),
        (of_scsi(|log| log.pending_sectors), "pending sectors"),
        (of_scsi(|log| log.interface_errors), "interface errors"),
    ];
    let known = counts.into_iter().filter_map(|(count, name)| Some(format!("{} {name}", count?)));
    known.collect::<Vec<_>>().join(", ")
}

fn write_cache(disk: &Disk) -> String {
    let last = disk.change.last();
    let of_nvme = last.nvme_setup.as_ref().map(|setup| setup.volatile_write_cache);
    let text = match (of_nvme, last.has_volatile_cache()) {
        (Some(VolatileWriteCache::Off), _) => "volatile, off",
        (Some(VolatileWriteCache::Unknown), _) => "volatile, state unknown",
        (_, Some(true)) => "volatile, on",
        (_, Some(false)) => "not volatile",
        (_, None) => "",
    };
    text.to_owned()
}

fn disk_format(disk: &Disk) -> String {
    let Some(setup) = &disk.change.last().nvme_setup else { return String::new() };
    let metadata = match setup.format.metadata_bytes {
        0 => String::new(),
        bytes => format!(" and {bytes} of metadata"),
    };
    let [used, all] = [setup.used_bytes, setup.namespace_bytes].map(format::size);
    format!("{} bytes{metadata}, {used} of {all} allocated", setup.format.data_bytes)
}

#[cfg(test)]
mod tests {
    use record::{NvmeHealth, PcieLink, ScsiHealth, Timeline, WriteCache};

    use super::*;

    fn nvme(temperature_c: i32, written_bytes: u64, used_percent: u8) -> DiskHealth {
        DiskHealth {
            model: "A model".into(),
            firmware: "1.0".into(),
            write_cache: Some(WriteCache::WriteBack),
            link: Some(PcieLink { gt_per_s: 8.0, max_gt_per_s: 16.0, lanes: 4, max_lanes: 4 }),
            nvme: Some(NvmeHealth {
                temperature_c: Some(temperature_c),
                written_bytes,
                used_percent,
                spare_percent: 100,
                ..NvmeHealth::default()
            }),
            ..DiskHealth::default()
        }
    }

    /// Returns the table of disks, each with its states before and after.
    fn rows(disks: &[(&str, DiskHealth, Option<DiskHealth>)]) -> Option<Table> {
        let disk = |(name, before, after): &(&str, DiskHealth, Option<DiskHealth>)| DiskUse {
            name: (*name).into(),
            health: Some(HealthChange { before: before.clone(), after: after.clone() }),
            ..DiskUse::default()
        };
        let mut timeline = Timeline::new(0, 1, vec!["nvme0n1".to_owned()]);
        [(0, 41.0), (2, 70.6)]
            .into_iter()
            .for_each(|(at, degrees)| timeline.add_temperatures((at, at), &[Some(degrees)]));
        let mut record = Record::new(Default::default(), 0);
        (record.timeline, record.disks) = (vec![timeline], disks.iter().map(disk).collect());
        of_records([record].iter())
    }

    #[test]
    fn each_disk_has_a_row_with_what_it_reports() {
        let sata = ScsiHealth {
            predicts_failure: Some(false),
            temperature_c: Some(31),
            reallocated_sectors: Some(3),
            ..ScsiHealth::default()
        };
        let sata = DiskHealth { scsi: Some(sata), ..DiskHealth::default() };
        let after = nvme(63, (1 << 40) + (12 << 30), 17);
        let text = rows(&[("nvme0n1", nvme(41, 1 << 40, 17), Some(after)), ("sda", sata, None)]).unwrap().markdown();
        let expected = "\
State of the disks

| Disk | Model | Temperature | Wear | Written | Errors | PCIe link | Write cache |
| --- | --- | --- | --- | --- | --- | --- | --- |
| nvme0n1 | A model, firmware 1.0 | 41 → 63 °C, 41 to 71 °C during the runs | 17 % used, 100 % of the spare left | \
1.01 TiB, 12 GiB between the first and the last reading (about 0.2 % of the endurance) | 0 media errors, 0 unsafe shutdowns | \
8 GT/s on 4 lanes, of 16 GT/s on 4 | volatile, on |
| sda | – | 31 °C → not reported | no failure predicted | – | 3 reallocated sectors | – | – |

";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_share_of_the_endurance_needs_more_than_a_few_percent_used() {
        let text = rows(&[("nvme0n1", nvme(41, 1 << 40, 9), Some(nvme(63, 2 << 40, 9)))]).unwrap().markdown();
        assert!(text.contains("2 TiB, 1 TiB between the first and the last reading |"), "{text}");
    }

    #[test]
    fn disks_that_report_nothing_have_no_table() {
        assert!(rows(&[("vda", DiskHealth::default(), None)]).is_none());
        assert!(rows(&[]).is_none());
    }
}
