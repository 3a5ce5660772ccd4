//! A target that is replaced during a run or between two runs ends them, and makes the result invalid.

use std::path::Path;
use std::process::Child;

use crate::stage::{
    HANGS, MIB, Mount, Outcome, Scratch, command, diskspd, fathom, outcome, run_folder, system, wait_until,
};

const MESSAGE: &str = "is no longer the target";

/// Returns true if a file with data is below a folder.
fn has_data(folder: &Path) -> bool {
    let entries = || std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries().any(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => has_data(&entry.path()),
        _ => entry.file_name() == "data" && entry.metadata().is_ok_and(|file| file.len() > 0),
    })
}

/// Starts a command of fathom on targets below `at`, and waits until a file has data.
fn start(scratch: &Scratch, program: &str, line: &str, at: &Path) -> Child {
    let mut command = command(scratch.path(), program, line);
    let child = command.env("XDG_STATE_HOME", scratch.file("state")).spawn().unwrap();
    wait_until("a file is created", || has_data(at));
    child
}

fn says_replaced(ended: &Outcome) {
    assert!(ended.stdout.contains(MESSAGE) || ended.stderr.contains(MESSAGE), "{}\n{}", ended.stdout, ended.stderr);
}

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
        let child = start(&scratch, program, &line, &at);
        system(&format!("umount -l {}", at.display())).unwrap();
        let ended = outcome(child);
        let below = std::fs::read_dir(&at).unwrap().count();
        ended.ended_with(4);
        says_replaced(&ended);
        assert_eq!(below, 0, "{program}: files on the disk below");
    }
}

/// A change of the path of an open target, the command that makes it, and the command that cleans up after it.
const CHANGES: [(&str, &str, &str); 4] = [
    ("unmounted", "umount -l mnt", "true"),
    ("renamed", "mv mnt/folder mnt/other", "true"),
    ("another file", "cp mnt/folder/data mnt/new; mv mnt/new mnt/folder/data", "true"),
    ("covered by a mount", "mount -t tmpfs none mnt/folder", "umount mnt/folder"),
];

#[test]
fn active_run_ends_when_its_target_is_replaced() {
    let scratch = Scratch::new("replaced-active");
    let at = scratch.file("mnt");
    for (what, change, undo) in CHANGES {
        for is_fio in [true, false] {
            let Some(mount) = Mount::tmpfs(64, &at) else { return };
            std::fs::create_dir(at.join("folder")).unwrap();
            std::fs::write(at.join("folder/data"), vec![0x5a; MIB as usize]).unwrap();
            let job = "--name=a --filename=mnt/folder/data --bs=4k --size=1m --rw=randwrite --thinktime=1ms";
            let mut command = match is_fio {
                true => fathom(scratch.path(), &format!("{job} --time_based --runtime={0}", 2 * HANGS.as_secs())),
                false => diskspd(scratch.path(), &format!("-d{} -W0 -w100 -g64 mnt/folder/data", 2 * HANGS.as_secs())),
            };
            let child = command.spawn().unwrap();
            wait_until("the file is written", || {
                std::fs::read(at.join("folder/data")).unwrap().iter().any(|byte| *byte != 0x5a)
            });
            let in_mount = format!("cd {} && {{ {change}; }}", scratch.path().display());
            system(&in_mount).unwrap();
            let ended = outcome(child);
            system(&format!("cd {} && {undo}", scratch.path().display()));
            drop(mount);
            let report = if is_fio { "write: IOPS=" } else { "Total IO" };
            assert!(ended.stdout.contains(report), "{what}: {}", ended.stdout);
            ended.ended_with(1);
            says_replaced(&ended);
            assert_eq!(std::fs::read_dir(&at).unwrap().count(), 0, "{what}: files on the disk below");
        }
    }
}

#[test]
fn later_phase_does_not_open_a_replaced_target() {
    let scratch = Scratch::new("replaced-phase");
    let at = scratch.file("mnt");
    let Some(_mount) = Mount::tmpfs(64, &at) else { return };
    // The watch sees it during the first job, or the second one when it opens the file.
    let jobs = "--bs=4k --size=1m --rw=write --name=a --filename=other --thinktime=10ms --name=b --stonewall --filename=mnt/data";
    let child = start(&scratch, "fio", jobs, &at.join(".."));
    let _ = system(&format!("umount -l {}", at.display()));
    outcome(child).complained_of(MESSAGE);
    assert_eq!(std::fs::read_dir(&at).unwrap().count(), 0);
}

#[test]
fn folder_of_a_run_is_used_wherever_its_name_leads() {
    let scratch = Scratch::new("replaced-scratch");
    let (shared, victim) = (scratch.file("shared"), scratch.file("victim"));
    for folder in [&shared, &victim] {
        std::fs::create_dir(folder).unwrap();
    }
    std::fs::write(victim.join("data"), "precious").unwrap();
    for (program, line) in [
        ("assess", "shared --size 8M --runtime 2 --test write-latency --test fsync"),
        ("knee", "shared --size 8M --runtime 1s"),
    ] {
        let child = start(&scratch, program, line, &shared);
        let folder = run_folder(&shared).unwrap();
        let swap = format!("mv {0} {0}.away && ln -s {1} {0}", folder.display(), victim.display());
        system(&swap).unwrap();
        let ended = outcome(child);
        assert!(std::fs::read(victim.join("data")).unwrap() == b"precious", "{program}");
        assert_eq!(std::fs::read_dir(&victim).unwrap().count(), 1, "{program}");
        ended.ended_with(4);
        says_replaced(&ended);
        system(&format!("rm -r {0}; rm -rf {0}.away", folder.display()));
    }
}
