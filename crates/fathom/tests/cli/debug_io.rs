//! `--debug=io` has a line for each step of an I/O, as in fio. The lines are compared with the data and with the counts.

use std::collections::BTreeSet;

use crate::stage::{Outcome, Scratch, run};

/// Returns the fields of the lines of a step: offset, length, direction and file, with the thread's id.
fn steps(output: &Outcome, step: &str) -> Vec<(String, String)> {
    let marker = format!(" {step}: io_u ");
    let lines = output.stdout.lines().filter(|line| line.starts_with("io  "));
    let fields = lines.filter_map(|line| {
        let (head, rest) = line.split_once(&marker)?;
        let tid = head.split_whitespace().nth(1)?;
        Some((tid.to_owned(), rest.split_once(": ")?.1.to_owned()))
    });
    fields.collect()
}

#[test]
fn each_step_of_an_io_has_a_line() {
    let scratch = Scratch::new("debug-io");
    let job = "--name=j --filename=f --size=64k --rw=write --bs=16k --fsync=2 --debug=io --no-history";
    for engine in ["psync", "posixaio --iodepth=4", "libaio --iodepth=3"] {
        let output = run(scratch.path(), &format!("{job} --ioengine={engine}"));
        output.ended_with(0);
        for step in ["queue", "complete"] {
            let found: BTreeSet<String> = steps(&output, step).into_iter().map(|(_, fields)| fields).collect();
            let write = |offset: u64| format!("off={:#x},len=0x4000,ddir=1,file=f", offset << 14);
            let sync = "off=0x0,len=0x0,ddir=3,file=f".to_owned();
            let expected: BTreeSet<String> = (0..4).map(write).chain([sync]).collect();
            assert_eq!(found, expected, "{engine} {step}");
        }
        let pid = format!("pid={}:", steps(&output, "complete")[0].0);
        assert!(output.stdout.contains(&pid), "the lines have the id of the job's thread");
    }
}

#[test]
fn a_line_per_io_follows_long_runs_in_order() {
    let scratch = Scratch::new("debug-io-order");
    let job = "--ioengine=null --size=40m --rw=read --bs=4k --name=a --name=b --debug=io --no-history";
    let output = run(scratch.path(), job);
    let complete = steps(output.ended_with(0), "complete");
    assert_eq!(complete.len(), 2 * 10240);
    for tid in complete.iter().map(|(tid, _)| tid.clone()).collect::<BTreeSet<_>>() {
        let of_job = complete.iter().filter(|(of, _)| *of == tid);
        let offsets: Vec<&str> = of_job.map(|(_, fields)| fields.split(',').next().unwrap()).collect();
        let expected: Vec<String> = (0..10240_u64).map(|io| format!("off={:#x}", io * 4096)).collect();
        assert_eq!(offsets, expected);
    }
    let quiet = run(scratch.path(), "--ioengine=null --size=1m --name=a --debug=process --no-history");
    assert_eq!(steps(quiet.ended_with(0), "complete"), []);
}

#[test]
fn a_requested_generator_of_32_bits_is_used_on_a_large_target() {
    let scratch = Scratch::new("debug-io-wide");
    // 2^40 blocks: the offsets of 32 bits are multiples of 256.
    let job = "--name=a --ioengine=null --filesize=1t --bs=1 --rw=randread --norandommap --debug=io --no-history";
    let multiples = |generator: &str| {
        let output = run(scratch.path(), &format!("{job} --number_ios=1000 --randseed=3 {generator}"));
        let complete = steps(output.ended_with(0), "complete");
        assert_eq!(complete.len(), 1000);
        complete.iter().filter(|(_, fields)| fields.contains("00,len=")).count()
    };
    assert_eq!(multiples("--random_generator=tausworthe"), 1000);
    assert!(multiples("") < 50 && multiples("--random_generator=tausworthe64") < 50);
}
