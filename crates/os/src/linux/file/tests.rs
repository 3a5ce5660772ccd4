//! Files: opening, status, space, page cache, creation, unwritten ranges.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::file::{Advice, FileCreator, StatCall, Written};
use crate::memory::page_size;

/// A temporary folder of one test, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fathom-os-file-{}-{name}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn read_write() -> OpenOptions {
    OpenOptions { read: true, write: true, create: true, ..OpenOptions::new() }
}

/// `/proc` has the flags that the kernel keeps for a descriptor, in octal.
#[test]
fn each_option_of_an_open_is_a_flag_of_the_descriptor() {
    let folder = Folder::new("flags");
    let path = folder.0.join("a");
    let flags = |options: OpenOptions| {
        let file = options.open(&path).unwrap();
        let about = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", file.descriptor().as_raw_fd())).unwrap();
        let flags = about.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
        i32::from_str_radix(flags.trim(), 8).unwrap() & (libc::O_SYNC | libc::O_DSYNC | libc::O_DIRECT | libc::O_APPEND)
    };
    assert_eq!(flags(read_write()), 0);
    assert_eq!(flags(OpenOptions { sync: true, ..read_write() }), libc::O_SYNC);
    assert_eq!(flags(OpenOptions { dsync: true, ..read_write() }), libc::O_DSYNC);
    assert_eq!(flags(OpenOptions { append: true, ..read_write() }), libc::O_APPEND);
}

#[test]
fn preallocation_sets_length_and_blocks() {
    let folder = Folder::new("allocate");
    let path = folder.0.join("a");
    let size = |file: &File| file.size().unwrap().unwrap();
    for how in ["grow", "keep", "touch", "hole"] {
        let file = OpenOptions { truncate: true, ..read_write() }.open(&path).unwrap();
        let result = match how {
            "grow" | "keep" => file.allocate(0, 1 << 20, how == "keep"),
            "touch" => file.allocate_or_write(0, 1 << 20),
            _ => file.set_size(1 << 20),
        };
        match result {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                eprintln!("SKIPPED {how}: not supported by this file system");
                continue;
            }
            result => result.unwrap(),
        }
        let found = stat(&path, StatCall::Stat).unwrap();
        assert_eq!(size(&file), if how == "keep" { 0 } else { 1 << 20 }, "{how}");
        assert_eq!(found.allocated >= 1 << 20, how != "hole", "{how}: {}", found.allocated);
        file.set_size(100).unwrap();
        assert_eq!(size(&file), 100);
    }
}

#[test]
#[cfg_attr(miri, ignore = "it compares with answers of the kernel")]
fn every_call_gives_the_same_status() {
    let folder = Folder::new("status");
    let path = folder.0.join("a");
    read_write().open(&path).unwrap().write_at(b"12345", 0).unwrap();
    let status = stat(&path, StatCall::Stat).unwrap();
    assert_eq!((status.kind, status.bytes), (Kind::Regular, 5));
    assert_eq!(status, stat(&path, StatCall::Statx).unwrap());
    assert_eq!(status, stat(&path, StatCall::Lstat).unwrap());
    assert_eq!(stat(&folder.0, StatCall::Statx).unwrap().kind, Kind::Directory);
    assert!(!is_dax(&path).unwrap(), "this would take persistent memory");
    assert_eq!(stat(Path::new("/dev/null"), StatCall::Stat).unwrap().is_device, (1, 3));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(stat(&path, StatCall::Stat).unwrap_err().raw_os_error(), Some(libc::ENOENT));
}

#[test]
fn advice_invalidation_and_syncs_succeed() {
    let folder = Folder::new("cache");
    let file = read_write().open(&folder.0.join("a")).unwrap();
    file.write_at(&[7; 8192], 0).unwrap();
    for advice in [Advice::Random, Advice::Sequential, Advice::NoReuse, Advice::Normal] {
        file.advise(advice, 0, None).unwrap();
    }
    file.fsync().unwrap();
    file.invalidate_cache(0, Some(8192)).unwrap();
    assert_eq!(space::discard(file.raw(), false, 0, 4096), 0);
    let mut bytes = [1; 8192];
    assert_eq!(file.read_at(&mut bytes, 0).unwrap(), 8192);
    assert!(bytes[..4096].iter().all(|byte| *byte == 0) && bytes[4096..].iter().all(|byte| *byte == 7));
}

#[test]
fn open_errors_have_a_cause_and_nul_bytes_do_not_panic() {
    let folder = Folder::new("errors");
    let read = OpenOptions { read: true, ..OpenOptions::new() };
    assert_eq!(read.open(&folder.0.join("a")).unwrap_err().raw_os_error(), Some(libc::ENOENT));
    assert!(read.open(Path::new("a\0b")).is_err());
    let twice = OpenOptions { exclusive: true, ..read_write() };
    twice.open(&folder.0.join("a")).unwrap();
    assert_eq!(twice.open(&folder.0.join("a")).unwrap_err().raw_os_error(), Some(libc::EEXIST));
    assert_eq!(read.open(Path::new("/dev/zero")).unwrap().size().unwrap(), None);
}

