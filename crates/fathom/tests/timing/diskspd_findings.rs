//! Confounders of a DiskSpd run are reported, each by a case that provokes it and one that does not.

use crate::stage::{MIB, Outcome, Scratch, diskspd, outcome, with_realtime_priority};

fn run(scratch: &Scratch, line: &str) -> Outcome {
    let ended =
        outcome(with_realtime_priority(diskspd(scratch.path(), &format!("-Rfindings=always {line}"))).spawn().unwrap());
    ended.ended_with(0);
    ended
}

fn reports(ended: &Outcome, what: &str) -> bool {
    ended.stderr.contains(what)
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn a_queue_that_stays_empty_is_reported_unless_a_rate_keeps_it_so() {
    let scratch = Scratch::new("finding-depth");
    scratch.filled("file", 8 * MIB);
    assert!(reports(&run(&scratch, "-d1 -W0 -b4K -r -o256 file"), "the queue depth was not reached"));
    assert!(!reports(&run(&scratch, "-d1 -W0 -b4K -r -o256 -g4000 file"), "the queue depth was not reached"));
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn cpu_time_per_io_and_a_load_generator_at_its_limit_are_reported() {
    let scratch = Scratch::new("finding-generator");
    let held_back = run(&scratch, "-c8M -d1 -W0 -b4K -r -Su -g400 file");
    assert!(reports(&held_back, "all threads: CPU time per I/O "), "{}", held_back.stderr);
    assert!(reports(&held_back, "the load generator was not the limit: the threads slept "), "{}", held_back.stderr);
    assert!(!reports(&held_back, "limit, not the target"), "{}", held_back.stderr);
    // Threads that wait for the disk sleep: the file is read into the page cache first.
    assert_eq!(std::fs::read(scratch.file("file")).unwrap().len(), 8 << 20);
    let cached = run(&scratch, "-d1 -W0 -b512 -r -o8 file");
    assert!(reports(&cached, "limit, not the target"), "{}", cached.stderr);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn a_missed_rate_is_reported_and_a_met_rate_is_not() {
    let scratch = Scratch::new("finding-rate");
    let missed = run(&scratch, "-c8M -d1 -W0 -b4K -r -Su -o1 -g1000000i file");
    assert!(reports(&missed, "all threads: the requested rate was not met: "), "{}", missed.stderr);
    assert!(reports(&missed, "not submitted"), "{}", missed.stderr);
    // On a busy machine the rate of a few I/Os can be missed, too: the counts of the run decide.
    let few = run(&scratch, "-d1 -W0 -b4K -r -Su -o1 -g20i -Rrecord=record file");
    let record = record::schema::read(&std::fs::read(scratch.file("record")).unwrap()).unwrap();
    let arrivals = record.totals().all.arrivals.expect("an open loop");
    let is_missed = arrivals.unissued >= 3 && arrivals.unissued * 200 > arrivals.due;
    assert_eq!(reports(&few, "the requested rate was not met"), is_missed, "{arrivals:?}: {}", few.stderr);
}
