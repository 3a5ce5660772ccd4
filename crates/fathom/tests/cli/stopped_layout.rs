//! A signal during the layout ends the run and removes incomplete files.

use crate::stage::{Scratch, fathom, interrupted, wait_until};

#[test]
fn signal_ends_a_layout_and_removes_its_file() {
    let scratch = Scratch::new("stopped-layout");
    // Much more than can be written before the signal.
    let line = "--name=job --filename=f --size=200g --ioengine=psync --fallocate=none";
    for signal in ["TERM", "INT"] {
        let child = fathom(scratch.path(), line).spawn().unwrap();
        wait_until("a file is laid out", || std::fs::metadata(scratch.file("f")).is_ok_and(|file| file.len() > 0));
        let ended = interrupted(child, &[signal]);
        ended.ended_with(128);
        assert!(scratch.names().is_empty(), "{signal}: {:?}", scratch.names());
    }
}
