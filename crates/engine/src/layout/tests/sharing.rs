//! The arithmetic, without files.

use super::super::sizes::{Found, Shares, share_out};
use crate::engine_flags::EngineFlags;
use crate::goal::Goal;
use crate::goal::Length::{self, Bytes, ToEnd};
use crate::sample;
use crate::target::LaidOut;
use os::file::Kind;
use plan::{Amount, Engine, Worker};
use record::RunError;
use std::path::Path;

const MIB: u64 = 1 << 20;

fn worker() -> Worker {
    sample::worker("job", "read", 4096, &[Path::new("f")])
}

fn shares(worker: &Worker, found: &[Found]) -> Result<Shares, RunError> {
    share_out(worker.job().unwrap(), EngineFlags::of(&worker.engine), found, &mut || 0.5)
}

fn file(bytes: u64) -> Found {
    Found { kind: Kind::Regular, bytes: Some(bytes) }
}

fn lengths(shares: &Shares) -> Vec<Length> {
    shares.files.iter().map(|share| share.io_size).collect()
}

fn device(bytes: u64) -> Found {
    Found { kind: Kind::Block, bytes: Some(bytes) }
}

#[test]
fn without_a_size_the_target_says_it() {
    let shares = shares(&worker(), &[device(7 * MIB)]).unwrap();
    assert_eq!((shares.pass, shares.files[0].io_size), (Bytes(7 * MIB), Bytes(7 * MIB)));
}

#[test]
fn nothing_that_says_the_size_is_an_error_in_fios_words() {
    let error = shares(&worker(), &[file(0)]).unwrap_err();
    assert!(fio::wording::error(&error).starts_with("job: you need to specify size="), "{error:?}");
    assert_eq!((error.errno, &*fio::wording::call(&error)), (os::errno::EINVAL, "total_file_size"));
}

#[test]
fn a_character_device_takes_the_jobs_size() {
    let mut worker = worker();
    let zero = Found { kind: Kind::Char, bytes: None };
    assert!(shares(&worker, &[zero]).is_err());
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(MIB));
    let shares = shares(&worker, &[zero]).unwrap();
    assert_eq!((shares.files[0].real_size, shares.files[0].extend), (Some(MIB), false));
}

#[test]
fn what_division_leaves_over_goes_to_the_first_files() {
    let mut worker = sample::worker("job", "read", 1, &[]);
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(11));
    let shares = shares(&worker, &[file(0); 4]).unwrap();
    assert_eq!(lengths(&shares), [3, 3, 3, 2].map(Bytes));
}

#[test]
fn a_percentage_of_the_size_is_cut_to_whole_blocks() {
    let mut worker = worker();
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Percent(33.0));
    let shares = shares(&worker, &[device(MIB)]).unwrap();
    assert_eq!(shares.pass, Bytes(MIB * 33 / 100 / 4096 * 4096));
}

#[test]
fn a_percentage_of_a_huge_device_is_exact() {
    let mut worker = worker();
    let huge = (1 << 60) + 4096;
    worker.job_mut().unwrap().targets.extent.offset = Amount::Percent(50.0);
    let shares = shares(&worker, &[device(huge)]).unwrap();
    assert_eq!(shares.files[0].offset, (huge / 2).next_multiple_of(4096));
}

#[test]
fn io_size_in_percent_shortens_the_pass() {
    let mut worker = worker();
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(MIB));
    worker.job_mut().unwrap().targets.extent.io_size = Some(Amount::Percent(50.0));
    let shares = shares(&worker, &[file(0)]).unwrap();
    assert_eq!((shares.pass, shares.io_size_bytes, shares.files[0].io_size), (Bytes(MIB / 2), None, Bytes(MIB)));
}

#[test]
fn io_size_in_bytes_counts_for_each_loop() {
    let mut worker = worker();
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(MIB));
    worker.job_mut().unwrap().targets.extent.io_size = Some(Amount::Bytes(3 * MIB));
    worker.limits.loops = 2;
    let shares = shares(&worker, &[file(0)]).unwrap();
    assert_eq!((shares.pass, shares.io_size_bytes), (Bytes(MIB), Some(3 * MIB)));
    let mut laid_out = LaidOut { pass: shares.pass, io_size_bytes: shares.io_size_bytes, ..LaidOut::default() };
    assert_eq!((laid_out.goal(&worker.limits), laid_out.exceeds_pass()), (Goal::Bytes(6 * MIB), true));
    worker.limits.time_based = true;
    assert_eq!((laid_out.goal(&worker.limits), laid_out.exceeds_pass()), (Goal::ByTime, true));
    laid_out.io_size_bytes = None;
    assert_eq!((laid_out.goal(&worker.limits), laid_out.exceeds_pass()), (Goal::ByTime, false));
}

#[test]
fn clones_start_where_the_one_before_ends() {
    let mut worker = worker();
    worker.clone = 3;
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(MIB));
    worker.job_mut().unwrap().targets.extent.offset_increment = Amount::Bytes(MIB);
    let shares = shares(&worker, &[file(0)]).unwrap();
    assert_eq!((shares.files[0].offset, shares.files[0].real_size), (3 * MIB, Some(4 * MIB)));
}

