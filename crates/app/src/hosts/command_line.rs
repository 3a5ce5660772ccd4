//! The command line of either dialect.

use ::fleet::Job;

use super::reports::Opened;
use super::{diskspd_line, fio_line};
use crate::command_error::CommandError;
use crate::lines::{Dialect, Line};

/// Parses the command line of a manifest and returns the job for the hosts. If the line requests only a text, for
/// example `--help`, prints it and returns `None`.
///
/// # Errors
/// The line is not valid, has an option that is not supported on many hosts, or requests a full-screen view.
pub fn parse(line: &Line) -> Result<Option<Job>, CommandError> {
    let (option, help, parsed) = match line.dialect {
        Dialect::Fio => {
            let parsed = fio_line::parse(&line.args)?;
            ("--watch", "--metrics", parsed.map(|(invocation, job)| (invocation.program.live.watch, job)))
        }
        Dialect::DiskSpd => {
            let parsed = diskspd_line::parse(&line.args)?;
            ("-Rwatch", "-Rmetrics", parsed.map(|(invocation, job)| (invocation.watch, job)))
        }
    };
    match parsed {
        Some((true, _)) => {
            let message = format!("{option}: the full-screen view needs a terminal, and a pod has none");
            Err(format!("{message}\nhelp: use {help}").into())
        }
        parsed => Ok(parsed.map(|(_, job)| job)),
    }
}

/// Parses the command line and opens its files. Returns `None` if the line requests only
/// a text, for example `--help`. The text is printed.
///
/// # Errors
/// The line is not valid, has an option that is not supported on many hosts, or a file cannot be written.
pub fn open(line: &Line) -> Result<Option<Opened>, CommandError> {
    match line.dialect {
        Dialect::Fio => fio_line::open(&line.args),
        Dialect::DiskSpd => diskspd_line::open(&line.args),
    }
}
