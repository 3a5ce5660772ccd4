//! What a capture shows while it is active.

use harness::{Scratch, Zram, fathom, interrupted};

use super::terminal::Terminal;

const SIZE: (u16, u16) = (40, 120);

#[test]
fn a_capture_shows_both_directions_latencies_and_ios_in_flight() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("live-capture");
    let job =
        "--name=a --rw=randrw --bs=4k --rate_iops=300,200 --time_based --runtime=3600 --direct=1 --ioengine=psync";
    let load = fathom(scratch.path(), &format!("{job} --filename={}", zram.device)).spawn().unwrap();
    let name = zram.device.trim_start_matches("/dev/");
    for (options, key, parts) in [
        ("--watch", "q", ["p99.9", "IOPS read write", "latency p50", "CPU ", name, "q stop"]),
        ("", "\x03", ["read 3", " IOPS, write 2", "p99 ", " in flight, ", " MiB/s, ", " so far"]),
    ] {
        let terminal = Terminal::run(
            scratch.path(),
            SIZE,
            &format!("fathom capture {} -o c {options} > report; echo code=$?", zram.device),
        );
        terminal.wait_until("the figures", |text| {
            text.contains("root only") || text.contains("tracefs") || parts.iter().all(|part| text.contains(part))
        });
        if terminal.text().contains("error: ") {
            harness::skipped(&terminal.text());
            break;
        }
        assert!(!terminal.text().contains("in flight of") && terminal.is_alternate() == (options == "--watch"));
        terminal.type_keys(key);
        let ended = terminal.end();
        assert!(ended.screen.contains("code=0") && !ended.is_alternate, "{}", ended.screen);
        assert!(!ended.screen.contains("in flight"), "{}", ended.screen);
        let report = std::fs::read_to_string(scratch.file("report")).unwrap();
        assert!(report.contains("MEASURED") && report.contains("I/Os counted as bios"), "{report}");
    }
    interrupted(load, &["INT"]);
}