#[test]
fn an_offset_in_percent_goes_up_to_the_next_block_or_alignment() {
    let mut worker = worker();
    worker.job_mut().unwrap().targets.extent.offset = Amount::Percent(33.0);
    assert_eq!(shares(&worker, &[device(MIB)]).unwrap().files[0].offset, (MIB * 33 / 100).next_multiple_of(4096));
    worker.job_mut().unwrap().targets.extent.offset_align_bytes = 65536;
    assert_eq!(shares(&worker, &[device(MIB)]).unwrap().files[0].offset, (MIB * 33 / 100).next_multiple_of(65536));
}

#[test]
fn an_offset_beyond_the_target_is_refused() {
    let mut worker = worker();
    worker.job_mut().unwrap().targets.extent.offset = Amount::Bytes(2 * MIB);
    let error = shares(&worker, &[device(MIB)]).unwrap_err();
    assert!(fio::wording::error(&error).starts_with("job: you need to specify valid offset="), "{error:?}");
}

#[test]
fn a_part_smaller_than_a_block_is_refused() {
    let mut worker = worker();
    worker.job_mut().unwrap().targets.extent.offset = Amount::Bytes(MIB - 512);
    let error = shares(&worker, &[device(MIB)]).unwrap_err();
    assert!(fio::wording::error(&error).starts_with("blocksize is larger than data set range"), "{error:?}");
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(512));
    let error = shares(&worker, &[device(MIB)]).unwrap_err();
    let expected = "size too small, must not be less than minimum block size: 512 < 4096";
    assert!(fio::wording::error(&error).starts_with(expected), "{error:?}");
}

#[test]
fn file_sizes_are_drawn_between_the_bounds_in_whole_blocks() {
    let mut worker = worker();
    worker.job_mut().unwrap().targets.file_size = Some((MIB, 2 * MIB));
    let shares = shares(&worker, &[file(0), file(MIB + 512)]).unwrap();
    assert_eq!(lengths(&shares), [MIB * 3 / 2, MIB + 512].map(Bytes));
    assert_eq!(shares.pass, Bytes(MIB * 5 / 2 + 512));
}

#[test]
fn append_starts_at_the_end() {
    let mut worker = worker();
    worker.job_mut().unwrap().targets.extent.append = true;
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(MIB));
    let share = shares(&worker, &[file(5000)]).unwrap().files[0];
    assert_eq!((share.offset, share.real_size, share.extend), (5000, Some(5000 + MIB), true));
}

#[test]
fn fill_device_ends_at_the_end_of_a_device_and_nowhere_in_a_file() {
    let mut worker = sample::worker("job", "write", 4096, &[]);
    worker.job_mut().unwrap().targets.extent.fill_device = true;
    let share = shares(&worker, &[device(MIB)]).unwrap().files[0];
    assert_eq!((share.io_size, share.real_size), (ToEnd, Some(MIB)));
    let share = shares(&worker, &[file(0)]).unwrap().files[0];
    assert_eq!((share.io_size, share.real_size, share.extend), (ToEnd, None, true));
}

#[test]
fn engines_without_a_disk_lay_nothing_out() {
    let mut worker = worker();
    worker.engine = Engine::Null;
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(MIB));
    let shares = shares(&worker, &[Found { kind: Kind::Regular, bytes: None }]).unwrap();
    assert_eq!((shares.files[0].real_size, shares.files[0].extend, shares.pass), (Some(MIB), false, Bytes(MIB)));
}

#[test]
fn no_numbers_make_it_panic() {
    let mut random = units_random();
    let amounts = [0, 1, 511, 4096, MIB, u64::MAX / 2, u64::MAX - 1, u64::MAX];
    let mut pick = move || amounts[(random() % 8) as usize];
    for _ in 0..20_000 {
        let mut worker = worker();
        let extent = &mut worker.job_mut().unwrap().targets.extent;
        extent.size = [None, Some(Amount::Bytes(pick())), Some(Amount::Percent(37.5))][pick() as usize % 3];
        extent.io_size = [None, Some(Amount::Bytes(pick())), Some(Amount::Percent(99.0))][pick() as usize % 3];
        extent.offset = [Amount::Bytes(pick()), Amount::Percent(50.0)][pick() as usize % 2];
        extent.offset_increment = [Amount::Bytes(pick()), Amount::Percent(10.0)][pick() as usize % 2];
        extent.offset_align_bytes = pick();
        extent.fill_device = pick() & 1 == 1;
        worker.clone = pick() as u32;
        worker.job_mut().unwrap().targets.file_size = [None, Some((pick(), pick()))][pick() as usize % 2];
        worker.job_mut().unwrap().access.block.min_bytes = plan::PerDdir::all(pick());
        worker.limits.loops = pick() as u32;
        let found: Vec<_> = (0..pick() % 5).map(|_| [file(pick()), device(pick())][pick() as usize % 2]).collect();
        if let Ok(shares) = shares(&worker, &found) {
            for (share, found) in shares.files.iter().zip(&found) {
                assert!(
                    !share.extend || share.real_size.is_none() || share.real_size > found.bytes,
                    "{share:?} of {found:?}"
                );
            }
        }
    }
}

/// A small generator with a fixed seed, so that a failure can be had again.
pub(super) fn units_random() -> impl FnMut() -> u64 {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    }
}
