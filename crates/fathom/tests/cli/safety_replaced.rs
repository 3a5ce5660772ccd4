//! A target that is replaced by another disk between two runs makes the result invalid.

use std::process::Command;

use crate::stage::{Mount, Scratch, command, needs, outcome, system, wait_until};

#[test]
fn unmounted_target_is_not_measured_on_the_disk_below() {
    let scratch = Scratch::new("replaced");
    let at = scratch.file("mnt");
    let sweep = "bs=1k,2k,4k fio --name=a --filename=mnt/data --size=1m --rw=read --time_based --runtime=2";
    let lines = [
        ("assess", "mnt --size 8M --runtime 2 --test read-latency --test write-latency --test fsync".to_owned()),
        ("knee", "mnt --size 8M --runtime 1s --ramp 0".to_owned()),
        ("sweep", sweep.to_owned()),
        ("run", "--repeat 3 fio --name=a --filename=mnt/data --size=1m --rw=read --time_based --runtime=2".to_owned()),
    ];
    for (program, line) in lines {
        let Some(_mount) = Mount::tmpfs(2048, &at) else { return };

        let mut command: Command = command(scratch.path(), program, &line);
        let child = command.env("XDG_STATE_HOME", scratch.file("state")).spawn().unwrap();
        wait_until("a file is created", || {
            needs(&format!("find {} -name data -size +0", at.display())).is_some_and(|found| !found.is_empty())
        });
        system(&format!("umount -l {}", at.display())).unwrap();
        let ended = outcome(child);
        let below = std::fs::read_dir(&at).unwrap().count();
        ended.ended_with(4);
        assert!(ended.stdout.contains("is no longer the target") || ended.stderr.contains("is no longer the target"));
        // A run that was active at that moment may have made its files there.
        assert!(below <= 1, "{program}: {below} files on the disk below");
    }
}
