//! Text that fio prints before the first I/O.

use super::number::{Prefix, Unit, short};
use super::threads::plan_of_jobs;
use super::version::version_of;
use plan::{Access, Ddir, Job, Pattern, Plan};
use std::fmt::{self, Write};
use units::markup::one_line;

/// Returns a line per job, the version of fathom and the number of workers that start.
///
/// As in fio, `...` stands for the second clone of a job, and further clones have no line.
pub fn banner(plan: &Plan, fathom: impl fmt::Display) -> String {
    let plan = &*plan_of_jobs(plan);
    let mut text = String::new();
    for job in plan.jobs() {
        match job.clone {
            0 => text.push_str(&job_line(job)),
            1 => text.push_str("...\n"),
            _ => {}
        }
    }
    let threads = plan.workers.iter().filter(|worker| worker.echo.thread).count();
    let processes = plan.workers.len() - threads;
    let counted = |count: usize, singular: &str, plural: &str| match count {
        0 => None,
        1 => Some(format!("1 {singular}")),
        _ => Some(format!("{count} {plural}")),
    };
    let both = [counted(threads, "thread", "threads"), counted(processes, "process", "processes")];
    let starting = both.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let _ = write!(text, "{}\nStarting {starting}\n", version_of(fathom));
    text
}

fn job_line(job: Job<'_>) -> String {
    match properties(job) {
        Some(properties) => format!("{}: {properties}\n", one_line(&job.name)),
        None => String::new(),
    }
}

/// Returns the properties in the line of a job. A job without I/O has no line.
fn properties(job: Job<'_>) -> Option<String> {
    if !job.engine.does_io() {
        return None;
    }
    let block = &job.load.access.block;
    let size = |bytes| {
        let prefix = Prefix::of_base(job.measure.kb_base);
        short(bytes, job.measure.significant_figures as usize, 0, prefix, Unit::Bytes)
    };
    let range = |letter: char, ddir: Ddir| {
        format!("({letter}) {}-{}", size(block.min_bytes[ddir]), size(block.max_bytes[ddir]))
    };
    let third = if block.by_sequential_or_random { "bs_is_seq_rand".to_string() } else { range('T', Ddir::Trim) };
    Some(format!(
        "(g={}): rw={}, bs={}, {}, {third}, ioengine={}, iodepth={}",
        job.group,
        pattern_name(&job.load.access),
        range('R', Ddir::Read),
        range('W', Ddir::Write),
        job.engine.name(),
        job.requested_depth(),
    ))
}

/// Returns fio's name of a pattern, such as `randrw`.
pub(super) fn pattern_name(access: &Access) -> String {
    let Pattern { reads, writes, trims, random } = access.pattern;
    let plain = match (reads, writes, trims) {
        (true, true, _) => "rw",
        (true, false, _) => "read",
        (false, true, true) => "trimwrite",
        (false, true, false) => "write",
        (false, false, _) => "trim",
    };
    if random { format!("rand{plain}") } else { plain.to_owned() }
}
