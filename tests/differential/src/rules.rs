//! Rules that make random jobs valid and short. A job that both programs reject shows nothing.

use crate::case::{Case, DEVICE, Job, Setting};

/// A rule changes a job.
type Rule = fn(&mut Job);

/// The rules in their order.
const RULES: [Rule; 14] = [
    device,
    null_engine,
    file_engine,
    one_kind_of_block_size,
    random_only,
    verification,
    zones,
    time,
    rates,
    logs,
    clones,
    direct,
    sizes,
    few_ios,
];

pub fn apply(job: &mut Job) {
    RULES.iter().for_each(|rule| rule(job));
}

fn remove_all(job: &mut Job, names: &[&str]) {
    names.iter().for_each(|name| job.remove(name));
}

fn remove_with_prefix(job: &mut Job, prefix: &str) {
    job.options.retain(|setting| !setting.name.starts_with(prefix));
}

/// Trims need a device. Options of files have no meaning there.
fn device(job: &mut Job) {
    if job.trims() {
        job.set("filename", DEVICE);
    }
    if job.is_on_device() {
        let of_files =
            ["directory", "nrfiles", "openfiles", "file_service_type", "filesize", "fallocate", "create_on_open"];
        remove_all(job, &of_files);
        remove_all(job, &["file_append", "unlink", "unlink_each_loop", "create_fsync", "filename_format", "overwrite"]);
    } else if job.has("filename") {
        remove_all(job, &["nrfiles", "filename_format"]);
    }
    if job.trims() {
        remove_with_prefix(job, "verify");
        remove_all(job, &["experimental_verify", "do_verify"]);
        if ["mmap", "posixaio"].contains(&job.engine()) {
            job.set("ioengine", "psync");
        }
    }
}

/// The null engine transfers no data and has no targets.
fn null_engine(job: &mut Job) {
    if job.engine() == "null" {
        remove_with_prefix(job, "verify");
        remove_all(job, &["experimental_verify", "do_verify", "pre_read"]);
        if job.is_on_device() {
            job.remove("filename");
            if job.trims() {
                job.set("rw", "randwrite");
            }
        }
    }
}

/// Engines that create, stat, remove, truncate or allocate files instead of I/O.
fn file_engine(job: &mut Job) {
    if ["filecreate", "filestat", "filedelete", "ftruncate", "falloc"].contains(&job.engine()) {
        if job.is_on_device() {
            job.set("ioengine", "psync");
            return;
        }
        remove_with_prefix(job, "verify");
        remove_all(job, &["experimental_verify", "do_verify", "direct", "pre_read"]);
        if job.engine() == "ftruncate" {
            job.set("rw", "write");
        }
    }
}

fn one_kind_of_block_size(job: &mut Job) {
    let kinds = ["bssplit", "bsrange", "bs"];
    if let Some(kept) = kinds.iter().position(|kind| job.has(kind)) {
        kinds[kept + 1..].iter().for_each(|kind| job.remove(kind));
    }
    if !job.has("bsrange") {
        job.remove("bs_unaligned");
    }
}

fn random_only(job: &mut Job) {
    if !job.is_random() {
        remove_all(job, &["random_distribution", "norandommap", "random_generator", "softrandommap", "blockalign"]);
    }
}

/// A job that only reads has nothing to verify. Some remain, to fail.
fn verification(job: &mut Job) {
    if !job.has("verify") || !(job.writes() || job.has_any(&["continue_on_error", "verify_fatal"])) {
        remove_with_prefix(job, "verify");
        remove_all(job, &["experimental_verify", "do_verify"]);
    }
    if !job.has("verify_backlog") {
        job.remove("verify_backlog_batch");
    }
    if job.is("verify", "pattern") && !job.has("verify_pattern") {
        job.set("verify_pattern", "0x5a");
    }
}

fn zones(job: &mut Job) {
    if !job.is("zonemode", "strided") {
        remove_with_prefix(job, "zone");
        return;
    }
    for (name, value) in [("zonesize", "64k"), ("zonerange", "128k"), ("zoneskip", "0")] {
        if !job.has(name) {
            job.set(name, value);
        }
    }
}

