//! A signal ends a run that is still laying files out, and leaves nothing half made.

use crate::stage::{Scratch, fathom, interrupted, wait_until};
use std::time::Duration;

#[test]
fn a_signal_ends_a_layout_and_takes_its_file_away() {
    let scratch = Scratch::new("stopped-layout");
    // Far more than is written until the signal comes.
    let line = "--name=job --filename=f --size=200g --ioengine=psync --fallocate=none";
    for signal in ["TERM", "INT"] {
        let child = fathom(scratch.path(), line).spawn().unwrap();
        wait_until("a file is laid out", || std::fs::metadata(scratch.file("f")).is_ok_and(|file| file.len() > 0));
        let ended = interrupted(child, Duration::ZERO, &[signal]);
        ended.ended_with(128);
        assert!(scratch.names().is_empty(), "{signal}: {:?}", scratch.names());
    }
}
