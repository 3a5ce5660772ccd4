//! The last I/Os of a disk, in which slow I/Os of a job are found again.

use std::collections::VecDeque;

use plan::Ddir;
use record::SlowIo;

use crate::io::{Flags, Io, Operation, SECTOR_BYTES};

/// Most I/Os of a window.
const IOS_MAX: usize = 1 << 20;
/// An I/O of the kernel begins and ends within the one of the job. The clocks are the same; this is for their resolution.
const TOLERANCE_NS: u64 = 2_000;
/// Longest time in the queue of a request that later I/Os are merged into.
const IN_QUEUE_NS_MAX: u64 = 100_000_000;

/// Where a slow I/O is on its disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// First sector of 512 bytes.
    Sector(u64),
    /// It is not known: times and length must suffice.
    Unknown,
}

/// The life of a slow I/O in the kernel. Times are those of `CLOCK_MONOTONIC`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Life {
    pub start_ns: u64,
    pub issued_ns: u64,
    pub completed_ns: u64,
    /// It was a part of a larger request.
    pub is_merged: bool,
    pub is_split: bool,
    /// The kernel submitted it after the call of the job: it had held it back.
    pub is_held_back: bool,
}

/// An I/O, and whether a thread of the kernel submitted it.
#[derive(Clone, Copy)]
struct Kept {
    io: Io,
    is_of_kernel: bool,
}

/// I/Os of a disk in the order of their starts.
#[derive(Default)]
pub struct Window {
    /// `CLOCK_MONOTONIC` at time 0 of the I/Os.
    zero_ns: u64,
    ios: VecDeque<Kept>,
}

impl Window {
    pub fn new(zero_ns: u64) -> Window {
        Window { zero_ns, ios: VecDeque::new() }
    }

    /// Adds an I/O. `is_of_kernel`: a thread of the kernel submitted it.
    pub fn add(&mut self, io: Io, is_of_kernel: bool) {
        if self.ios.len() >= IOS_MAX {
            self.ios.pop_front();
        }
        self.ios.push_back(Kept { io, is_of_kernel });
    }

    /// Forgets I/Os that completed before a time.
    pub fn forget_before(&mut self, at_ns: u64) {
        let is_old = |io: &Io| io.completed_ns.is_none_or(|ns| self.zero_ns + io.start_ns + ns < at_ns);
        let old = self.ios.iter().take_while(|kept| is_old(&kept.io)).count();
        self.ios.drain(..old);
    }

    /// Finds the life of a slow I/O. Of a split one it is the part that completed last.
    pub fn find(&self, io: &SlowIo, place: Place) -> Option<Life> {
        let sectors = u64::from(io.bytes).div_ceil(SECTOR_BYTES);
        let until_ns = io.reaped_ns.saturating_add(TOLERANCE_NS);
        let mut last: Option<Life> = None;
        let mut parts = 0;
        for kept in self.started(io.submitted_ns.saturating_sub(TOLERANCE_NS), until_ns, io.ddir) {
            let found = &kept.io;
            let fits = match place {
                Place::Sector(first) => found.sector < first.saturating_add(sectors) && first < found.end(),
                Place::Unknown => u64::from(found.sectors) == sectors,
            };
            let Some(life) = self.life(kept).filter(|life| fits && life.completed_ns <= until_ns) else { continue };
            parts += u32::from(place != Place::Unknown && u64::from(found.sectors) < sectors);
            let is_merged = u64::from(found.sectors) > sectors;
            let life = Life { is_merged, ..life };
            // The completion of an I/O without a place is the one closest to its end.
            last = last.filter(|last| last.completed_ns >= life.completed_ns).or(Some(life));
        }
        let last = last.map(|life| Life { is_split: parts > 1, ..life });
        last.or_else(|| self.merged(io, place, sectors))
    }

    /// Finds the earlier request that an I/O was merged into. It was not issued yet when the I/O was submitted.
    fn merged(&self, io: &SlowIo, place: Place, sectors: u64) -> Option<Life> {
        let Place::Sector(first) = place else { return None };
        let until_ns = io.reaped_ns.saturating_add(TOLERANCE_NS);
        let earlier = self.started(io.submitted_ns.saturating_sub(IN_QUEUE_NS_MAX), io.submitted_ns, io.ddir);
        let has_it = |kept: &&Kept| kept.io.sector <= first && first.saturating_add(sectors) <= kept.io.end();
        let larger = earlier.filter(has_it).filter(|kept| u64::from(kept.io.sectors) > sectors);
        let lives = larger.filter_map(|kept| self.life(kept));
        let fits = |life: &Life| life.issued_ns >= io.submitted_ns && life.completed_ns <= until_ns;
        let found = lives.filter(fits).max_by_key(|life| life.completed_ns)?;
        Some(Life { start_ns: io.submitted_ns, is_merged: true, ..found })
    }

