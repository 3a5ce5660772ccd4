//! Layouts on devices: of the test's own, or harmless ones.

use super::super::invalidate;
use super::{laid_out, laid_out_with_messages};
use crate::goal::Length;
use crate::sample::{self, Loop, Scratch};
use os::file::{Kind, OpenOptions};
use plan::Amount;
use std::path::Path;

const MIB: u64 = 1 << 20;

#[test]
fn a_block_device_says_its_size() {
    let scratch = Scratch::new("loop");
    let Some(device) = Loop::new(&scratch.file("image"), 3 * MIB, &[]) else { return };
    let worker = sample::worker("job", "randwrite", 4096, &[device.path()]);
    let (done, messages) = laid_out_with_messages(&worker);
    let target = done.unwrap().targets.remove(0);
    assert_eq!((target.kind, target.real_size, target.io_size), (Kind::Block, Some(3 * MIB), Length::Bytes(3 * MIB)));
    assert_eq!(messages, Vec::<String>::new());
    let file = OpenOptions { read: true, ..OpenOptions::new() }.open(device.path()).unwrap();
    invalidate(&file, &target).unwrap();
}

#[test]
fn a_device_is_never_extended() {
    let scratch = Scratch::new("loop-size");
    let Some(device) = Loop::new(&scratch.file("image"), MIB, &[]) else { return };
    let mut worker = sample::worker("job", "read", 4096, &[device.path()]);
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(4 * MIB));
    let (done, messages) = laid_out_with_messages(&worker);
    let target = done.unwrap().targets.remove(0);
    assert_eq!((target.real_size, target.io_size, messages.len()), (Some(MIB), Length::Bytes(4 * MIB), 0));
}

#[test]
fn a_device_without_a_medium_has_its_own_error() {
    let scratch = Scratch::new("loop-empty");
    let Some(device) = Loop::new(&scratch.file("image"), 0, &[]) else { return };
    let error = laid_out(&sample::worker("job", "read", 4096, &[device.path()])).unwrap_err();
    assert!(fio::wording::error(&error).ends_with("that was never set up)"), "{error:?}");
    assert!(fio::wording::error(&error).contains("zero sized block device?"), "{error:?}");
}

#[test]
fn a_character_device_needs_a_size() {
    let mut worker = sample::worker("job", "read", 4096, &[Path::new("/dev/zero")]);
    assert!(fio::wording::error(&laid_out(&worker).unwrap_err()).starts_with("job: you need to specify size="));
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(MIB));
    let target = laid_out(&worker).unwrap().targets.remove(0);
    assert_eq!((target.kind, target.real_size), (Kind::Char, Some(MIB)));
}

#[test]
fn engines_that_make_files_take_no_devices() {
    let mut worker = sample::worker("job", "write", 4096, &[Path::new("/dev/zero")]);
    worker.engine = plan::Engine::FileDelete;
    let error = laid_out(&worker).unwrap_err();
    assert!(fio::wording::error(&error).starts_with("only files are supported"), "{error:?}");
}
