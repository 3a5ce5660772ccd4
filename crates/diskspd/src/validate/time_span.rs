//! Rules for a time span as a whole.

use super::{Findings, REQUESTS_MAX};
use crate::profile::{IoRing, RingBatch, TimeSpan};

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
        findings.error(&["-D"], "IOPS can't be counted in intervals of 0 ms", "write an IoBucketDuration in ms");
    }
    if let Some(ring) = span.io_ring {
        check_ring(span, ring, findings);
    }
    if let Some(depth) = span.completion_depth {
        if !(1..=COMPLETIONS_MAX).contains(&depth) {
            findings.error(&["-oc"], format!("-oc takes 1 to {COMPLETIONS_MAX}, not {depth}"), "");
        }
        if span.completion_routines {
            findings.error(&["-oc", "-x"], "-oc is for completion ports, and -x does without them", "leave out -x");
        }
        if !span.targets.is_empty() && span.targets.iter().all(|target| target.memory_mapped) {
            findings.error(&["-oc", "-S"], "-oc has nothing to take: memory-mapped I/O completes at once", "");
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
        findings.error(&["-n", "-a"], "-n puts threads on no CPU, and -a names CPUs", "leave out one of them");
    }
    if span.traversal != Default::default() {
        findings.error(&["-n", "-a"], "-n puts threads on no CPU, and -a says in which order", "leave out one of them");
    }
}

fn check_ring(span: &TimeSpan, ring: IoRing, findings: &mut Findings) {
    match ring.batch {
        RingBatch::Count(0) | RingBatch::Percent(0) => findings.error(&["-u"], "-u hands over 0 I/Os at a time", ""),
        RingBatch::Count(count) if count > REQUESTS_MAX => {
            findings.error(&["-u"], format!("-u takes at most {REQUESTS_MAX} I/Os, not {count}"), "");
        }
        RingBatch::Percent(percent) if percent > 100 => {
            findings.error(&["-u"], format!("-u takes at most 100 per cent, not {percent}"), "");
        }
        RingBatch::Count(_) | RingBatch::Percent(_) => {}
    }
    if span.completion_routines {
        findings.error(&["-u", "-x"], "-u and -x are two ways of doing I/O", "leave out one of them");
    }
    if span.targets.iter().any(|target| target.memory_mapped) {
        findings.error(&["-u", "-S"], "-u hands I/Os to the kernel, and -Sm does without", "leave out one of them");
    }
}
