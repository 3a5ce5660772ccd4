//! Consent to what a command does besides measuring: it makes a new file, takes long, or takes much space.
//!
//! On a terminal the user is asked. Without one, the request is refused unless `--yes` is given.

use std::io::{IsTerminal, Write};

use units::format;

use crate::command_error::CommandError;
use crate::output::{stderr_line, write_stderr};
use crate::target::Found;

/// Commands that take longer need consent.
const LONG_NS: u64 = 300 * 1_000_000_000;
/// Commands that write more need consent.
const LARGE_BYTES: u64 = 20 << 30;
/// Commands that write more than this share of the free space need consent.
const FREE_SHARE: u64 = 10;

/// The time and the space that a command needs, as far as its plans show them.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// Smallest time of the tests in ns, without their preparation.
    pub time_ns: u64,
    pub space: Vec<SpaceDemand>,
}

/// The space that a command writes on one file system or device.
#[derive(Clone, Debug)]
pub struct SpaceDemand {
    /// Name in messages.
    pub shown: String,
    pub bytes: u64,
    /// Free space of the file system; `None` if the bytes replace data of a file or device.
    pub free_bytes: Option<u64>,
}

impl Demand {
    /// Returns what exceeds the limits. All bytes together name no file system.
    fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.time_ns > LONG_NS {
            let (time, limit) = (format::time_ns(self.time_ns as f64), format::time_ns(LONG_NS as f64));
            reasons.push(format!("takes at least {time} (more than {limit})"));
        }
        let all: u64 = self.space.iter().map(|space| space.bytes).fold(0, u64::saturating_add);
        if all > LARGE_BYTES {
            reasons.push(format!("writes {} (more than {})", format::size(all), format::size(LARGE_BYTES)));
            return reasons;
        }
        for space in &self.space {
            if let Some(free_bytes) = space.free_bytes.filter(|free_bytes| space.bytes > free_bytes / FREE_SHARE) {
                let (bytes, free) = (format::size(space.bytes), format::size(free_bytes));
                reasons.push(format!("writes {bytes} on {} (more than a tenth of {free} free)", space.shown));
            }
        }
        reasons
    }
}

/// Gets consent to a long or large command.
///
/// # Errors
/// The user declines, or there is no terminal and no `--yes`.
pub fn to_demand(demand: &Demand, yes: bool) -> Result<(), CommandError> {
    let reasons = demand.reasons();
    if yes || reasons.is_empty() {
        return Ok(());
    }
    let what = format!("this command {}", reasons.join(" and "));
    confirm(&[what], "add --yes to start it")
}

/// Gets consent to new files at the paths of targets that do not exist.
///
/// # Errors
/// The user declines, or there is no terminal and no `--yes`.
pub fn to_new_files<'a>(targets: impl Iterator<Item = &'a Found>, yes: bool) -> Result<(), CommandError> {
    let (given, missing): (Vec<&str>, Vec<String>) =
        targets.filter_map(|target| Some((target.given.as_str(), target.would_create()?))).unzip();
    if yes || missing.is_empty() {
        return Ok(());
    }
    let suite = given.iter().find(|name| study::suite::BUILT_IN.contains(name));
    confirm(
        &missing,
        &match suite {
            Some(name) => format!("{name} is also a suite: is `fathom assess . --suite {name}` meant?"),
            None => {
                "add --yes to create it, or give the path of a directory, a file or a device that exists".to_owned()
            }
        },
    )
}

/// Asks the user. `help` says what to type without a terminal.
fn confirm(what: &[String], help: &str) -> Result<(), CommandError> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(format!("{}: nothing was run\nhelp: {help}", what.join("\n")).into());
    }
    what.iter().for_each(|line| stderr_line!("{line}"));
    write_stderr(format_args!("Continue? [y/N] "));
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|error| error.to_string())?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err("nothing was run".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(time_s: u64, bytes: u64, free_bytes: Option<u64>) -> Demand {
        let space = SpaceDemand { shown: "/data".to_owned(), bytes, free_bytes };
        Demand { time_ns: time_s * 1_000_000_000, space: vec![space] }
    }

    #[test]
    fn long_runs_and_large_files_need_consent() {
        assert_eq!(demand(300, 20 << 30, Some(200 << 30)).reasons(), [""; 0]);
        assert_eq!(demand(0, 20 << 30, None).reasons(), [""; 0]);
        let long = demand(16_920, 43 << 30, Some(100 << 30)).reasons();
        assert_eq!(long, ["takes at least 4.7 h (more than 5 min)", "writes 43 GiB (more than 20 GiB)"]);
        let filled = demand(0, 2 << 30, Some(10 << 30)).reasons();
        assert_eq!(filled, ["writes 2 GiB on /data (more than a tenth of 10 GiB free)"]);
        assert_eq!(demand(0, 21 << 30, None).reasons().len(), 1, "a device has no free space");
    }
}
