//! fio's JSON report: its keys, their order and its formatting.

use super::entry::{Entry, Section, all_clients, entries, milliseconds, shares};
use super::eta::FIRST_ESTIMATE_S;
use super::fathom_object::Analysis;
use super::group::{Group, groups};
use super::latency_buckets::{BOUNDS, BOUNDS_MS, LatencyBuckets};
use super::normal::depth_levels;
use super::options::{Detail, ReportOptions};
use super::threads::record_of_jobs;
use super::version::version_of;
use super::{blocks, disks, fathom_object, json_text, steady_state};
use plan::{IdleProfile, Unified};
use record::{DiskCounters, DiskUse, HostRecord, Latency, Record};
use serde_json::{Map, Value, json};

/// The value of `eta` that fio prints if the end is unknown.
const ETA_UNKNOWN: u64 = i32::MAX as u64;

/// Returns the JSON document. It ends with a newline.
pub fn json(record: &Record, options: &ReportOptions, detail: Detail, analysis: &Analysis) -> String {
    json_text::pretty(&document(record, options, detail, analysis))
}

fn document(record: &Record, options: &ReportOptions, detail: Detail, analysis: &Analysis) -> Value {
    let record = &*record_of_jobs(record);
    let entries = entries(record);
    let groups = groups(&record.plan, &entries);
    let mut root = json!({
        "fio version": version_of(&record.fathom),
        "timestamp": options.now_unix_ms / 1000,
        "timestamp_ms": options.now_unix_ms,
        "time": super::date::ctime(options.now_unix_ms, options.utc_offset_s),
    });
    let jobs = |entries: &[Entry]| -> Value {
        let of = |entry: &Entry| job(entry, &groups[&entry.first.group], record, options, detail, analysis);
        entries.iter().map(of).collect()
    };
    if record.hosts().is_empty() {
        put(&mut root, "global options", given_options(&record.plan.global_options));
        root["jobs"] = jobs(&entries);
    } else {
        root["global options"] = record.hosts().iter().map(|host| global_options_of(record, host)).collect();
        let mut clients = entries;
        clients.extend(all_clients(record));
        root["client_stats"] = jobs(&clients);
    }
    let disks = || disks::all(&record.disks).into_iter().map(disk).collect::<Value>();
    put(&mut root, "disk_util", (!record.disks.is_empty()).then(disks));
    let has_idleness = record.plan.idle_profile != IdleProfile::Off && !record.cpu_idle_percent.is_empty();
    put(&mut root, "cpu_idleness", has_idleness.then(|| idleness(record)));
    root[fathom_object::KEY] = fathom_object::of_run(record, analysis);
    root
}

/// Adds a field that has a value.
fn put(object: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object[key] = value.into();
    }
}

/// Returns the global options with the host, as fio has them for several clients.
fn global_options_of(record: &Record, host: &HostRecord) -> Value {
    let mut object = named_options(&record.plan.global_options);
    object["hostname"] = host.name.raw().into();
    object
}

fn named_options(options: &[(String, String)]) -> Value {
    options.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect::<Map<_, _>>().into()
}

fn given_options(options: &[(String, String)]) -> Option<Value> {
    (!options.is_empty()).then(|| named_options(options))
}

fn job(
    entry: &Entry,
    group: &Group,
    record: &Record,
    options: &ReportOptions,
    detail: Detail,
    analysis: &Analysis,
) -> Value {
    let elapsed_s = options.now_unix_ms.saturating_sub(record.started_unix_ms).div_ceil(1000);
    let eta_s = options.eta_s.filter(|_| elapsed_s >= FIRST_ESTIMATE_S).unwrap_or(ETA_UNKNOWN);
    let mut job = json!({
        "jobname": entry.name,
        "groupid": entry.first.group,
        "job_start": entry.started_ms(),
        "error": entry.error().map_or(0, |(errno, _)| errno),
        "eta": eta_s,
        "elapsed": elapsed_s,
    });
    put(&mut job, "job options", given_options(&entry.last.echo.options));
    for section in entry.sections() {
        // fio prints `sync` between the directions and `mixed`.
        if section.name == "mixed" && entry.unified() == Unified::Both {
            job["sync"] = syncs(entry, detail);
        }
        job[section.name] = direction(entry, &section, group, detail);
    }
    if entry.unified() == Unified::Apart {
        job["sync"] = syncs(entry, detail);
    }
    add_usage(&mut job, entry);
    add_distributions(&mut job, entry);
    add_errors(&mut job, entry);
    add_latency_target(&mut job, entry);
    put(&mut job, "steadystate", steady_state::object(entry));
    put(&mut job, "desc", entry.first.echo.description.as_deref().filter(|text| !text.is_empty()));
    put(&mut job, "block", blocks::object(entry));
    let messages: Vec<String> = entry.messages().collect();
    put(&mut job, "error_messages", (!messages.is_empty()).then(|| messages.join("\n")));
    put(&mut job, "zone_resets", entry.stats.zone_resets);
    put(&mut job, fathom_object::KEY, fathom_object::of_job(entry, detail, analysis));
    put(&mut job, "hostname", entry.host);
    job
}

