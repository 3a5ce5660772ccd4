//! Failures, errors and messages of runs in words.

use assessment::Failure;
use plan::Dialect;
use record::{MessageKind, RunError};

use super::names::{line, quoted};

/// Returns the message of an error of a run, in the words of its dialect.
pub fn run_error(error: &RunError, dialect: Dialect) -> String {
    match dialect {
        Dialect::Fio => fio::wording::error(error),
        Dialect::DiskSpd => diskspd::wording::error(error),
    }
}

/// Returns the text of a message of a run, in the words of its dialect.
pub fn run_message(message: &MessageKind, dialect: Dialect) -> String {
    match dialect {
        Dialect::Fio => fio::wording::message(message),
        Dialect::DiskSpd => diskspd::wording::message(message),
    }
}

/// Returns what failed, in words.
pub fn failure(failure: &Failure) -> String {
    line(text(failure))
}

fn text(failure: &Failure) -> String {
    match failure {
        Failure::Stopped => "stopped before its end".to_owned(),
        Failure::NoIo => "no I/O completed in the measured time".to_owned(),
        Failure::NotOverwritable { path } => {
            format!("the test writes, and {path} may hold data; --overwrite {path} allows it")
        }
        Failure::Job { name, error, dialect } => format!("{}: {}", quoted(name), run_error(error, *dialect)),
        Failure::HostLost { host, reason } => format!("host {host} has no complete result: {reason}"),
        Failure::Phase { error, dialect } => run_error(error, *dialect),
        Failure::Refused { messages } => messages.join("; "),
        Failure::PrepareCommand { command, message } => format!("--prepare failed: {message}: {command}"),
        Failure::TargetReplaced { path } => {
            format!("{path} is no longer the target: another file system, file or device is there now")
        }
        Failure::Fill(why) => format!("the file cannot be filled: {}", self::failure(why)),
        Failure::NoResponseTimes => "the run measured no response times".to_owned(),
        Failure::NoFollowedRun => "no run of the test has the settings of \"at\"".to_owned(),
    }
}