fn making(content: &mut dyn FnMut(u64, &mut [u8]), stop: &AtomicBool, path: &Path, bytes: u64) -> io::Result<Vec<u64>> {
    let mut progress = Vec::new();
    let file = OpenOptions { write: true, create: true, truncate: true, ..OpenOptions::new() }.open(path)?;
    FileCreator { content, stop, progress: &mut |done| progress.push(done) }.fill(&file, bytes)?;
    Ok(progress)
}

fn counting(_: u64, chunk: &mut [u8]) {
    chunk.iter_mut().enumerate().for_each(|(at, byte)| *byte = at as u8);
}

#[test]
fn file_creation_writes_all_bytes_and_leaves_none_in_the_cache() {
    let folder = Folder::new("make");
    let path = folder.0.join("a");
    let go_on = AtomicBool::new(false);
    for bytes in [0, 1, 4095, 4096, 1 << 20, (3 << 20) + 5000] {
        std::fs::write(&path, vec![0xee; 5 << 20]).unwrap();
        let progress = making(&mut counting, &go_on, &path, bytes).unwrap();
        assert_eq!(progress.last().copied().unwrap_or(0), bytes);
        assert!(progress.is_sorted());
        let found = std::fs::read(&path).unwrap();
        assert_eq!(found.len() as u64, bytes);
        assert!(found.iter().enumerate().all(|(at, byte)| *byte == at as u8), "{bytes}");
        assert_eq!(written(&path, 0..u64::MAX).unwrap(), Written::Known { bytes_unwritten: 0, first: None });
    }
    making(&mut counting, &go_on, &path, 3 << 20).unwrap();
    let file = OpenOptions { read: true, write: true, ..OpenOptions::new() }.open(&path).unwrap();
    match cached_bytes(&file, 0, u64::MAX) {
        0 => {}
        bytes if bytes == 3 << 20 => eprintln!("SKIPPED: this file system keeps its pages"),
        bytes => panic!("{bytes} bytes are still in the cache"),
    }
}

#[test]
fn file_creation_stops_and_returns_errors() {
    let folder = Folder::new("stop");
    let path = folder.0.join("a");
    let stop = AtomicBool::new(false);
    let mut stop_at_second = |at: u64, chunk: &mut [u8]| {
        chunk.fill(1);
        stop.store(at > 0, std::sync::atomic::Ordering::Relaxed);
    };
    let error = making(&mut stop_at_second, &stop, &path, 8 << 20).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    // Larger than any file system.
    assert!(making(&mut counting, &AtomicBool::new(false), &path, 1 << 60).is_err());
}

#[test]
fn symbolic_link_stays_and_its_target_is_replaced() {
    let folder = Folder::new("link");
    let (link, path) = (folder.0.join("link"), folder.0.join("a"));
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let go_on = AtomicBool::new(false);
    for bytes in [10, 20] {
        making(&mut counting, &go_on, &link, bytes).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(stat(&path, StatCall::Lstat).unwrap().bytes, bytes);
    }
}

/// A file of four pieces of 64 KiB: written, hole, preallocated, preallocated and written.
fn write_file_with_holes(path: &Path) -> File {
    const PIECE: u64 = 64 << 10;
    let file = read_write().open(path).unwrap();
    file.write_at(&vec![1; PIECE as usize], 0).unwrap();
    file.set_size(4 * PIECE).unwrap();
    file.allocate(2 * PIECE, 2 * PIECE, false).unwrap();
    file.write_at(&vec![1; PIECE as usize], 3 * PIECE).unwrap();
    file
}

fn holes(path: &Path, from: u64, to: u64) -> (u64, Option<Range<u64>>) {
    match written(path, from..to).unwrap() {
        Written::Known { bytes_unwritten, first } => (bytes_unwritten, first),
        Written::Unknown => panic!("{}: no report of unwritten bytes", path.display()),
    }
}

