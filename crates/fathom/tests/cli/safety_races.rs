//! A thread swaps names at full speed while a run is active: targets, outputs and their folders become links of another user to a
//! mounted device and to a file of that user. Neither changes, and no file is made elsewhere.

use std::os::unix::fs::{lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::safety_appears::{hash, is_root, victim};
use crate::stage::{Hosts, Mount, Scratch, Zram, command, launchers, needs, outcome, run, run_folder, system};

/// Time of each race. `FATHOM_RACE_SECONDS` sets another one.
const RACE: Duration = Duration::from_secs(5);
const OTHER_USER: u32 = 1234;

/// When the swaps begin. A link that is there before the check is followed.
#[derive(Clone, Copy)]
enum Start {
    /// The first target exists.
    Target,
    /// The scratch folder exists. It is swapped, too. Outputs are checked later: see `AtOnce`.
    RunFolder,
    /// At once, with links to the device only: a link that is there at the check is followed, but no device is written.
    AtOnce,
}

struct Race {
    word: &'static str,
    line: String,
    start: Start,
    /// In the folder `shared`.
    names: &'static [&'static str],
}

impl Race {
    fn command(&self, scratch: &Scratch) -> Command {
        let mut child = command(scratch.path(), self.word, &self.line);
        child.env("XDG_STATE_HOME", scratch.file("state")).env("XDG_DATA_HOME", scratch.file("data"));
        child
    }
}

/// The mounted device, the file of another user, and links of this user to both.
struct Destinations {
    links: Vec<PathBuf>,
    files: Vec<(PathBuf, u64)>,
    _device: Option<(Mount, Zram)>,
}

impl Destinations {
    fn new(scratch: &Scratch) -> Self {
        let device = Zram::new(16).and_then(|device| {
            needs(&format!("mkfs.ext4 -q {}", device.device))?;
            let mount = Mount::new(&format!("-o ro {}", device.device), &scratch.file("mnt"))?;
            Some((mount, device))
        });
        let paths = device.iter().map(|(_, device)| PathBuf::from(&device.device)).chain([victim(scratch)]);
        let files: Vec<_> = paths.map(|path| (path.clone(), hash(&path))).collect();
        let link = |(nth, (path, _)): (usize, &(PathBuf, u64))| {
            let link = scratch.file(&format!("link-{nth}"));
            symlink(path, &link).unwrap();
            lchown(&link, Some(OTHER_USER), Some(OTHER_USER)).unwrap();
            link
        };
        let links = files.iter().enumerate().map(link).collect();
        Destinations { links, files, _device: device }
    }

    fn assert_unchanged(&self, line: &str) {
        system("sync");
        for (path, before) in &self.files {
            assert_eq!(hash(path), *before, "{}: {line}", path.display());
        }
    }
}

/// Swaps without a pause until it is dropped.
struct Swapper {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<u64>>,
}