    /// Returns the I/Os of a direction that started within a time.
    fn started(&self, from_ns: u64, until_ns: u64, ddir: Ddir) -> impl Iterator<Item = &Kept> {
        let begin = self.ios.partition_point(|kept| self.zero_ns + kept.io.start_ns < from_ns);
        let started = self.ios.range(begin..).take_while(move |kept| self.zero_ns + kept.io.start_ns <= until_ns);
        started.filter(move |kept| kept.io.operation == operation(ddir))
    }

    fn life(&self, Kept { io, is_of_kernel }: &Kept) -> Option<Life> {
        let start_ns = self.zero_ns + io.start_ns;
        let completed_ns = start_ns.saturating_add(io.completed_ns.filter(|_| !io.flags.has(Flags::FAILED))?);
        let issued_ns = start_ns.saturating_add(io.issued_ns.unwrap_or(0)).min(completed_ns);
        let (is_merged, is_split, is_held_back) = (false, false, *is_of_kernel);
        Some(Life { start_ns, issued_ns, completed_ns, is_merged, is_split, is_held_back })
    }
}

fn operation(ddir: Ddir) -> Operation {
    match ddir {
        Ddir::Read => Operation::Read,
        Ddir::Write => Operation::Write,
        Ddir::Trim => Operation::Discard,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: u64 = 1_000_000;

    fn io(start_ns: u64, sector: u64, sectors: u32, completed_ns: u64) -> Io {
        Io {
            start_ns,
            operation: Operation::Read,
            flags: Flags::default(),
            sector,
            sectors,
            inserted_ns: None,
            issued_ns: Some(10),
            completed_ns: Some(completed_ns),
            program: None,
        }
    }

    fn slow(from_ns: u64, until_ns: u64, bytes: u32) -> SlowIo {
        let (submitted_ns, reaped_ns) = (ZERO + from_ns, ZERO + until_ns);
        SlowIo { ddir: Ddir::Read, file: 0, offset: 0, bytes, submitted_ns, reaped_ns, own_ns: 0 }
    }

    fn window(ios: &[Io]) -> Window {
        let mut window = Window::new(ZERO);
        ios.iter().for_each(|io| window.add(*io, false));
        window
    }

    #[test]
    fn an_io_is_found_by_its_sectors_and_times() {
        // The same place before and after, and another place at the same time.
        let window =
            window(&[io(1000, 8, 8, 500), io(20_000, 64, 8, 500), io(20_100, 8, 8, 7000), io(90_000, 8, 8, 9)]);
        let found = window.find(&slow(20_000, 28_000, 4096), Place::Sector(8)).unwrap();
        assert_eq!(
            (found.start_ns, found.issued_ns, found.completed_ns),
            (ZERO + 20_100, ZERO + 20_110, ZERO + 27_100)
        );
        assert!(!found.is_merged && !found.is_split);
        assert_eq!(window.find(&slow(20_000, 28_000, 4096), Place::Sector(16)), None);
        assert_eq!(window.find(&slow(40_000, 48_000, 4096), Place::Sector(8)), None);
    }

    #[test]
    fn merged_and_split_ios_are_recognised() {
        let window = window(&[io(10_000, 0, 64, 900), io(50_000, 8, 8, 900), io(50_010, 16, 8, 5000)]);
        assert!(window.find(&slow(9_000, 12_000, 4096), Place::Sector(8)).unwrap().is_merged);
        let split = window.find(&slow(49_000, 60_000, 8192), Place::Sector(8)).unwrap();
        assert!(split.is_split && split.completed_ns == ZERO + 55_010, "the last part counts");
    }

    #[test]
    fn an_io_that_was_merged_into_an_earlier_request_is_found() {
        // It waits in the queue for 5 µs. An I/O of 4 KiB is merged into it after 3 µs.
        let request = Io { issued_ns: Some(5000), ..io(10_000, 0, 64, 90_000) };
        let window = window(&[request]);
        let found = window.find(&slow(13_000, 101_000, 4096), Place::Sector(8)).unwrap();
        assert!(found.is_merged);
        let times = (found.start_ns, found.issued_ns, found.completed_ns);
        assert_eq!(times, (ZERO + 13_000, ZERO + 15_000, ZERO + 100_000));
        assert_eq!(window.find(&slow(16_000, 101_000, 4096), Place::Sector(8)), None, "it was issued before");
        assert_eq!(window.find(&slow(13_000, 101_000, 4096), Place::Sector(60)), None, "it has not all of the I/O");
    }

    #[test]
    fn without_a_place_the_length_and_the_end_decide() {
        let window = window(&[io(10_000, 0, 16, 9000), io(11_000, 80, 8, 500), io(11_000, 800, 8, 6000)]);
        let found = window.find(&slow(10_000, 18_000, 4096), Place::Unknown).unwrap();
        assert_eq!(found.completed_ns, ZERO + 17_000);
    }

    #[test]
    fn old_ios_are_forgotten() {
        let mut window = window(&[io(0, 0, 8, 10), io(5, 0, 8, 10_000), io(6, 0, 8, 1)]);
        window.forget_before(ZERO + 5000);
        assert_eq!(window.ios.len(), 2, "an I/O that is needed keeps the later ones");
    }
}
