//! Checks jobs for options that contradict one another or the file system.
//!
//! As in fio, `--parse-only` omits these checks.

mod engine;
mod found;
mod passthrough;
mod placement;
mod readonly;
mod remote;
mod replay;
mod steady_state;
mod zoned;

use units::diagnostic::Diagnostic;

use crate::lower::{access, verify};
use crate::options::{Key, key, kinds};
use crate::parse::Job;
use crate::parse::env::Env;
use crate::parse::parser::JOBS_MAX;
use crate::parse::state::State;
use crate::parse::value::{Amount, Value, path_list};
use crate::parse::values::Values;
use found::{Found, span};
use zoned::Contradiction;

/// Maximum number of files. It bounds the memory for the state of each file.
const FILES_MAX: u64 = 10_000_000;

/// An estimate of the memory of a worker and of one of its files in the plan and in the engine.
const WORKER_BYTES: u64 = 4096;
const FILE_BYTES: u64 = 160;
/// Most bytes of the texts of all jobs and clones. It bounds the time to check them.
const TEXT_BYTES_MAX: u64 = 256 << 20;

/// Reads the logs and schemes that the jobs name, and checks each job and the relations between jobs.
pub fn jobs(jobs: &mut [Job], state: &mut State) {
    if !memory(jobs, state) {
        return;
    }
    replay::read_logs(jobs, state);
    placement::read_schemes(jobs, state);
    if !state.dry_run {
        contradictions(jobs, state);
    }
}

fn contradictions(jobs: &[Job], state: &mut State) {
    let mut diagnostics = Found::default();
    for (index, job) in jobs.iter().enumerate() {
        if state.program.readonly {
            readonly::check(job, &mut diagnostics);
        }
        directories(job, state.env, &mut diagnostics);
        zones(job, &mut diagnostics);
        sizes(job, &mut diagnostics);
        rates(job, &mut diagnostics);
        time(job, &mut diagnostics);
        dedupe(job, &mut diagnostics);
        precondition(job, &mut diagnostics);
        verification(job, &mut diagnostics);
        logs(job, &mut diagnostics);
        engine::engine(job, &mut diagnostics);
        wait_for(job, &jobs[..index], &mut diagnostics);
    }
    counts(jobs, &mut diagnostics);
    steady_state::check(jobs, &mut diagnostics);
    diagnostics.errors.dedup();
    diagnostics.warnings.dedup();
    state.errors.extend(diagnostics.errors.into_vec());
    state.warnings.extend(diagnostics.warnings.into_vec());
}

/// Checks that directories exist. A missing one may be a missing mount: the job would measure another disk.
fn directories(job: &Job, env: &dyn Env, diagnostics: &mut Found) {
    let text = job.values.text(key::DIRECTORY).unwrap_or_default();
    let paths = path_list::split(text);
    // A directory with a colon in its name, which fio takes for several.
    let escaped = (paths.len() > 1 && env.is_directory(text)).then(|| text.replace(':', r"\:"));
    let help = match escaped {
        Some(escaped) => format!("write a backslash before each colon of the name: directory={escaped}"),
        None => "create the directory, or mount its file system".to_owned(),
    };
    for path in paths.iter().filter(|path| !env.is_directory(path)) {
        diagnostics.error(
            &format!("{path} is not a directory"),
            job,
            &key::DIRECTORY,
            "must exist before the run",
            &help,
        );
    }
}

fn zones(job: &Job, diagnostics: &mut Found) {
    let values = &job.values;
    let size = values.unsigned(key::ZONESIZE);
    match values.keyword(key::ZONEMODE) {
        "none" if size > 0 => diagnostics.error(
            "fio: --zonemode=none and --zonesize are not compatible",
            job,
            &key::ZONESIZE,
            "zonemode=none is the default",
            "add zonemode=strided or zonemode=zbd, or remove zonesize",
        ),
        "strided" if size == 0 => diagnostics.error(
            "fio: --zonesize must be specified when using --zonemode=strided",
            job,
            &key::ZONEMODE,
            "zonesize is missing",
            "add a zonesize, such as zonesize=1m",
        ),
        "zbd" => {
            for Contradiction { message, option, label, help } in zoned::contradictions(values) {
                diagnostics.error(message, job, option, label, help);
            }
        }
        _ => {}
    }
}

/// Returns the smallest block size of each direction, in bytes.
fn smallest_blocks(values: &Values) -> [u64; 3] {
    let mut smallest = values.unsigneds(key::BS);
    if let Some(ranges) = values.ranges(key::BSRANGE) {
        for (slot, (min, _)) in smallest.iter_mut().zip(ranges).filter(|(_, (min, _))| *min > 0) {
            *slot = min;
        }
    }
    if let Some(split) = values.split(key::BSSPLIT) {
        for (slot, shares) in smallest.iter_mut().zip(split) {
            *slot = shares.iter().map(|share| share.bytes).min().unwrap_or(*slot);
        }
    }
    smallest
}

