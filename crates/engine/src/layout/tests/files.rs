//! Layouts of regular files.

use super::super::lay_out::lay_out_in;
use super::super::site::Site;
use super::super::{invalidate, pre_read, unlink};
use super::sharing::units_random;
use super::{DATA, laid_out, laid_out_with_messages, seeds};
use crate::fault::PrepareError;
use crate::goal::Length;
use crate::sample::{self, Scratch};
use crate::zones::ZoneTables;
use os::file::OpenOptions;
use plan::{Amount, Engine, Fallocate, StatCall, Worker};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use targets::HeldTargets;

const MIB: u64 = 1 << 20;

fn job(rw: &str, path: &Path, bytes: u64) -> Worker {
    let mut worker = sample::worker("job", rw, 4096, &[path]);
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(bytes));
    worker
}

#[test]
fn a_file_to_be_read_is_made_of_real_data() {
    let scratch = Scratch::new("read-data");
    let path = scratch.file("f");
    let (done, messages) = laid_out_with_messages(&job("read", &path, MIB + 4096));
    assert_eq!(std::fs::read(&path).unwrap(), vec![DATA; MIB as usize + 4096]);
    assert_eq!(messages, ["job: Laying out IO file (1 file / 1MiB)"]);
    let done = done.unwrap();
    assert_eq!((done.pass, done.targets[0].real_size), (Length::Bytes(MIB + 4096), Some(MIB + 4096)));
}

#[test]
fn a_file_to_be_written_only_gets_its_space() {
    let scratch = Scratch::new("write-space");
    for (mode, size, has_blocks) in [
        (Fallocate::None, 0, false),
        (Fallocate::Native, MIB, true),
        (Fallocate::Posix, MIB, true),
        (Fallocate::Keep, 0, true),
        (Fallocate::Truncate, MIB, false),
    ] {
        let path = scratch.file(&format!("{mode:?}"));
        let mut worker = job("write", &path, MIB);
        worker.job_mut().unwrap().targets.create.fallocate = mode;
        laid_out(&worker).unwrap();
        let state = std::fs::metadata(&path).unwrap();
        assert_eq!((state.len(), state.blocks() >= MIB / 512), (size, has_blocks), "{mode:?}");
    }
}

#[test]
fn what_is_already_large_enough_is_left_alone() {
    let scratch = Scratch::new("large-enough");
    let path = scratch.file("f");
    std::fs::write(&path, vec![7; 2 * MIB as usize]).unwrap();
    for rw in ["read", "write", "randrw"] {
        let (done, messages) = laid_out_with_messages(&job(rw, &path, MIB));
        done.unwrap();
        assert_eq!(messages, Vec::<String>::new());
        assert_eq!(std::fs::read(&path).unwrap(), vec![7; 2 * MIB as usize]);
    }
}

#[test]
fn no_layout_makes_a_file_shorter_or_changes_a_byte() {
    let scratch = Scratch::new("never-shorter");
    let mut random = units_random();
    let sizes = [0u64, 1, 511, 4096, 70_000, MIB];
    for round in 0..200 {
        let path = scratch.file(&format!("f{round}"));
        let before: Vec<u8> = (0..sizes[random() as usize % 6]).map(|at| (at % 251) as u8).collect();
        std::fs::write(&path, &before).unwrap();
        let rw = ["read", "write", "rw", "randwrite", "trimwrite"][random() as usize % 5];
        let mut worker = sample::worker("job", rw, [512, 4096][random() as usize % 2], &[&path]);
        worker.engine = [
            Engine::Psync,
            Engine::Mmap { thp: false },
            Engine::Falloc,
            Engine::FileStat(StatCall::Stat),
            Engine::Null,
            Engine::FileDelete,
        ][random() as usize % 6]
            .clone();
        let extent = &mut worker.job_mut().unwrap().targets.extent;
        extent.size = [None, Some(Amount::Bytes(sizes[random() as usize % 6])), Some(Amount::Percent(50.0))]
            [random() as usize % 3];
        extent.offset = [Amount::Bytes(0), Amount::Bytes(sizes[random() as usize % 6]), Amount::Percent(30.0)]
            [random() as usize % 3];
        extent.append = random() & 1 == 1;
        worker.job_mut().unwrap().targets.file_size =
            [None, Some((4096, 70_000)), Some((MIB, MIB))][random() as usize % 3];
        let create = &mut worker.job_mut().unwrap().targets.create;
        create.overwrite = random() & 1 == 1;
        create.on_open = random() & 1 == 1;
        create.fallocate = [Fallocate::None, Fallocate::Native, Fallocate::Posix, Fallocate::Keep, Fallocate::Truncate]
            [random() as usize % 5];
        let outcome = laid_out(&worker);
        let after = std::fs::read(&path).unwrap();
        assert!(after.starts_with(&before), "round {round}: {} to {} bytes, {outcome:?}", before.len(), after.len());
    }
}

