//! Rules for a time span.

use super::finding::Findings;
use crate::profile::{IoRing, RingBatch, TimeSpan};

/// Maximum outstanding I/Os of a thread, and maximum batch size.
pub const REQUESTS_MAX: u32 = 65536;
const COMPLETIONS_MAX: u32 = 16;

pub fn check(span: &TimeSpan, findings: &mut Findings) {
    if span.targets.is_empty() {
        findings.error(&[], "there is no target", "name at least one file or device after the options");
    }
    check_affinity(span, findings);
    if span.request_count > 0 && span.thread_count == 0 {
        findings.warning(&["-O"], "-O has no effect without -F", "write -o for the depth of each thread on its target");
    }
    if span.calculate_iops_std_dev && span.io_bucket_ms == 0 {
        findings.error(&["-D"], "the interval of -D must be at least 1 ms", "set IoBucketDuration");
    }
    if let Some(ring) = span.io_ring {
        check_ring(span, ring, findings);
    }
    if let Some(depth) = span.completion_depth {
        if !(1..=COMPLETIONS_MAX).contains(&depth) {
            findings.error(&["-oc"], format!("-oc must be from 1 to {COMPLETIONS_MAX}, not {depth}"), "");
        }
        if span.completion_routines {
            findings.error(&["-oc", "-x"], "-oc requires completion ports, and -x does not use them", "leave out -x");
        }
        if !span.targets.is_empty() && span.targets.iter().all(|target| target.memory_mapped) {
            findings.error(&["-oc", "-S"], "-oc is not possible with memory-mapped I/O (-Sm)", "");
        }
    }
    if span.buffer_separation.is_some() && span.targets.iter().any(|target| target.use_large_pages) {
        findings.warning(&["-bs", "-l"], "-bs has no effect on large pages", "leave out -bs or -l");
    }
}

fn check_affinity(span: &TimeSpan, findings: &mut Findings) {
    if !span.disable_affinity {
        return;
    }
    if !span.affinity.is_empty() {
        findings.error(&["-n", "-a"], "-n disables CPU affinity, and -a sets it", "leave out one of them");
    }
    if span.traversal != Default::default() {
        findings.error(&["-n", "-a"], "-n disables CPU affinity, and -a sets its order", "leave out one of them");
    }
}

fn check_ring(span: &TimeSpan, ring: IoRing, findings: &mut Findings) {
    match ring.batch {
        RingBatch::Count(0) | RingBatch::Percent(0) => {
            findings.error(&["-u"], "the batch size of -u must be at least 1", "")
        }
        RingBatch::Count(count) if count > REQUESTS_MAX => {
            findings.error(&["-u"], format!("the batch size of -u must be at most {REQUESTS_MAX}, not {count}"), "");
        }
        RingBatch::Percent(percent) if percent > 100 => {
            findings.error(&["-u"], format!("the batch size of -u must be at most 100 percent, not {percent}"), "");
        }
        RingBatch::Count(_) | RingBatch::Percent(_) => {}
    }
    if span.completion_routines {
        findings.error(&["-u", "-x"], "-u and -x exclude each other", "leave out one of them");
    }
    if span.targets.iter().any(|target| target.memory_mapped) {
        findings.error(&["-u", "-S"], "-u is not possible with memory-mapped I/O (-Sm)", "leave out one of them");
    }
}
