//! fio's normal report.

use super::entry::{Entry, Section, all_clients, entries, milliseconds, shares};
use super::group::{Group, groups};
use super::latency_buckets::{BOUNDS, BOUNDS_MS, LatencyBuckets};
use super::number::{Prefix, Unit, short};
use super::options::ReportOptions;
use super::threads::record_of_jobs;
use super::{blocks, disks, hosts, latency, steady_state};
use plan::{IdleProfile, Unified};
use record::{DdirStats, Moments, Record};
use std::fmt::Write;
use units::errno;
use units::markup::one_line;

/// Returns the report. It starts with an empty line.
pub fn normal(record: &Record, options: &ReportOptions) -> String {
    let record = &*record_of_jobs(record);
    let entries = entries(record);
    let groups = groups(&record.plan, &entries);
    let mut text = String::from("\n");
    for entry in entries.iter().filter(|entry| entry.did_io()) {
        write_entry(&mut text, entry, &groups[&entry.first.group], options);
    }
    if let Some(sum) = all_clients(record) {
        write_entry(&mut text, &sum, &groups[&sum.first.group], options);
        text.push_str(&hosts::table(record));
    }
    groups.values().for_each(|group| write_group(&mut text, group));
    text.push_str(&disks::normal(&record.disks));
    write_idleness(&mut text, record);
    text
}

fn write_entry(text: &mut String, entry: &Entry, group: &Group, options: &ReportOptions) {
    let error = match entry.error() {
        Some((errno, text)) => format!("{errno:2} ({text})"),
        None => " 0".to_string(),
    };
    let _ = writeln!(
        text,
        "{}{}: (groupid={}, jobs={}): err={error}: pid={}: {}",
        // fio marks the text of a client like this.
        entry.host.map(|host| format!("<{}> ", one_line(host))).unwrap_or_default(),
        one_line(entry.name),
        entry.first.group,
        entry.members.len(),
        entry.pid(),
        super::date::ctime(options.now_unix_ms, options.utc_offset_s),
    );
    if let Some(description) = entry.first.echo.description.as_deref().filter(|text| !text.is_empty()) {
        let _ = writeln!(text, "  Description  : [{}]", one_line(description));
    }
    for section in entry.sections() {
        if section.stats.runtime_ns > 0 && (section.stats.bytes > 0 || section.stats.ios > 0) {
            write_section(text, entry, &section, group);
        }
    }
    write_latency_buckets(text, entry);
    if entry.stats.sync_lat.count() > 0 {
        text.push_str("  fsync/fdatasync/sync_file_range/syncfs:\n");
        text.push_str(&latency::summary("sync", &entry.stats.sync_lat));
        text.push_str(&latency::percentiles("sync", &entry.stats.sync_lat, &entry.percentiles()));
    }
    write_usage(text, entry);
    write_depths(text, entry);
    write_issued(text, entry);
    write_latency_target(text, entry);
    text.push_str(&blocks::lines(entry));
    text.push_str(&steady_state::line(entry));
}

