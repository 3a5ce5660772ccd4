//! Jobs that end in steady state (`steadystate`).

use crate::stage::{Scratch, run};

const JOB: &str = "--name=j --ioengine=null --size=1g --rw=randread --rate_iops=500 --time_based --runtime=60";

#[test]
fn a_job_ends_when_its_rate_is_steady() {
    let scratch = Scratch::new("steady");
    let options = "--numjobs=2 --group_reporting --ss=iops:90% --ss_dur=2 --ss_ramp=0";
    let ended = run(scratch.path(), &format!("{JOB} {options} --output-format=json,normal"));
    let (before, rest) = ended.stdout.split_once("\n{\n").unwrap();
    let (json, after) = rest.split_once("\n}\n").unwrap();
    let report: serde_json::Value = serde_json::from_str(&format!("{{{json}}}")).unwrap();
    let job = &report["jobs"][0];
    let state = &job["steadystate"];
    assert_eq!(
        (&state["attained"], &state["duration"], &state["ss"]),
        (&1.into(), &2.into(), &"iops:90.000000%".into())
    );
    let iops: Vec<u64> =
        state["data"]["iops"].as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).collect();
    let mean = iops.iter().sum::<u64>() as f64 / 2.0;
    let deviation = 100.0 * (iops[0] as f64 - mean).abs() / mean;
    let criterion: f64 = state["criterion"].as_str().unwrap().trim_end_matches('%').parse().unwrap();
    assert!(iops.len() == 2 && mean > 0.0 && (deviation - criterion).abs() < 1e-3, "{state}");
    assert_eq!(state["data"]["iops_mean"], iops.iter().sum::<u64>() / 2);
    assert_eq!(state["data"]["bw"].as_array().unwrap().len(), 2);
    let runtime_ms = job["read"]["runtime"].as_u64().unwrap();
    assert!((2000..60_000).contains(&runtime_ms), "{runtime_ms}");
    let text = format!("{before}{after}");
    assert!(text.contains("  steadystate  : attained=yes, bw="), "{text}");
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_job_that_ends_before_has_not_attained_it() {
    let scratch = Scratch::new("steady-not");
    let job = JOB.replace("--runtime=60", "--runtime=10ms");
    let report = run(scratch.path(), &format!("{job} --ss=lat_slope:1ms --ss_dur=3 --output-format=json")).json();
    let state = &report["jobs"][0]["steadystate"];
    assert_eq!((&state["attained"], &state["ss"]), (&0.into(), &"lat_slope:1000000.000000".into()));
    assert_eq!(state["data"]["lat_ns"], serde_json::json!([]));
}

#[test]
fn the_report_has_no_values_of_intervals_that_are_not_over() {
    let scratch = Scratch::new("steady-long");
    let job = JOB.replace("--runtime=60", "--runtime=10ms");
    let ended = run(scratch.path(), &format!("{job} --steadystate_duration=4294967295 --output-format=json"));
    let stdout = ended.assert_success().stdout;
    assert!(stdout.len() < 1 << 16, "{} bytes", stdout.len());
}

#[test]
fn criteria_that_cannot_be_met_are_refused() {
    let scratch = Scratch::new("steady-refused");
    for (options, message) in [
        ("--ss_dur=3 --ss_interval=2", "must be a multiple of steadystate_check_interval"),
        ("--ss_dur=2 --ss_interval=500ms", "steadystate_check_interval is below 1 s"),
        ("--ss_dur=2 --ss=iops", "has no limit"),
        ("--ss_dur=2 --name=b --ioengine=null --size=1m", "another steady state than that of job j"),
    ] {
        let ended = run(scratch.path(), &format!("{JOB} {options}"));
        assert!(ended.code == Some(1) && ended.stderr.contains(message), "{options}: {}", ended.stderr);
    }
}
