//! A signal ends a run that is still laying files out, and leaves nothing half made.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Far more than is written until the signal comes.
const SIZE: &str = "--size=8g";
const PATIENCE: Duration = Duration::from_secs(20);

fn wait(child: &mut Child, until: Instant) -> Option<i32> {
    while Instant::now() < until {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

#[test]
fn a_signal_ends_a_layout_within_seconds_and_takes_its_file_away() {
    let folder = std::env::temp_dir().join(format!("fathom-stopped-layout-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("f");
    for signal in ["-TERM", "-INT"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        command.args(["fio", "--name=job", "--filename=f", SIZE, "--ioengine=psync"]).current_dir(&folder);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while std::fs::metadata(&path).map_or(0, |state| state.len()) == 0 {
            assert!(begun.elapsed() < PATIENCE, "nothing is laid out");
            std::thread::sleep(Duration::from_millis(10));
        }
        let sent = Command::new("kill").arg(signal).arg(child.id().to_string()).status().unwrap();
        let code = wait(&mut child, Instant::now() + PATIENCE);
        let left = path.exists();
        if code.is_none() {
            child.kill().unwrap();
        }
        if left {
            std::fs::remove_file(&path).unwrap();
        }
        assert!(sent.success());
        assert_eq!((code, left), (Some(128), false), "{signal}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
