//! Named events, by which programs wait for each other: DiskSpd's `-y` switches.
//!
//! An event is a file in memory, `/dev/shm/diskspd-event-NAME`. Its first byte is `1` once the event is set, so a
//! script can set one, too. As on Windows:
//! - A program that waits for an event or signals it creates it if it does not exist ([`Event::create`]: `-yr`, `-yp`,
//!   `-ys`, `-yf`). Only `-ye` needs an event that exists ([`Event::open`]).
//! - A set event stays set, for all programs that wait now or later.
//! - It is removed with the last program that holds it, however that program ended.
//!
//! Each holder has a shared lock on the file, and the kernel releases the locks of a process that ends. A file without
//! locks is a leftover and not an event.

#![expect(
    clippy::disallowed_methods,
    reason = "named events are in a folder of the system, and links are not followed"
)]

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;
use rustix::time::Timespec;

/// Interval at which a wait calls `stop`.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The same if inotify is not available.
const POLL_INTERVAL_WITHOUT_INOTIFY: Duration = Duration::from_millis(5);
/// Most attempts while other programs remove and create the same event.
const ATTEMPTS_MAX: u32 = 1000;
const SET: u8 = b'1';

/// An event that this program holds.
#[derive(Debug)]
pub struct Event {
    path: PathBuf,
    file: File,
}

impl Event {
    /// Opens the event of that name. Creates it, not set, if it does not exist.
    ///
    /// # Errors
    /// Returns an error for a name that cannot be a file name, and the error of the file system.
    pub fn create(name: &str) -> io::Result<Self> {
        Self::create_in(&folder(), name)
    }

    /// Opens the event of that name. Returns `None` if no program holds it.
    ///
    /// # Errors
    /// As [`create`](Event::create).
    pub fn open(name: &str) -> io::Result<Option<Self>> {
        Self::open_in(&folder(), name)
    }

    fn create_in(folder: &Path, name: &str) -> io::Result<Self> {
        let path = folder.join(file_name(name)?);
        for _ in 0..ATTEMPTS_MAX {
            let file = match open(&path, false) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => match open(&path, true) {
                    // Another program has created it meanwhile.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                    made => made?,
                },
                found => found?,
            };
            if try_lock(&file)? {
                // New, or a leftover of a program that died.
                file.set_len(0)?;
                file.unlock()?;
            }
            if let Some(event) = Self::hold(file, &path)? {
                return Ok(event);
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    fn open_in(folder: &Path, name: &str) -> io::Result<Option<Self>> {
        let path = folder.join(file_name(name)?);
        for _ in 0..ATTEMPTS_MAX {
            let file = match open(&path, false) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                found => found?,
            };
            if try_lock(&file)? {
                if !is_at(&file, &path)? {
                    continue;
                }
                // A program that died cannot remove its file. A leftover of another user stays, and does no harm.
                let _ = std::fs::remove_file(&path);
                return Ok(None);
            }
            if let Some(event) = Self::hold(file, &path)? {
                return Ok(Some(event));
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Takes a shared lock. Returns `None` if the last holder has removed the file meanwhile.
    fn hold(file: File, path: &Path) -> io::Result<Option<Self>> {
        file.lock_shared()?;
        Ok(is_at(&file, path)?.then(|| Event { path: path.to_path_buf(), file }))
    }

    /// Sets the event. It stays set.
    ///
    /// # Errors
    /// Returns the error of the write.
    pub fn set(&self) -> io::Result<()> {
        self.file.write_all_at(&[SET], 0)
    }

    /// Returns whether the event is set.
    ///
    /// # Errors
    /// Returns the error of the read.
    pub fn is_set(&self) -> io::Result<bool> {
        let mut state = [0];
        Ok(self.file.read_at(&mut state, 0)? == 1 && state[0] == SET)
    }

    /// Waits until the event is set and returns true. Returns false if `stop` returns true first: it is called every
    /// 50 ms and after every signal.
    ///
    /// # Errors
    /// Returns the error of reading the event or of waiting for changes.
    pub fn wait(&self, mut stop: impl FnMut() -> bool) -> io::Result<bool> {
        let changes = Changes::of(&self.path).ok();
        loop {
            if self.is_set()? {
                return Ok(true);
            }
            if stop() {
                return Ok(false);
            }
            match &changes {
                Some(changes) => changes.wait(POLL_INTERVAL)?,
                None => std::thread::sleep(POLL_INTERVAL_WITHOUT_INOTIFY),
            }
        }
    }

    /// Waits like [`wait`](Event::wait), for at most `time`.
    ///
    /// # Errors
    /// As [`wait`](Event::wait).
    pub fn wait_timeout(&self, time: Duration) -> io::Result<bool> {
        let start = Instant::now();
        self.wait(|| start.elapsed() >= time)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // The last holder removes the file. A file that cannot be removed has no locks, and so is not an event.
        // Another holder may have removed it since the unlock. The path is then free or is a new event.
        if self.file.unlock().is_ok()
            && matches!(try_lock(&self.file), Ok(true))
            && matches!(is_at(&self.file, &self.path), Ok(true))
        {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns whether a path still names an open file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let held = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the folder of events. It is in memory: no event survives a reboot.
fn folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_path_buf() } else { PathBuf::from("/tmp") }
}

/// Returns the file name of an event. A slash in the name is escaped.
fn file_name(name: &str) -> io::Result<String> {
    const BYTES_MAX: usize = 255;
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, format!("event {name:?}: {why}")));
    let file = format!("diskspd-event-{}", name.replace('%', "%25").replace('/', "%2F"));
    if name.is_empty() {
        return refused("the name is empty");
    }
    if name.contains('\0') {
        return refused("the name contains a NUL byte");
    }
    if file.len() > BYTES_MAX {
        return refused("the name is too long");
    }
    Ok(file)
}

/// O_CREAT only for a new file: in sticky folders the kernel can refuse it for existing files of others.
fn open(path: &Path, make: bool) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(make)
        .mode(0o666)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} is not an event", path.display())));
    }
    Ok(file)
}