fn sizes(job: &Job, diagnostics: &mut Found) {
    let values = &job.values;
    let smallest = smallest_blocks(values);
    let rw = values.keyword(key::RW);
    let read = rw.ends_with("read") || rw.ends_with("rw");
    let write = rw.ends_with("write") || rw.ends_with("rw");
    let trim = rw.contains("trim");
    let used = [read, write, trim].into_iter().zip(smallest).filter(|(used, _)| *used).map(|(_, size)| size);
    let block = used.min().unwrap_or(0);
    if let Some(Amount::Bytes(size)) = values.amount(key::SIZE)
        && size > 0
        && size < block
    {
        diagnostics.error(
            &format!("size={size} is smaller than one block of {block} bytes"),
            job,
            &key::SIZE,
            "smaller than a block",
            "increase size or decrease bs",
        );
    }
}

fn rates(job: &Job, diagnostics: &mut Found) {
    let values = &job.values;
    let is_set = |key: Key<kinds::Number>| values.unsigneds(key).iter().any(|&rate| rate > 0);
    for (bytes, ios) in [(key::RATE, key::RATE_IOPS), (key::RATE_MIN, key::RATE_IOPS_MIN)] {
        if is_set(bytes) && is_set(ios) {
            let message = format!("{} and {} are mutually exclusive", bytes.name, ios.name);
            diagnostics.error(&message, job, &ios, "second limit", "remove one of the two");
        }
    }
    for (limit, min) in [(key::RATE, key::RATE_MIN), (key::RATE_IOPS, key::RATE_IOPS_MIN)] {
        let pairs = values.unsigneds(limit).into_iter().zip(values.unsigneds(min));
        if pairs.into_iter().any(|(limit, min)| limit > 0 && limit < min) {
            let (limit, low) = (limit.name, min.name);
            let message = format!("{low} is greater than {limit}");
            diagnostics.error(&message, job, &min, "cannot be reached", &format!("decrease {low} or increase {limit}"));
        }
    }
}

fn time(job: &Job, diagnostics: &mut Found) {
    let values = &job.values;
    if values.flag(key::TIME_BASED) && values.unsigned(key::RUNTIME) == 0 {
        let warning = Diagnostic::warning(format!("job {}: time_based has no effect without runtime", job.name));
        diagnostics.warnings.push(warning.at(span(job, &key::TIME_BASED), "has no effect").help("add a runtime"));
    }
}

fn precondition(job: &Job, diagnostics: &mut Found) {
    let values = &job.values;
    if !values.flag(key::SPRANDOM) {
        return;
    }
    if values.keyword(key::RW) != "randwrite" {
        diagnostics.error("sprandom requires rw=randwrite", job, &key::RW, "another pattern", "use rw=randwrite");
    }
    if values.is_set(&key::RANDOM_GENERATOR) && values.keyword(key::RANDOM_GENERATOR) != "lfsr" {
        let help = "remove random_generator";
        diagnostics.error(
            "sprandom requires random_generator=lfsr",
            job,
            &key::RANDOM_GENERATOR,
            "another generator",
            help,
        );
    }
    if values.is_set(&key::NORANDOMMAP) && !values.flag(key::NORANDOMMAP) {
        let help = "remove norandommap";
        diagnostics.error("sprandom requires norandommap=1", job, &key::NORANDOMMAP, "requires a random map", help);
    }
    let names = values.text(key::FILENAME).map_or(0, |names| path_list::split(names).len());
    if names > 1 || values.unsigned(key::NRFILES) > 1 {
        let option = if names > 1 { key::FILENAME.option() } else { key::NRFILES.option() };
        diagnostics.error("sprandom requires one file", job, option, "more than one file", "use one file per job");
    }
    if values.unsigned(key::SPR_NUM_REGIONS) == 0 {
        let help = "use the default of 100, or another number";
        diagnostics.error("sprandom requires regions", job, &key::SPR_NUM_REGIONS, "must be at least 1", help);
    }
}

fn dedupe(job: &Job, diagnostics: &mut Found) {
    let values = &job.values;
    let copies = values.unsigned(key::DEDUPE_PERCENTAGE);
    if copies == 0 || values.keyword(key::DEDUPE_MODE) != "working_set" {
        return;
    }
    if !values.is_set(&key::SIZE) {
        diagnostics.error(
            "dedupe_mode=working_set requires size",
            job,
            &key::DEDUPE_MODE,
            "size is missing",
            "add a size",
        );
    }
    if copies + values.unsigned(key::DEDUPE_WORKING_SET_PERCENTAGE) > 100 {
        diagnostics.error(
            "the sum of dedupe_percentage and dedupe_working_set_percentage exceeds 100",
            job,
            &key::DEDUPE_PERCENTAGE,
            "sum exceeds 100",
            "decrease one of them",
        );
    }
}

fn logs(job: &Job, diagnostics: &mut Found) {
    let values = &job.values;
    if values.flag(key::LOG_ISSUE_TIME) && !(values.flag(key::LOG_OFFSET) && values.log(key::WRITE_LAT_LOG).is_some()) {
        diagnostics.error(
            "log_issue_time requires write_lat_log and log_offset",
            job,
            &key::LOG_ISSUE_TIME,
            "has no log to be written to",
            "add write_lat_log and log_offset=1",
        );
    }
}

