//! The figures of saved runs: a row for each test and direction.

use units::untrusted::UntrustedText;

use super::table::{Cell, Column, Kind, Table};
use crate::{Entry, EntryDevice, Summary};

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind }
}

const COLUMNS: [Column; 25] = [
    column("id", Kind::Count),
    column("kind", Kind::Text),
    column("started_unix_ms", Kind::UnixMs),
    column("ended_unix_ms", Kind::UnixMs),
    column("host", Kind::Text),
    column("target", Kind::Text),
    column("suite", Kind::Text),
    column("title", Kind::Text),
    column("run_verdict", Kind::Text),
    column("tags", Kind::Text),
    column("test", Kind::Text),
    column("at", Kind::Text),
    column("direction", Kind::Text),
    column("test_verdict", Kind::Text),
    column("iops", Kind::Figure),
    column("bytes_per_s", Kind::Figure),
    column("mean_ns", Kind::Figure),
    column("p50_ns", Kind::Figure),
    column("p99_ns", Kind::Figure),
    column("file_system", Kind::Text),
    column("device", Kind::Text),
    column("model", Kind::Text),
    column("serial", Kind::Text),
    column("instance_type", Kind::Text),
    column("zone", Kind::Text),
];

pub fn table(entries: &[Entry]) -> Table {
    let rows = entries.iter().flat_map(|entry| entry.figures.iter().map(|line| row(entry, line)));
    Table { columns: &COLUMNS, rows: rows.collect() }
}

fn row(entry: &Entry, line: &Summary) -> Vec<Cell> {
    let verdict = |verdict: Option<assessment::Verdict>| {
        Cell::Text(verdict.map(|verdict| verdict.to_string()).unwrap_or_default().into())
    };
    // Several devices are separated by spaces.
    let of_devices = |text: fn(&EntryDevice) -> &UntrustedText| {
        let texts = entry.devices.iter().map(text).filter(|text| !text.is_empty());
        Cell::Text(texts.map(UntrustedText::raw).collect::<Vec<_>>().join(" ").into())
    };
    let cells: [Cell; COLUMNS.len()] = [
        Cell::Count(entry.id),
        (&entry.kind).into(),
        entry.started_unix_ms.into(),
        entry.ended_unix_ms.into(),
        (&entry.host).into(),
        (&entry.target).into(),
        (&entry.suite).into(),
        (&entry.title).into(),
        verdict(entry.verdict),
        Cell::Text(entry.tags.iter().map(UntrustedText::raw).collect::<Vec<_>>().join(" ").into()),
        (&line.test).into(),
        (&line.at).into(),
        (&line.direction).into(),
        verdict(line.verdict),
        line.iops.into(),
        line.bytes_per_s.into(),
        line.mean_ns.into(),
        line.p50_ns.into(),
        line.p99_ns.into(),
        (&entry.file_system).into(),
        of_devices(|device| &device.name),
        of_devices(|device| &device.model),
        of_devices(|device| &device.serial),
        (&entry.instance_type).into(),
        (&entry.zone).into(),
    ];
    cells.into()
}
