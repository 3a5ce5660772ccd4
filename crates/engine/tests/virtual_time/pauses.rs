//! Think time.

use crate::harness::{MS, US, device, fio};

#[test]
fn pauses_follow_thinktime_blocks_or_iotime() {
    for (options, ios) in [
        // Each I/O takes 10 µs, and 10.01 ms with its pause.
        ("--thinktime=10ms", 50),
        ("--thinktime=10ms --thinktime_blocks=5", 250),
        ("--thinktime=10ms --thinktime_blocks=5 --iodepth=8", 250),
        ("--thinktime=10ms --thinktime_blocks=5 --iodepth=8 --thinktime_blocks_type=issue", 250),
        ("--thinktime=10ms --thinktime_spin=5ms --thinktime_blocks=5", 250),
        ("--thinktime=5s --thinktime_blocks=100", 100),
        // 50 ms of I/O and 100 ms of pause: four times 5000.
        ("--thinktime=100ms --thinktime_iotime=50ms", 20_000),
        // 20 I/Os in 20 ms, then a pause of 10 ms.
        ("--thinktime=10ms --thinktime_blocks=20 --rate_iops=1000 --rate_ignore_thinktime=1", 340),
    ] {
        let run = fio(device(10 * US, 16), &format!("--name=a --rw=randread --time_based --runtime=500ms {options}"));
        assert_eq!((run.reads(0).ios, run.took_ns), (ios, 500 * MS), "{options}");
    }
}

#[test]
fn pause_has_the_requested_length() {
    let run = fio(device(10 * US, 1), "--name=a --rw=randread --number_ios=100 --thinktime=7ms --thinktime_spin=3ms");
    let starts = run.submitted_ns();
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] == 7 * MS + 10 * US), "{starts:?}");
}
