//! Layouts on devices: of the test's own, or harmless ones.

use super::super::invalidate;
use super::{prepare, prepare_saying};
use crate::sample::{self, Scratch};
use os::file::{Kind, OpenOptions};
use plan::Amount;
use std::path::{Path, PathBuf};
use std::process::Command;

const MIB: u64 = 1 << 20;

/// A loop device over a file of the test's own.
struct Loop(PathBuf);

impl Loop {
    fn new(file: &Path, bytes: u64) -> Option<Self> {
        std::fs::File::create(file).and_then(|file| file.set_len(bytes)).expect("the scratch directory takes files");
        let made = Command::new("losetup").args(["--find", "--show"]).arg(file).output().ok()?;
        if !made.status.success() {
            eprintln!("SKIPPED: no loop device: {}", String::from_utf8_lossy(&made.stderr));
            return None;
        }
        Some(Loop(String::from_utf8_lossy(&made.stdout).trim().into()))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let done = Command::new("losetup").arg("--detach").arg(&self.0).status();
        assert!(done.is_ok_and(|status| status.success()), "{} stays", self.0.display());
    }
}

#[test]
fn a_block_device_says_its_size() {
    let scratch = Scratch::new("loop");
    let Some(device) = Loop::new(&scratch.file("image"), 3 * MIB) else { return };
    let worker = sample::worker("job", "randwrite", 4096, &[&device.0]);
    let (prepared, said) = prepare_saying(&worker);
    let target = prepared.unwrap().targets.remove(0);
    assert_eq!((target.kind, target.real_size, target.io_size), (Kind::Block, 3 * MIB, 3 * MIB));
    assert_eq!(said, Vec::<String>::new());
    let file = OpenOptions { read: true, ..OpenOptions::new() }.open(&device.0).unwrap();
    assert_eq!(invalidate(&file, &target), None);
}

#[test]
fn a_device_is_never_extended() {
    let scratch = Scratch::new("loop-size");
    let Some(device) = Loop::new(&scratch.file("image"), MIB) else { return };
    let mut worker = sample::worker("job", "read", 4096, &[&device.0]);
    worker.targets.extent.size = Some(Amount::Bytes(4 * MIB));
    let (prepared, said) = prepare_saying(&worker);
    let target = prepared.unwrap().targets.remove(0);
    assert_eq!((target.real_size, target.io_size, said.len()), (MIB, 4 * MIB, 0));
}

#[test]
fn a_device_without_a_medium_is_told_apart() {
    let scratch = Scratch::new("loop-empty");
    let Some(device) = Loop::new(&scratch.file("image"), 0) else { return };
    let error = prepare(&sample::worker("job", "read", 4096, &[&device.0])).unwrap_err();
    assert!(error.message.ends_with("that was never set up)"), "{}", error.message);
    assert!(error.message.contains("zero sized block device?"), "{}", error.message);
}

#[test]
fn a_character_device_needs_a_size() {
    let mut worker = sample::worker("job", "read", 4096, &[Path::new("/dev/zero")]);
    assert!(prepare(&worker).unwrap_err().message.starts_with("job: you need to specify size="));
    worker.targets.extent.size = Some(Amount::Bytes(MIB));
    let target = prepare(&worker).unwrap().targets.remove(0);
    assert_eq!((target.kind, target.real_size), (Kind::Char, MIB));
}

#[test]
fn engines_that_make_files_take_no_devices() {
    let mut worker = sample::worker("job", "write", 4096, &[Path::new("/dev/zero")]);
    worker.engine = plan::Engine::FileDelete;
    let error = prepare(&worker).unwrap_err();
    assert!(error.message.starts_with("fio: only files are supported"), "{}", error.message);
}
