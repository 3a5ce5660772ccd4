//! DiskSpd's reports: figures agree with each other and with the device's counters.

use std::path::Path;
use std::process::Command;

use crate::stage::{Scratch, Zram};

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

fn results(directory: &Path, line: &str) -> String {
    let mut command = Command::new(FATHOM);
    command.args(["diskspd", "-Rxml"]).args(line.split_whitespace()).current_dir(directory);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the values of all elements with this name.
fn leaves(text: &str, name: &str) -> Vec<f64> {
    let begin = format!("<{name}>");
    let values = text.split(&begin).skip(1);
    values.map(|value| value.split_once('<').unwrap().0.parse().unwrap()).collect()
}

fn leaf(text: &str, name: &str) -> Option<f64> {
    leaves(text, name).first().copied()
}

fn attributes(text: &str, name: &str) -> Vec<f64> {
    let begin = format!(" {name}=\"");
    let values = text.split(&begin).skip(1);
    values.map(|value| value.split_once('"').unwrap().0.parse().unwrap()).collect()
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// Checks the reported deviation of the intervals of `<Iops>`. Returns their I/Os, at `interval_s` per interval.
fn ios_of_intervals(iops: &str, interval_s: f64) -> f64 {
    for (element, attribute) in [("ReadIopsStdDev", "Read"), ("WriteIopsStdDev", "Write"), ("IopsStdDev", "Total")] {
        let Some(printed) = leaf(iops, element) else { continue };
        let found = deviation(&attributes(iops, attribute));
        assert!((printed - found).abs() <= 0.01 + found * 1e-6, "{element} {printed}, of intervals {found}: {iops}");
    }
    attributes(iops, "Total").iter().sum::<f64>() * interval_s
}

#[test]
fn intervals_and_latencies_add_up_to_the_counts() {
    let scratch = Scratch::new("figures");
    scratch.filled("a", 4 << 20);
    scratch.filled("b", 4 << 20);
    for line in ["-t2 -o4 -w30 -r", "-F2 -O4 -w50", "-o1 -g200i", "-i3 -j40 -o1 -w100"] {
        let xml = results(scratch.path(), &format!("-b4K -W0 -d1 -C1 -D100 -L {line} a b"));
        let (span, threads) = xml.split_once("</Profile>").unwrap().1.split_once("<Thread>").unwrap();
        let (mut ios, mut latency_ms) = (0.0, 0.0);
        for target in threads.split("<Target>").skip(1) {
            let [all, reads, writes] = ["IOCount", "ReadCount", "WriteCount"].map(|name| leaf(target, name).unwrap());
            assert_eq!(all, reads + writes, "{line}: {target}");
            assert_eq!(leaf(target, "BytesCount"), Some(all * 4096.0), "{line}: {target}");
            let counted = ios_of_intervals(target.split_once("<Iops>").unwrap().1, 0.1);
            assert!((counted - all).abs() < 0.5, "{line}: {counted} of {all}: {target}");
            ios += all;
            latency_ms += reads * leaf(target, "AverageReadLatencyMilliseconds").unwrap_or(0.0);
            latency_ms += writes * leaf(target, "AverageWriteLatencyMilliseconds").unwrap_or(0.0);
        }
        let counted = ios_of_intervals(span.split_once("<Iops>").unwrap().1, 0.1);
        assert!(ios > 0.0 && (counted - ios).abs() < 0.5, "{line}: {counted} of {ios}");
        let mean = leaf(span, "AverageTotalMilliseconds").unwrap();
        assert!((mean - latency_ms / ios).abs() < 0.002, "{line}: {mean} and {}", latency_ms / ios);
        let latency = span.split_once("<Latency").unwrap().1.split_once("</Latency>").unwrap().0;
        for side in ["ReadMilliseconds", "WriteMilliseconds", "TotalMilliseconds"] {
            let values = leaves(latency, side);
            assert!(values.is_sorted() && [0, 108].contains(&values.len()), "{line}: {side} {values:?}");
        }
    }
}

/// Returns the reads and writes of the device.
fn done(zram: &Zram) -> [u64; 2] {
    let name = zram.device.trim_start_matches("/dev/");
    let stat = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    let fields: Vec<u64> = stat.split_whitespace().map(|field| field.parse().unwrap()).collect();
    [fields[0], fields[4]]
}

#[test]
fn reported_ios_match_the_device() {
    let scratch = Scratch::new("figures-device");
    let Some(zram) = Zram::new(64) else { return };
    // I/Os in flight at the end do not count, and other programs read partition tables and file systems.
    let beside = 1000;
    for line in ["-W0 -o8 -w30 -r", "-W0 -o1", "-W0 -t2 -o4 -w100 -si", "-W0 -F2 -O5 -w50 -r"] {
        let before = done(&zram);
        let xml = results(scratch.path(), &format!("-b4K -Su -d1 {line} {}", zram.device));
        let after = done(&zram);
        for (name, before, after) in [("ReadCount", before[0], after[0]), ("WriteCount", before[1], after[1])] {
            let (printed, found) = (leaves(&xml, name).iter().sum::<f64>() as u64, after - before);
            assert!(
                (printed..=printed + beside).contains(&found),
                "{line}: {name} {printed}, and the device did {found}"
            );
        }
    }
    // Warm-up and cool-down do not count. At a fixed rate, each of the three parts has the same number of I/Os.
    let before = done(&zram)[0];
    let xml = results(scratch.path(), &format!("-b4K -Su -W1 -d1 -C1 -o1 -g200i {}", zram.device));
    let (printed, found) = (leaf(xml.split_once("</Profile>").unwrap().1, "IOCount").unwrap(), done(&zram)[0] - before);
    assert!(printed <= 401.0 && found as f64 > printed, "{printed} I/Os reported, {found} I/Os of the device");
}
