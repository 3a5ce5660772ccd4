//! fio's normal report, for people.

use super::entry::{Entry, Section, entries, milliseconds, shares};
use super::group::{Group, groups};
use super::latency_bins::{BOUNDS, BOUNDS_MS, Classes};
use super::number::{Prefix, Unit, short};
use super::{Options, disks, latency};
use plan::{IdleProfile, Unified};
use record::{DdirStats, Moments, Record};
use std::fmt::Write;

/// The whole report, with the empty line that begins it.
pub fn normal(record: &Record, options: &Options) -> String {
    let entries = entries(record);
    let groups = groups(&record.plan, &entries);
    let mut text = String::from("\n");
    for entry in entries.iter().filter(|entry| entry.did_io()) {
        write_entry(&mut text, entry, &groups[&entry.first.group], options);
    }
    groups.values().for_each(|group| write_group(&mut text, group));
    text.push_str(&disks::normal(&record.disks));
    write_idleness(&mut text, record);
    text
}

fn write_entry(text: &mut String, entry: &Entry, group: &Group, options: &Options) {
    let error = match entry.error() {
        Some((errno, words)) => format!("{errno:2} ({words})"),
        None => " 0".to_string(),
    };
    let _ = writeln!(
        text,
        "{}: (groupid={}, jobs={}): err={error}: pid={}: {}",
        entry.first.name,
        entry.first.group,
        entry.members.len(),
        entry.pid(),
        super::date::ctime(options.now_unix_ms, options.utc_offset_s),
    );
    if let Some(description) = entry.first.echo.description.as_deref().filter(|words| !words.is_empty()) {
        let _ = writeln!(text, "  Description  : [{description}]");
    }
    for section in entry.sections() {
        if section.stats.runtime_ns > 0 && (section.stats.bytes > 0 || section.stats.ios > 0) {
            write_section(text, entry, &section, group);
        }
    }
    write_latency_classes(text, entry);
    if entry.stats.sync_lat.count() > 0 {
        text.push_str("  fsync/fdatasync/sync_file_range/syncfs:\n");
        text.push_str(&latency::summary("sync", &entry.stats.sync_lat));
        text.push_str(&latency::percentiles("sync", &entry.stats.sync_lat, &entry.percentiles()));
    }
    write_usage(text, entry);
    write_depths(text, entry);
    write_issued(text, entry);
    write_latency_target(text, entry);
}

fn write_section(text: &mut String, entry: &Entry, section: &Section, group: &Group) {
    let measure = &entry.first.measure;
    let stats = &*section.stats;
    let digits = measure.significant_figures as usize;
    let prefix = Prefix::of_base(measure.kb_base);
    let bandwidth = |prefix| short(stats.bytes_per_s() as u64, digits, 0, prefix, Unit::of_bandwidth(measure.bits));
    let _ = writeln!(
        text,
        "  {}: IOPS={}, BW={} ({})({}/{}msec)",
        section.name,
        short(stats.ios_per_s() as u64, digits, 0, Prefix::Decimal, Unit::None),
        bandwidth(prefix),
        bandwidth(prefix.other()),
        short(stats.bytes, digits, 0, prefix, Unit::Bytes),
        milliseconds(stats.runtime_ns),
    );
    write_latencies(text, entry, section);
    write_samples(text, stats, group, section.slot);
}

fn write_latencies(text: &mut String, entry: &Entry, section: &Section) {
    let stats = &*section.stats;
    for (name, latency) in [("slat", &stats.slat), ("clat", &stats.clat), (" lat", &stats.lat)] {
        text.push_str(&latency::summary(name, latency));
    }
    let measure = &entry.last.measure;
    let priorities = entry.priorities(section);
    let kind = if measure.lat_percentiles { "lat" } else { "clat" };
    let named = |prio: &plan::IoPrio| format!("{kind} prio {}/{}/{}", prio.class, prio.level, prio.hint);
    for (prio, latency) in &priorities {
        text.push_str(&latency::summary(&named(prio), latency));
    }
    let percentiles = entry.percentiles();
    let kinds = [
        (measure.slat_percentiles, "slat", &stats.slat),
        (measure.clat_percentiles, "clat", &stats.clat),
        (measure.lat_percentiles, "lat", &stats.lat),
    ];
    for (_, name, latency) in kinds.into_iter().filter(|(wanted, _, _)| *wanted) {
        text.push_str(&latency::percentiles(name, latency, &percentiles));
    }
    if measure.clat_percentiles || measure.lat_percentiles {
        let whole: u64 = priorities.iter().map(|(_, latency)| latency.count()).sum();
        for (prio, latency) in &priorities {
            let share = super::entry::percent(latency.count(), whole);
            let name = format!("{} ({share:.2}% of IOs)", named(prio));
            text.push_str(&latency::percentiles(&name, latency, &percentiles));
        }
    }
}

