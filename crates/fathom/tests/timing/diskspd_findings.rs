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
fn reads_of_what_was_never_written_are_told_and_of_a_made_file_not() {
    let scratch = Scratch::new("finding-unwritten");
    std::fs::File::create(scratch.file("sparse")).unwrap().set_len(8 * MIB).unwrap();
    let sparse = run(&scratch, "-d1 -W0 -b4K -r sparse");
    assert!(tells(&sparse, "sparse was read where it was never written"), "{}", sparse.stderr);
    assert!(tells(&sparse, "8 MiB of its 8 MiB"), "{}", sparse.stderr);
    let made = run(&scratch, "-c8M -d1 -W0 -b4K -r made");
    assert!(!tells(&made, "never written"), "{}", made.stderr);
    let only_written = run(&scratch, "-d1 -W0 -b4K -r -w100 sparse");
    assert!(!tells(&only_written, "never written"), "{}", only_written.stderr);
}

#[test]
fn a_file_that_fits_the_page_cache_is_told_unless_the_cache_is_gone_around() {
    let scratch = Scratch::new("finding-cached");
    assert!(tells(&run(&scratch, "-c8M -d1 -W0 -b4K -r file"), "this is the speed of memory"));
    assert!(!tells(&run(&scratch, "-d1 -W0 -b4K -r -Su file"), "this is the speed of memory"));
}

#[test]
fn a_queue_that_stays_empty_is_told_unless_a_rate_keeps_it_so() {
    let scratch = Scratch::new("finding-depth");
    scratch.filled("file", 8 * MIB);
    assert!(tells(&run(&scratch, "-d1 -W0 -b4K -r -o256 file"), "did not hold their depth"));
    assert!(!tells(&run(&scratch, "-d1 -W0 -b4K -r -o256 -g4000 file"), "did not hold their depth"));
}

#[test]
fn a_target_that_ends_too_soon_is_told_and_one_that_is_large_enough_not() {
    let scratch = Scratch::new("finding-short");
    scratch.filled("file", 8 * MIB);
    let short = run(&scratch, "-d1 -W0 -b4K -r -f16M file");
    assert!(tells(&short, "file ends before the part that was to be used does: "), "{}", short.stderr);
    assert!(tells(&short, "it has 8 MiB, and was to be used up to 16 MiB"), "{}", short.stderr);
    let whole = run(&scratch, "-d1 -W0 -b4K -r -f8M file");
    assert!(!tells(&whole, "was to be used up to"), "{}", whole.stderr);
}

#[test]
fn what_an_io_cost_and_whether_fathom_was_the_limit_is_told() {
    let scratch = Scratch::new("finding-generator");
    let held_back = run(&scratch, "-c8M -d1 -W0 -b4K -r -Su -g400 file");
    assert!(tells(&held_back, "all threads: an I/O took "), "{}", held_back.stderr);
    assert!(tells(&held_back, "fathom was not the limit: it had nothing to do for "), "{}", held_back.stderr);
    assert!(!tells(&held_back, "the limit was not the target"), "{}", held_back.stderr);
    let cached = run(&scratch, "-d1 -W0 -b512 -r -o8 file");
    assert!(tells(&cached, "warning: all threads: the limit was not the target, but "), "{}", cached.stderr);
}

#[test]
fn a_rate_that_is_not_met_is_told_and_one_that_is_met_not() {
    let scratch = Scratch::new("finding-rate");
    let missed = run(&scratch, "-c8M -d1 -W0 -b4K -r -Su -o1 -g1000000i file");
    assert!(tells(&missed, "all threads: the rate was not met: "), "{}", missed.stderr);
    assert!(tells(&missed, "I/Os were still waiting at the end"), "{}", missed.stderr);
    let met = run(&scratch, "-d1 -W0 -b4K -r -Su -o1 -g20i file");
    assert!(!tells(&met, "the rate was not met"), "{}", met.stderr);
}
