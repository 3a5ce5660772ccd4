//! System calls of a run, traced with strace: those that a report does not count by file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::case::{Case, DEVICE};
use crate::place::Place;

/// Calls that are traced. Of `ioctl`, trims are counted.
const CALLS: &str = "trace=fsync,fdatasync,sync_file_range,ioctl";
/// Engines that do syncs and trims with system calls of their own.
const ENGINES: [&str; 5] = ["psync", "sync", "pvsync", "pvsync2", "vsync"];

/// Number of calls by name and file.
pub type Calls = BTreeMap<(String, String), usize>;

/// Returns whether the system calls of a case can be compared.
pub fn is_traceable(case: &Case) -> bool {
    let is_traceable =
        case.jobs.iter().all(|job| ENGINES.contains(&job.engine()) && !job.is("io_submit_mode", "offload"));
    is_traceable && Path::new("/usr/bin/strace").exists()
}

fn output(place: &Place) -> PathBuf {
    place.folder.join("trace")
}

/// Returns the begin of a command line that traces a program.
pub fn command(place: &Place) -> Vec<OsString> {
    let mut command: Vec<OsString> = ["strace", "-f", "-qq", "-y", "-e", CALLS, "-o"].map(OsString::from).into();
    command.push(output(place).into());
    command
}

/// Returns the calls of the last run on files of its jobs.
pub fn calls(place: &Place) -> Calls {
    let text = String::from_utf8_lossy(&std::fs::read(output(place)).unwrap_or_default()).into_owned();
    let mut calls = Calls::new();
    for (call, file) in text.lines().filter_map(|line| call_of(line, place)) {
        *calls.entry((call, file)).or_default() += 1;
    }
    calls
}

/// Returns the call and the file of a line such as `12 fsync(3</folder/file>) = 0`.
fn call_of(line: &str, place: &Place) -> Option<(String, String)> {
    let (call, arguments) = line.split_once(' ')?.1.trim_start().split_once('(')?;
    let call = match call {
        "ioctl" if arguments.contains("BLKDISCARD") => "trim",
        "ioctl" => return None,
        call => call,
    };
    let path = arguments.split_once('<')?.1.split_once('>')?.0;
    if place.device.as_deref().is_some_and(|device| path.starts_with(device)) {
        return Some((call.to_owned(), DEVICE.to_owned()));
    }
    let file = path.strip_prefix(place.work().to_str()?)?.trim_start_matches('/');
    Some((call.to_owned(), file.to_owned()))
}
