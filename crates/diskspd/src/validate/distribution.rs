//! Rules for distributions.

use super::finding::Findings;
use crate::profile::{Distribution, Order, Range, Target};

const SWITCHES: &[&str] = &["-rd"];

pub fn check(stated: &Distribution, target: &Target, findings: &mut Findings) {
    if !matches!(target.order, Order::Random { .. }) {
        let message = "a distribution (-rd) requires random I/O, and the I/O is sequential";
        findings.error(SWITCHES, message, "add -r or -rs");
    }
    let (Distribution::Percent(ranges) | Distribution::Absolute(ranges)) = stated;
    let io = ranges.iter().fold(0_u32, |sum, range| sum.saturating_add(range.io_percent));
    for range in ranges.iter().filter(|range| range.io_percent > 100) {
        findings.error(SWITCHES, format!("a range can't have {}% of the I/O", range.io_percent), "write 0 to 100");
    }
    if io > 100 {
        findings.error(SWITCHES, format!("the ranges have {io}% of the I/O in total"), "the maximum is 100%");
        return;
    }
    match stated {
        Distribution::Percent(ranges) => check_percent(ranges, io, findings),
        Distribution::Absolute(ranges) => check_absolute(ranges, u64::from(target.block_size), findings),
    }
    if io == 0 {
        findings.error(SWITCHES, "no range has any I/O", "give one of them a share above 0");
    }
}

fn check_percent(ranges: &[Range], io: u32, findings: &mut Findings) {
    for range in ranges.iter().filter(|range| !(1..=100).contains(&range.target)) {
        findings.error(SWITCHES, format!("{}% is not a valid range of the target", range.target), "write 1 to 100");
    }
    let taken = ranges.iter().fold(0_u64, |sum, range| sum.saturating_add(range.target));
    if taken > 100 {
        findings.error(SWITCHES, format!("the ranges cover {taken}% of the target"), "the maximum is 100%");
    } else if taken == 100 && io < 100 {
        let message = format!("the ranges cover the whole target, and {}% of the I/O has no range", 100 - io);
        findings.error(
            SWITCHES,
            message,
            "give the ranges 100% of the I/O, or leave a part of the target for the rest",
        );
    } else if taken < 100 && io == 100 {
        let message = format!("the ranges have all I/O, and {}% of the target has no range", 100 - taken);
        findings.error(SWITCHES, message, format!("add :0/{} for a part without I/O", 100 - taken));
    }
}

fn check_absolute(ranges: &[Range], block: u64, findings: &mut Findings) {
    let last = ranges.len().saturating_sub(1);
    for (index, range) in ranges.iter().enumerate() {
        if range.target == 0 && index < last {
            findings.error(SWITCHES, "a range without a size must be the last one", "");
        } else if range.target != 0 && range.target < block {
            let message = format!("no block of {block} bytes fits into a range of {}", range.target);
            findings.error(SWITCHES, message, "write ranges of at least one block");
        }
    }
    if ranges.iter().try_fold(0_u64, |sum, range| sum.checked_add(range.target)).is_none() {
        findings.error(SWITCHES, "the ranges are larger than any target", "");
    }
}
