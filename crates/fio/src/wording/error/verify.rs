//! Blocks that failed their verification: fio's message, and what happened to the block.

use plan::VerifyMethod;
use record::{Damage, FailedVerification, StateFault, VerifyFault};

pub(super) fn verification(failed: &FailedVerification) -> String {
    let FailedVerification { path, offset, bytes, block_offset, block_bytes, fault, damage } = failed;
    let block = format!(
        "at file {path} offset {offset}, length {bytes} (requested block: offset={block_offset}, length={block_bytes})"
    );
    let damage = damage.map_or_else(String::new, |damage| format!(": {}", self::damage(damage)));
    match fault {
        VerifyFault::Checksum { method, found, computed } => {
            format!("{}: verify failed {block}: Expected CRC: {found}, Received CRC: {computed}{damage}", name(*method))
        }
        VerifyFault::Pattern { at, found, wanted } => {
            format!("pattern: verify failed {block}: got pattern '{found:02x}', wanted '{wanted:02x}' at {at}{damage}")
        }
        VerifyFault::Magic { found } => {
            format!("verify: bad magic header {found:x}, wanted acca {block}{damage}")
        }
        VerifyFault::Version { found } => {
            format!("verify: unsupported header version {found:x}, wanted 81 {block}: another version of fio wrote it")
        }
        VerifyFault::HeaderLength { found, wanted } => {
            format!("verify: bad header length {found}, wanted {wanted} {block}{damage}")
        }
        VerifyFault::Seed { found, wanted } => {
            format!("verify: bad header rand_seed {found}, wanted {wanted} {block}{damage}")
        }
        VerifyFault::Offset { found, wanted } => {
            format!("verify: bad header offset {found}, wanted {wanted} {block}{damage}")
        }
        VerifyFault::Sequence { found, wanted } => {
            format!("verify: bad header numberio {found}, wanted {wanted} {block}{damage}")
        }
        VerifyFault::NotZero { at } => {
            format!(
                "verify failed for zeroed data at file {path} offset {offset}, length {bytes}, block offset {at}{damage}"
            )
        }
        VerifyFault::HeaderChecksum { found, computed } => {
            format!("verify: bad header crc {found:x}, calculated {computed:x} {block}{damage}")
        }
    }
}

/// Returns what happened to a block.
fn damage(damage: Damage) -> String {
    match damage {
        Damage::NeverWritten => "all bytes are zero: the block was never written, or its data was lost".to_owned(),
        Damage::Misdirected { written_for } => format!("misdirected: this block was written for offset {written_for}"),
        Damage::Stale { number, wanted } => {
            format!("stale: this is write {number} of the job, and write {wanted} to this block was lost")
        }
        Damage::NotTrimmed => {
            "not trimmed: it is the data of the write before the trim (trim_verify_zero=0 allows it)".to_owned()
        }
        Damage::Torn { right_bytes, wrong_at } => {
            format!("torn: {right_bytes} bytes are as written, the others differ, from byte {wrong_at}")
        }
        Damage::BitsFlipped { bits: 1, first_at } => format!("1 bit differs, in byte {first_at}"),
        Damage::BitsFlipped { bits, first_at } => format!("{bits} bits differ, the first in byte {first_at}"),
    }
}

pub(super) fn state_fault(path: &str, fault: StateFault, reason: &str) -> String {
    match fault {
        StateFault::Unreadable => format!("{path}: {reason}: verify_state_load needs the state of an earlier run"),
        StateFault::Version { found } => format!("{path}: unsupported version {found} in verify state header"),
        StateFault::Short => format!("{path}: the verify state is not complete"),
        StateFault::Checksum => format!("{path}: verify state is corrupt"),
    }
}

fn name(method: VerifyMethod) -> &'static str {
    match method {
        VerifyMethod::Header => "meta",
        VerifyMethod::PatternWithHeader => "pattern",
        method => method.into(),
    }
}
