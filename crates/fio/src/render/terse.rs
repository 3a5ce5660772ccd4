//! fio's terse format, versions 2 to 5: one line of fields per entry.

use super::disks;
use super::entry::{Entry, PERCENTILES_MAX, Section, all_clients, entries, milliseconds, shares};
use super::group::{Group, groups};
use super::latency_buckets::LatencyBuckets;
use super::normal::depth_levels;
use super::options::ReportOptions;
use super::threads::record_of_jobs;
use super::version::version_of;
use plan::{Ddir, Unified};
use record::{Latency, Record};
use std::fmt::Write;
use units::markup::one_line;

/// Returns a line per entry, including entries without I/O.
pub fn terse(record: &Record, options: &ReportOptions) -> String {
    let record = &*record_of_jobs(record);
    let entries = entries(record);
    let groups = groups(&record.plan, &entries);
    let mut text = String::new();
    for entry in &entries {
        write_entry(&mut text, entry, &groups[&entry.first.group], record, options.terse_version);
    }
    if let Some(sum) = all_clients(record) {
        write_entry(&mut text, &sum, &groups[&sum.first.group], record, options.terse_version);
    }
    text
}

fn write_entry(text: &mut String, entry: &Entry, group: &Group, record: &Record, version: u8) {
    let errno = entry.error().map_or(0, |(errno, _)| errno);
    let program = if version == 2 { String::new() } else { format!("{};", version_of(&record.fathom)) };
    let _ = write!(text, "{version};{program}{};{};{errno}", one_line(entry.name), entry.first.group);
    for section in entry.sections() {
        if version == 3 && section.slot == Ddir::Trim as usize && entry.unified() != Unified::Mixed {
            continue;
        }
        write_section(text, entry, &section, group, version);
    }
    let usage = &entry.stats.usage;
    let (user, system) = entry.cpu_percent();
    let _ = write!(
        text,
        ";{user:.6}%;{system:.6}%;{};{};{}",
        usage.context_switches, usage.major_faults, usage.minor_faults
    );
    write_distributions(text, entry);
    if version >= 3 {
        text.push_str(&disks::terse(&record.disks));
    }
    if entry.continues_on_error() {
        let (count, first) = entry.nonfatal_errors();
        let _ = write!(text, ";{count};{first}");
    }
    if let Some(description) = entry.first.echo.description.as_deref().filter(|text| !text.is_empty()) {
        // Version 2 prints the description on a separate line.
        let _ = write!(text, "{};{}", if version == 2 { "\n" } else { "" }, one_line(description));
    }
    text.push('\n');
}

fn write_section(text: &mut String, entry: &Entry, section: &Section, group: &Group, version: u8) {
    let stats = &*section.stats;
    let _ = write!(
        text,
        ";{};{};{};{}",
        stats.bytes / 1024,
        stats.bytes_per_s() as u64 / 1024,
        stats.ios_per_s() as u64,
        milliseconds(stats.runtime_ns),
    );
    write_latency(text, &stats.slat);
    write_latency(text, &stats.clat);
    write_percentiles(text, entry, section);
    write_latency(text, &stats.lat);
    let (bandwidth, iops) = (&stats.bandwidth_kib, &stats.iops);
    let share = if bandwidth.count == 0 { 0.0 } else { group.directions[section.slot].share_percent(bandwidth.mean) };
    let _ = write!(
        text,
        ";{};{};{share:.6}%;{:.6};{:.6}",
        bandwidth.min as u64,
        bandwidth.max as u64,
        bandwidth.mean,
        bandwidth.deviation(),
    );
    if version == 5 {
        let _ = write!(
            text,
            ";{};{};{};{:.6};{:.6};{}",
            bandwidth.count,
            iops.min as u64,
            iops.max as u64,
            iops.mean,
            iops.deviation(),
            iops.count,
        );
    }
}

/// Writes minimum, maximum, mean and deviation in microseconds.
fn write_latency(text: &mut String, latency: &Latency) {
    let _ = write!(
        text,
        ";{};{};{:.6};{:.6}",
        latency.min_ns() / 1000,
        latency.max_ns() / 1000,
        latency.mean_ns() / 1e3,
        latency.deviation_ns() / 1e3,
    );
}

fn write_percentiles(text: &mut String, entry: &Entry, section: &Section) {
    let measure = &entry.last.measure;
    let latency = match (measure.lat_percentiles, measure.clat_percentiles) {
        (true, _) => Some(&section.stats.lat),
        (false, true) => Some(&section.stats.clat),
        (false, false) => None,
    };
    let mut list = Vec::new();
    if let Some(latency) = latency {
        list = entry.percentiles().into_iter().map(|percent| (percent, latency.percentile_ns(percent))).collect();
    }
    for &(percent, ns) in &list {
        let _ = write!(text, ";{percent:.6}%={}", ns / 1000);
    }
    text.push_str(&";0%=0".repeat(PERCENTILES_MAX - list.len()));
}

/// Writes the distributions of depths and latencies. Latencies below 1 µs count in the first bucket of µs.
fn write_distributions(text: &mut String, entry: &Entry) {
    let levels = depth_levels(entry);
    for share in shares(levels, levels.iter().sum(), 0.1) {
        let _ = write!(text, ";{share:3.1}%");
    }
    let mut buckets = LatencyBuckets::of(entry);
    let total = buckets.total();
    buckets.us[0] += buckets.ns.iter().sum::<u64>();
    let (us, ms) = (shares(buckets.us, total, 0.01), shares(buckets.ms, total, 0.01));
    for share in us.iter().chain(&ms) {
        let _ = write!(text, ";{share:3.2}%");
    }
}
