//! What is wrong with jobs as a whole, though each of their options is right by itself.
//!
//! fio finds these only when it runs jobs, not under `--parse-only`.

use units::diagnostic::{Diagnostic, Span};

use super::env::Env;
use super::section::readonly_error;
use super::value::names;
use super::value::number::Amount;
use super::values::Values;
use super::{Job, Reading};

/// As many as fio runs.
const JOBS_MAX: u64 = 4096;
/// Files are kept track of one by one: more would fill the memory before the disk.
const FILES_MAX: u64 = 10_000_000;

/// Checks each job, and what jobs say of each other.
pub fn jobs(reading: &mut Reading) {
    if reading.dry_run {
        return;
    }
    let mut found = Found { errors: Vec::new(), warnings: Vec::new() };
    for (index, job) in reading.jobs.iter().enumerate() {
        if reading.program.readonly {
            readonly(job, &mut found);
        }
        directories(job, reading.env, &mut found);
        zones(job, &mut found);
        sizes(job, &mut found);
        rates(job, &mut found);
        time(job, &mut found);
        dedupe(job, &mut found);
        logs(job, &mut found);
        wait_for(job, &reading.jobs[..index], &mut found);
    }
    counts(&reading.jobs, &mut found);
    dedup(&mut found.errors);
    dedup(&mut found.warnings);
    reading.errors.extend(found.errors);
    reading.warnings.extend(found.warnings);
}

struct Found {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Found {
    fn error(&mut self, message: &str, job: &Job, option: &str, label: &str, help: &str) {
        let diagnostic = Diagnostic::error(format!("job {}: {message}", job.name));
        self.errors.push(diagnostic.at(place(job, option), label).help(help));
    }
}

/// Where an option of the job was written, or else the job itself.
fn place<'a>(job: &'a Job, option: &str) -> &'a Span {
    job.values.at(option).unwrap_or(&job.at)
}

/// What the globals say is found once for each job.
pub(super) fn dedup(diagnostics: &mut Vec<Diagnostic>) {
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics.drain(..) {
        if !kept.contains(&diagnostic) {
            kept.push(diagnostic);
        }
    }
    *diagnostics = kept;
}

fn readonly(job: &Job, found: &mut Found) {
    let rw = job.values.word("rw");
    if !matches!(rw, "read" | "randread") {
        found.errors.push(readonly_error(rw, place(job, "rw")));
    }
}

/// A directory that isn't there may be a mount that is missing: what would be measured then is another disk.
fn directories(job: &Job, env: &dyn Env, found: &mut Found) {
    let names = job.values.text("directory").map(names::split).unwrap_or_default();
    for name in names.iter().filter(|name| !env.is_directory(name)) {
        found.error(
            &format!("{name} is not a directory"),
            job,
            "directory",
            "must be there before the run",
            "make it, or mount what belongs there",
        );
    }
}

fn zones(job: &Job, found: &mut Found) {
    let values = &job.values;
    let size = values.unsigned("zonesize");
    match values.word("zonemode") {
        "none" if size > 0 => found.error(
            "zonesize means nothing with zonemode=none",
            job,
            "zonesize",
            "contradicts zonemode=none, which is the default",
            "add zonemode=strided, or leave out zonesize",
        ),
        "strided" if size == 0 => found.error(
            "zonemode=strided needs zonesize",
            job,
            "zonemode",
            "zonesize is missing",
            "add a zonesize, such as zonesize=1m",
        ),
        _ => {}
    }
}

/// The smallest block of each direction.
fn smallest_blocks(values: &Values) -> [u64; 3] {
    let mut smallest = values.unsigneds("bs");
    if let Some(ranges) = values.ranges("bsrange") {
        for (slot, (min, _)) in smallest.iter_mut().zip(ranges).filter(|(_, (min, _))| *min > 0) {
            *slot = min;
        }
    }
    if let Some(split) = values.split("bssplit") {
        for (slot, shares) in smallest.iter_mut().zip(split) {
            *slot = shares.iter().map(|share| share.bytes).min().unwrap_or(*slot);
        }
    }
    smallest
}

