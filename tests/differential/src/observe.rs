//! What a run did, seen from outside: its end, report, logs and files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use serde_json::Value;

use crate::case::{Case, DEVICE};
use crate::contents;
use crate::iolog::IoLog;
use crate::place::{DEVICE_BYTES, DEVICE_NAME, Place, has_iolog, iolog_of, report_of};
use crate::trace::{self, Calls};

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Exit(i32),
    Signal(i32),
    Timeout,
}

impl End {
    /// Returns whether the program ended by itself.
    pub fn is_orderly(self) -> bool {
        matches!(self, End::Exit(code) if code < 128)
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Exit(code) => write!(f, "exit {code}"),
            End::Signal(number) => write!(f, "signal {number}"),
            End::Timeout => write!(f, "timeout"),
        }
    }
}

/// Directions in a report.
pub const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];

/// Amounts of one direction of a job in a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Amounts {
    pub ios: u64,
    pub bytes: u64,
    pub short: u64,
    pub dropped: u64,
}

/// A job in a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportedJob {
    pub name: String,
    pub error: i64,
    /// Keys are directions, with `mixed` if the directions are unified.
    pub amounts: BTreeMap<String, Amounts>,
    pub syncs: u64,
}

/// A file that a run left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeftFile {
    pub bytes: u64,
    /// Hash of the content.
    pub hash: u64,
}

/// What a run did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    pub end: End,
    /// Standard output, standard error and the text of the report around its JSON document.
    pub messages: String,
    pub jobs: Vec<ReportedJob>,
    /// Keys of the report with the types of their values.
    pub keys: BTreeSet<String>,
    /// Files of the jobs by name. The device is `DEVICE`.
    pub files: BTreeMap<String, LeftFile>,
    /// Numbers of lines of logs by name.
    pub logs: BTreeMap<String, usize>,
    /// Logs of I/Os by job.
    pub iologs: BTreeMap<String, IoLog>,
    /// System calls, if they were traced.
    pub calls: Calls,
}

impl Observation {
    pub fn new(end: End, case: &Case, place: &Place) -> Observation {
        let read = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        let (text, mut messages) = (read(&report_of(place)), read(&place.folder.join("messages")));
        let (report, rest) = document(&text).unwrap_or((Value::Null, text.clone()));
        messages.push_str(&rest);
        let mut keys = BTreeSet::new();
        add_keys("", &report, &mut keys);
        let mut seen = Observation {
            end,
            messages,
            jobs: report["jobs"].as_array().into_iter().flatten().map(reported).collect(),
            keys,
            files: BTreeMap::new(),
            logs: BTreeMap::new(),
            iologs: BTreeMap::new(),
            calls: trace::calls(place),
        };
        seen.add_files(&place.work(), "");
        for job in case.jobs.iter().enumerate().filter(|(at, _)| has_iolog(case, *at)).map(|(_, job)| job) {
            let text = read(&iolog_of(place, &job.name)).replace(DEVICE_NAME, DEVICE);
            seen.iologs.insert(job.name.clone(), IoLog::parse(&text));
        }
        if let Some(device) = place.device.as_ref().filter(|_| case.uses_device()) {
            let hash = contents::hash(Path::new(device));
            seen.files.insert(DEVICE.to_owned(), LeftFile { bytes: DEVICE_BYTES, hash });
        }
        seen
    }

    /// Returns the first line of the messages that is no note, shortened.
    pub fn first_message(&self) -> &str {
        let is_message =
            |line: &&str| !line.is_empty() && !["note:", "fio: Any use of"].iter().any(|note| line.starts_with(note));
        let line = self.messages.lines().map(str::trim).find(is_message).unwrap_or_default();
        line.char_indices().nth(160).map_or(line, |(end, _)| &line[..end])
    }

    fn add_files(&mut self, folder: &Path, prefix: &str) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), format!("{prefix}{}", entry.file_name().to_string_lossy()));
            if path.is_dir() {
                self.add_files(&path, &format!("{name}/"));
            } else if name.ends_with(".log") {
                self.logs.insert(name, std::fs::read_to_string(&path).unwrap_or_default().lines().count());
            } else {
                let bytes = path.metadata().map_or(0, |metadata| metadata.len());
                self.files.insert(name, LeftFile { bytes, hash: contents::hash(&path) });
            }
        }
    }
}

/// Returns the JSON document of a report, and the other text: fio prints messages before and after the document.
fn document(text: &str) -> Option<(Value, String)> {
    let begin = if text.starts_with('{') { 0 } else { text.find("\n{\n")? + 1 };
    let end = text.rfind("\n}")? + 2;
    let document = serde_json::from_str(text.get(begin..end)?).ok()?;
    Some((document, format!("{}{}", &text[..begin], &text[end..])))
}

fn reported(job: &Value) -> ReportedJob {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let directions = DIRECTIONS.iter().chain(&["mixed"]).filter(|direction| job[**direction].is_object());
    let amounts = |direction: &&str| {
        let of = &job[*direction];
        let amounts = Amounts {
            ios: number(&of["total_ios"]),
            bytes: number(&of["io_bytes"]),
            short: number(&of["short_ios"]),
            dropped: number(&of["drop_ios"]),
        };
        ((*direction).to_owned(), amounts)
    };
    ReportedJob {
        name: job["jobname"].as_str().unwrap_or_default().to_owned(),
        error: job["error"].as_i64().unwrap_or_default(),
        amounts: directions.map(amounts).collect(),
        syncs: number(&job["sync"]["total_ios"]),
    }
}

/// Keys whose own keys are figures or names of the machine.
const OPEN_KEYS: [&str; 4] = ["percentile", "disk_util", "job options", "bins"];

/// Adds the paths of all keys with the types of their values. All jobs have the same keys.
fn add_keys(path: &str, value: &Value, keys: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        _ => "other",
    };
    if !path.is_empty() {
        keys.insert(format!("{path}: {kind}"));
    }
    match value {
        _ if OPEN_KEYS.iter().any(|open| path.ends_with(open)) => {}
        Value::Object(object) => object.iter().for_each(|(key, value)| add_keys(&format!("{path}/{key}"), value, keys)),
        Value::Array(list) => list.iter().for_each(|value| add_keys(&format!("{path}[]"), value, keys)),
        _ => {}
    }
}
