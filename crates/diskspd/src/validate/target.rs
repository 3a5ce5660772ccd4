//! Rules for a target in its time span.

use super::distribution;
use super::finding::Findings;
use crate::profile::{Cache, Order, Target, Throughput, TimeSpan, WriteContent};

pub fn check(span: &TimeSpan, target: &Target, findings: &mut Findings) {
    check_threads(span, target, findings);
    check_rate(span, target, findings);
    check_order(span, target, findings);
    check_caches(span, target, findings);
    if let Some(stated) = &target.distribution {
        distribution::check(stated, target, findings);
    }
    if target.max_file_size > 0 && target.max_file_size <= target.base_file_offset {
        let (end, base) = (target.max_file_size, target.base_file_offset);
        let message = format!("the used range of the target ends at {end} and starts at {base}");
        findings.error(&["-f", "-B"], message, "the end must be above the start");
    }
    if let WriteContent::Source { bytes, .. } = target.write_content
        && bytes < u64::from(target.block_size)
    {
        let message = format!("a buffer of {bytes} bytes can't fill a block of {}", target.block_size);
        findings.error(&["-Z", "-b"], message, "write -Z with a size of at least one block");
    }
    if !(1..=3).contains(&target.io_priority) {
        findings.error(&["-I"], format!("I/O priority {} is not 1, 2 or 3", target.io_priority), "");
    }
    if target.write_ratio > 100 {
        findings.error(&["-w"], format!("the percentage of writes is {}", target.write_ratio), "write 0 to 100");
    }
}

fn check_threads(span: &TimeSpan, target: &Target, findings: &mut Findings) {
    let shared_depth = span.thread_count > 0 && span.request_count > 0;
    if span.thread_count > 0 && target.threads_per_file > 1 {
        let message = "-F sets the total number of threads and -t the threads per target";
        findings.error(&["-F", "-t"], message, "leave out one of them");
    }
    if target.weight == 0 {
        findings.error(&[], "a target with weight 0 is never used", "leave it out");
    }
    if !target.thread_targets.is_empty() && !shared_depth {
        let message = "ThreadTargets need ThreadCount and RequestCount";
        findings.error(&[], message, "set both in the time span, as -F and -O do");
        return;
    }
    for thread in &target.thread_targets {
        if thread.thread >= span.thread_count {
            let message = format!("there is no thread {}: ThreadCount is {}", thread.thread, span.thread_count);
            findings.error(&[], message, "threads are counted from 0");
        }
        if thread.weight == Some(0) {
            findings.error(&[], format!("thread {} has weight 0 for this target", thread.thread), "leave it out");
        }
    }
}

fn check_rate(span: &TimeSpan, target: &Target, findings: &mut Findings) {
    let shared_depth = span.thread_count > 0 && span.request_count > 0;
    let limited = target.throughput != Throughput::Unlimited;
    let bursts = target.burst_size.is_some() || target.think_time_ms.is_some();
    if limited && span.completion_routines {
        findings.error(&["-g", "-x"], "a rate (-g) is not possible with completion routines (-x)", "leave out -x");
    }
    if target.burst_size.is_some() != target.think_time_ms.is_some() {
        let message = "-i (I/Os per burst) and -j (pause) require each other";
        findings.error(&["-i", "-j"], message, "write both, or neither");
    }
    if shared_depth {
        let refused: [(bool, &'static [&'static str], &str); 3] = [
            (limited, &["-g"], "a rate (-g) applies to one target"),
            (bursts, &["-i", "-j"], "bursts (-i -j) apply to one target"),
            (target.parallel_async_io, &["-p"], "-p applies to one target"),
        ];
        for (_, switches, what) in refused.into_iter().filter(|(given, ..)| *given) {
            findings.error(
                switches,
                format!("{what}, and with -F -O a thread's I/Os go to all targets"),
                "write -o instead of -O",
            );
        }
    }
}

fn check_order(span: &TimeSpan, target: &Target, findings: &mut Findings) {
    let threads = if span.thread_count > 0 { span.thread_count } else { target.threads_per_file };
    let random = matches!(target.order, Order::Random { .. });
    let interlocked = matches!(target.order, Order::Sequential { interlocked: true, .. });
    let strided = target.thread_stride > 0;
    if random && strided {
        let message = "-T sets the start of sequential I/O, and the I/O is random (-r)";
        findings.error(&["-T", "-r"], message, "leave out one of them");
    }
    if random && target.parallel_async_io {
        let message = "-p requires sequential I/O, and the I/O is random (-r)";
        findings.error(&["-p", "-r"], message, "leave out one of them");
    }
    if interlocked && strided {
        let message = "with -si threads share one position, with -T each has its own";
        findings.error(&["-si", "-T"], message, "leave out one of them");
    }
    if interlocked && target.parallel_async_io {
        let message = "with -si all I/Os of a target share one position, with -p each has its own";
        findings.error(&["-si", "-p"], message, "leave out one of them");
    }
    if strided && threads <= 1 {
        let message = "-T is the distance between threads, and there is one thread";
        findings.error(&["-T"], message, "write -t or -F with more threads, or -B for a start further on");
    }
    if target.parallel_async_io && target.request_count < 2 {
        findings.warning(&["-p", "-o"], "-p has no effect with one outstanding I/O", "write -o2 or more");
    }
    if interlocked && threads <= 1 {
        findings.warning(&["-si"], "-si has no effect with one thread", "write -t or -F with more threads");
    }
    if !random && !interlocked && !strided && threads > 1 {
        let message = format!("{threads} threads access the same offsets of a target");
        let help = "write -si for a shared position, -T for separate start offsets, or -r for random offsets";
        findings.warning(&["-t", "-F"], message, help);
    }
}

fn check_caches(span: &TimeSpan, target: &Target, findings: &mut Findings) {
    if target.memory_mapped {
        if span.completion_routines {
            let message = "memory-mapped I/O (-Sm) is synchronous and has no completion routines (-x)";
            findings.error(&["-x", "-S"], message, "leave out one of them");
        }
        if target.cache == Cache::Unbuffered {
            let message = "memory-mapped I/O (-Sm) uses the cache that -Su disables";
            findings.error(&["-S", "-h"], message, "leave out one of them");
        }
    } else if target.flush.is_some() {
        findings.error(&["-N"], "-N requires memory-mapped I/O (-Sm)", "add -Sm");
    }
    if target.bypass_io.is_some() {
        if target.cache != Cache::Unbuffered {
            findings.error(&["-S"], "-Sy and -SY require -Su", "add -Su");
        }
        if target.write_ratio > 0 {
            findings.error(&["-S", "-w"], "-Sy and -SY are for reads only", "leave out -w");
        }
        if target.memory_mapped {
            findings.error(&["-S"], "-Sy and -SY are not for memory-mapped I/O (-Sm)", "leave out one of them");
        }
    }
}