/// Checks the numbers of clones and files of all jobs.
fn counts(jobs: &[Job], diagnostics: &mut Found) {
    let (mut clones, mut files) = (0u64, 0u64);
    for job in jobs {
        let of_job = job.values.unsigned(key::NUMJOBS).max(1);
        clones = clones.saturating_add(of_job);
        files = files.saturating_add(job.values.unsigned(key::NRFILES).max(1).saturating_mul(of_job));
        if clones > JOBS_MAX as u64 {
            let message = format!("{clones} jobs with clones, the maximum is {JOBS_MAX}");
            return diagnostics.error(&message, job, &key::NUMJOBS, "too many jobs", "decrease numjobs");
        }
        if files > FILES_MAX {
            let message = format!("{files} files in total, the maximum is {FILES_MAX}");
            return diagnostics.error(&message, job, &key::NRFILES, "too many files", "decrease nrfiles");
        }
    }
}

/// Checks that the plan fits in the memory. Each clone of a job has the texts of its options and the names of its files.
///
/// Returns whether it fits. As in fio, `--parse-only` omits the check.
fn memory(jobs: &[Job], state: &mut State) -> bool {
    if state.dry_run {
        return true;
    }
    let free_bytes = state.env.machine().free_memory_bytes;
    let (mut text_bytes, mut needed_bytes) = (0u64, 0u64);
    for job in jobs {
        let values = &job.values;
        let clones = values.unsigned(key::NUMJOBS).max(1);
        let texts = values.explicit().map(|(_, value, _)| plan_bytes(value)).sum::<u64>();
        let files = values.unsigned(key::NRFILES).saturating_mul(FILE_BYTES);
        text_bytes = text_bytes.saturating_add(texts.saturating_mul(clones));
        let of_clone = WORKER_BYTES.saturating_add(texts).saturating_add(files);
        needed_bytes = needed_bytes.saturating_add(of_clone.saturating_mul(clones));
        let (what, bytes, max_bytes) = match text_bytes > TEXT_BYTES_MAX {
            true => ("texts of the options", text_bytes, TEXT_BYTES_MAX),
            false => ("options and files", needed_bytes, free_bytes.unwrap_or(needed_bytes)),
        };
        if bytes > max_bytes {
            let [needed, max] = [bytes, max_bytes].map(|bytes| bytes >> 20);
            let message = format!("the {what} of all jobs take {needed} MiB, the maximum is {max} MiB");
            let help = "use fewer jobs, clones, files or names";
            let error = Diagnostic::error(format!("job {}: {message}", job.name));
            state.errors.push(error.at(&job.span, "too much memory").help(help));
            return false;
        }
    }
    true
}

/// Returns an estimate of the memory of a value in the plan, in bytes.
fn plan_bytes(value: &Value) -> u64 {
    match value {
        Value::Text(text) => text.len() as u64 + FILE_BYTES * text.matches(':').count() as u64,
        Value::LogPrefix(Some(text)) => text.len() as u64,
        Value::Cpus(cpus) => {
            let count = |range: &std::ops::RangeInclusive<u32>| u64::from(range.end() - range.start()) + 1;
            cpus.0.iter().map(count).sum::<u64>() * size_of::<u32>() as u64
        }
        Value::Pattern(pattern) => pattern.bytes().len() as u64,
        Value::Errors(lists) => lists.iter().map(|list| size_of_val(&list[..]) as u64).sum(),
        _ => 0,
    }
}

fn wait_for(job: &Job, earlier: &[Job], diagnostics: &mut Found) {
    let Some(name) = job.values.text(key::WAIT_FOR) else { return };
    let message = match earlier.iter().filter(|earlier| earlier.name == name).count() {
        _ if name == job.name => "the job waits for itself".to_owned(),
        1 => return,
        0 => format!("no earlier job is named {name}"),
        count => format!("{count} earlier jobs are named {name}"),
    };
    diagnostics.error(
        &message,
        job,
        &key::WAIT_FOR,
        "expected the name of one earlier job",
        "name a job that is defined before this one",
    );
}

/// Checks that the header of a verified block fits into its interval.
fn verification(job: &Job, diagnostics: &mut Found) {
    const HEADER_BYTES: u64 = 48;
    let offset = job.values.unsigned(key::VERIFY_OFFSET);
    if offset == 0 || !verify::is_verified(&job.values) {
        return;
    }
    let interval = u64::from(verify::interval(&job.values, &access::access(&job.values)));
    if offset + HEADER_BYTES > interval {
        diagnostics.error(
            "cannot offset verify header beyond the verify interval",
            job,
            &key::VERIFY_OFFSET,
            &format!("the header has {HEADER_BYTES} bytes, and the interval {interval}"),
            "use a smaller offset, or larger blocks or verify_interval",
        );
    }
}
