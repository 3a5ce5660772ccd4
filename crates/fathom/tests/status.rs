//! SIGUSR1 asks a run how it goes: a report of what was measured so far is printed, and the run goes on.

use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_signal_brings_a_report_while_the_run_goes_on() {
    let folder = std::env::temp_dir().join(format!("fathom-status-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.args([
        "fio",
        "--name=n",
        "--ioengine=null",
        "--size=1g",
        "--rate_iops=1000",
        "--time_based",
        "--runtime=2",
    ]);
    let run = command.current_dir(&folder).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1000));
    assert!(Command::new("kill").args(["-USR1", &run.id().to_string()]).status().unwrap().success());
    let output = run.wait_with_output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let totals = text.lines().filter_map(|line| line.trim().strip_prefix("issued rwts: total="));
    let reads: Vec<u64> = totals.map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    assert!(matches!(reads[..], [sofar, all] if 0 < sofar && sofar < all), "{reads:?} in {text}");
}
