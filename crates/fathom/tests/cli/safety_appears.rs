//! What another user puts at the name of a target after the check is not changed: links, files and devices.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::stage::{Loop, Mount, Scratch, Zram, diskspd, fathom, needs, outcome, run, shell, system, wait_until};

const MESSAGE: &str = "is no longer the target";

fn hash(path: impl AsRef<Path>) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::fs::read(path).unwrap().hash(&mut hasher);
    hasher.finish()
}

/// A file of another user.
fn victim(scratch: &Scratch) -> PathBuf {
    let path = scratch.file("victim");
    std::fs::write(&path, vec![0x5a; 64 << 10]).unwrap();
    std::os::unix::fs::chown(&path, Some(1234), Some(1234)).unwrap();
    path
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Jobs that open `late/b` when `late/a` is complete.
const JOBS: [&str; 6] = [
    "--rw=write --openfiles=1",
    "--rw=write --openfiles=1 --ioengine=io_uring --iodepth=4",
    "--rw=write --openfiles=1 --ioengine=libaio --iodepth=4",
    "--rw=randwrite --openfiles=1 --unlink=1",
    "--rw=write --openfiles=1 --unlink_each_loop=1 --loops=2",
    "--rw=write --ioengine=filecreate --thinktime=500ms --openfiles=1",
];

#[test]
fn a_link_that_appears_at_the_name_of_a_missing_file_is_not_followed() {
    if !is_root() {
        return crate::stage::skipped("files of other users need the super-user");
    }
    let scratch = Scratch::new("appears");
    let victim = victim(&scratch);
    let mounted = Zram::new(16).filter(|device| needs(&format!("mkfs.ext4 -q {}", device.device)).is_some());
    let at = scratch.file("mnt");
    let _mount = mounted.as_ref().map(|device| Mount::new(&format!("-o ro {}", device.device), &at));
    let destinations = mounted.iter().map(|device| PathBuf::from(&device.device)).chain([victim]);
    for destination in destinations {
        let before = hash(&destination);
        for job in JOBS {
            let late = scratch.file("late");
            drop(std::fs::remove_dir_all(&late));
            std::fs::create_dir(&late).unwrap();
            let job = format!(
                "--name=a --filename=late/a:late/b --size=64k --filesize=32k --bs=4k --rate_iops=8 --create_on_open=1 --file_service_type=sequential {job}"
            );
            let child = fathom(scratch.path(), &job).spawn().unwrap();
            wait_until("the first file exists", || late.join("a").exists());
            // The job may have been faster.
            let has_appeared = symlink(&destination, late.join("b")).is_ok();
            let ended = outcome(child);
            system("sync");
            assert_eq!(hash(&destination), before, "{job}");
            if has_appeared {
                ended.ended_with(1).complained_of(MESSAGE);
            }
        }
    }
}

#[test]
fn a_command_of_one_job_does_not_release_the_targets_of_another() {
    let scratch = Scratch::new("appears-command");
    let victim = victim(&scratch);
    let before = hash(&victim);
    for name in ["f1", "f2"] {
        scratch.filled(name, 32 << 10);
    }
    let script = scratch.file("script");
    std::fs::write(&script, "#!/bin/sh\nmv f2 old\nln -s victim f2\nsleep 3\n").unwrap();
    system(&format!("chmod +x {}", script.display())).unwrap();
    let jobs = format!(
        "--bs=4k --name=writer --filename=f1:f2 --size=64k --rw=write --openfiles=1 --file_service_type=sequential --rate_iops=8 --name=other --filename=o --size=4k --rw=write --exec_prerun={}",
        script.display()
    );
    let ended = run(scratch.path(), &jobs);
    assert_ne!(ended.code, Some(0));
    ended.complained_of(MESSAGE);
    assert_eq!(hash(&victim), before);
}

/// The command may replace the targets of its own job.
#[test]
fn a_command_may_replace_the_target_of_its_job() {
    let scratch = Scratch::new("appears-own");
    scratch.filled("f", 64 << 10);
    let script = scratch.file("script");
    std::fs::write(&script, "#!/bin/sh\nmv f old\nmkdir d\nmount -t tmpfs none d && umount d\ncp old f\n").unwrap();
    system(&format!("chmod +x {}", script.display())).unwrap();
    let job = format!("--name=a --filename=f --size=64k --rw=randwrite --bs=4k --exec_prerun={}", script.display());
    run(scratch.path(), &job).ended_with(0);
}

#[test]
fn control_groups_are_only_made_on_their_file_system() {
    let scratch = Scratch::new("appears-group");
    if !Path::new("/sys/fs/cgroup").is_dir() || !is_root() {
        return crate::stage::skipped("no control groups");
    }
    let target = scratch.file("group");
    std::fs::create_dir(&target).unwrap();
    std::fs::write(scratch.file("precious"), "precious").unwrap();
    for name in ["tasks", "cgroup.procs", "blkio.weight"] {
        symlink(scratch.file("precious"), target.join(name)).unwrap();
    }
    let up = "../".repeat(12);
    let null = "--name=j --ioengine=null --size=4k --rw=read";
    for path in [&target, &scratch.file("new")] {
        for name in [format!("{up}{}", path.display()), format!("x/{up}{}", path.display())] {
            let ended = run(scratch.path(), &format!("{null} --cgroup={name}"));
            ended.ended_with(1).complained_of("cgroup");
        }
    }
    assert!(!scratch.file("new").exists());
    assert_eq!(std::fs::read(scratch.file("precious")).unwrap(), b"precious");
}

#[test]
fn without_sysfs_nothing_is_written() {
    let scratch = Scratch::new("appears-sysfs");
    let Some(device) = Loop::new(&scratch, 16, "") else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    let Some(_mount) = Mount::new(&format!("-o ro {}", device.device), &scratch.file("mnt")) else { return };
    let before = hash(&device.image);
    let fathom = env!("CARGO_BIN_EXE_fathom");
    for option in ["--filename=image", "--filename=f --output=image", "--filename=f --write_bw_log=x --bwavgtime=1"] {
        let at = scratch.path().display();
        system(&format!("cd {at}; ln -sf image x_bw.1.log"));
        let job = format!("fio --name=a --size=64k --bs=4k --rw=write {option}");
        let script = format!("mount -t tmpfs none /sys && cd {at} && FATHOM_NO_HISTORY=1 {fathom} {job}");
        let refused = shell(&format!("unshare -m sh -c '{script}'")).unwrap_err();
        assert!(refused.contains("cannot be determined") || refused.contains("cannot check"), "{refused}");
        system("sync");
        assert_eq!(hash(&device.image), before, "{option}");
    }
}

/// Changes what is at names, without a pause, from the time when the run has checked them.
struct Swapper {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<u64>>,
}

impl Swapper {
    /// Waits for the file `started`. Puts links to `destinations` at `names`, removes them, and exchanges the folder `folder` with
    /// a link to `elsewhere`.
    fn start(
        started: PathBuf,
        names: Vec<PathBuf>,
        destinations: Vec<PathBuf>,
        folder: PathBuf,
        elsewhere: PathBuf,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let swap = move || {
            let mut swaps = 0u64;
            let away = folder.with_extension("away");
            while !started.exists() && !stopped.load(Relaxed) {
                std::thread::yield_now();
            }
            while !stopped.load(Relaxed) {
                for (name, destination) in names.iter().zip(destinations.iter().cycle().skip(swaps as usize % 7)) {
                    // Each of these can fail: the run makes and removes the same names.
                    if symlink(destination, name).is_ok() {
                        drop(std::fs::remove_file(name));
                    }
                    let link = name.with_extension("link");
                    if swaps.is_multiple_of(3) && symlink(destination, &link).is_ok() {
                        drop(std::fs::rename(&link, name));
                        drop(std::fs::remove_file(name));
                    }
                }
                if swaps.is_multiple_of(5) && std::fs::rename(&folder, &away).is_ok() {
                    drop(symlink(&elsewhere, &folder));
                    drop(std::fs::remove_file(&folder));
                    drop(std::fs::rename(&away, &folder));
                }
                swaps += 1;
            }
            swaps
        };
        Swapper { stop, thread: Some(std::thread::spawn(swap)) }
    }

    fn end(mut self) -> u64 {
        self.stop.store(true, Relaxed);
        self.thread.take().map_or(0, |thread| thread.join().unwrap())
    }
}

/// Time of the race. `FATHOM_RACE_SECONDS` sets another one.
const RACE: Duration = Duration::from_secs(10);

#[test]
fn no_engine_follows_names_that_are_swapped_at_full_speed() {
    if !is_root() {
        return crate::stage::skipped("files of other users need the super-user");
    }
    let scratch = Scratch::new("appears-race");
    let victim = victim(&scratch);
    let elsewhere = scratch.file("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let mounted = Zram::new(16).filter(|device| needs(&format!("mkfs.ext4 -q {}", device.device)).is_some());
    let _mount = mounted.as_ref().map(|device| Mount::new(&format!("-o ro {}", device.device), &scratch.file("mnt")));
    let destinations: Vec<PathBuf> =
        mounted.iter().map(|device| PathBuf::from(&device.device)).chain([victim]).collect();
    let before: Vec<u64> = destinations.iter().map(hash).collect();
    let shared = scratch.file("shared");
    let wanted = std::env::var("FATHOM_RACE_SECONDS").ok().and_then(|text| text.parse().ok());
    let race = wanted.map_or(RACE, Duration::from_secs);
    let fio = |engine: &str| {
        let names =
            "--filename=shared/started:shared/a:shared/b:shared/sub/c --size=128k --filesize=32k --bs=4k --openfiles=1";
        format!("--name=j {names} --file_service_type=sequential --create_on_open=1 {engine}")
    };
    let engines = [
        "--rw=write",
        "--rw=write --create_on_open=0",
        "--rw=randwrite --ioengine=io_uring --iodepth=8",
        "--rw=write --ioengine=libaio --iodepth=8 --unlink=1",
        "--rw=write --ioengine=sync --unlink_each_loop=1 --loops=3",
        "--rw=write --ioengine=mmap --create_on_open=0",
        "--rw=write --ioengine=filecreate",
        "--rw=write --ioengine=filecreate --unlink=1 --loops=2",
        "--rw=write --ioengine=falloc --create_on_open=0",
        "--rw=write --ioengine=ftruncate",
        "--rw=write --ioengine=posixaio --iodepth=4",
        "--rw=write --write_bw_log=shared/l --log_avg_msec=10 --write_iolog=shared/io",
    ];
    let start = Instant::now();
    let (mut runs, mut swaps) = (0, 0);
    while start.elapsed() < race || runs < engines.len() + 1 {
        drop(std::fs::remove_dir_all(&shared));
        std::fs::create_dir(&shared).unwrap();
        let names = ["a", "b", "sub", "l_bw.1.log", "io"].map(|name| shared.join(name)).to_vec();
        let swapper =
            Swapper::start(shared.join("started"), names, destinations.clone(), shared.clone(), elsewhere.clone());
        let mut child = match engines.get(runs % (engines.len() + 1)) {
            Some(engine) => fathom(scratch.path(), &fio(engine)),
            None => diskspd(scratch.path(), "-d1 -W0 -w100 -c64K -b4K shared/started shared/a shared/b"),
        };
        drop(outcome(child.spawn().unwrap()));
        swaps += swapper.end();
        runs += 1;
        system("sync");
        for (destination, before) in destinations.iter().zip(&before) {
            assert_eq!(hash(destination), *before, "{} in run {runs}", destination.display());
        }
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0, "files elsewhere in run {runs}");
    }
    println!("{runs} runs, {swaps} rounds of swaps");
}
