//! No file that the program writes leads to a device or to a file in use, also if its path changes during the run.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::stage::{Mount, Outcome, Scratch, Zram, command, needs, outcome, run, system};

fn hash(path: impl AsRef<Path>) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::fs::read(path).unwrap().hash(&mut hasher);
    hasher.finish()
}

/// Calls `test` with the name of a mounted device, and checks that its bytes are the same after it.
fn beside_a_mounted_device(name: &str, test: impl FnOnce(&Scratch, &str)) {
    let scratch = Scratch::new(name);
    let Some(device) = Zram::new(16) else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    // A writable mount would change the device by itself.
    let Some(_mount) = Mount::new(&format!("-o ro {}", device.device), &scratch.file("mnt")) else { return };
    let before = hash(&device.device);
    test(&scratch, &device.device);
    system("sync");
    assert_eq!(before, hash(&device.device), "the device has changed");
}

#[test]
fn logs_and_outputs_of_commands_do_not_lead_to_a_device() {
    beside_a_mounted_device("outputs-links", |scratch, device| {
        let logs = "--write_bw_log=x --write_iops_log=x --write_lat_log=x --write_hist_log=x --log_hist_msec=10";
        let log = ["x_bw.1.log", "x_iops.1.log", "x_lat.1.log", "x_clat.1.log", "x_slat.1.log", "x_clat_hist.1.log"];
        let command = ["a.prerun.txt", "a.postrun.txt"];
        for name in log.iter().chain(&command) {
            let _ = std::fs::remove_file(scratch.file(name));
            symlink(device, scratch.file(name)).unwrap();
            let job =
                format!("--name=a --filename=f --size=64k --rw=write {logs} --exec_prerun=true --exec_postrun=true");
            let ended = run(scratch.path(), &job);
            let text = format!("{}{}", ended.stdout, ended.stderr);
            assert!(text.contains("this is a block device, not a file"), "{name}: {text}");
            std::fs::remove_file(scratch.file(name)).unwrap();
        }
    });
}

#[test]
fn log_that_is_replaced_during_the_run_is_not_written() {
    beside_a_mounted_device("outputs-replaced", |scratch, device| {
        for (log, option) in [
            ("x_bw.1.log", "--write_bw_log=x"),
            ("x_iops.1.log", "--write_iops_log=x"),
            ("x_clat.1.log", "--write_lat_log=x"),
            ("x_bw.log", "--write_bw_log=x --per_job_logs=0"),
        ] {
            let script = scratch.file("script");
            std::fs::write(&script, format!("#!/bin/sh\nln -sfn {device} {log}\n")).unwrap();
            system(&format!("chmod +x {}", script.display())).unwrap();
            let job =
                format!("--name=a --filename=f --size=64k --rw=write {option} --exec_prerun={}", script.display());
            let ended = run(scratch.path(), &job);
            let message = format!("the logs are not complete: {log}: this file was replaced by another file");
            ended.ended_with(1).complained_of(&message);
            std::fs::remove_file(scratch.file(log)).unwrap();
        }
    });
    // A log that is removed is made again.
    let scratch = Scratch::new("outputs-removed");
    let script = scratch.file("script");
    std::fs::write(&script, "#!/bin/sh\nrm x_bw.1.log\n").unwrap();
    system(&format!("chmod +x {}", script.display())).unwrap();
    let job =
        format!("--name=a --filename=f --size=64k --rw=write --write_bw_log=x --exec_prerun={}", script.display());
    run(scratch.path(), &job).ended_with(0);
    assert!(std::fs::metadata(scratch.file("x_bw.1.log")).unwrap().len() > 0);
}

#[test]
fn log_of_the_history_does_not_lead_to_a_device() {
    beside_a_mounted_device("outputs-history", |scratch, device| {
        let data = scratch.file("data");
        let fathom = |word: &str, arguments: &str| -> Outcome {
            let mut command = command(scratch.path(), word, arguments);
            outcome(command.env("XDG_DATA_HOME", &data).env_remove("FATHOM_NO_HISTORY").spawn().unwrap())
        };
        let job = "--name=a --filename=f --size=64k --rw=write";
        fathom("fio", job).ended_with(0);
        for suffix in ["-wal", "-shm"] {
            let link = data.join(format!("fathom/history.db{suffix}"));
            let _ = std::fs::remove_file(&link);
            symlink(device, &link).unwrap();
            fathom("fio", job).ended_with(0);
            fathom("history", "").complained_of("this is a block device, not a file");
            std::fs::remove_file(&link).unwrap();
        }
    });
}
