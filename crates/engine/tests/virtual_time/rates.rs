//! Rates, response times and minimum rates.

use os::errno;
use plan::Ddir;
use record::{Arrivals, LATE_NS};
use sim::{DeviceModel, Limit};

use crate::harness::{MS, Run, S, US, above, counted, device, fio, latencies};

fn arrivals(run: &Run) -> Arrivals {
    run.reads(0).arrivals.unwrap()
}

#[test]
fn rates_apply_per_direction_and_clone() {
    for (options, ios) in [
        ("--rate_iops=200", (100, 0)),
        ("--rate=1m --bs=4k", (128, 0)),
        ("--rate_iops=500,100 --rw=randrw", (250, 50)),
        // Each direction has the whole rate, independent of the mix.
        ("--rate_iops=200 --rw=randrw --rwmixread=75", (100, 100)),
        // A direction that the mix excludes has no I/Os.
        ("--rate_iops=200 --rw=randrw --rwmixread=100", (100, 0)),
        ("--rate_iops=200 --rw=randrw --rwmixread=0", (0, 100)),
        ("--rate=1m,500k --rw=rw --bs=4k,8k", (128, 32)),
        ("--rate_iops=200 --numjobs=2 --group_reporting", (100, 0)),
        ("--rate_iops=200 --iodepth=16", (100, 0)),
        ("--rate_iops=400 --thinktime=10ms --thinktime_blocks=20", (200, 0)),
    ] {
        let run = fio(device(10 * US, 16), &format!("--name=a --time_based --runtime=500ms {options}"));
        for worker in 0..run.record.workers.len() {
            assert_eq!(run.ios(worker), ios, "{options}");
            let stats = &run.record.workers[worker].stats;
            let unissued = stats.ddirs.iter().filter_map(|counted| counted.arrivals).map(|arrivals| arrivals.unissued);
            assert_eq!(unissued.sum::<u64>(), 0, "{options}");
        }
        assert_eq!(run.took_ns, 500 * MS, "{options}");
    }
}

#[test]
fn ios_of_a_rate_start_at_their_intended_times() {
    let run = fio(device(10 * US, 16), "--name=a --rw=randread --time_based --runtime=1 --rate_iops=1000 --iodepth=4");
    assert_eq!(run.submitted_ns(), (0..1000).map(|nth| nth * MS).collect::<Vec<_>>());
    assert_eq!(counted(&run.reads(0).response), latencies(vec![10 * US; 1000]));
    assert_eq!(arrivals(&run), Arrivals { due: 1000, ..Arrivals::default() });
    assert_eq!(run.ios_by_slot(0), [250; 4]);
}

#[test]
fn overdue_ios_of_the_ramp_are_not_due_after_it() {
    // The device stalls for 100 ms of the ramp.
    let model = DeviceModel { stalls: vec![100 * MS..200 * MS], ..device(10 * US, 1) };
    let run = fio(model, "--name=a --rw=randread --time_based --ramp_time=200ms --runtime=500ms --rate_iops=1000");
    // The I/O in flight at the end of the ramp also counts. The first one after it waits for it.
    assert_eq!((run.reads(0).ios, arrivals(&run).due), (501, 500));
    assert_eq!(
        counted(&run.reads(0).response),
        latencies([100 * MS + 10 * US, 20 * US].into_iter().chain(vec![10 * US; 499]))
    );
}

#[test]
fn poisson_arrivals_start_at_their_intended_times() {
    let options =
        "--name=a --rw=randread --time_based --runtime=1 --rate_iops=1000 --rate_process=poisson --iodepth=16";
    let run = fio(device(10 * US, 16), options);
    let Arrivals { due, late, queue_full, unissued } = arrivals(&run);
    assert_eq!((run.reads(0).ios, late, queue_full, unissued), (due, 0, 0, 0));
    assert!((900..1100).contains(&due), "{due}");
    assert_eq!(counted(&run.reads(0).response), latencies(vec![10 * US; due as usize]));
    // With the same seeds, the same number is due on a stalled device.
    let silent = fio(DeviceModel { stalls: vec![0..2 * S], ..device(10 * US, 16) }, options);
    let Arrivals { due: due_there, unissued, .. } = arrivals(&silent);
    assert_eq!((due_there, unissued), (due, due - 16));
}

