//! Lowers the options of a replay.

use plan::{Ddir, JobLoad, PerDdir, Replay, ReplayRules, ReplaySkip};

use crate::options::key;
use crate::parse::JobLog;
use crate::parse::values::Values;

/// Replaces the pattern and the targets of a job by those of a log.
pub fn replay(load: &mut JobLoad, log: &JobLog, values: &Values, readonly: bool) {
    let summary = &log.summary;
    let pattern = &mut load.access.pattern;
    pattern.reads = summary.ios[Ddir::Read] > 0 || summary.ios[Ddir::Write] == 0 && summary.ios[Ddir::Trim] == 0;
    pattern.writes = summary.ios[Ddir::Write] > 0;
    pattern.trims = summary.ios[Ddir::Trim] > 0;
    pattern.random = false;
    load.access.trim_then_write = false;
    load.targets.paths = log.targets.clone();
    (load.targets.generated, load.targets.opendir) = (false, None);
    load.targets.file_size = None;
    load.targets.extent.size = None;
    // As in fio a log has its own times.
    (load.rate.bytes_per_s, load.rate.ios_per_s) = (PerDdir::default(), PerDdir::default());
    load.replay = Some(Replay {
        log: log.path.clone(),
        files: summary.files.clone(),
        redirects: values.text(key::REPLAY_REDIRECT).is_some(),
        rules: rules(values, readonly),
        chunked: values.flag(key::READ_IOLOG_CHUNKED),
        steps: summary.steps,
        bytes: summary.bytes,
        largest_bytes: summary.largest_bytes,
    });
}

/// Returns the depth of a log, for a job without one.
pub fn depth(log: &JobLog, values: &Values, is_synchronous: bool) -> Option<u32> {
    log.summary.depth.filter(|_| !values.is_set(&key::IODEPTH) && !is_synchronous)
}

/// Returns how the entries of a log are changed. The parser has checked the values.
pub fn rules(values: &Values, readonly: bool) -> ReplayRules {
    let skipped: Vec<&str> = skipped(values).collect();
    let skips = |kind: &str| skipped.contains(&kind);
    ReplayRules {
        no_stall: values.flag(key::REPLAY_NO_STALL),
        time_scale_percent: values.unsigned(key::REPLAY_TIME_SCALE) as u32,
        offset_divisor: values.unsigned(key::REPLAY_SCALE) as u32,
        align_bytes: values.unsigned(key::REPLAY_ALIGN) as u32,
        skip: ReplaySkip {
            reads: skips("read"),
            writes: readonly || skips("write"),
            trims: readonly || skips("trim"),
            syncs: skips("sync"),
        },
        is_open_loop: false,
    }
}

/// Returns the words of `replay_skip`.
pub fn skipped(values: &Values) -> impl Iterator<Item = &str> {
    values.text(key::REPLAY_SKIP).unwrap_or_default().split(',').map(str::trim).filter(|kind| !kind.is_empty())
}