/// Takes the exclusive lock. Returns false if another holder has a lock.
fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Writes to a file, as inotify reports them.
struct Changes {
    notes: OwnedFd,
}

impl Changes {
    fn of(path: &Path) -> io::Result<Self> {
        let notes = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        inotify::add_watch(&notes, path, WatchFlags::MODIFY)?;
        Ok(Changes { notes })
    }

    /// Waits for a write for at most `time`. A signal ends the wait.
    fn wait(&self, time: Duration) -> io::Result<()> {
        match poll(&mut [PollFd::new(&self.notes, PollFlags::IN)], Timespec::try_from(time).ok().as_ref()) {
            Err(Errno::INTR) | Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        // The content is not needed, and reading nothing is fine.
        let _ = rustix::io::read(&self.notes, &mut [0u8; 1024]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn name(what: &str) -> String {
        format!("fathom-test-{}-{what}", std::process::id())
    }

    fn path_of(name: &str) -> PathBuf {
        folder().join(file_name(name).unwrap())
    }

    #[test]
    fn set_event_stays_set_until_the_last_holder_ends() {
        let name = name("set");
        assert!(Event::open(&name).unwrap().is_none());
        let one = Event::create(&name).unwrap();
        let other = Event::create(&name).unwrap();
        assert!(!one.wait_timeout(Duration::ZERO).unwrap());
        Event::open(&name).unwrap().unwrap().set().unwrap();
        assert!(one.is_set().unwrap() && other.wait_timeout(Duration::from_secs(9)).unwrap());
        drop(one);
        assert!(Event::create(&name).unwrap().is_set().unwrap(), "while a holder exists");
        drop(other);
        assert!(!path_of(&name).exists());
        assert!(!Event::create(&name).unwrap().is_set().unwrap(), "a new event is not set");
    }

    #[test]
    fn wait_ends_when_the_event_is_set_or_stop_returns_true() {
        let name = name("wait");
        let event = Event::create(&name).unwrap();
        let setter = Event::create(&name).unwrap();
        let waiter = std::thread::spawn(move || {
            assert!(event.wait(|| false).unwrap());
        });
        std::thread::sleep(Duration::from_millis(30));
        setter.set().unwrap();
        waiter.join().unwrap();
        let other = Event::create(&self::name("stop")).unwrap();
        let mut calls = 0;
        let stop = || {
            calls += 1;
            calls == 3
        };
        assert!(!other.wait(stop).unwrap());
    }

    #[test]
    fn scripts_can_set_events_and_leftovers_are_not_events() {
        let name = name("script");
        let path = path_of(&name);
        std::fs::write(&path, "1\n").unwrap();
        assert!(Event::open(&name).unwrap().is_none(), "no holder exists");
        assert!(!path.exists());
        std::fs::write(&path, "1\n").unwrap();
        let event = Event::create(&name).unwrap();
        assert!(!event.is_set().unwrap());
        std::fs::write(&path, "1\n").unwrap();
        assert!(event.is_set().unwrap());
    }

    #[test]
    fn event_names_are_not_paths() {
        assert_eq!(file_name("a/../b%").unwrap(), "diskspd-event-a%2F..%2Fb%25");
        assert_eq!(file_name("Global\\go").unwrap(), "diskspd-event-Global\\go");
        for bad in ["", "a\0b", &"x".repeat(300)] {
            assert_eq!(Event::create(bad).unwrap_err().kind(), io::ErrorKind::InvalidInput);
            assert!(Event::open(bad).is_err());
        }
        let name = name("folder");
        std::fs::create_dir(path_of(&name)).unwrap();
        assert!(Event::create(&name).is_err() && Event::open(&name).is_err());
        std::fs::remove_dir(path_of(&name)).unwrap();
    }

    #[test]
    fn concurrent_holders_share_one_event() {
        let name = name("race");
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let name = name.clone();
                std::thread::spawn(move || {
                    for _ in 0..200 {
                        let one = Event::create(&name).unwrap();
                        let other = Event::create(&name).unwrap();
                        one.set().unwrap();
                        assert!(other.is_set().unwrap());
                        assert!(Event::open(&name).unwrap().is_some_and(|found| found.is_set().unwrap()));
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(!path_of(&name).exists());
    }

    const CHILD: &str = "FATHOM_TEST_EVENT";

    /// The other process of the test below. It does nothing if it runs alone.
    #[test]
    fn child() {
        let Ok(name) = std::env::var(CHILD) else { return };
        let event = Event::create(&name).unwrap();
        println!("\nholding");
        assert!(event.wait_timeout(Duration::from_secs(240)).unwrap());
    }

    fn start_child(name: &str) -> Child {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "linux::event::tests::child", "--nocapture"])
            .env(CHILD, name)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "holding"));
        // The pipe must stay open and be read, or the child blocks.
        std::thread::spawn(move || lines.count());
        child
    }

    #[test]
    fn events_work_between_processes_and_end_with_them() {
        let name = name("processes");
        let mut child = start_child(&name);
        Event::open(&name).unwrap().expect("the child holds it").set().unwrap();
        assert!(child.wait().unwrap().success());
        assert!(Event::open(&name).unwrap().is_none());
        let mut child = start_child(&name);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(path_of(&name).exists(), "a killed program cannot clean up");
        assert!(Event::open(&name).unwrap().is_none(), "its event has ended");
    }
}
