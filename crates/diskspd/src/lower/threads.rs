//! Threads of a time span: their targets, and the distribution of their I/Os over these.

use plan::stream::{Queue, StreamShare};
use units::diagnostic::Diagnostic;

use crate::profile::{Profile, Target, TimeSpan};

/// Maximum number of threads. Memory is allocated for all threads before the first one starts.
const THREADS_MAX: u64 = 16_384;
/// Maximum outstanding I/Os of a thread: the size of the largest completion ring in Linux.
const REQUESTS_MAX: u64 = 65_536;
/// Maximum of threads multiplied by targets. Memory is allocated for each before the first I/O.
const PARTS_MAX: u64 = 1 << 20;

#[derive(Clone, Debug)]
pub struct Thread<'s> {
    /// Number in the time span, from 0.
    pub number: u32,
    /// The targets, in the order of the streams.
    pub targets: Vec<Assigned<'s>>,
    pub queues: Vec<Queue>,
}

#[derive(Clone, Copy, Debug)]
pub struct Assigned<'s> {
    pub target: &'s Target,
    /// Index of the target in the time span.
    pub place: u32,
    /// Number of the thread among those of the target.
    pub relative: u32,
    /// Number of threads that share the target.
    pub sharers: u32,
}

pub fn threads(span: &TimeSpan) -> Vec<Thread<'_>> {
    if span.thread_count > 0 { pool(span) } else { of_targets(span) }
}

/// Returns the threads per target (`-t`). Each has one target.
fn of_targets(span: &TimeSpan) -> Vec<Thread<'_>> {
    let mut threads = Vec::new();
    for (place, target) in (0u32..).zip(&span.targets) {
        for relative in 0..target.threads_per_file {
            let assigned = Assigned { target, place, relative, sharers: target.threads_per_file };
            threads.push(Thread {
                number: threads.len() as u32,
                targets: vec![assigned],
                queues: vec![queue_of_its_own(0, target)],
            });
        }
    }
    threads
}

/// Returns the threads of a pool (`-F`). Each has all targets, with I/Os per target or distributed by weight (`-O`).
fn pool(span: &TimeSpan) -> Vec<Thread<'_>> {
    (0..span.thread_count)
        .map(|number| {
            let mut targets = Vec::new();
            let mut shares = Vec::new();
            for (place, target) in (0u32..).zip(&span.targets) {
                let Some(weight) = weight(target, number) else { continue };
                shares.push(StreamShare { stream: targets.len() as u32, weight });
                targets.push(Assigned { target, place, relative: number, sharers: sharers(span, target) });
            }
            let queues = if span.request_count > 0 {
                vec![Queue { depth: span.request_count, shares }]
            } else {
                (0u32..).zip(&targets).map(|(stream, assigned)| queue_of_its_own(stream, assigned.target)).collect()
            };
            Thread { number, targets, queues }
        })
        .collect()
}

/// Returns how many threads of a pool use a target.
fn sharers(span: &TimeSpan, target: &Target) -> u32 {
    if target.thread_targets.is_empty() { span.thread_count } else { target.thread_targets.len() as u32 }
}

/// Returns the weight of a target for a thread. `None` if the thread does not use it.
fn weight(target: &Target, thread: u32) -> Option<u32> {
    if target.thread_targets.is_empty() {
        return Some(target.weight);
    }
    let named = target.thread_targets.iter().find(|named| named.thread == thread)?;
    Some(named.weight.filter(|&weight| weight > 0).unwrap_or(target.weight))
}

fn queue_of_its_own(stream: u32, target: &Target) -> Queue {
    Queue { depth: target.request_count, shares: vec![StreamShare { stream, weight: 1 }] }
}

/// Checks for counts of 0, which parsers accept, and for excessive counts.
pub fn check(profile: &Profile, notes: &mut Vec<Diagnostic>) {
    for span in &profile.time_spans {
        let pool = u64::from(span.thread_count);
        let count =
            if pool > 0 { pool } else { span.targets.iter().map(|target| u64::from(target.threads_per_file)).sum() };
        if count > THREADS_MAX {
            notes.push(Diagnostic::error(format!("{count} threads exceed the maximum of {THREADS_MAX}")));
            // Too many threads to check each.
            continue;
        }
        if pool.saturating_mul(span.targets.len() as u64) > PARTS_MAX {
            let message = format!("{pool} threads on each of {} targets exceed the maximum", span.targets.len());
            notes.push(Diagnostic::error(message).help("use fewer threads, with more outstanding I/Os each"));
            continue;
        }
        for target in &span.targets {
            check_target(span, target, notes);
        }
        let in_flight = |thread: &Thread| thread.queues.iter().map(|queue| u64::from(queue.depth)).sum::<u64>();
        if let Some(most) = threads(span).iter().map(in_flight).max().filter(|&most| most > REQUESTS_MAX) {
            let message = format!("{most} outstanding I/Os per thread exceed the maximum of {REQUESTS_MAX}");
            notes.push(Diagnostic::error(message).help("use a smaller -o, or more threads"));
        }
        if pool > 0 {
            let idle = threads(span).into_iter().find(|thread| thread.targets.is_empty());
            if let Some(thread) = idle {
                let message = format!(
                    "thread {} has no target: the ThreadTargets of all targets list other threads",
                    thread.number
                );
                notes.push(Diagnostic::error(message).help("add it to a ThreadTargets, or reduce ThreadCount"));
            }
        }
    }
}

fn check_target(span: &TimeSpan, target: &Target, notes: &mut Vec<Diagnostic>) {
    let path = &target.path;
    let mut refuse = |message: String, help: &str| notes.push(Diagnostic::error(message).help(help));
    if target.block_size == 0 {
        refuse(format!("{path}: the block size is 0"), "set it: -b4K, or <BlockSize>4096</BlockSize>");
    }
    if span.thread_count == 0 && target.threads_per_file == 0 {
        refuse(format!("{path}: no threads"), "ThreadsPerFile must be at least 1");
    }
    if (span.thread_count == 0 || span.request_count == 0) && target.request_count == 0 {
        refuse(format!("{path}: 0 outstanding I/Os"), "RequestCount must be at least 1");
    }
}
