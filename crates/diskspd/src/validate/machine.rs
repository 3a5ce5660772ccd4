//! Rules for a profile that is to be run: nothing is left open, and this machine has what is named.

use super::{Findings, REQUESTS_MAX};
use crate::profile::{Target, TimeSpan};
use crate::xml::template::{self, Kind};

pub fn check_time_span(span: &TimeSpan, processors: u32, findings: &mut Findings) {
    let mut groups: Vec<u16> =
        span.affinity.iter().map(|processor| processor.group).filter(|&group| group > 0).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let message = format!("this machine has no processor group {group}");
        findings.error(&["-a"], message, "on Linux all processors are in group 0: write -a with their numbers");
    }
    let missing = span.affinity.iter().filter(|cpu| cpu.group == 0 && u32::from(cpu.number) >= processors);
    if let Some(processor) = missing.max_by_key(|processor| processor.number) {
        let message = format!("this machine has no CPU {}", processor.number);
        findings.error(&["-a"], message, format!("its CPUs are 0 to {}", processors.saturating_sub(1)));
    }
    if span.request_count > REQUESTS_MAX {
        let message = format!("{} is more than {REQUESTS_MAX} outstanding I/Os for a thread", span.request_count);
        findings.error(&["-O"], message, "");
    }
    if span.calculate_iops_std_dev && span.io_bucket_ms == 0 {
        findings.error(&["-D"], "IOPS can't be counted in intervals of 0 ms", "write IoBucketDuration in ms");
    }
}

pub fn check_target(span: &TimeSpan, target: &Target, findings: &mut Findings) {
    match template::kind(&target.path) {
        Kind::Path => {}
        Kind::Template(number) => {
            let message = format!("nothing is given for the template {}", target.path);
            let help = format!("with -X, name a target for it after the options: the {}", ordinal(number));
            findings.error(&[], message, help);
        }
        Kind::Malformed => {
            findings.error(&[], format!("`{}` is no template", target.path), "write * and a number from 1");
        }
    }
    if target.path.is_empty() {
        findings.error(&[], "a target has no name", "name a file or a device");
    }
    if target.block_size == 0 {
        findings.error(&["-b"], "blocks of 0 bytes move nothing", "write a block size");
    }
    let shared_depth = span.thread_count > 0 && span.request_count > 0;
    if target.request_count == 0 && !shared_depth {
        findings.error(&["-o"], "no I/O is ever outstanding", "write a RequestCount of at least 1");
    }
    if target.request_count > REQUESTS_MAX {
        let message = format!("{} is more than {REQUESTS_MAX} outstanding I/Os for a thread", target.request_count);
        findings.error(&["-o"], message, "");
    }
    if target.threads_per_file == 0 && span.thread_count == 0 {
        findings.error(&["-t"], "the target has no thread", "write ThreadsPerFile of at least 1");
    }
    if target.burst_size == Some(0) {
        findings.error(&["-i"], "a burst of 0 I/Os never ends", "write a BurstSize of at least 1");
    }
}

fn ordinal(number: u32) -> String {
    match number {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        _ => format!("{number}th"),
    }
}