fn direction(entry: &Entry, section: &Section, group: &Group, detail: Detail) -> Value {
    let stats = &*section.stats;
    let measure = &entry.last.measure;
    let bytes_per_s = stats.bytes_per_s() as u64;
    let mut direction = json!({
        "io_bytes": stats.bytes,
        "io_kbytes": stats.bytes / 1024,
        "bw_bytes": bytes_per_s,
        "bw": bytes_per_s / 1024,
        "iops": stats.ios_per_s(),
        "runtime": milliseconds(stats.runtime_ns),
        "total_ios": stats.ios,
        "short_ios": stats.short,
        "drop_ios": stats.dropped,
        "slat_ns": latency(&stats.slat, measure.slat_percentiles, entry, detail),
        "clat_ns": latency(&stats.clat, measure.clat_percentiles, entry, detail),
        "lat_ns": latency(&stats.lat, measure.lat_percentiles, entry, detail),
    });
    let priorities = entry.priorities(section);
    if !priorities.is_empty() {
        let kind = if measure.lat_percentiles { "lat_ns" } else { "clat_ns" };
        let has_percentiles = measure.lat_percentiles || measure.clat_percentiles;
        let each = priorities.iter().map(|(prio, of)| {
            json!({
                "prioclass": prio.class,
                "prio": prio.level,
                "priohint": prio.hint,
                kind: latency(of, has_percentiles, entry, detail),
            })
        });
        direction["prios"] = each.collect();
    }
    let (bandwidth, iops) = (&stats.bandwidth_kib, &stats.iops);
    let share = if bandwidth.count == 0 { 0.0 } else { group.directions[section.slot].share_percent(bandwidth.mean) };
    direction["bw_min"] = (bandwidth.min as u64).into();
    direction["bw_max"] = (bandwidth.max as u64).into();
    direction["bw_agg"] = share.into();
    direction["bw_mean"] = bandwidth.mean.into();
    direction["bw_dev"] = bandwidth.deviation().into();
    direction["bw_samples"] = bandwidth.count.into();
    direction["iops_min"] = (iops.min as u64).into();
    direction["iops_max"] = (iops.max as u64).into();
    direction["iops_mean"] = iops.mean.into();
    direction["iops_stddev"] = iops.deviation().into();
    direction["iops_samples"] = iops.count.into();
    direction
}

fn syncs(entry: &Entry, detail: Detail) -> Value {
    let measure = &entry.last.measure;
    let has_percentiles = measure.lat_percentiles || measure.clat_percentiles;
    json!({
        "total_ios": entry.stats.syncs,
        "lat_ns": latency(&entry.stats.sync_lat, has_percentiles, entry, detail),
    })
}

/// Returns a latency object. `has_percentiles` adds percentiles, and bins if `detail` includes them.
pub(super) fn latency(latency: &Latency, has_percentiles: bool, entry: &Entry, detail: Detail) -> Value {
    let mut object = json!({
        "min": latency.min_ns(),
        "max": latency.max_ns(),
        "mean": latency.mean_ns(),
        "stddev": latency.deviation_ns(),
        "N": latency.count(),
    });
    if has_percentiles && latency.count() > 0 {
        object["percentile"] = percentiles(entry, |percent| latency.percentile_ns(percent).into());
        if detail == Detail::Bins {
            let bins = latency.histogram.bins().map(|bin| (bin.middle.to_string(), Value::from(bin.count)));
            object["bins"] = bins.collect::<Map<_, _>>().into();
        }
    }
    object
}

