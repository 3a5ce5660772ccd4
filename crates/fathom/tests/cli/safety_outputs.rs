//! No file that the program writes leads to a device or to a file in use, also if its path changes during the run.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use crate::stage::{Mount, Outcome, Scratch, Zram, command, fathom, needs, outcome, run, system, wait_until};

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

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0)
}

#[test]
fn outputs_stay_in_the_folder_that_was_checked() {
    let scratch = Scratch::new("outputs-folder");
    let (out, away, elsewhere) = (scratch.file("out"), scratch.file("away"), scratch.file("elsewhere"));
    std::fs::create_dir(&out).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    let job = "--name=j --filename=f --size=64k --bs=4k --rw=write --rate_iops=8 --time_based --runtime=3";
    let outputs = "--record=out/record --write_bw_log=out/l --write_iolog=out/io --log_avg_msec=100";
    let child = fathom(scratch.path(), &format!("{job} {outputs}")).spawn().unwrap();
    wait_until("the logs are made", || out.join("l_bw.1.log").exists() && out.join("io").exists());
    std::fs::rename(&out, &away).unwrap();
    symlink(&elsewhere, &out).unwrap();
    outcome(child);
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    for name in ["record", "l_bw.1.log", "io"] {
        assert!(std::fs::metadata(away.join(name)).is_ok_and(|found| found.len() > 0), "{name}");
    }
}

/// The command of the first job replaces the folder of outputs that are opened after it.
#[test]
fn outputs_that_are_opened_after_a_command_are_in_the_folder_that_was_checked() {
    let scratch = Scratch::new("outputs-late");
    for folder in ["out", "linked", "elsewhere"] {
        std::fs::create_dir(scratch.file(folder)).unwrap();
    }
    // This output has a link of the user at its name, and the folder that it leads to is replaced.
    symlink("../linked/stdout", scratch.file("out/k.stdout")).unwrap();
    let script = scratch.file("script");
    let replace = "for name in out linked; do mv $name $name-away && ln -s elsewhere $name; done";
    std::fs::write(&script, format!("#!/bin/sh\n{replace}\n")).unwrap();
    system(&format!("chmod +x {}", script.display())).unwrap();
    let writer = "--name=out/j --filename=f --size=64k --rw=write --verify=crc32c --verify_state_save=1 --do_verify=0 --aux-path=out --exec_postrun=true";
    let program = "--name=out/k --stonewall --ioengine=exec --program=/bin/echo --arguments=word --std_redirect=1";
    let job = format!("{writer} --exec_prerun={} {program}", script.display());
    run(scratch.path(), &job).ended_with(0);
    assert_eq!(std::fs::read_dir(scratch.file("elsewhere")).unwrap().count(), 0);
    for name in ["j.prerun.txt", "j.postrun.txt", "local-out.j-0-verify.state", "k.stderr"] {
        assert!(scratch.file("out-away").join(name).exists(), "{name}");
    }
    assert_eq!(std::fs::read(scratch.file("linked-away/stdout")).unwrap(), b"word\n");
}

#[test]
fn outputs_in_one_folder_need_one_descriptor_for_it() {
    let scratch = Scratch::new("outputs-many");
    let fathom = env!("CARGO_BIN_EXE_fathom");
    let job = "--name=j --ioengine=null --size=64k --rw=write --numjobs=200 --write_bw_log=l --write_lat_log=l";
    let at = scratch.path().display();
    system(&format!("cd {at} && ulimit -n 128 && FATHOM_NO_HISTORY=1 {fathom} fio {job}")).unwrap();
}

