//! Figures of both programs on the same machine.

use super::pair::{Ran, pair};

fn both_of(arguments: &str, figure: &str) -> Option<[f64; 2]> {
    let both = pair(&format!("--output-format=json {arguments}"))?;
    Some([&both.fio, &both.ours].map(|ran| {
        let report = ran.json();
        let pointer = format!("/jobs/0/{figure}");
        report.pointer(&pointer).and_then(serde_json::Value::as_f64).unwrap_or_else(|| panic!("no {figure}"))
    }))
}

/// Checks that both figures are above 0 and at most `most`: a busy machine makes any rate lower. Exact rates are tested on a
/// simulated device, in the tests of `engine`.
fn both_are_at_most(arguments: &str, figure: &str, most: f64) {
    let figures = both_of(arguments, figure);
    let are = figures.iter().flatten().all(|got| (1.0..=most).contains(got));
    assert!(are, "{arguments}: fio and fathom have {figure} {figures:?}, not up to {most}");
}

#[test]
fn rates_match_fio() {
    let job = "--name=a --ioengine=null --size=1g --bs=4k --time_based --runtime=1";
    both_are_at_most(&format!("{job} --rate_iops=500"), "read/iops", 520.0);
    both_are_at_most(&format!("{job} --rate=4m --rw=write"), "write/bw_bytes", 4.4e6);
    both_are_at_most(&format!("{job} --rate_iops=400,200 --rw=randrw --iodepth=8"), "write/iops", 215.0);
}

#[test]
fn think_time_and_runtime_have_the_requested_length() {
    let job = "--name=a --ioengine=null --size=1g --bs=4k";
    both_are_at_most(&format!("{job} --thinktime=10ms --time_based --runtime=1"), "read/iops", 105.0);
    let line = format!("{job} --time_based --runtime=1 --ramp_time=500ms --rate_iops=1000");
    let runtimes = both_of(&line, "job_runtime");
    assert!(runtimes.iter().flatten().all(|ms| *ms >= 1000.0), "{runtimes:?}");
}

/// CPU time does not depend on other load. The time of waits is tested on a simulated device, in the tests of `engine`.
#[test]
fn an_io_takes_a_similar_cpu_time_as_under_fio() {
    let arguments = "--output-format=json --name=a --size=4m --bs=64k --rw=read --time_based --runtime=300ms";
    let cpu_per_io = |ran: &Ran| {
        let job = ran.json()["jobs"][0].clone();
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        (number(&job["usr_cpu"]) + number(&job["sys_cpu"])) / number(&job["read"]["iops"])
    };
    let ratios = (0..3).map_while(|_| pair(arguments).map(|both| cpu_per_io(&both.ours) / cpu_per_io(&both.fio)));
    let mut ratios: Vec<f64> = ratios.collect();
    ratios.sort_by(f64::total_cmp);
    // Caches and the build profile matter. A factor of 20 is a bug, in each run.
    assert!(ratios.first().is_none_or(|least| *least < 10.0), "CPU time per I/O, as multiples of fio's: {ratios:?}");
}
