//! Figures that must be equal in both programs on the same machine.

use super::pair::pair;
use super::stage::patiently;

fn both_of(arguments: &str, figure: &str) -> Option<[f64; 2]> {
    let both = pair(&format!("--output-format=json {arguments}"))?;
    Some([&both.fio, &both.ours].map(|ran| {
        let report = ran.json();
        let pointer = format!("/jobs/0/{figure}");
        report.pointer(&pointer).and_then(serde_json::Value::as_f64).unwrap_or_else(|| panic!("no {figure}"))
    }))
}

/// Checks that both figures are in a range that allows for a busy machine.
fn both_are(arguments: &str, figure: &str, range: std::ops::Range<f64>) {
    let are = |figures: &Option<[f64; 2]>| figures.is_none_or(|figures| figures.iter().all(|got| range.contains(got)));
    let figures = patiently(|_| both_of(arguments, figure), are);
    assert!(are(&figures), "{arguments}: fio and fathom have {figure} {figures:?}, not {range:?}");
}

#[test]
fn rates_match_fio() {
    let job = "--name=a --ioengine=null --size=1g --bs=4k --time_based --runtime=2";
    both_are(&format!("{job} --rate_iops=500"), "read/iops", 400.0..520.0);
    both_are(&format!("{job} --rate=4m --rw=write"), "write/bw_bytes", 3.2e6..4.4e6);
    both_are(&format!("{job} --rate_iops=400,200 --rw=randrw --iodepth=8"), "write/iops", 150.0..215.0);
}

#[test]
fn think_time_and_runtime_have_the_requested_length() {
    let job = "--name=a --ioengine=null --size=1g --bs=4k";
    both_are(&format!("{job} --thinktime=10ms --time_based --runtime=1"), "read/iops", 30.0..105.0);
    both_are(
        &format!("{job} --time_based --runtime=1 --ramp_time=500ms --rate_iops=1000"),
        "job_runtime",
        1000.0..1800.0,
    );
}

#[test]
fn a_job_that_waits_for_its_device_runs_as_fast_as_under_fio() {
    // One second each, cached. A factor of 6 is noise on a busy machine, a factor of 20 is a bug.
    let arguments = "--name=a --size=4m --bs=64k --rw=read --time_based --runtime=1";
    let is_alike = |figures: &Option<[f64; 2]>| figures.is_none_or(|[theirs, ours]| ours > theirs / 10.0);
    let figures = patiently(|_| both_of(arguments, "read/iops"), is_alike);
    assert!(is_alike(&figures), "IOPS of fio and fathom: {figures:?}");
}