fn write_section(text: &mut String, entry: &Entry, section: &Section, group: &Group) {
    let measure = &entry.first.measure;
    let stats = &*section.stats;
    let digits = measure.significant_figures as usize;
    let prefix = Prefix::of_base(measure.kb_base);
    let bandwidth = |prefix| short(stats.bytes_per_s() as u64, digits, 0, prefix, Unit::of_bandwidth(measure.bits));
    let _ = writeln!(
        text,
        "  {}: IOPS={}, BW={} ({})({}/{}msec){}",
        section.name,
        short(stats.ios_per_s() as u64, digits, 0, Prefix::Decimal, Unit::None),
        bandwidth(prefix),
        bandwidth(prefix.other()),
        short(stats.bytes, digits, 0, prefix, Unit::Bytes),
        milliseconds(stats.runtime_ns),
        entry.stats.zone_resets.map_or_else(String::new, |resets| format!("; {resets} zone resets")),
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
    for (_, name, latency) in kinds.into_iter().filter(|(is_reported, _, _)| *is_reported) {
        text.push_str(&latency::percentiles(name, latency, &percentiles));
    }
    if measure.clat_percentiles || measure.lat_percentiles {
        let total: u64 = priorities.iter().map(|(_, latency)| latency.count()).sum();
        for (prio, latency) in &priorities {
            let share = super::entry::percent(latency.count(), total);
            let name = format!("{} ({share:.2}% of IOs)", named(prio));
            text.push_str(&latency::percentiles(&name, latency, &percentiles));
        }
    }
}

/// Writes the `bw (` and `iops` lines: statistics of the samples.
fn write_samples(text: &mut String, stats: &DdirStats, group: &Group, slot: usize) {
    let bandwidth = &stats.bandwidth_kib;
    if bandwidth.count > 0 {
        let (unit, scale) = sample_unit(bandwidth, group.kb_base);
        let _ = writeln!(
            text,
            "   bw ({unit:>5}/s): min={:5}, max={:5}, per={:3.2}%, avg={:5.2}, stdev={:5.2}, samples={}",
            (bandwidth.min * scale) as u64,
            (bandwidth.max * scale) as u64,
            group.directions[slot].share_percent(bandwidth.mean),
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

/// Returns the unit of bandwidth samples, and the factor that converts KiB to it.
fn sample_unit(bandwidth: &Moments, kb_base: u32) -> (&'static str, f64) {
    match Prefix::of_base(kb_base) {
        Prefix::Binary if bandwidth.mean > 1024.0 * 1024.0 => ("MiB", 1.0 / 1024.0),
        Prefix::Binary => ("KiB", 1.0),
        Prefix::Decimal if bandwidth.mean * 1.024 > 1e6 => ("MB", 1.024 / 1000.0),
        Prefix::Decimal => ("kB", 1.024),
    }
}

fn write_latency_buckets(text: &mut String, entry: &Entry) {
    let buckets = LatencyBuckets::of(entry);
    let total = buckets.total();
    let bounds = BOUNDS.map(|bound| bound.to_string());
    let names = bounds.each_ref().map(String::as_str);
    for (unit, names, shares) in [
        ("nsec", &names[..], &shares(buckets.ns, total, 0.01)[..]),
        ("usec", &names[..], &shares(buckets.us, total, 0.01)[..]),
        ("msec", &BOUNDS_MS[..], &shares(buckets.ms, total, 0.01)[..]),
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
    let batches = ["0", "4", "8", "16", "32", "64", ">=64"];
    text.push_str(&line("     submit    ", batches, entry.stats.submit.upto));
    text.push_str(&line("     complete  ", batches, entry.stats.complete.upto));
}

/// Returns the counts of `IO depths`. As in fio, depth 0 counts as depth 1.
pub(super) fn depth_levels(entry: &Entry) -> [u64; 7] {
    let [zero, one, rest @ ..] = entry.stats.depth.floor;
    let [two, four, eight, sixteen, thirty_two, sixty_four] = rest;
    [zero + one, two, four, eight, sixteen, thirty_two, sixty_four]
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
    if entry.continues_on_error() {
        let (count, first) = entry.nonfatal_errors();
        let _ = writeln!(text, "     errors    : total={count}, first_error={first}/<{}>", errno::text(first));
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
    for (name, totals) in ["READ", "WRITE", "TRIM", "MIXED"].into_iter().zip(&group.directions) {
        if totals.max_runtime_ns == 0 {
            continue;
        }
        let rate = |value, prefix| short(value, digits, 0, prefix, Unit::of_bandwidth(group.bits));
        let range =
            |prefix| format!("{}-{}", rate(totals.min_bytes_per_s, prefix), rate(totals.max_bytes_per_s, prefix));
        let bytes = |prefix| short(totals.bytes, digits, 0, prefix, Unit::Bytes);
        let _ = writeln!(
            text,
            "{name:>7}: bw={} ({}), {} ({}), io={} ({}), run={}-{}msec",
            rate(totals.bytes_per_s(), prefix),
            rate(totals.bytes_per_s(), prefix.other()),
            range(prefix),
            range(prefix.other()),
            bytes(prefix),
            bytes(prefix.other()),
            milliseconds(totals.min_runtime_ns),
            milliseconds(totals.max_runtime_ns),
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
