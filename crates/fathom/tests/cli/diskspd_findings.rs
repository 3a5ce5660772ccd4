//! Findings of runs of DiskSpd's options whose figures do not depend on when their threads get a CPU: each by a case that
//! causes it and one that does not.

use crate::stage::{MIB, Outcome, Scratch, diskspd, outcome};

fn run(scratch: &Scratch, line: &str) -> Outcome {
    let ended = outcome(diskspd(scratch.path(), &format!("-Rfindings=always {line}")).spawn().unwrap());
    ended.ended_with(0);
    ended
}

fn reports(ended: &Outcome, what: &str) -> bool {
    ended.stderr.contains(what)
}

#[test]
fn reads_of_unwritten_blocks_are_reported_and_those_of_a_laid_out_file_are_not() {
    let scratch = Scratch::new("finding-unwritten");
    std::fs::File::create(scratch.file("sparse")).unwrap().set_len(8 * MIB).unwrap();
    let sparse = run(&scratch, "-d1 -W0 -b4K -r sparse");
    assert!(
        reports(&sparse, "sparse: reads of unwritten blocks did not access the disk: 8 MiB of 8 MiB"),
        "{}",
        sparse.stderr
    );
    assert!(reports(&sparse, "8 MiB of 8 MiB unwritten before the run"), "{}", sparse.stderr);
    let made = run(&scratch, "-c8M -d1 -W0 -b4K -r made");
    assert!(!reports(&made, "unwritten blocks"), "{}", made.stderr);
    let only_written = run(&scratch, "-d1 -W0 -b4K -r -w100 sparse");
    assert!(!reports(&only_written, "unwritten blocks"), "{}", only_written.stderr);
}

#[test]
fn a_file_that_fits_the_page_cache_is_reported_unless_io_is_direct() {
    let scratch = Scratch::new("finding-cached");
    // By the counters of the device, or, if other programs use it, by its size.
    assert!(reports(&run(&scratch, "-c8M -d1 -W0 -b4K -r file"), "page cache"));
    assert!(!reports(&run(&scratch, "-d1 -W0 -b4K -r -Su file"), "page cache"));
}

#[test]
fn a_target_that_ends_too_soon_is_reported_and_one_that_is_large_enough_is_not() {
    let scratch = Scratch::new("finding-short");
    scratch.filled("file", 8 * MIB);
    let short = run(&scratch, "-d1 -W0 -b4K -r -f16M file");
    assert!(reports(&short, "file: the target ends before the requested range: "), "{}", short.stderr);
    assert!(reports(&short, "8 MiB target, range up to 16 MiB"), "{}", short.stderr);
    let whole = run(&scratch, "-d1 -W0 -b4K -r -f8M file");
    assert!(!reports(&whole, "range up to"), "{}", whole.stderr);
}
