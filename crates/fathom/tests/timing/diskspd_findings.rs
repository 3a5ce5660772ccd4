//! What makes figures worthless is told, each by a case that provokes it and one that doesn't.

use crate::stage::{MIB, Outcome, Scratch, diskspd, outcome};

fn run(scratch: &Scratch, line: &str) -> Outcome {
    let ended = outcome(diskspd(scratch.path(), line).spawn().unwrap());
    ended.ended_with(0);
    ended
}

fn tells(ended: &Outcome, what: &str) -> bool {
    ended.stderr.contains(what)
}

#[test]
fn a_queue_that_stays_empty_is_told_unless_a_rate_keeps_it_so() {
    let scratch = Scratch::new("finding-depth");
    scratch.filled("file", 8 * MIB);
    assert!(tells(&run(&scratch, "-d1 -W0 -b4K -r -o256 file"), "the queue depth was not reached"));
    assert!(!tells(&run(&scratch, "-d1 -W0 -b4K -r -o256 -g4000 file"), "the queue depth was not reached"));
}

#[test]
fn what_an_io_cost_and_whether_fathom_was_the_limit_is_told() {
    let scratch = Scratch::new("finding-generator");
    let held_back = run(&scratch, "-c8M -d1 -W0 -b4K -r -Su -g400 file");
    assert!(tells(&held_back, "all threads: CPU time per I/O "), "{}", held_back.stderr);
    assert!(tells(&held_back, "the load generator was not the limit: the threads slept "), "{}", held_back.stderr);
    assert!(!tells(&held_back, "limit, not the target"), "{}", held_back.stderr);
    let cached = run(&scratch, "-d1 -W0 -b512 -r -o8 file");
    assert!(tells(&cached, "limit, not the target"), "{}", cached.stderr);
}

#[test]
fn a_rate_that_is_not_met_is_told_and_one_that_is_met_not() {
    let scratch = Scratch::new("finding-rate");
    let missed = run(&scratch, "-c8M -d1 -W0 -b4K -r -Su -o1 -g1000000i file");
    assert!(tells(&missed, "all threads: the requested rate was not met: "), "{}", missed.stderr);
    assert!(tells(&missed, "not submitted"), "{}", missed.stderr);
    let met = run(&scratch, "-d1 -W0 -b4K -r -Su -o1 -g20i file");
    assert!(!tells(&met, "the requested rate was not met"), "{}", met.stderr);
}
