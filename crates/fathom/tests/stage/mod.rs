//! What the tests on faults play on: scratch directories, devices and mounts of their own, each gone at its end, and
//! runs of the binary that are watched and interrupted.

#![allow(dead_code, unused_imports, reason = "each test binary uses its part")]

mod time;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

pub use time::{HANGS, interrupted, listens, opens, patiently, signal, undisturbed, wait_until};

pub const MIB: u64 = 1 << 20;

/// A directory of the test's own.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(test: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("fathom-{test}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file with `bytes` bytes, none of them zero.
    pub fn filled(&self, name: &str, bytes: u64) -> PathBuf {
        let path = self.file(name);
        std::fs::write(&path, vec![0x5a; bytes as usize]).unwrap();
        path
    }

    /// Names in the directory.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Runs a command of the system; `None`, and a word about it, where it fails.
pub fn system(command: &str) -> Option<String> {
    let output = Command::new("sh").arg("-c").arg(command).output().ok()?;
    if output.status.success() {
        return Some(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    eprintln!("SKIPPED: `{command}`: {}", String::from_utf8_lossy(&output.stderr).trim());
    None
}

/// A loop device over a file.
pub struct Loop {
    pub device: String,
    pub image: PathBuf,
}

impl Loop {
    pub fn new(scratch: &Scratch, mib: u64, options: &str) -> Option<Self> {
        let image = scratch.file("image");
        std::fs::File::create(&image).unwrap().set_len(mib * MIB).unwrap();
        let device = system(&format!("losetup --show -f {options} {}", image.display()))?;
        Some(Loop { device, image })
    }

    /// Makes two partitions.
    pub fn divide(&self) -> Option<String> {
        // Two entries of a partition table, each of type 0x83: 32768 sectors from 2048 on, and from 65536 on.
        let mut table = vec![0u8; 512];
        table[450..462].copy_from_slice(&[0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0x80, 0, 0]);
        table[466..478].copy_from_slice(&[0x83, 0, 0, 0, 0, 0, 1, 0, 0, 0x80, 0, 0]);
        table[510..].copy_from_slice(&[0x55, 0xaa]);
        let disk = &self.device;
        std::fs::OpenOptions::new().write(true).open(disk).unwrap().write_all(&table).unwrap();
        system(&format!(
            "partx --update {disk}; for n in $(seq 200); do test -e {disk}p2 && exit; sleep 0.05; done; exit 1"
        ))
    }

    /// Lets I/O beyond `mib` fail.
    pub fn cut(&self, mib: u64) {
        std::fs::OpenOptions::new().write(true).open(&self.image).unwrap().set_len(mib * MIB).unwrap();
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        system(&format!("losetup -d {}", self.device));
    }
}

/// A zram device.
pub struct Zram {
    pub device: String,
    number: String,
}

impl Zram {
    pub fn new(mib: u64) -> Option<Self> {
        let Ok(number) = std::fs::read_to_string("/sys/class/zram-control/hot_add") else {
            eprintln!("SKIPPED: no zram device to be had");
            return None;
        };
        let number = number.trim().to_owned();
        let zram = Zram { device: format!("/dev/zram{number}"), number };
        system(&format!("echo {mib}M > /sys/block/zram{}/disksize", zram.number))?;
        Some(zram)
    }

    /// How many writes it has done.
    pub fn writes(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/sys/block/zram{}/stat", self.number)).unwrap();
        stat.split_whitespace().nth(4).unwrap().parse().unwrap()
    }

    /// The device's number as `8:0`.
    pub fn number(&self) -> String {
        std::fs::read_to_string(format!("/sys/block/zram{}/dev", self.number)).unwrap().trim().to_owned()
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let remove = || std::fs::write("/sys/class/zram-control/hot_remove", &self.number).is_ok();
        go_away(&format!("/dev/zram{}", self.number), remove);
    }
}

/// A control group in which a device's I/O is held back.
pub struct Throttle {
    pub group: String,
    device: String,
}

impl Throttle {
    pub fn new(device: &Zram) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let group = format!("/sys/fs/cgroup/blkio/fathom-{}-{number}", std::process::id());
        system(&format!("mkdir {group} && test -e {group}/blkio.throttle.read_bps_device"))?;
        Some(Throttle { group, device: device.number() })
    }

    /// A run of the binary that is held back from its start on.
    pub fn confine(&self, run: &Command) -> Command {
        let mut confined = Command::new("sh");
        confined.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(format!("{}/cgroup.procs", self.group));
        confined.arg(run.get_program()).args(run.get_args()).stdin(Stdio::null());
        confined.stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, value) in run.get_envs() {
            match value {
                Some(value) => confined.env(name, value),
                None => confined.env_remove(name),
            };
        }
        if let Some(directory) = run.get_current_dir() {
            confined.current_dir(directory);
        }
        confined
    }

    pub fn take_in(&self, id: u32) {
        std::fs::write(format!("{}/cgroup.procs", self.group), id.to_string()).unwrap();
    }

    pub fn bytes_per_s(&self, limit: u64) {
        self.hold("bps", limit);
    }

    pub fn ios_per_s(&self, limit: u64) {
        self.hold("iops", limit);
    }

    fn hold(&self, what: &str, limit: u64) {
        for way in ["read", "write"] {
            let file = format!("{}/blkio.throttle.{way}_{what}_device", self.group);
            std::fs::write(file, format!("{} {limit}", self.device)).unwrap();
        }
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        self.bytes_per_s(0);
        self.ios_per_s(0);
        go_away(&self.group, || std::fs::remove_dir(&self.group).is_ok());
    }
}

