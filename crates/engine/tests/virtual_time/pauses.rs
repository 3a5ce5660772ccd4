//! Think time.

use std::time::Duration;

use crate::harness::{MS, Run, S, Script, US, device, fio, fio_by};

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

/// Returns the submission times, rounded down to milliseconds.
fn submitted_ms(run: &Run) -> Vec<u64> {
    run.submitted_ns().into_iter().map(|ns| ns / MS).collect()
}

#[test]
fn the_end_of_the_ramp_shortens_no_pause() {
    let run = |options: &str| fio(device(10 * US, 16), &format!("--name=a --rw=randread --time_based {options}"));
    for pause in ["--thinktime=3s", "--thinktime=3s --thinktime_spin=2s", "--rate_iops=2 --thinktime=3s"] {
        for jobs in ["", "--numjobs=3", "--thinktime_blocks=2"] {
            let paused = run(&format!("{pause} {jobs} --ramp_time=1s --runtime=5s"));
            let mut starts = submitted_ms(&paused);
            starts.dedup();
            assert!(starts.iter().all(|ms| [0, 500, 3000, 3500].contains(ms)), "{pause} {jobs}: {starts:?}");
            assert!(starts.contains(&3000) || starts.contains(&3500), "{pause} {jobs}: {starts:?}");
            assert_eq!(paused.took_ns, 6 * S);
        }
    }
    let ios = run("--thinktime=2s --thinktime_iotime=1500ms --ramp_time=2s --runtime=3s");
    assert!(submitted_ms(&ios).iter().all(|ms| *ms <= 1500 || *ms >= 3500));
    assert_eq!(submitted_ms(&run("--rate_iops=1 --ramp_time=1500ms --runtime=3s")), [0, 1000, 2000, 3000, 4000]);
    // The pause of 800 ms does not count against the rate.
    let ignored = run("--thinktime=800ms --rate_iops=5 --rate_ignore_thinktime=1 --ramp_time=500ms --runtime=2s");
    assert!(submitted_ms(&ignored).windows(2).all(|pair| (800..=1001).contains(&(pair[1] - pair[0]))));
}

#[test]
fn a_ramp_by_size_keeps_pauses_and_rates() {
    let run = |options: &str| fio(device(10 * US, 16), &format!("--name=a --rw=randread --time_based {options}"));
    for depth in ["", "--iodepth=4"] {
        let rate = run(&format!("--rate_iops=10 --ramp_size=16k --runtime=1s {depth}"));
        assert_eq!(submitted_ms(&rate)[..10], [0, 100, 200, 300, 400, 500, 600, 700, 800, 900], "{depth}");
        let paused = run(&format!("--thinktime=100ms --ramp_size=16k --runtime=1s {depth}"));
        assert_eq!(submitted_ms(&paused)[..10], [0, 100, 200, 300, 400, 500, 600, 700, 800, 900], "{depth}");
    }
    let slow =
        fio(device(50 * MS, 1), "--name=a --rw=randread --rate_iops=10 --ramp_size=16k --number_ios=10 --iodepth=2");
    assert_eq!(submitted_ms(&slow), (0..14).map(|nth| nth * 100).collect::<Vec<_>>());
}

#[test]
fn a_pause_of_a_flow_lasts_over_the_end_of_the_ramp() {
    let options = "--rw=randread --time_based --ramp_time=500ms --runtime=3s --name=a --flow=1 --flow_sleep=1000000 \
                   --name=b --flow=1 --rate_iops=2 --flow_sleep=1000000";
    let run = fio(device(10 * US, 16), options);
    // Only the second job has an I/O at the end of the ramp, because of its rate.
    let around: Vec<u64> = submitted_ms(&run).into_iter().filter(|ms| (490..950).contains(ms)).collect();
    assert_eq!(around, [500]);
}

#[test]
fn snapshots_during_a_pause_have_new_figures() {
    let script = Script { snapshot_every: Some(Duration::from_millis(500)), ..Script::default() };
    for options in [
        "--thinktime=9s",
        "--thinktime=9s --thinktime_spin=9s",
        "--rate_iops=1 --rate_process=linear --rate_cycle=1 --iodepth=4",
    ] {
        let line = format!("--name=a --rw=randread --time_based --runtime=9s {options}");
        let run = fio_by(device(10 * US, 16), &line, script);
        let seconds = |snapshot: &(u64, usize, u64)| snapshot.0 / S;
        let mut at: Vec<u64> = run.snapshots.iter().map(seconds).collect();
        at.dedup();
        at.retain(|second| *second < 9);
        assert_eq!(at, [0, 1, 2, 3, 4, 5, 6, 7, 8], "{options}");
    }
    // I/Os that take 9 s.
    let run = fio_by(device(9 * S, 1), "--name=a --rw=randread --number_ios=1 --thinktime=1", script);
    assert!(run.snapshots.len() >= 16, "{}", run.snapshots.len());
}