/// The user has not given these names: what another user has put there is not touched.
#[test]
fn files_and_links_of_other_users_are_not_replaced_by_names_of_jobs() {
    if !is_root() {
        return crate::stage::skipped("files of other users need the super-user");
    }
    let scratch = Scratch::new("outputs-users");
    let precious = scratch.file("precious");
    let job = "--name=j --filename=f --size=64k --bs=4k --rw=write --write_bw_log=l --verify=crc32c --verify_state_save=1 --do_verify=0 --exec_prerun=true --exec_postrun=true";
    for name in ["l_bw.1.log", "j.prerun.txt", "j.postrun.txt", "local-j-0-verify.state"] {
        for is_link in [false, true] {
            let place = scratch.file(name);
            std::fs::write(&precious, "precious").unwrap();
            drop(std::fs::remove_file(&place));
            if is_link {
                symlink(&precious, &place).unwrap();
                std::os::unix::fs::lchown(&place, Some(1234), Some(1234)).unwrap();
            } else {
                std::fs::write(&place, "precious").unwrap();
                std::os::unix::fs::chown(&place, Some(1234), Some(1234)).unwrap();
            }
            let ended = run(scratch.path(), job);
            let text = format!("{}{}", ended.stdout, ended.stderr);
            assert!(text.contains("belongs to another user"), "{name}, {is_link}: {text}");
            assert_eq!(std::fs::read(&place).unwrap(), b"precious", "{name}, {is_link}");
            std::fs::remove_file(&place).unwrap();
        }
    }
    // A link of the user is followed.
    drop(std::fs::remove_file(scratch.file("l_bw.1.log")));
    symlink(&precious, scratch.file("l_bw.1.log")).unwrap();
    run(scratch.path(), job).ended_with(0);
    assert_ne!(std::fs::read(&precious).unwrap(), b"precious");
}

/// The user has given the folder only.
#[test]
fn files_and_links_of_other_users_are_not_replaced_by_names_in_a_folder() {
    if !is_root() {
        return crate::stage::skipped("files of other users need the super-user");
    }
    let scratch = Scratch::new("outputs-folders");
    let (folder, precious) = (scratch.file("folder"), scratch.file("precious"));
    run(scratch.path(), "--name=a --ioengine=null --size=64k --rw=read --record=own.json").ended_with(0);
    let job = "--name=a --ioengine=null --size=64k --rw=read";
    let lines = [
        ("run", format!("--yes --repeat=2 --no-history --save=folder fio {job}")),
        ("sweep", format!("bs=4k,8k --yes --no-history --save=folder fio {job}")),
        ("show", "own.json --format=svg --output=folder/".to_owned()),
    ];
    for (word, line) in &lines {
        let fathom = || outcome(command(scratch.path(), word, line).spawn().unwrap());
        drop(std::fs::remove_dir_all(&folder));
        fathom().ended_with(0);
        let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(!names.is_empty(), "{line}");
        for (place, is_link) in names.iter().flat_map(|name| [(name, false), (name, true)]) {
            std::fs::write(&precious, "precious").unwrap();
            std::fs::remove_file(place).unwrap();
            if is_link {
                symlink(&precious, place).unwrap();
            } else {
                std::fs::write(place, "precious").unwrap();
            }
            std::os::unix::fs::lchown(place, Some(1234), Some(1234)).unwrap();
            let ended = fathom();
            ended.complained_of("belongs to another user");
            assert_ne!(ended.code, Some(0), "{line}");
            assert_eq!(std::fs::read(place).unwrap(), b"precious", "{}", place.display());
            std::fs::remove_file(place).unwrap();
            std::fs::write(place, "").unwrap();
        }
    }
}

#[test]
fn a_record_for_a_pipe_is_not_written_to_what_replaces_the_pipe() {
    let scratch = Scratch::new("outputs-pipe-replaced");
    let at = scratch.path().display();
    system(&format!("cd {at} && mkfifo pipe other")).unwrap();
    // Both names, to read and to write: no open waits, and what is written is counted.
    let open = |name: &str| std::fs::File::options().read(true).write(true).open(scratch.file(name)).unwrap();
    let (_pipe, other) = (open("pipe"), open("other"));
    let job = "--name=j --filename=f --size=64k --bs=4k --rw=write --rate_iops=8 --record=pipe";
    let child = fathom(scratch.path(), job).spawn().unwrap();
    wait_until("the run is active", || scratch.file("f").exists());
    std::fs::remove_file(scratch.file("pipe")).unwrap();
    symlink("other", scratch.file("pipe")).unwrap();
    outcome(child).ended_with(1).complained_of("pipe: this file was replaced by another file");
    let reader = std::thread::spawn(move || {
        let mut byte = [0];
        std::io::Read::read_exact(&mut &other, &mut byte).map(|()| byte[0])
    });
    std::fs::File::options()
        .write(true)
        .open(scratch.file("other"))
        .and_then(|mut pipe| std::io::Write::write_all(&mut pipe, b"E"))
        .unwrap();
    assert_eq!(reader.join().unwrap().unwrap(), b'E', "the record is in the other pipe");
}

