//! I/Os of DiskSpd's command lines: the same seed gives the same I/Os as in DiskSpd.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use diskspd::Request;
use diskspd::lower::{FixedMachine, lower};
use diskspd::parse::env::FixedEnv;
use engine::streams::{Source, Step};
use plan::{Ddir, Streams};
use serde_json::Value;

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../../corpus/diskspd/offset-cases.json"))
        .expect("the cases are a JSON list")
}

/// Returns the streams of the case's thread.
fn streams(case: &Value) -> Streams {
    let args = case["args"].as_array().expect("args are a list").iter().filter_map(Value::as_str);
    let words: Vec<String> = args.chain(["target"]).map(str::to_owned).collect();
    let invocation = match diskspd::parse(&words, &FixedEnv::default()) {
        Ok(Request::Run(invocation)) => invocation,
        other => panic!("{words:?}: {other:?}"),
    };
    let lowered = lower(&invocation.profile, &[], &FixedMachine { cpus: 2 }).expect("the case can be run");
    lowered.plan.workers[case["thread"].as_u64().expect("a number") as usize]
        .streams()
        .expect("a thread has streams")
        .clone()
}

fn source(case: &Value) -> (Source, u32) {
    let streams = streams(case);
    assert_eq!(Some(streams.seed), case["seed"].as_u64(), "{}", case["args"]);
    let target_bytes = case["target_size"].as_u64().expect("a number");
    let source = Source::new(&streams, &[target_bytes], &[Arc::new(AtomicU64::new(0))]);
    (source.expect("the target is large enough"), streams.depth())
}

/// The slot that requests an I/O matters only if each slot has a position of its own. The cases then use the slots in
/// turn.
#[test]
fn same_seed_has_diskspds_ios() {
    for case in cases() {
        let (mut source, depth) = source(&case);
        for (at, expected) in case["ios"].as_array().expect("a list").iter().enumerate() {
            let Step::Io { ddir, offset, .. } = source.next(at as u32 % depth, 0) else { panic!("held back") };
            let letter = if ddir == Ddir::Read { "R" } else { "W" };
            assert_eq!(
                (Some(letter), Some(offset)),
                (expected[0].as_str(), expected[1].as_u64()),
                "I/O {at} of {}",
                case["args"]
            );
        }
    }
}

#[test]
fn distributions_match_diskspd() {
    for case in cases() {
        let spread = source(&case).0.spread(0);
        let found: Vec<_> = spread
            .iter()
            .map(|range| (u64::from(range.io_percent), range.from_bytes, range.to_bytes - range.from_bytes))
            .collect();
        let expected = case["effective_distribution"].as_array().expect("a list").iter();
        let expected: Vec<_> = expected
            .map(|range| {
                let [io, from, bytes] = [1, 2, 3].map(|at| range[at].as_u64().expect("a number"));
                (io, from, bytes)
            })
            .collect();
        assert_eq!(found, expected, "{}", case["args"]);
        if !found.is_empty() {
            let whole: u64 = found.iter().map(|(io, _, _)| io).sum();
            assert_eq!(Some(whole), case["distribution_io_span"].as_u64(), "{}", case["args"]);
        }
    }
}