/// A job by time takes its time. Other jobs have no limit of time.
fn time(job: &mut Job) {
    if job.has("time_based") && !job.has("runtime") {
        job.set("runtime", "100ms");
    }
    if job.has("thinktime") && !job.has("thinktime_blocks") {
        job.set("thinktime_blocks", "16");
    }
    if !job.has("thinktime") {
        remove_with_prefix(job, "thinktime");
    }
}

fn rates(job: &mut Job) {
    if job.has("rate") {
        job.remove("rate_iops");
    }
    if !job.has("rate") && !job.has("rate_iops") {
        job.remove("rate_process");
    }
}

fn logs(job: &mut Job) {
    if !["write_bw_log", "write_lat_log", "write_iops_log"].iter().any(|log| job.has(log)) {
        remove_with_prefix(job, "log_");
        job.remove("per_job_logs");
    }
}

/// Clones that write the same blocks find each other's data.
fn clones(job: &mut Job) {
    if job.has("filename") && job.has("verify") {
        job.remove("numjobs");
    }
}

/// Direct I/O needs whole sectors.
fn direct(job: &mut Job) {
    if job.has("bs_unaligned") {
        remove_all(job, &["direct", "buffered"]);
    }
    if job.has("direct") {
        job.remove("buffered");
    }
}

/// A new file needs a size.
fn sizes(job: &mut Job) {
    if !job.has("size") && (!job.has("filesize") || job.engine() == "null") {
        let value = if job.is_on_device() { "1m" } else { "256k" };
        let size = Setting { name: "size".to_owned(), value: Some(value.to_owned()) };
        job.options.insert(job.options.len().min(2), size);
    }
}

/// Bounds the number of I/Os, so that a case takes a fraction of a second.
fn few_ios(job: &mut Job) {
    let smallest = ["bs", "bsrange", "bssplit"].iter().find_map(|name| job.value(name)).unwrap_or("4k");
    let is_small = smallest.starts_with("512") || smallest.starts_with("1k") || smallest.starts_with("2k");
    let is_slow = ["rate", "rate_iops", "thinktime", "verify_backlog", "zonemode"].iter().any(|name| job.has(name));
    let is_large = job.value("size").is_none_or(|size| ["2m", "4m", "8m"].contains(&size));
    if is_large && (is_small || is_slow) && !job.has("number_ios") {
        job.set("size", "256k");
    }
    if job.is("io_size", "5m") || job.is("io_size", "3m") {
        job.remove("loops");
    }
}

/// Options that all jobs of a reporting group must share.
const OF_GROUPS: [&str; 9] = [
    "group_reporting",
    "unified_rw_reporting",
    "lat_percentiles",
    "clat_percentiles",
    "percentile_list",
    "ramp_size",
    "gtod_reduce",
    "disable_clat",
    "disable_lat",
];

/// Changes jobs that would disturb each other: they write the same files at the same time, or form a group of different jobs.
pub fn separate(case: &mut Case) {
    own_files(case);
    same_groups(case);
}

/// Gives all jobs the options of groups that the first job has.
fn same_groups(case: &mut Case) {
    let is_shared = |setting: &Setting| OF_GROUPS.contains(&setting.name.as_str());
    let Some((first, others)) = case.jobs.split_first_mut() else { return };
    let shared: Vec<Setting> = first.options.iter().filter(|setting| is_shared(setting)).cloned().collect();
    for job in others {
        job.options.retain(|setting| !is_shared(setting));
        job.options.extend(shared.iter().cloned());
    }
}

/// Gives jobs that run together and write files of their own.
fn own_files(case: &mut Case) {
    for at in 1..case.jobs.len() {
        let writes = case.jobs[..=at].iter().any(|job| job.writes() || job.trims());
        let (before, job) = case.jobs.split_at_mut(at);
        let job = &mut job[0];
        let names = job.value("filename").map(str::to_owned);
        let is_shared =
            names.as_ref().is_some_and(|names| before.iter().any(|other| other.value("filename") == Some(names)));
        if !is_shared || !writes || job.has("stonewall") {
            continue;
        }
        if job.is_on_device() {
            job.options.push(Setting { name: "stonewall".to_owned(), value: None });
        } else {
            let own: Vec<String> = names.unwrap_or_default().split(':').map(|name| format!("{name}{at}")).collect();
            job.set("filename", &own.join(":"));
        }
    }
}