/// Returns the percentiles of the job's list.
pub(super) fn percentiles(entry: &Entry, value: impl Fn(f64) -> Value) -> Value {
    let list = entry.percentiles().into_iter();
    list.map(|percent| (format!("{percent:.6}"), value(percent))).collect::<Map<_, _>>().into()
}

fn add_usage(job: &mut Value, entry: &Entry) {
    let usage = &entry.stats.usage;
    let (user, system) = entry.cpu_percent();
    job["job_runtime"] = milliseconds(entry.stats.runtime_ns).into();
    job["usr_cpu"] = user.into();
    job["sys_cpu"] = system.into();
    job["ctx"] = usage.context_switches.into();
    job["majf"] = usage.major_faults.into();
    job["minf"] = usage.minor_faults.into();
}

fn add_distributions(job: &mut Value, entry: &Entry) {
    let depths = |names: [&str; 7], counts: [u64; 7]| keyed(&names, &shares(counts, counts.iter().sum(), 0.1));
    let stats = &entry.stats;
    job["iodepth_level"] = depths(["1", "2", "4", "8", "16", "32", ">=64"], depth_levels(entry));
    let batches = ["0", "4", "8", "16", "32", "64", ">=64"];
    job["iodepth_submit"] = depths(batches, stats.submit.upto);
    job["iodepth_complete"] = depths(batches, stats.complete.upto);
    let buckets = LatencyBuckets::of(entry);
    let total = buckets.total();
    let bounds = BOUNDS.map(|bound| bound.to_string());
    let names = bounds.each_ref().map(String::as_str);
    job["latency_ns"] = keyed(&names, &shares(buckets.ns, total, 0.01));
    job["latency_us"] = keyed(&names, &shares(buckets.us, total, 0.01));
    job["latency_ms"] = keyed(&BOUNDS_MS, &shares(buckets.ms, total, 0.01));
}

fn keyed(names: &[&str], shares: &[f64]) -> Value {
    names.iter().zip(shares).map(|(name, share)| (name.to_string(), Value::from(*share))).collect::<Map<_, _>>().into()
}

fn add_errors(job: &mut Value, entry: &Entry) {
    if entry.continues_on_error() {
        let (count, first) = entry.nonfatal_errors();
        job["total_err"] = count.into();
        job["first_error"] = first.into();
    }
}

fn add_latency_target(job: &mut Value, entry: &Entry) {
    let (target, depth) = entry.latency_target();
    if depth == 0 {
        return;
    }
    job["latency_depth"] = depth.into();
    job["latency_target"] = target.target_ns.into();
    job["latency_target_ns"] = target.target_ns.into();
    job["latency_percentile"] = target.percentile.into();
    job["latency_window"] = (target.window_ns / 1000).into();
    job["latency_window_us"] = (target.window_ns / 1000).into();
}

fn disk(disk: &DiskUse) -> Value {
    let mut object = Map::new();
    object.insert("name".into(), disk.name.raw().into());
    add_disk_figures(&mut object, "", &disk.counters, disk.utilisation_percent());
    if let Some((counters, util)) = disks::aggregate(disk) {
        add_disk_figures(&mut object, "aggr_", &counters, util);
    }
    object.into()
}

fn add_disk_figures(object: &mut Map<String, Value>, prefix: &str, counters: &DiskCounters, util: f64) {
    // fio prints `aggr_write_merge` without the plural.
    let write_merges = if prefix.is_empty() { "write_merges" } else { "write_merge" };
    for (name, value) in [
        ("read_ios", counters.ios[0]),
        ("write_ios", counters.ios[1]),
        ("read_sectors", counters.sectors[0]),
        ("write_sectors", counters.sectors[1]),
        ("read_merges", counters.merges[0]),
        (write_merges, counters.merges[1]),
        ("read_ticks", counters.ticks_ms[0]),
        ("write_ticks", counters.ticks_ms[1]),
        ("in_queue", counters.time_in_queue_ms),
    ] {
        object.insert(format!("{prefix}{name}"), value.into());
    }
    object.insert(format!("{prefix}util"), util.into());
}

fn idleness(record: &Record) -> Value {
    let idle = &record.cpu_idle_percent;
    let mut object = json!({ "system": idle.iter().sum::<f64>() / idle.len() as f64 });
    if record.plan.idle_profile == IdleProfile::PerCpu {
        for (cpu, percent) in idle.iter().enumerate() {
            object[format!("cpu-{cpu}")] = (*percent).into();
        }
    }
    object
}
