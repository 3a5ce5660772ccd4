//! Logs that are replayed in an open loop.

use plan::{Ddir, PerDdir, Replay, ReplayRules};
use record::Arrivals;
use sim::DeviceModel;

use crate::harness::{MS, Run, S, Script, US, counted, device, latencies, plan_of, run};

/// Replays a read per ms for a second, at a speed in percent.
fn replayed(model: DeviceModel, name: &str, rules: ReplayRules) -> Run {
    let lines = (0..1000).map(|nth| format!("{} /d read {} 4096\n", nth * 1000 + 1, nth * 4096));
    let log = format!("fio version 3 iolog\n1 /d add\n1 /d open\n{}", lines.collect::<String>());
    let path = std::env::temp_dir().join(format!("fathom-replay-{name}-{}", std::process::id()));
    std::fs::write(&path, log).unwrap();
    let mut plan = plan_of("--name=a --rw=read --iodepth=4 --runtime=1");
    plan.workers[0].job_mut().unwrap().replay = Some(Replay {
        log: path.to_str().unwrap().to_owned(),
        files: vec!["/d".to_owned()],
        redirects: true,
        rules,
        chunked: false,
        steps: 1000,
        bytes: 4096 * 1000,
        largest_bytes: PerDdir::all(4096),
    });
    assert!(plan.workers[0].has_intended_starts(Ddir::Read) == rules.is_open_loop);
    let run = run(model, plan, Script::default());
    std::fs::remove_file(path).unwrap();
    run
}

fn open_loop() -> ReplayRules {
    ReplayRules { is_open_loop: true, ..ReplayRules::default() }
}

#[test]
fn ios_of_a_log_in_an_open_loop_start_at_its_times_and_a_stall_delays_only_those_due_in_it() {
    let model = DeviceModel { stalls: vec![500 * MS..600 * MS], ..device(10 * US, 4) };
    let run = replayed(model.clone(), "open", open_loop());
    let first = run.submitted_ns()[0];
    let since_intended =
        |times: Vec<u64>| (0..).zip(times).map(|(nth, ns)| ns - first - nth * MS).collect::<Vec<u64>>();
    let waited = since_intended(run.submitted_ns());
    assert!(waited[..500].iter().chain(&waited[601..]).all(|ns| *ns == 0), "{waited:?}");
    let responses = since_intended(run.served.iter().map(|io| io.done_ns).collect());
    assert_eq!(counted(&run.reads(0).response), latencies(responses));
    let Arrivals { due, late, queue_full, unissued } = run.reads(0).arrivals.unwrap();
    assert_eq!((due, unissued), (1000, 0));
    assert!((95..100).contains(&late) && queue_full == late, "{late}, {queue_full}");
    // As in fio, a log without an open loop has no intended starts, and what is late delays the rest.
    let closed = replayed(model, "closed", ReplayRules::default());
    assert!(closed.reads(0).arrivals.is_none() && closed.reads(0).ios < 1000);
}

#[test]
fn ios_that_a_log_has_left_at_the_end_are_due_and_not_issued() {
    let model = DeviceModel { stalls: vec![500 * MS..3 * S], ..device(10 * US, 4) };
    let run = replayed(model, "left", open_loop());
    let Arrivals { due, unissued, .. } = run.reads(0).arrivals.unwrap();
    assert_eq!((due, unissued), (1000, 1000 - 504));
    assert!(run.reads(0).response.percentile_of_due_ns(unissued, 99.0).is_none());
}

#[test]
fn a_faster_replay_has_shorter_times() {
    let fast = ReplayRules { time_scale_percent: 250, ..open_loop() };
    let times = replayed(device(10 * US, 4), "fast", fast).submitted_ns();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 400 * US), "{:?}", &times[..5]);
    assert_eq!(times.len(), 1000);
}