#[test]
fn gaps_of_poisson_arrivals_have_the_deviation_of_their_mean() {
    let options = "--name=a --rw=randread --time_based --runtime=10 --rate_iops=1000 --rate_process=poisson";
    let starts = fio(device(US, 64), &format!("{options} --iodepth=64")).submitted_ns();
    let gaps: Vec<f64> = starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / MS as f64).collect();
    let count = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / count;
    let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    assert!((mean - 1.0).abs() < 3.5 / count.sqrt(), "{mean}");
    assert!((deviation / mean - 1.0).abs() < 5.0 / count.sqrt(), "{deviation} of {mean}");
}

#[test]
fn low_and_high_rates_are_met() {
    for (rate, tolerance) in [(50, 0.0), (20_000, 0.0), (200_000, 0.0), (50, 3.5), (20_000, 3.5), (200_000, 3.5)] {
        let process = if tolerance == 0.0 { "linear" } else { "poisson" };
        let options = format!("--name=a --rw=randread --time_based --runtime=1 --rate_iops={rate} --iodepth=64");
        let run = fio(device(US, 64), &format!("{options} --rate_process={process}"));
        let Arrivals { due, unissued, .. } = arrivals(&run);
        assert_eq!((run.reads(0).ios, unissued), (due, 0), "{rate}, {process}");
        // The number of arrivals of a Poisson process has the deviation of its square root.
        let apart = (due as f64 - f64::from(rate)).abs();
        assert!(apart <= tolerance * f64::from(rate).sqrt(), "{rate}, {process}: {due}");
    }
}

#[test]
fn response_times_include_every_io_delayed_by_a_stall() {
    let model = DeviceModel { stalls: vec![500 * MS..1000 * MS], ..device(10 * US, 4) };
    let run = fio(model, "--name=a --rw=randread --time_based --runtime=2 --rate_iops=1000 --iodepth=4");
    // The intended start of I/O n is n ms.
    let since_intended = |times: Vec<u64>| (0..).zip(times).map(|(nth, ns)| ns - nth * MS).collect::<Vec<u64>>();
    let waited = since_intended(run.submitted_ns());
    let responses = since_intended(run.served.iter().map(|io| io.done_ns).collect());
    assert_eq!((run.reads(0).ios, responses.len()), (2000, 2000));
    assert_eq!(counted(&run.reads(0).response), latencies(responses));
    let late = waited.iter().filter(|ns| **ns > LATE_NS).count() as u64;
    assert_eq!(arrivals(&run), Arrivals { due: 2000, late, queue_full: late, unissued: 0 });
    // 500 I/Os are due in the stall, and four of them find a free slot. One more is due before all of these are served.
    assert_eq!(late, 497);
    // Measured from the submission, only four I/Os are slow.
    assert_eq!(above(&run.reads(0).lat, MS), 4);
}

#[test]
fn unissued_ios_are_counted() {
    let model = DeviceModel { stalls: vec![0..1100 * MS], ..device(10 * US, 4) };
    let run = fio(model, "--name=a --rw=randread --time_based --runtime=1 --rate_iops=1000 --iodepth=4");
    let Arrivals { due, unissued, .. } = arrivals(&run);
    assert_eq!((run.reads(0).ios, due, unissued), (4, 1000, 996));
    assert_eq!(run.took_ns, 1100 * MS + 10 * US);
}