/// Takes something away that is in use for a moment longer, by a process that ends or one that looks at all devices.
fn go_away(what: &str, remove: impl Fn() -> bool) {
    let gone = (0..250).any(|_| {
        let gone = remove();
        std::thread::sleep(Duration::from_millis(if gone { 0 } else { 20 }));
        gone
    });
    if !gone {
        eprintln!("{what} is left behind");
    }
}

/// A mount, taken away at the end.
pub struct Mount(pub PathBuf);

impl Mount {
    pub fn new(what: &str, at: &Path) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        system(&format!("mount {what} {}", at.display()))?;
        Some(Mount(at.to_path_buf()))
    }

    pub fn tmpfs(mib: u64, at: &Path) -> Option<Self> {
        Mount::new(&format!("-t tmpfs -o size={mib}m none"), at)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        system(&format!("umount {}", self.0.display()));
    }
}

/// What a run of the binary came to.
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// From the last signal, or the start, to the end.
    pub took: Duration,
}

impl Outcome {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON document: {error}:\n{}\n{}", self.stdout, self.stderr))
    }

    /// Asserts an end of the kind: code, and no panic on the way.
    pub fn ended_with(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    pub fn complained_of(&self, what: &str) -> &Self {
        assert!(self.stderr.contains(what), "nothing of `{what}` in:\n{}", self.stderr);
        self
    }
}

/// `fathom fio` with arguments that are separated by spaces.
pub fn fathom(directory: &Path, arguments: &str) -> Command {
    command(directory, "fio", arguments)
}

/// `fathom diskspd` likewise.
pub fn diskspd(directory: &Path, arguments: &str) -> Command {
    command(directory, "diskspd", arguments)
}

/// One of the program's commands likewise.
pub fn command(directory: &Path, word: &str, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.arg(word).args(arguments.split_whitespace()).current_dir(directory).env_remove("RUST_BACKTRACE");
    // What is measured here is none of the user's runs.
    command.env("XDG_DATA_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/data"));
    match word {
        "fio" | "diskspd" => command.env("FATHOM_NO_HISTORY", "1"),
        _ => command.env_remove("FATHOM_NO_HISTORY"),
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The same command, run before all else on the machine where that is allowed: for the course of a rate, which other
/// work disturbs.
pub fn first(command: Command) -> Command {
    if system("chrt -r 10 true").is_none() {
        return command;
    }
    let mut first = Command::new("chrt");
    first.args(["-r", "10"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => first.env(name, value),
            None => first.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        first.current_dir(directory);
    }
    first.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    first
}

/// Runs to the end.
pub fn run(directory: &Path, arguments: &str) -> Outcome {
    let start = Instant::now();
    outcome(fathom(directory, arguments).spawn().unwrap(), start)
}

/// Waits for the end; a child that hangs is killed and told of.
pub fn outcome(child: Child, since: Instant) -> Outcome {
    let id = child.id();
    let (ended, waiting) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let hangs = waiting.recv_timeout(HANGS).is_err();
        if hangs {
            drop(Command::new("kill").arg("-KILL").arg(id.to_string()).output());
        }
        hangs
    });
    let output = child.wait_with_output().unwrap();
    let took = since.elapsed();
    let _ = ended.send(());
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!watch.join().unwrap(), "the run hangs:\n{stdout}\n{stderr}");
    Outcome { code: output.status.code(), stdout: stdout.into_owned(), stderr: stderr.into_owned(), took }
}