fn sizes(job: &Job, found: &mut Found) {
    let values = &job.values;
    let smallest = smallest_blocks(values);
    let rw = values.word("rw");
    let read = rw.ends_with("read") || rw.ends_with("rw");
    let write = rw.ends_with("write") || rw.ends_with("rw");
    let trim = rw.contains("trim");
    let used = [read, write, trim].into_iter().zip(smallest).filter(|(used, _)| *used).map(|(_, size)| size);
    let block = used.min().unwrap_or(0);
    if let Some(Amount::Bytes(size)) = values.amount("size")
        && size > 0
        && size < block
    {
        found.error(
            &format!("size={size} is less than one block of {block} bytes"),
            job,
            "size",
            "smaller than a block",
            "make size larger or bs smaller",
        );
    }
}

fn rates(job: &Job, found: &mut Found) {
    let values = &job.values;
    let is_given = |name: &str| values.unsigneds(name).iter().any(|&rate| rate > 0);
    for (bytes, ios) in [("rate", "rate_iops"), ("rate_min", "rate_iops_min")] {
        if is_given(bytes) && is_given(ios) {
            let message = format!("{bytes} and {ios} exclude each other");
            found.error(&message, job, ios, "one limit too many", "leave out one of the two");
        }
    }
    for (limit, min) in [("rate", "rate_min"), ("rate_iops", "rate_iops_min")] {
        let pairs = values.unsigneds(limit).into_iter().zip(values.unsigneds(min));
        if pairs.into_iter().any(|(limit, min)| limit > 0 && limit < min) {
            let message = format!("{min} is more than {limit}");
            found.error(&message, job, min, "can't be reached", &format!("make {min} smaller or {limit} larger"));
        }
    }
}

fn time(job: &Job, found: &mut Found) {
    let values = &job.values;
    if values.flag("time_based") && values.unsigned("runtime") == 0 {
        let warning = Diagnostic::warning(format!("job {}: time_based has no effect without runtime", job.name));
        found.warnings.push(warning.at(place(job, "time_based"), "has no effect").help("add a runtime"));
    }
}

fn dedupe(job: &Job, found: &mut Found) {
    let values = &job.values;
    let copies = values.unsigned("dedupe_percentage");
    if copies == 0 || values.word("dedupe_mode") != "working_set" {
        return;
    }
    if !values.is_set("size") {
        found.error("dedupe_mode=working_set needs size", job, "dedupe_mode", "size is missing", "add a size");
    }
    if copies + values.unsigned("dedupe_working_set_percentage") > 100 {
        found.error(
            "dedupe_percentage and dedupe_working_set_percentage are more than 100 together",
            job,
            "dedupe_percentage",
            "can't be reached",
            "make one of them smaller",
        );
    }
}

fn logs(job: &Job, found: &mut Found) {
    let values = &job.values;
    if values.flag("log_issue_time") && !(values.flag("log_offset") && values.log("write_lat_log").is_some()) {
        found.error(
            "log_issue_time needs write_lat_log and log_offset",
            job,
            "log_issue_time",
            "has nothing to be logged with",
            "add write_lat_log and log_offset=1",
        );
    }
}

/// Clones and their files, over all jobs.
fn counts(jobs: &[Job], found: &mut Found) {
    let (mut clones, mut files) = (0u64, 0u64);
    for job in jobs {
        let of_job = job.values.unsigned("numjobs").max(1);
        clones = clones.saturating_add(of_job);
        files = files.saturating_add(job.values.unsigned("nrfiles").max(1).saturating_mul(of_job));
        if clones > JOBS_MAX {
            let message = format!("with its clones there are {clones} jobs, more than {JOBS_MAX}");
            return found.error(&message, job, "numjobs", "too many", "make numjobs smaller");
        }
        if files > FILES_MAX {
            let message = format!("with its files there are {files}, more than {FILES_MAX}");
            return found.error(&message, job, "nrfiles", "too many", "make nrfiles smaller");
        }
    }
}

fn wait_for(job: &Job, earlier: &[Job], found: &mut Found) {
    let Some(name) = job.values.text("wait_for") else { return };
    let message = match earlier.iter().filter(|earlier| earlier.name == name).count() {
        _ if name == job.name => "it can't wait for itself".to_owned(),
        1 => return,
        0 => format!("there is no job {name} before it to wait for"),
        count => format!("there are {count} jobs {name} before it, and it can wait for one only"),
    };
    found.error(&message, job, "wait_for", "not one earlier job", "name one job that stands before this one");
}