impl Swapper {
    fn start(race: &Race, shared: &Path, elsewhere: &Path, links: &[PathBuf]) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let names: Vec<PathBuf> = race.names.iter().map(|name| shared.join(name)).collect();
        let (shared, elsewhere, links, start) = (shared.to_owned(), elsewhere.to_owned(), links.to_vec(), race.start);
        let swap = move || {
            let mut swaps = 0u64;
            let has_started = || match start {
                Start::Target => shared.join("started").exists(),
                Start::RunFolder => run_folder(&shared).is_some(),
                Start::AtOnce => true,
            };
            while !stopped.load(Relaxed) && !has_started() {
                std::thread::yield_now();
            }
            let run_folder = || std::fs::read_dir(&shared).ok().and_then(|_| run_folder(&shared));
            let folders: Vec<PathBuf> = [shared.clone()].into_iter().chain(run_folder()).collect();
            while !stopped.load(Relaxed) {
                for (name, link) in names.iter().zip(links.iter().cycle().skip(swaps as usize % 7)) {
                    swap_name(name, link, swaps);
                }
                if swaps.is_multiple_of(5) {
                    folders.iter().for_each(|folder| swap_folder(folder, &elsewhere));
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

/// Puts a link at a name, if nothing is there, or in place of what is there. Each call can fail: the run makes and removes the same names.
fn swap_name(name: &Path, link: &Path, swaps: u64) {
    if std::fs::hard_link(link, name).is_ok() {
        drop(std::fs::remove_file(name));
    }
    let new = name.with_extension("link");
    if swaps.is_multiple_of(3) && std::fs::hard_link(link, &new).is_ok() {
        drop(std::fs::rename(&new, name));
        drop(std::fs::remove_file(name));
        drop(std::fs::remove_file(&new));
    }
}

fn swap_folder(folder: &Path, elsewhere: &Path) {
    let away = folder.with_extension("away");
    if std::fs::rename(folder, &away).is_ok() {
        drop(symlink(elsewhere, folder));
        drop(std::fs::remove_file(folder));
        drop(std::fs::rename(&away, folder));
    }
}

/// Makes each run once without swaps. Then makes the runs one after another until the time is over, each at least once.
fn race_all(name: &str, races: &[Race], prepare: impl FnOnce(&Scratch)) {
    if !is_root() {
        return crate::stage::skipped("files of other users need the super-user");
    }
    let scratch = Scratch::new(name);
    prepare(&scratch);
    let destinations = Destinations::new(&scratch);
    let (shared, elsewhere) = (scratch.file("shared"), scratch.file("elsewhere"));
    std::fs::create_dir(&elsewhere).unwrap();
    let wanted = std::env::var("FATHOM_RACE_SECONDS").ok().and_then(|text| text.parse().ok());
    let time = wanted.map_or(RACE, Duration::from_secs);
    let empty_shared = || {
        drop(std::fs::remove_dir_all(&shared));
        std::fs::create_dir(&shared).unwrap();
    };
    let succeeds = |race: &&Race| {
        empty_shared();
        let ended = outcome(race.command(&scratch).spawn().unwrap());
        let is_success = ended.code == Some(0);
        // Some engines need a server, another target or other options.
        assert!(is_success || race.word == "fio" && ended.code == Some(1), "{}: {}", race.line, ended.stderr);
        is_success
    };
    let succeed = races.iter().filter(succeeds).count();
    assert!(succeed > races.len() / 2, "{succeed} of {} command lines succeed without swaps", races.len());
    let start = Instant::now();
    let (mut runs, mut swaps) = (0, 0);
    while start.elapsed() < time || runs < races.len() {
        let race = &races[runs % races.len()];
        empty_shared();
        let links = match race.start {
            Start::AtOnce | Start::RunFolder => &destinations.links[..destinations.links.len() - 1],
            Start::Target => &destinations.links,
        };
        let swapper = Swapper::start(race, &shared, &elsewhere, links);
        let ended = outcome(race.command(&scratch).spawn().unwrap());
        let swapped = swapper.end();
        // Outputs are checked after the start, too: a link to a device is refused there.
        assert!(ended.code != Some(2) || swapped > 0, "{}: {}", race.line, ended.stderr);
        swaps += swapped;
        runs += 1;
        assert!(!ended.stderr.contains("panicked"), "{}: {}", race.line, ended.stderr);
        destinations.assert_unchanged(&race.line);
        // Outputs that are checked while the folder is a link are made there.
        let is_output = |name: &std::ffi::OsString| {
            !matches!(race.start, Start::Target)
                && race.names.iter().any(|known| known.split('/').any(|part| name == part))
        };
        let found = std::fs::read_dir(&elsewhere).unwrap().map(|entry| entry.unwrap().file_name());
        let found: Vec<_> = found.filter(|name| !is_output(name)).collect();
        assert!(found.is_empty(), "{found:?} elsewhere: {}", race.line);
        drop(std::fs::remove_dir_all(&elsewhere));
        std::fs::create_dir(&elsewhere).unwrap();
    }
    println!("{runs} runs, {swaps} rounds of swaps");
}

const FILES: &str =
    "--filename=shared/started:shared/a:shared/b:shared/sub/c --size=128k --filesize=32k --bs=4k --openfiles=1";
const NAMES: &[&str] = &["a", "b", "sub", "l_bw.1.log", "io"];

fn fio(options: &str) -> String {
    format!("--name=j {FILES} --file_service_type=sequential {options}")
}

#[test]
fn no_engine_follows_names_that_are_swapped_at_full_speed() {
    let scratch = Scratch::new("races-engines");
    let engines = run(scratch.path(), "--enghelp").assert_success().stdout;
    let engines = engines.lines().skip(1).map(str::trim);
    let mut lines: Vec<String> =
        engines.map(|engine| format!("--rw=write --iodepth=8 --create_on_open=1 --ioengine={engine}")).collect();
    assert!(lines.len() > 20, "{lines:?}");
    let variants = [
        "--rw=write --create_on_open=0",
        "--rw=write --create_on_open=1 --ioengine=libaio --iodepth=8 --unlink=1",
        "--rw=write --create_on_open=1 --ioengine=sync --unlink_each_loop=1 --loops=3",
        "--rw=write --ioengine=mmap --create_on_open=0",
        "--rw=write --ioengine=filecreate --unlink=1 --loops=2",
        "--rw=write --ioengine=falloc --create_on_open=0",
        "--rw=randwrite --ioengine=io_uring --registerfiles=1 --fixedbufs=1 --create_on_open=1",
        "--rw=write --create_on_open=1 --write_bw_log=shared/l --log_avg_msec=10 --write_iolog=shared/io",
    ];
    lines.extend(variants.map(str::to_owned));
    let race = |line: &String| Race { word: "fio", line: fio(line), start: Start::Target, names: NAMES };
    let diskspd = [
        "-d1 -W0 -w100 -c64K -b4K shared/started shared/a shared/b",
        "-d1 -W0 -w100 -c64K -b4K -o4 shared/started shared/a shared/b",
        "-d1 -W0 -w100 -c64K -b4K -Sm shared/started shared/a shared/b",
    ];
    let diskspd =
        diskspd.map(|line| Race { word: "diskspd", line: line.to_owned(), start: Start::Target, names: NAMES });
    let races: Vec<Race> = lines.iter().map(race).chain(diskspd).collect();
    race_all("races", &races, |_| {});
}

#[test]
fn no_command_follows_names_that_are_swapped_at_full_speed() {
    let job = fio("--rw=write --create_on_open=1");
    let race = |word, line: String, start, names| Race { word, line, start, names };
    let outputs: &[&str] = &["r.html", "out", "saved", "saved/assessment.json", "saved/report.html", "a", "b"];
    let at_once: &[&str] = &["r.html", "out", "r.md", "dir"];
    let races = [
        race("run", format!("--yes --repeat=2 --no-history --report=shared/r.html --save=shared/saved fio {job}"), Start::Target, outputs),
        race("sweep", format!("bs=4k,8k --yes --no-history --output=shared/out --report=shared/r.html --save=shared/saved fio {job}"), Start::Target, outputs),
        race("assess", "shared --yes --short --size=1M --runtime=1s --no-history --test=read-latency --report=shared/r.html --save=shared/out".to_owned(), Start::RunFolder, outputs),
        race("assess", "shared/new --yes --short --size=1M --runtime=1s --no-history --test=read-latency --keep-files".to_owned(), Start::RunFolder, &["new", "out"]),
        race("knee", "shared/new --yes --size=1M --runtime=100ms --ramp=0 --no-history --closed --output=shared/out --report=shared/r.html".to_owned(), Start::RunFolder, outputs),
        race("show", "own.json --report=shared/r.html --report=shared/r.md --output=shared/out".to_owned(), Start::AtOnce, at_once),
        race("show", "own.json --format=svg --output=shared/dir/".to_owned(), Start::AtOnce, at_once),
        race("compare", "own.json own.json --report=shared/r.html".to_owned(), Start::AtOnce, at_once),
        race("export", "--format=json --output=shared/out last".to_owned(), Start::AtOnce, at_once),
    ];
    race_all("races-commands", &races, |scratch| {
        run(scratch.path(), "--name=a --ioengine=null --size=64k --rw=read --record=own.json").ended_with(0);
        let mut add = command(scratch.path(), "history", "add own.json");
        outcome(add.env("XDG_DATA_HOME", scratch.file("data")).spawn().unwrap()).ended_with(0);
    });
}

#[test]
fn no_host_of_a_fleet_follows_names_that_are_swapped_at_full_speed() {
    let Some(launcher) = launchers().into_iter().next() else { return };
    let Some(hosts) = Hosts::new("races-fleet").filter(|_| is_root()) else { return };
    let scratch = &hosts.scratch;
    let destinations = Destinations::new(scratch);
    let (shared, elsewhere) = (scratch.file("shared"), scratch.file("elsewhere"));
    std::fs::create_dir(&elsewhere).unwrap();
    let line = fio("--rw=write --create_on_open=1 --write_bw_log=shared/l")
        .replace("shared/", &format!("{}/", shared.display()));
    let race = Race { word: "fleet", line, start: Start::Target, names: NAMES };
    for _ in 0..3 {
        drop(std::fs::remove_dir_all(&shared));
        std::fs::create_dir(&shared).unwrap();
        let swapper = Swapper::start(&race, &shared, &elsewhere, &destinations.links);
        let ended = hosts.run(launcher, "a", "", &race.line);
        println!("{} rounds of swaps", swapper.end());
        assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
        destinations.assert_unchanged(&race.line);
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0, "files elsewhere");
    }
}