/// The lines of what was sampled once in each window.
fn write_samples(text: &mut String, stats: &DdirStats, group: &Group, slot: usize) {
    let bandwidth = &stats.bandwidth_kib;
    if bandwidth.count > 0 {
        let (unit, scale) = sample_unit(bandwidth, group.kb_base);
        let _ = writeln!(
            text,
            "   bw ({unit:>5}/s): min={:5}, max={:5}, per={:3.2}%, avg={:5.2}, stdev={:5.2}, samples={}",
            (bandwidth.min * scale) as u64,
            (bandwidth.max * scale) as u64,
            group.places[slot].share_percent(bandwidth.mean),
            bandwidth.mean * scale,
            bandwidth.deviation() * scale,
            bandwidth.count,
        );
    }
    let iops = &stats.iops;
    if iops.count > 0 {
        let _ = writeln!(
            text,
            "   iops        : min={:5}, max={:5}, avg={:5.2}, stdev={:5.2}, samples={}",
            iops.min as u64,
            iops.max as u64,
            iops.mean,
            iops.deviation(),
            iops.count,
        );
    }
}

/// The unit that samples of bandwidth are shown in, and what a value in KiB is multiplied by.
fn sample_unit(bandwidth: &Moments, kb_base: u32) -> (&'static str, f64) {
    match Prefix::of_base(kb_base) {
        Prefix::Binary if bandwidth.mean > 1024.0 * 1024.0 => ("MiB", 1.0 / 1024.0),
        Prefix::Binary => ("KiB", 1.0),
        Prefix::Decimal if bandwidth.mean * 1.024 > 1e6 => ("MB", 1.024 / 1000.0),
        Prefix::Decimal => ("kB", 1.024),
    }
}

fn write_latency_classes(text: &mut String, entry: &Entry) {
    let classes = Classes::of(entry);
    let whole = classes.total();
    let bounds = BOUNDS.map(|bound| bound.to_string());
    let below = bounds.each_ref().map(String::as_str);
    for (unit, names, shares) in [
        ("nsec", &below[..], &shares(classes.ns, whole, 0.01)[..]),
        ("usec", &below[..], &shares(classes.us, whole, 0.01)[..]),
        ("msec", &BOUNDS_MS[..], &shares(classes.ms, whole, 0.01)[..]),
    ] {
        let filled: Vec<String> = names
            .iter()
            .zip(shares)
            .filter(|(_, share)| **share > 0.0)
            .map(|(name, share)| format!("{name}={share:.2}%"))
            .collect();
        for line in filled.chunks(5) {
            let _ = writeln!(text, "  lat ({unit})   : {}", line.join(", "));
        }
    }
}

fn write_usage(text: &mut String, entry: &Entry) {
    let usage = &entry.stats.usage;
    let (user, system) = entry.cpu_percent();
    let _ = writeln!(
        text,
        "  cpu          : usr={user:3.2}%, sys={system:3.2}%, ctx={}, majf={}, minf={}",
        usage.context_switches, usage.major_faults, usage.minor_faults,
    );
}

