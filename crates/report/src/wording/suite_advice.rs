//! Advice on findings of a suite: its jobs are fixed, so it names commands of fathom.

use std::fmt;

use assessment::{Assessment, Finding, FindingKind, LateCause, LateIos, LimitReason, TargetKind};
use units::shell::quoted;

const COMMAND: &str = "assess";
/// Options of the command that a further run keeps.
const KEPT: [&str; 7] = ["--suite", "--expect", "--require", "--for", "--size", "--fill", "--keep-free"];
const KEPT_FLAG: &str = "--literal";
/// With more tests, a command has those of the first one.
const TESTS_NAMED: usize = 3;
/// Files of this multiple of the memory do not fit the page cache.
const UNCACHED_TIMES: u64 = 3;
const GIB: u64 = 1 << 30;
const UNTIL_STEADY: &str = "--until-steady cloud";
const ONE_MINUTE: &str = "--runtime 1m";

/// What to do, and the command for it.
pub struct Advice {
    pub text: String,
    pub command: Option<String>,
}

impl fmt::Display for Advice {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.command {
            Some(command) => write!(to, "{} ({command})", self.text),
            None => to.write_str(&self.text),
        }
    }
}

impl Advice {
    /// Advice without a command.
    pub fn of_text(text: impl Into<String>) -> Advice {
        Advice { text: text.into(), command: None }
    }

    fn with(text: impl Into<String>, command: Option<String>) -> Advice {
        Advice { text: text.into(), command }
    }
}

/// Returns what to do about a finding of some tests; `None` if the advice is the same in all programs.
pub fn advice(finding: &Finding, assessment: &Assessment, tests: &[&str]) -> Option<Advice> {
    let again = |more: &str| again(assessment, tests, more);
    Some(match &finding.kind {
        FindingKind::PageCache(_)
        | FindingKind::TargetFitsCache { .. }
        | FindingKind::DepthNotReached { is_direct: false, .. } => uncached(assessment, tests),
        FindingKind::DirectNotHonoured(_) => Advice::of_text(
            "the file system accepted direct I/O and caches or compresses: assess a device, or a directory on another file system",
        ),
        FindingKind::TooShort { .. } => Advice::with("measure for a minute or more", again(ONE_MINUTE)),
        FindingKind::DepthNotReached { .. } => Advice::of_text(
            "the device is faster than submission, or the file system completes I/Os in the call: `fathom knee --closed` finds \
             the depth from which on the rate does not rise",
        ),
        FindingKind::LoadGeneratorLimit(found) if found.reason != LimitReason::WaitedForCpu => Advice::with(
            "the CPUs of this machine were the limit: use a machine with more or faster CPUs, and measure again",
            again(""),
        ),
        FindingKind::LoadGeneratorLimit(_) | FindingKind::CpuWait(_) => without_other_programs(assessment, tests),
        FindingKind::RateMissed(late) | FindingKind::LateArrivals(late) => of_late(late, assessment, tests),
        FindingKind::StepDown(levels) if levels.token_bucket.is_none() => Advice::with(
            "this run does not show why the rate fell: measure again without the disturbance (other programs, a busy host)",
            again(""),
        ),
        FindingKind::StepDown(levels) => {
            let rate = levels.last().map_or_else(String::new, |level| levels.unit.show(level.rate));
            let text = format!("plan with {rate}; to measure only that, measure until the burst is over");
            Advice::with(text, again(UNTIL_STEADY))
        }
        FindingKind::StepUp(_) => Advice::with(
            "find the limit at the start (other load, a throttle, a cold cache), or measure until the rate is steady",
            again(UNTIL_STEADY),
        ),
        FindingKind::NotSteady(_) => Advice::with("measure until the rate is steady", again(UNTIL_STEADY)),
        FindingKind::Unwritten { .. } if assessment.target.kind == TargetKind::Directory => {
            Advice::with("read what is written: measure again with the preparation", again(""))
        }
        FindingKind::Unwritten { .. } => Advice::of_text(
            "read what is written: with `--overwrite TARGET`, fathom fills the target first, which destroys its data",
        ),
        FindingKind::EndedEarly { .. } | FindingKind::TargetShort { .. } => {
            Advice::of_text("use larger files (--size) or a larger target, and measure again")
        }
        FindingKind::SynchronousEngine { .. }
        | FindingKind::NoIos { .. }
        | FindingKind::RemovedBeforeRead
        | FindingKind::UnintendedTarget(_) => {
            Advice::with("the suite sets the job: repeat the test and compare", again(""))
        }
        FindingKind::OtherLoad(_) => {
            Advice::with("find the program (iotop, pidstat -d), stop it, and measure again", again(""))
        }
        _ => return None,
    })
}