#[test]
fn a_link_that_the_kernel_does_not_follow_is_not_followed_for_an_output() {
    let is_protected = std::fs::read_to_string("/proc/sys/fs/protected_symlinks").is_ok_and(|text| text.trim() == "1");
    if !is_root() || !is_protected {
        return crate::stage::skipped("fs.protected_symlinks is off, or no super-user");
    }
    let scratch = Scratch::new("outputs-sticky");
    let sticky = scratch.file("sticky");
    std::fs::create_dir(&sticky).unwrap();
    std::fs::set_permissions(&sticky, std::fs::Permissions::from_mode(0o1777)).unwrap();
    let link = sticky.join("link");
    symlink("../new", &link).unwrap();
    std::os::unix::fs::lchown(&link, Some(1234), Some(1234)).unwrap();
    for option in ["--record=sticky/link", "--output=sticky/link", "--write_iolog=sticky/link"] {
        let ended = run(scratch.path(), &format!("--name=j --filename=f --size=64k --rw=write {option}"));
        ended.ended_with(1).complained_of("Permission denied");
        assert!(!scratch.file("new").exists(), "{option}");
    }
}

/// A killed run leaves a file with such a name.
#[test]
fn a_file_of_another_user_with_the_name_of_a_temporary_file_remains() {
    if !is_root() {
        return crate::stage::skipped("files of other users need the super-user");
    }
    let scratch = Scratch::new("outputs-temporary");
    let names = [".record.fathom-1", ".record.fathom-2"].map(|name| scratch.file(name));
    names.iter().for_each(|name| std::fs::write(name, "old").unwrap());
    std::os::unix::fs::chown(&names[0], Some(1234), None).unwrap();
    run(scratch.path(), "--name=j --filename=f --size=64k --rw=write --record=record").ended_with(0);
    assert_eq!(names.map(|name| name.exists()), [true, false]);
}

#[test]
fn a_pipe_without_a_reader_is_an_error_and_one_with_a_reader_is_written() {
    let scratch = Scratch::new("outputs-pipe");
    let pipe = scratch.file("l_bw.1.log");
    system(&format!("mkfifo {}", pipe.display())).unwrap();
    let job = "--name=j --filename=f --size=64k --bs=4k --rw=write --write_bw_log=l";
    run(scratch.path(), job).ended_with(1).complained_of("no program has opened it to read");
    let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
    run(scratch.path(), job).ended_with(0);
    assert!(!reader.join().unwrap().is_empty());
}

#[test]
fn a_rewritten_record_keeps_its_mode_and_its_owner() {
    let scratch = Scratch::new("outputs-mode");
    let record = scratch.file("record");
    std::fs::write(&record, "old").unwrap();
    std::fs::set_permissions(&record, std::fs::Permissions::from_mode(0o600)).unwrap();
    let owner = if is_root() { 1234 } else { std::fs::metadata(&record).unwrap().uid() };
    std::os::unix::fs::chown(&record, Some(owner), None).unwrap();
    run(scratch.path(), "--name=j --filename=f --size=64k --rw=write --record=record").ended_with(0);
    let found = std::fs::metadata(&record).unwrap();
    assert_eq!((found.mode() & 0o7777, found.uid()), (0o600, owner));
    assert!(found.len() > 3);
}

#[test]
fn nothing_is_left_in_the_home_folder_of_another_user() {
    if !is_root() || needs("unshare -m mount -t tmpfs none /root").is_none() {
        return crate::stage::skipped("a mount namespace and another user need the super-user");
    }
    let scratch = Scratch::new("outputs-home");
    let home = scratch.file("home");
    std::fs::create_dir(&home).unwrap();
    std::os::unix::fs::chown(&home, Some(1234), Some(1234)).unwrap();
    let fathom = env!("CARGO_BIN_EXE_fathom");
    let at = scratch.path().display();
    let run = format!("env -u XDG_DATA_HOME -u XDG_STATE_HOME -u FATHOM_NO_HISTORY HOME={at}/home {fathom} run fio");
    let script = format!(
        "mount -t tmpfs none /root && cd {at} && {run} --name=j --filename=f --size=64k --rw=write && find /root -type f"
    );
    let roots = system(&format!("unshare -m sh -c '{script}'")).unwrap();
    assert_eq!(std::fs::read_dir(&home).unwrap().count(), 0);
    assert!(roots.contains("history.db"), "{roots}");
}
