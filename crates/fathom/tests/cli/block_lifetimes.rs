//! Trims and errors by block (`block_error_percentiles`).

use harness::run_fio;

use crate::stage::{Scratch, needs, run};

const JOB: &str = "--name=j --ioengine=null --bs=4k --block_error_percentiles=1 --percentile_list=1:50:99";

/// Returns the lines of block lifetimes in a normal report.
fn lifetimes(report: &str) -> String {
    let lines = report.lines().skip_while(|line| !line.contains("block lifetime"));
    lines.take(3).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_trims_of_each_block_are_reported() {
    let scratch = Scratch::new("block-lifetimes");
    let report = run(scratch.path(), &format!("{JOB} --rw=trim --size=64k --io_size=88k --output-format=json"));
    let block = &report.assert_success().json()["jobs"][0]["block"];
    let percentiles = serde_json::json!({ "1.000000": 1, "50.000000": 1, "99.000000": 2 });
    assert_eq!(block["percentiles"], percentiles, "{block}");
    assert_eq!(block["states"]["trimmed"], 16, "{block}");
    // Blocks that were only written have no lifetime.
    let report = run(scratch.path(), &format!("{JOB} --rw=write --size=64k --output-format=json,normal"));
    let report = report.assert_success();
    assert!(report.stdout.contains("states               : unwritten=16, trimmed=0, written=0"), "{}", report.stdout);
    assert!(!report.stdout.contains("\"block\""), "{}", report.stdout);
}

/// fio ends with a failed assertion if two blocks next to each other were trimmed, so that the job has one block.
#[test]
fn the_lines_are_those_of_fio() {
    if needs("fio --version").is_none() {
        return;
    }
    let scratch = Scratch::new("block-lifetimes-fio");
    let line = format!("{JOB} --rw=trim --size=4k --loops=3");
    let mut fio = std::process::Command::new("fio");
    let fio = run_fio(fio.args(line.split(' ')).current_dir(scratch.path())).unwrap();
    let expected = lifetimes(&String::from_utf8_lossy(&fio.stdout));
    assert!(expected.contains("99.00th=3"), "{fio:?}");
    assert_eq!(lifetimes(&run(scratch.path(), &line).assert_success().stdout), expected);
}

#[test]
fn blocks_are_counted_for_one_target_of_at_most_8192() {
    let scratch = Scratch::new("block-lifetimes-limits");
    let refused = |options: &str| run(scratch.path(), &format!("{JOB} --rw=trim {options}"));
    refused("--size=64k --nrfiles=2").ended_with(1).complained_of("but 2 files provided");
    refused("--size=33m").ended_with(1).complained_of("with 8448 trim blocks, maximum 8192");
}