#[test]
fn a_stopped_layout_puts_back_what_was_there() {
    let scratch = Scratch::new("stopped");
    for before in [None, Some(vec![1u8; 5000])] {
        let path = scratch.file("f");
        if let Some(bytes) = &before {
            std::fs::write(&path, bytes).unwrap();
        }
        let stop = AtomicBool::new(false);
        let mut blocks = 0;
        let worker = job("read", &path, 16 * MIB);
        let mut site = Site {
            readonly: false,
            targets: &HeldTargets::default(),
            stop: &stop,
            say: &mut |_| {},
            fill: &mut |_| {
                blocks += 1;
                stop.store(blocks > 1000, Ordering::Relaxed);
            },
            seeds: &seeds(&worker),
            zones: &ZoneTables::default(),
        };
        assert_eq!(lay_out_in(worker.job().unwrap(), &mut site).err(), Some(PrepareError::Stopped));
        assert_eq!(std::fs::read(&path).ok(), before);
    }
}

#[test]
fn a_full_file_system_is_an_error_in_fios_words_and_keeps_its_space() {
    let scratch = Scratch::new("full");
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1M", "tmpfs"])
        .arg(scratch.path())
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        eprintln!("SKIPPED: a small file system needs the right to mount");
        return;
    }
    let path = scratch.file("f");
    let outcome = std::panic::catch_unwind(|| {
        let mut worker = job("read", &path, 4 * MIB);
        worker.job_mut().unwrap().targets.create.fallocate = Fallocate::None;
        let error = laid_out(&worker).unwrap_err();
        assert!(fio::wording::error(&error).starts_with("ENOSPC on laying out file, stopping"), "{error:?}");
        assert_eq!((error.errno, path.exists()), (os::errno::ENOSPC, false));
        worker.job_mut().unwrap().targets.extent.size = None;
        worker.job_mut().unwrap().targets.extent.fill_device = true;
        let done = laid_out(&worker).unwrap();
        assert_eq!(done.targets[0].real_size, Some(std::fs::metadata(&path).unwrap().len()));
        assert_eq!((done.pass, done.targets[0].io_size), (Length::Bytes(MIB), Length::Bytes(MIB)));
    });
    let unmounted = std::process::Command::new("umount").arg(scratch.path()).status();
    assert!(unmounted.is_ok_and(|status| status.success()), "{} stays mounted", scratch.path().display());
    outcome.unwrap();
}

#[test]
fn creation_that_is_not_allowed_is_refused() {
    let scratch = Scratch::new("not-allowed");
    let path = scratch.file("sub/f");
    let mut worker = job("read", &path, MIB);
    worker.job_mut().unwrap().targets.create.allowed = false;
    let error = laid_out(&worker).unwrap_err();
    assert!(fio::wording::error(&error).starts_with("file creation disallowed by allow_file_create=0"), "{error:?}");
    assert!(!scratch.file("sub").exists());
}

#[test]
fn a_readonly_run_extends_nothing() {
    let scratch = Scratch::new("readonly");
    let path = scratch.file("f");
    let worker = job("read", &path, MIB);
    let mut site = Site {
        readonly: true,
        targets: &HeldTargets::default(),
        stop: &AtomicBool::new(false),
        say: &mut |_| {},
        fill: &mut |_| {},
        seeds: &seeds(&worker),
        zones: &ZoneTables::default(),
    };
    let error = super::failed(lay_out_in(worker.job().unwrap(), &mut site)).unwrap_err();
    assert!(fio::wording::error(&error).starts_with("refusing extend of file due to read-only"), "{error:?}");
    assert!(!path.exists());
}

