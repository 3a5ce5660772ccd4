//! I/Os that DiskSpd was seen to make.

use super::*;
use serde_json::Value;

fn cases() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/diskspd/offset-cases.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn size(text: &str) -> u64 {
    let (digits, unit) = text.split_at(text.trim_end_matches(char::is_alphabetic).len());
    let shift = match unit {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => 0,
    };
    digits.parse::<u64>().unwrap() << shift
}

fn spread(text: &str) -> Spread {
    let (percent, list) = text.split_at(3);
    let pairs: Vec<(u32, &str)> = list
        .split(':')
        .map(|range| range.split_once('/').unwrap())
        .map(|(io, target)| (io.parse().unwrap(), target))
        .collect();
    let left = 100 - pairs.iter().map(|(io, _)| io).sum::<u32>();
    if percent == "pct" {
        let mut ranges: Vec<(u32, u32)> = pairs.into_iter().map(|(io, target)| (io, target.parse().unwrap())).collect();
        let unused = 100 - ranges.iter().map(|(_, target)| target).sum::<u32>();
        if left > 0 {
            ranges.push((left, unused));
        }
        return Spread::Percent(ranges);
    }
    let mut ranges: Vec<(u32, u64)> = pairs.into_iter().map(|(io, target)| (io, size(target))).collect();
    if left > 0 {
        ranges.push((left, 0));
    }
    Spread::Absolute(ranges)
}

/// As much of the command line as the cases have.
fn stream_of(case: &Value) -> (Stream, u32) {
    let args: Vec<&str> = case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    let value = |name: &str| args.iter().find_map(|arg| arg.strip_prefix(name));
    let block = value("-b").map_or(64 << 10, size);
    let mut stream = stream(Order::Sequential { stride_bytes: block });
    stream.block_bytes = block as u32;
    let mut align = block;
    let mut percent = None;
    for arg in &args {
        match arg.split_at(2) {
            ("-r", rest) => match rest.split_at(rest.len().min(1)) {
                ("d", _) => stream.spread = spread(&rest[1..]),
                ("s", share) => percent = Some(share.parse().unwrap()),
                _ => (align, percent) = (if rest.is_empty() { block } else { size(rest) }, percent.or(Some(100))),
            },
            ("-s", "i") => stream.order = Order::Interlocked { stride_bytes: block },
            ("-s", stride) => stream.order = Order::Sequential { stride_bytes: size(stride) },
            ("-p", _) => stream.order = Order::Parallel { stride_bytes: block },
            ("-w", share) => stream.write_percent = share.parse().unwrap(),
            ("-B", part) => {
                let (base, length) = part.split_once(':').unwrap_or((part, "0"));
                stream.base_bytes = size(base);
                stream.end_bytes = Some(stream.base_bytes + size(length)).filter(|end| *end > stream.base_bytes);
            }
            ("-f", end) => stream.end_bytes = Some(size(end)),
            ("-T", distance) => stream.start_bytes = size(distance) * case["thread"].as_u64().unwrap(),
            _ => {}
        }
    }
    if let Some(percent) = percent {
        stream.order = Order::Random { align_bytes: align, percent };
    }
    (stream, value("-o").map_or(1, |depth| depth.parse().unwrap()))
}

#[test]
fn a_seed_gives_diskspds_own_ios() {
    for case in cases() {
        let (stream, depth) = stream_of(&case);
        let mut asked = streams(vec![stream], depth);
        asked.seed = case["seed"].as_u64().unwrap();
        let mut source = Source::new(&asked, &[case["target_size"].as_u64().unwrap()], &[]).unwrap();
        let expected: Vec<(u64, Ddir)> = case["ios"]
            .as_array()
            .unwrap()
            .iter()
            .map(|io| (io[1].as_u64().unwrap(), if io[0] == "R" { Ddir::Read } else { Ddir::Write }))
            .collect();
        assert_eq!(ios(&mut source, depth, expected.len()), expected, "{}", case["args"]);
    }
}

#[test]
fn a_distribution_falls_on_the_target_as_diskspds_does() {
    for case in cases() {
        let (stream, depth) = stream_of(&case);
        let source = source(&stream, depth, case["target_size"].as_u64().unwrap());
        let expected: Vec<(u64, u64, u64)> = case["effective_distribution"]
            .as_array()
            .unwrap()
            .iter()
            .map(|range| {
                let [_, io, start, bytes] = [0, 1, 2, 3].map(|at| range[at].as_u64().unwrap());
                (io, start, start + bytes)
            })
            .collect();
        let spread = source.spread(0);
        let found: Vec<_> = spread.iter().map(|range| (u64::from(range.io_percent), range.from, range.to)).collect();
        assert_eq!(found, expected, "{}", case["args"]);
        if !found.is_empty() {
            let whole: u64 = found.iter().map(|(io, _, _)| io).sum();
            assert_eq!(Some(whole), case["distribution_io_span"].as_u64(), "{}", case["args"]);
        }
    }
}
