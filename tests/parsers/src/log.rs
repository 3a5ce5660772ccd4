//! Logs of I/Os: fio's, traces of blktrace, and fio's compressed logs of latencies.

use iolog::{Action, LogError, Step, Steps, samples, summarize, write};
use plan::{ReplayRules, ReplaySkip};

use crate::Progress;

/// Longest name of a file in a log that is written again. A longer line is cut.
const NAME_MAX: usize = 4096;

/// Reads any bytes as a log of I/Os, under several rules of a replay.
///
/// # Panics
/// The entries of a log of text change when they are written and read.
pub fn io_log(bytes: &[u8]) -> Progress {
    let skip = ReplaySkip { reads: true, ..ReplaySkip::default() };
    let rules = ReplayRules {
        no_stall: true,
        time_scale_percent: 7,
        offset_divisor: 3,
        align_bytes: 4096,
        skip,
        is_open_loop: false,
    };
    for redirects in [false, true] {
        drop(summarize(bytes, &rules, redirects));
    }
    let (steps, log) = match read(bytes) {
        Ok(read) => read,
        Err(LogError::BadRecord { record }) if record > 1 => return Progress::Further,
        Err(_) => return Progress::FirstToken,
    };
    if !log.is_of_devices() && log.files().iter().all(|name| name.len() <= NAME_MAX) {
        let written = written(&steps, log.files());
        let (again, _) = read(&written).unwrap_or_else(|error| panic!("a written log is no log: {error:?}"));
        let untimed = |steps: &[Step]| steps.iter().map(|step| Step { delay_ns: 0, ..*step }).collect::<Vec<_>>();
        let kept = untimed(&again[log.files().len()..]);
        let expected: Vec<Step> = untimed(&steps).into_iter().filter(|step| step.action != Action::Wait).collect();
        assert_eq!(kept, expected);
    }
    if log.ignored().count == 0 { Progress::Accepted } else { Progress::Further }
}

/// Returns all steps, and the log at its end.
fn read(bytes: &[u8]) -> Result<(Vec<Step>, Steps<&[u8]>), LogError> {
    let mut log = Steps::new(bytes, &ReplayRules::default(), false)?;
    let mut steps = Vec::new();
    while let Some(step) = log.next()? {
        steps.push(step);
    }
    Ok((steps, log))
}

/// Returns a log that adds all files first.
fn written(steps: &[Step], files: &[String]) -> Vec<u8> {
    let mut text = write::header().into_bytes();
    for name in files {
        write::line(&mut text, 0, name, Action::Add, 0, 0);
    }
    for step in steps.iter().filter(|step| step.action != Action::Wait) {
        let Step { action, file, offset, bytes, .. } = *step;
        write::line(&mut text, 1, &files[file as usize], action, offset, bytes);
    }
    text
}

/// Reads any bytes as a compressed log.
pub fn compressed_log(bytes: &[u8]) -> Progress {
    let mut text = Vec::new();
    match samples::write_text(bytes, &mut text) {
        Ok(()) => Progress::Accepted,
        Err(_) if text.is_empty() => Progress::FirstToken,
        Err(_) => Progress::Further,
    }
}