/// Returns how to measure without waits for a CPU.
pub fn without_other_programs(assessment: &Assessment, tests: &[&str]) -> Advice {
    Advice::with("stop other programs, and measure again", again(assessment, tests, ""))
}

/// Returns how to measure without the page cache.
fn uncached(assessment: &Assessment, tests: &[&str]) -> Advice {
    if assessment.target.kind != TargetKind::Directory {
        return Advice::of_text(
            "assess a device or a file with direct I/O, or one several times the size of the memory",
        );
    }
    let text = "assess a directory whose file system has direct I/O, or use files several times the size of the memory";
    match assessment.machine.memory_bytes {
        Some(memory) => {
            let gib = memory.saturating_mul(UNCACHED_TIMES).div_ceil(GIB);
            Advice::with(text, again(assessment, tests, &format!("--size {gib}G")))
        }
        None => Advice::of_text(text),
    }
}

fn of_late(late: &LateIos, assessment: &Assessment, tests: &[&str]) -> Advice {
    match late.cause {
        LateCause::QueueFull { .. } => {
            Advice::of_text("search for the rate that the target sustains with `fathom knee`")
        }
        LateCause::LoadGenerator | LateCause::SlowSubmission => Advice::with(
            "this machine was the limit, not the target: stop other programs, and measure again",
            again(assessment, tests, ""),
        ),
    }
}

/// Returns the command that measures the tests again, with the consent to overwrite that the first one had. `None` where it is not
/// certain to do so: with several targets or hosts, or with a file that it names from another directory.
fn again(assessment: &Assessment, tests: &[&str], more: &str) -> Option<String> {
    let (program, rest) = words(assessment);
    let target = assessment.target.path.raw();
    let is_one = assessment.volumes.is_empty() && program.len() == 2 && target.starts_with('/');
    let is_relative = |value: &str| value.ends_with(".toml") && !value.starts_with('/');
    if !is_one
        || ["--suite", "--expect", "--require"].iter().any(|of| values(assessment, of).into_iter().any(is_relative))
    {
        return None;
    }
    let mut words = vec![program.join(" "), quoted(target)];
    let is_replaced = |option: &str| more.split(' ').any(|word| word == option);
    for option in KEPT.into_iter().filter(|option| !is_replaced(option)) {
        words.extend(values(assessment, option).into_iter().map(|value| format!("{option} {}", quoted(value))));
    }
    words.extend(rest.iter().find(|word| *word == KEPT_FLAG).cloned());
    let typed = values(assessment, "--test");
    // The tests that an application adds are not those of the suite.
    let has_added = !values(assessment, "--for").is_empty();
    let is_selection = tests.len() < assessment.tests.len() && !has_added || !typed.is_empty();
    let named = if tests.len() <= TESTS_NAMED && is_selection { tests } else { typed.as_slice() };
    words.extend(named.iter().map(|test| format!("--test {}", quoted(test))));
    let had_consent = !values(assessment, "--overwrite").is_empty();
    words.extend(had_consent.then(|| format!("--overwrite {}", quoted(target))));
    words.push(more.to_owned());
    words.retain(|word| !word.is_empty());
    Some(words.join(" "))
}

/// Returns the command up to its name, with the hosts of a fleet, and the words after it.
fn words(assessment: &Assessment) -> (Vec<String>, &[String]) {
    let command = assessment.command.as_slice();
    match command.iter().position(|word| word == COMMAND) {
        Some(at) => (command[..=at].iter().map(|word| quoted(word)).collect(), &command[at + 1..]),
        None => (vec!["fathom".to_owned(), COMMAND.to_owned()], command),
    }
}

/// Returns the values that the command has of an option.
fn values<'a>(assessment: &'a Assessment, option: &str) -> Vec<&'a str> {
    let (_, words) = words(assessment);
    let value = |(at, word): (usize, &'a String)| match word.strip_prefix(option)? {
        "" => words.get(at + 1).map(String::as_str),
        rest => rest.strip_prefix('='),
    };
    words.iter().enumerate().filter_map(value).collect()
}