fn check_holes_in(folder: &Path) {
    const PIECE: u64 = 64 << 10;
    let path = folder.join("write_file_with_holes");
    let file = write_file_with_holes(&path);
    assert_eq!(holes(&path, 0, u64::MAX), (2 * PIECE, Some(PIECE..3 * PIECE)), "{}", path.display());
    // Checking an unwritten range must not write it.
    let mut bytes = vec![1; 4 * PIECE as usize];
    assert_eq!(file.read_at(&mut bytes, 0).unwrap() as u64, 4 * PIECE);
    assert_eq!(holes(&path, 0, u64::MAX).0, 2 * PIECE, "{}", path.display());
    assert_eq!(holes(&path, PIECE + 4096, 2 * PIECE), (PIECE - 4096, Some(PIECE + 4096..2 * PIECE)));
    assert_eq!(holes(&path, 0, PIECE), (0, None));
    assert_eq!(holes(&path, 3 * PIECE, 9 * PIECE), (0, None));
    assert_eq!(holes(&path, 9 * PIECE, u64::MAX), (0, None));
    let go_on = AtomicBool::new(false);
    let made = (2 << 20) + 5000;
    making(&mut counting, &go_on, &folder.join("made"), made).unwrap();
    assert_eq!(holes(&folder.join("made"), 0, made), (0, None));
    std::fs::remove_file(folder.join("made")).unwrap();
    file.set_size(0).unwrap();
    file.set_size(PIECE).unwrap();
    assert_eq!(holes(&path, 0, PIECE), (PIECE, Some(0..PIECE)));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn holes_and_preallocated_blocks_are_unwritten_on_disk_and_tmpfs() {
    let folder = Folder::new("holes");
    check_holes_in(&folder.0);
    let memory = PathBuf::from(format!("/dev/shm/fathom-os-file-{}", std::process::id()));
    if std::fs::create_dir(&memory).is_err() {
        eprintln!("SKIPPED: no /dev/shm");
        return;
    }
    let memory = Folder(memory);
    check_holes_in(&memory.0);
}

fn call(program: &str, arguments: &[&str]) -> bool {
    std::process::Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

#[test]
fn holes_are_unwritten_on_xfs_and_btrfs() {
    for (make, options) in [("mkfs.xfs", "-q"), ("mkfs.btrfs", "-q")] {
        let folder = Folder::new(make);
        let (image, at) = (folder.0.join("image"), folder.0.join("at"));
        read_write().open(&image).unwrap().set_size(512 << 20).unwrap();
        std::fs::create_dir(&at).unwrap();
        let (image, at) = (image.to_str().unwrap(), at.to_str().unwrap());
        if !call(make, &[options, image]) || !call("mount", &["-o", "loop", image, at]) {
            eprintln!("SKIPPED: no {make} to be had or mounted here");
            continue;
        }
        let found = std::panic::catch_unwind(|| check_holes_in(Path::new(at)));
        assert!(call("umount", &[at]));
        found.unwrap();
    }
}

#[test]
fn zram_reports_unwritten_bytes() {
    use crate::linux::io::block_tests::{DEVICE_BLOCKS, Zram};
    let Some(zram) = Zram::new() else { return };
    let device = read_write().open(&zram.path()).unwrap();
    let size = device.size().unwrap().unwrap();
    assert_eq!(size, DEVICE_BLOCKS * 4096);
    assert_eq!(holes(&zram.path(), 0, u64::MAX), (size, Some(0..size)));
    device.write_at(&vec![3; 40960], 8192).unwrap();
    assert_eq!(holes(&zram.path(), 0, u64::MAX), (size - 40960, None));
    assert_eq!(holes(&zram.path(), 0, 40960), (0, None));
}

#[test]
fn loop_device_reports_the_holes_of_its_backing_file() {
    let folder = Folder::new("loop");
    let path = folder.0.join("image");
    let file = write_file_with_holes(&path);
    let output = std::process::Command::new("losetup").args(["--find", "--show", "-o", "65536"]).arg(&path).output();
    let name = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string()).unwrap_or_default();
    if name.is_empty() {
        eprintln!("SKIPPED: no loop device");
        return;
    }
    let found = (holes(Path::new(&name), 0, u64::MAX), holes(Path::new(&name), 131_072, u64::MAX));
    assert!(call("losetup", &["--detach", &name]));
    assert_eq!(found, ((131_072, Some(0..131_072)), (0, None)));
    drop(file);
    assert_eq!(written(Path::new("/dev/zero"), 0..4096).unwrap(), Written::Unknown);
    assert_eq!(written(&folder.0, 0..4096).unwrap(), Written::Unknown);
    assert!(written(&folder.0.join("none"), 0..1).is_err());
}

/// Returns the bytes of a range that are in the page cache, in whole pages (`cachestat(2)`, since Linux 6.5).
fn cached_bytes(file: &File, offset: u64, bytes: u64) -> u64 {
    const SYS_CACHESTAT: libc::c_long = 451;
    let (range, mut found) = ([offset, bytes], [0u64; 5]);
    // SAFETY: the kernel reads two numbers and fills five. Both arrays live.
    let returned = unsafe { libc::syscall(SYS_CACHESTAT, file.raw(), &range, &mut found, 0) };
    check_call(returned).unwrap();
    found[0] * page_size() as u64
}

#[test]
fn an_invalidated_file_is_read_again_without_readahead() {
    let folder = Folder::new("resident");
    let file = OpenOptions { read: true, write: true, create: true, ..OpenOptions::new() };
    let file = file.open(&folder.0.join("a")).unwrap();
    let bytes = 256 * page_size();
    file.write_at(&vec![1; bytes], 0).unwrap();
    file.fsync().unwrap();
    assert_eq!(cached_bytes(&file, 0, u64::MAX), bytes as u64);
    file.invalidate_cache(0, None).unwrap();
    if cached_bytes(&file, 0, u64::MAX) == bytes as u64 {
        return eprintln!("SKIPPED: this file system keeps its pages");
    }
    assert_eq!(cached_bytes(&file, 0, u64::MAX), 0);
    file.advise(Advice::Random, 0, None).unwrap();
    assert_eq!(file.read_at(&mut [0; 8192], 40960).unwrap(), 8192);
    assert_eq!(cached_bytes(&file, 40960, 8192), 8192);
    assert!(cached_bytes(&file, 0, u64::MAX) < bytes as u64);
}