fn write_depths(text: &mut String, entry: &Entry) {
    let line = |title: &str, names: [&str; 7], counts: [u64; 7]| {
        let shares = shares(counts, counts.iter().sum(), 0.1);
        let parts: Vec<String> = names.iter().zip(shares).map(|(name, share)| format!("{name}={share:3.1}%")).collect();
        format!("{title}: {}\n", parts.join(", "))
    };
    text.push_str(&line("  IO depths    ", ["1", "2", "4", "8", "16", "32", ">=64"], depth_levels(entry)));
    let together = ["0", "4", "8", "16", "32", "64", ">=64"];
    text.push_str(&line("     submit    ", together, entry.stats.submit.upto));
    text.push_str(&line("     complete  ", together, entry.stats.complete.upto));
}

/// fio has no class for nothing in flight.
pub(super) fn depth_levels(entry: &Entry) -> [u64; 7] {
    let [none, one, rest @ ..] = entry.stats.depth.floor;
    let [two, four, eight, sixteen, thirty_two, sixty_four] = rest;
    [none + one, two, four, eight, sixteen, thirty_two, sixty_four]
}

fn write_issued(text: &mut String, entry: &Entry) {
    let of = |count: fn(&DdirStats) -> u64| {
        let counts = entry.stats.ddirs.each_ref().map(count);
        if entry.unified() == Unified::Mixed { [counts.iter().sum(), 0, 0] } else { counts }
    };
    let ([r, w, t], syncs) = (of(|ddir| ddir.issued), entry.stats.syncs);
    let ([short_r, short_w, short_t], [drop_r, drop_w, drop_t]) = (of(|ddir| ddir.short), of(|ddir| ddir.dropped));
    let _ = writeln!(
        text,
        "     issued rwts: total={r},{w},{t},{syncs} short={short_r},{short_w},{short_t},0 \
         dropped={drop_r},{drop_w},{drop_t},0",
    );
    if entry.goes_on_after_errors() {
        let (count, first) = entry.survived();
        let words = if first == 0 { "Success".to_string() } else { super::errno_text(first) };
        let _ = writeln!(text, "     errors    : total={count}, first_error={first}/<{words}>");
    }
}

fn write_latency_target(text: &mut String, entry: &Entry) {
    let (target, depth) = entry.latency_target();
    if depth > 0 {
        let _ = writeln!(
            text,
            "     latency   : target={}, window={}, percentile={:.2}%, depth={depth}",
            latency::duration(target.target_ns),
            latency::duration(target.window_ns),
            target.percentile,
        );
    }
}

fn write_group(text: &mut String, group: &Group) {
    let _ = writeln!(text, "\nRun status group {} (all jobs):", group.number);
    let prefix = Prefix::of_base(group.kb_base);
    let digits = group.significant_figures as usize;
    for (name, place) in ["READ", "WRITE", "TRIM", "MIXED"].into_iter().zip(&group.places) {
        if place.max_runtime_ns == 0 {
            continue;
        }
        let rate = |value, prefix| short(value, digits, 0, prefix, Unit::of_bandwidth(group.bits));
        let range = |prefix| format!("{}-{}", rate(place.min_bytes_per_s, prefix), rate(place.max_bytes_per_s, prefix));
        let bytes = |prefix| short(place.bytes, digits, 0, prefix, Unit::Bytes);
        let _ = writeln!(
            text,
            "{name:>7}: bw={} ({}), {} ({}), io={} ({}), run={}-{}msec",
            rate(place.bytes_per_s(), prefix),
            rate(place.bytes_per_s(), prefix.other()),
            range(prefix),
            range(prefix.other()),
            bytes(prefix),
            bytes(prefix.other()),
            milliseconds(place.min_runtime_ns),
            milliseconds(place.max_runtime_ns),
        );
    }
}

fn write_idleness(text: &mut String, record: &Record) {
    let idle = &record.cpu_idle_percent;
    if record.plan.idle_profile == IdleProfile::Off || idle.is_empty() {
        return;
    }
    let mean = idle.iter().sum::<f64>() / idle.len() as f64;
    let _ = writeln!(text, "\nCPU idleness:\n  system: {mean:3.2}%");
    if record.plan.idle_profile == IdleProfile::PerCpu {
        let each: Vec<String> = idle.iter().map(|percent| format!("{percent:3.2}%")).collect();
        let _ = writeln!(text, "  percpu: {}", each.join(", "));
    }
}
