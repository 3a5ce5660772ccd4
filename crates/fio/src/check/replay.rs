//! Reads the logs that jobs replay, for their targets and sizes.

use iolog::{BadEntry, Ignored, LogError, MergeError, MergeSource, Place, Summary, summarize};
use plan::{Ddir, ReplayRules};
use units::diagnostic::{Diagnostic, Span};

use crate::lower::has_url_password;
use crate::lower::replay::{rules, skipped};
use crate::options::{Key, Opt, key, kinds};
use crate::parse::env::Env;
use crate::parse::state::State;
use crate::parse::value::path_list;
use crate::parse::{Job, JobLog};

/// Values of `replay_skip`.
const KINDS: [&str; 4] = ["read", "write", "trim", "sync"];

/// Reads the logs of all jobs. As in fio, `--parse-only` omits it.
pub fn read_logs(jobs: &mut [Job], state: &mut State) {
    if state.dry_run {
        return;
    }
    for job in jobs {
        let Some(paths) = job.values.text(key::READ_IOLOG) else { continue };
        let span = job.values.span(&key::READ_IOLOG).unwrap_or(&job.span).clone();
        if let Some(unknown) = skipped(&job.values).find(|kind| !KINDS.contains(kind)) {
            let error = Diagnostic::error(format!("job {}: replay_skip has no `{unknown}`", job.name));
            let at = job.values.span(&key::REPLAY_SKIP).unwrap_or(&job.span);
            state.errors.push(error.at(at, "unknown kind").help(format!("use {}", KINDS.join(", "))));
            continue;
        }
        let rules = rules(&job.values, state.program.readonly);
        let redirect = job.values.text(key::REPLAY_REDIRECT);
        let mut logs = Vec::new();
        let paths = match merged(job, path_list::split(paths), state.env) {
            Ok(paths) => paths,
            Err(error) => {
                state.errors.push(error);
                continue;
            }
        };
        for path in paths {
            match read(&path, &rules, redirect, state.env) {
                Ok(log) => {
                    state.warnings.extend(ignored(&log).map(|warning| warning.at(&span, "replayed without it")));
                    logs.push(log);
                }
                Err(fault) => state.errors.push(error(job, &path, fault, &span)),
            }
        }
        job.logs = logs;
    }
}

/// Merges the traces of a job if it has a file for that. Returns the paths of the logs to replay.
fn merged(job: &Job, paths: Vec<String>, env: &dyn Env) -> Result<Vec<String>, Diagnostic> {
    let Some(file) = job.values.text(key::MERGE_BLKTRACE_FILE) else { return Ok(paths) };
    let span = |option: &Opt| job.values.span(option).unwrap_or(&job.span).clone();
    let numbers = |option: Key<kinds::Floats>, default: u64| -> Result<Vec<u64>, Diagnostic> {
        let given = job.values.floats(option).map_or_else(Vec::new, |floats| floats.values.clone());
        if given.is_empty() {
            return Ok(vec![default; paths.len()]);
        }
        if given.len() != paths.len() {
            let counts = format!("{} has {} values, and read_iolog {} traces", option.name, given.len(), paths.len());
            let error = Diagnostic::error(format!("job {}: {counts}", job.name)).at(&span(&option), "one per trace");
            return Err(error.help("separate the values with `:`"));
        }
        // As in fio, fractions are ignored.
        Ok(given.iter().map(|&value| value.max(0.0) as u64).collect())
    };
    let scales = numbers(key::MERGE_BLKTRACE_SCALARS, 100)?;
    let iterations = numbers(key::MERGE_BLKTRACE_ITERS, 1)?;
    let sources: Vec<MergeSource> = (paths.iter().cloned().zip(scales).zip(iterations))
        .map(|((path, time_percent), iterations)| MergeSource { path, time_percent, iterations })
        .collect();
    match env.merge_traces(&sources, file) {
        Ok(()) => Ok(vec![file.to_owned()]),
        Err(MergeError::Source { path, error: LogError::NotALog }) => {
            let error = Diagnostic::error(format!("job {}: {path}: not a trace of blktrace", job.name));
            Err(error.at(&span(&key::READ_IOLOG), "cannot be merged").help("only traces of blktrace are merged"))
        }
        Err(MergeError::Source { path, error }) => {
            Err(self::error(job, &path, Fault::Log(error), &span(&key::READ_IOLOG)))
        }
        Err(MergeError::Output(error)) => {
            let message = format!("job {}: {file}: {error}", job.name);
            Err(Diagnostic::error(message).at(&span(&key::MERGE_BLKTRACE_FILE), "cannot be written"))
        }
    }
}