#[test]
fn directories_on_the_way_are_made_for_all_files() {
    let scratch = Scratch::new("directories");
    let (first, second) = (scratch.file("a/b/f"), scratch.file("c/f"));
    let mut worker = sample::worker("job", "write", 4096, &[&first, &second]);
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(MIB));
    let (done, messages) = laid_out_with_messages(&worker);
    done.unwrap();
    assert_eq!(messages, ["job: Laying out IO files (2 files / total 1MiB)"]);
    assert!(first.is_file() && second.is_file());
}

#[test]
fn files_made_when_opened_are_not_made_before() {
    let scratch = Scratch::new("on-open");
    let path = scratch.file("f");
    let mut worker = job("write", &path, MIB);
    worker.job_mut().unwrap().targets.create.on_open = true;
    let done = laid_out(&worker).unwrap();
    assert_eq!((done.targets[0].real_size, path.exists()), (Some(MIB), false));
}

#[test]
fn every_file_below_a_directory_becomes_a_target() {
    let scratch = Scratch::new("opendir");
    std::fs::create_dir_all(scratch.file("d/e")).unwrap();
    for name in ["d/one", "d/e/two"] {
        std::fs::write(scratch.file(name), vec![0; 8192]).unwrap();
    }
    std::os::unix::fs::symlink(scratch.file("d/one"), scratch.file("d/link")).unwrap();
    let mut worker = sample::worker("job", "read", 4096, &[Path::new("job.0.0")]);
    worker.job_mut().unwrap().targets.generated = true;
    worker.job_mut().unwrap().targets.opendir = Some(scratch.file("d").to_str().unwrap().into());
    let (done, messages) = laid_out_with_messages(&worker);
    let done = done.unwrap();
    let mut names: Vec<_> = done.targets.iter().map(|target| target.path.file_name().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!((names, done.pass), (vec!["one".into(), "two".into()], Length::Bytes(16384)));
    assert_eq!(messages, ["fio: opendir added 2 files"]);
}

#[test]
fn what_no_job_can_do_io_on_is_refused_by_name() {
    let scratch = Scratch::new("refused");
    let pipe = scratch.file("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _listener = std::os::unix::net::UnixListener::bind(scratch.file("socket")).unwrap();
    for (path, what) in [
        (pipe, "it is a pipe"),
        (scratch.file("socket"), "it is a socket"),
        (scratch.path().to_path_buf(), "it is a directory"),
        ("-".into(), "it is the standard input or output"),
    ] {
        let error = laid_out(&job("read", &path, MIB)).unwrap_err();
        let start = format!("job: failed to get file size of {}", path.display());
        assert!(
            fio::wording::error(&error).starts_with(&start) && fio::wording::error(&error).contains(what),
            "{error:?}"
        );
    }
}

#[test]
fn metadata_engines_get_the_files_that_they_work_on() {
    let scratch = Scratch::new("metadata-files");
    let paths = [scratch.file("f0"), scratch.file("f1")];
    for (engine, rw, exists, pass) in [
        (Engine::FileCreate, "write", false, 8192),
        (Engine::FileStat(StatCall::Stat), "read", true, 8192),
        (Engine::FileDelete, "write", true, 8192),
        (Engine::DirCreate, "write", false, 8192),
        (Engine::DirDelete, "write", true, 8192),
    ] {
        let mut worker = sample::worker("job", rw, 4096, &[&paths[0], &paths[1]]);
        worker.job_mut().unwrap().targets.file_size = Some((4096, 4096));
        worker.engine = engine.clone();
        let done = laid_out(&worker).unwrap();
        assert_eq!((paths[0].exists(), done.pass), (exists, Length::Bytes(pass)), "{engine:?}");
        unlink(&worker, &done.targets, &HeldTargets::default()).unwrap();
        assert!(!paths[0].exists() && !paths[1].exists(), "{engine:?}");
    }
}

#[test]
fn the_cache_is_filled_and_emptied() {
    let scratch = Scratch::new("cache");
    let path = scratch.file("f");
    let target = laid_out(&job("read", &path, MIB)).unwrap().targets.remove(0);
    pre_read(&target, &HeldTargets::default(), &AtomicBool::new(false)).unwrap();
    let file = OpenOptions { read: true, ..OpenOptions::new() }.open(&path).unwrap();
    invalidate(&file, &target).unwrap();
    std::fs::write(&path, [0; 10]).unwrap();
    let error = pre_read(&target, &HeldTargets::default(), &AtomicBool::new(false)).unwrap_err();
    assert!(fio::wording::error(&error).starts_with("cannot pre-read"), "{error:?}");
}
