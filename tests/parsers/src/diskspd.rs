//! DiskSpd's command lines and XML profiles. What was read is the same after it was written.

use diskspd::lower::{FixedMachine, lower};
use diskspd::parse::env::FixedEnv;
use diskspd::{Profile, Request, parse, xml};

use crate::Progress;

/// Bytes before the first argument in the source of a command line: `diskspd` and a space.
const PROGRAM_BYTES: usize = 8;
/// Threads in the plan of one input. A profile can have thousands, which takes as long as their number says.
const THREADS_MAX: u64 = 256;

/// Reads any words as a command line. NUL separates them, and what follows the last is the profile in `p.xml`.
///
/// # Panics
/// The profile of the command line changes when it is written and read.
pub fn command_line(bytes: &[u8]) -> Progress {
    let Ok(text) = std::str::from_utf8(bytes) else { return Progress::FirstToken };
    let (words, profile) = text.rsplit_once('\0').unwrap_or((text, ""));
    let env = FixedEnv::default().file("p.xml", profile.as_bytes());
    let words: Vec<String> = words.split('\0').map(str::to_owned).collect();
    match parse(&words, &env) {
        Err(errors) => {
            errors.iter().for_each(|error| drop(error.to_string()));
            Progress::of_errors(&errors, PROGRAM_BYTES)
        }
        Ok(Request::Run(invocation)) => {
            // XML has no way to say control characters.
            if !words.iter().any(|word| word.contains(unwritable)) {
                check_written(&invocation.profile);
            }
            planned(&invocation.profile, &words);
            Progress::Accepted
        }
        Ok(_) => Progress::Accepted,
    }
}

/// Reads any bytes as an XML profile.
///
/// # Panics
/// The profile changes when it is written and read.
pub fn profile(bytes: &[u8]) -> Progress {
    match xml::read_bytes(bytes, "a.xml") {
        Ok(reading) => {
            check_written(&reading.profile);
            planned(&reading.profile, &["-Xa.xml".to_owned()]);
            Progress::Accepted
        }
        Err(errors) => {
            errors.iter().for_each(|error| drop(error.to_string()));
            Progress::of_errors(&errors, 0)
        }
    }
}

fn check_written(profile: &Profile) {
    let written = xml::write(profile);
    // No profile may be larger.
    if 2 * written.len() <= xml::FILE_BYTES_MAX {
        let again = xml::read(&written, "again.xml").expect("what was written can be read");
        assert_eq!(again.profile, *profile);
    }
}

fn planned(profile: &Profile, args: &[String]) {
    let span_threads = |span: &diskspd::profile::TimeSpan| {
        let own: u64 = span.targets.iter().map(|target| u64::from(target.threads_per_file)).sum();
        own.max(u64::from(span.thread_count))
    };
    if profile.time_spans.iter().map(span_threads).sum::<u64>() > THREADS_MAX {
        return;
    }
    if let Err(errors) = lower(profile, args, &FixedMachine { cpus: 8 }) {
        errors.iter().for_each(|error| drop(error.to_string()));
    }
}

fn unwritable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')
}