/// Why a log cannot be replayed.
enum Fault {
    Log(LogError),
    Empty(Ignored),
    /// This machine has no device of this number.
    Device(String),
    /// The log has the password of a server, which saved records would contain.
    Password,
}

fn read(path: &str, rules: &ReplayRules, redirect: Option<&str>, env: &dyn Env) -> Result<JobLog, Fault> {
    let input = env.open_log(path).map_err(|error| Fault::Log(error.into()))?;
    let summary = summarize(input, rules, redirect.is_some()).map_err(Fault::Log)?;
    if Ddir::ALL.into_iter().all(|ddir| summary.ios[ddir] == 0) && summary.waits == 0 && summary.syncs == 0 {
        return Err(Fault::Empty(summary.ignored));
    }
    if summary.files.iter().any(|name| has_url_password(name)) {
        return Err(Fault::Password);
    }
    let targets = targets(&summary, redirect, env)?;
    Ok(JobLog { path: path.to_owned(), summary, targets })
}

fn targets(summary: &Summary, redirect: Option<&str>, env: &dyn Env) -> Result<Vec<String>, Fault> {
    if let Some(target) = redirect {
        return Ok(vec![target.to_owned()]);
    }
    if !summary.is_of_devices {
        return Ok(summary.files.clone());
    }
    let device = |number: &String| device(number, env).ok_or_else(|| Fault::Device(number.clone()));
    summary.files.iter().map(device).collect()
}

/// Returns the path of the block device with a number `MAJOR:MINOR`.
fn device(number: &str, env: &dyn Env) -> Option<String> {
    let facts = env.read_file(&format!("/sys/dev/block/{number}/uevent")).ok()?;
    let facts = String::from_utf8(facts).ok()?;
    facts.lines().find_map(|line| line.strip_prefix("DEVNAME=")).map(|name| format!("/dev/{name}"))
}

fn error(job: &Job, path: &str, fault: Fault, span: &Span) -> Diagnostic {
    let (message, help) = match fault {
        Fault::Log(LogError::Io(error)) => (error.to_string(), "name a log that `write_iolog` or blktrace wrote"),
        Fault::Log(LogError::NotALog) => (
            "neither a log of fio's version 2 or 3 nor a trace of blktrace".to_owned(),
            "the first line of a log is `fio version 3 iolog`",
        ),
        Fault::Log(LogError::BadRecord { record }) => (
            format!("record {record} is not one of blktrace, version 7"),
            "make the file with `blkparse DEVICE -o /dev/null -d FILE`",
        ),
        Fault::Empty(ignored) => match reason(&ignored) {
            Some((at, why)) => (format!("no I/O to replay: entry {at}: {why}"), "correct the log, or name another one"),
            None => ("no I/O to replay".to_owned(), "name another log, or skip fewer kinds of I/O"),
        },
        Fault::Device(number) => {
            (format!("this machine has no block device {number}"), "name a device with replay_redirect")
        }
        Fault::Password => (
            "a URL in it has a password".to_owned(),
            "remove the password from the log, and give the URL with it in replay_redirect",
        ),
    };
    Diagnostic::error(format!("job {}: {path}: {message}", job.name)).at(span, "cannot be replayed").help(help)
}

/// Returns a warning of the entries that are not replayed.
fn ignored(log: &JobLog) -> Option<Diagnostic> {
    let Ignored { count, .. } = log.summary.ignored;
    let (at, why) = reason(&log.summary.ignored)?;
    let more = if count > 1 { format!(" (and {} more entries)", count - 1) } else { String::new() };
    Some(Diagnostic::warning(format!("{}:{at}: {why}: ignored{more}", log.path)))
}

/// Returns the position of the first entry that is not replayed, and why it is not.
fn reason(ignored: &Ignored) -> Option<(u64, &'static str)> {
    let (place, why) = ignored.first?;
    let (Place::Line(at) | Place::Record(at)) = place;
    let why = match why {
        BadEntry::Fields => "not an entry of this version",
        BadEntry::Action => "unknown action",
        BadEntry::File => "a file that no line before it adds",
        BadEntry::Wait => "version 3 has no waits",
        BadEntry::Range => "an I/O without bytes or beyond the largest offset",
        BadEntry::Incomplete => "the log ends within this entry",
    };
    Some((at, why))
}