#[test]
fn rate_above_the_device_has_unissued_ios() {
    let model = DeviceModel { limits: vec![Limit::iops(400)], ..device(10 * US, 8) };
    let run = fio(model, "--name=a --rw=randread --time_based --runtime=1 --rate_iops=1000 --iodepth=4");
    let Arrivals { due, unissued, .. } = arrivals(&run);
    // 400 I/Os are served within the second. Four are in flight at its end and complete after it.
    assert_eq!((due, run.reads(0).ios + unissued), (1000, 1000));
    assert_eq!(run.reads(0).ios, 404);
}

#[test]
fn job_that_ends_by_size_has_no_unissued_ios() {
    let run = fio(device(10 * US, 4), "--name=a --rw=randread --rate=4096k --number_ios=20");
    assert_eq!((run.reads(0).ios, run.reads(0).response.count()), (20, 20));
    assert_eq!(arrivals(&run), Arrivals { due: 20, ..Arrivals::default() });
    assert_eq!(run.stats(0).ddirs[Ddir::Write as usize].arrivals, None);
}

#[test]
fn a_job_without_a_rate_or_with_pauses_has_no_response_times() {
    for options in ["", "--rate_iops=1000 --thinktime=10"] {
        let run = fio(device(10 * US, 4), &format!("--name=a --rw=randread --time_based --runtime=20ms {options}"));
        assert!(run.reads(0).ios > 0);
        assert_eq!((run.reads(0).response.count(), run.reads(0).arrivals), (0, None));
    }
}

#[test]
fn job_below_its_minimum_rate_fails_and_ends_others() {
    let options = "--rw=randread --time_based --runtime=600 --rate_cycle=200 \
        --name=a --thinktime=10ms --rate_iops_min=1000 --exitall_on_error --name=b";
    let run = fio(device(10 * US, 4), options);
    assert_eq!((run.error(0).unwrap().0, run.error(1)), (errno::EIO, None));
    // It pauses every 10.01 ms. After a settling time of two seconds, a cycle starts with the next check, at 2002 ms.
    assert_eq!(run.ended_ns, [2_202_200 * US, 2_202_210 * US]);
    let kept = fio(
        device(10 * US, 4),
        "--name=a --rw=randread --time_based --runtime=2500ms --rate_iops=500 --rate_iops_min=100 --rate_cycle=200",
    );
    assert_eq!((kept.error(0), kept.reads(0).ios), (None, 1250));
}

#[test]
fn latency_target_finds_the_highest_depth_within_it() {
    let options = "--name=a --rw=randread --iodepth=32 --latency_window=50ms --latency_percentile=99";
    // Five I/Os are served at the same time: at a depth of six, some wait for twice the time.
    for (target, depth) in [("1500us", 5), ("2500us", 10), ("1s", 32)] {
        let run = fio(device(MS, 5), &format!("{options} --latency_target={target} --runtime=600"));
        assert_eq!((run.error(0), run.stats(0).latency_depth), (None, depth), "{target}");
    }
    let missed = fio(device(MS, 5), &format!("{options} --latency_target=900us --latency_percentile=100"));
    assert_eq!(missed.error(0).unwrap().0, errno::ETIMEDOUT);
}

#[test]
fn jobs_of_a_flow_do_ios_in_proportion_to_their_weights() {
    let both = "--time_based --runtime=500ms";
    let line = format!(
        "--name=a --flow=1 --rate_iops=400 {both} --name=b --flow=3 --rate_iops=4000 --flow_sleep=100 {both} \
         --name=other --flow=1 --flow_id=7 --rate_iops=800 {both}"
    );
    let run = fio(device(10 * US, 16), &line);
    let ios = [0, 1, 2].map(|worker| run.ios(worker).0);
    assert_eq!((ios[0], ios[2]), (200, 400), "{ios:?}");
    assert!((597..=606).contains(&ios[1]), "{ios:?}");
    // A job alone in its flow is not held back.
    let alone = fio(device(10 * US, 16), &format!("--name=a --flow=5 --rate_iops=1000 {both}"));
    assert_eq!(alone.ios(0).0, 500);
}
