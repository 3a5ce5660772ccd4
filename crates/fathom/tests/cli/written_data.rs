//! The data that jobs of fio write.

use std::collections::BTreeSet;

use crate::stage::{Scratch, run};

const JOB: &str = "--name=j --filename=f --rw=write --size=256k --bs=4k";

#[test]
fn blocks_differ_and_none_has_only_zeros() {
    let scratch = Scratch::new("written-data");
    run(scratch.path(), JOB).ended_with(0);
    let data = std::fs::read(scratch.file("f")).unwrap();
    let blocks: BTreeSet<&[u8]> = data.chunks(4096).collect();
    assert_eq!(blocks.len(), 64);
    assert!(data.chunks(512).all(|sector| sector.iter().any(|byte| *byte != 0)));
}

#[test]
fn a_pattern_fills_each_block() {
    let scratch = Scratch::new("written-pattern");
    run(scratch.path(), &format!("{JOB} --buffer_pattern=0xab --refill_buffers=1")).ended_with(0);
    assert_eq!(std::fs::read(scratch.file("f")).unwrap(), vec![0xab; 256 << 10]);
}
