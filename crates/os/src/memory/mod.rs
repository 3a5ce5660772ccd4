//! I/O buffers: one memory region with one slot per operation in flight.
//!
//! While an operation is in flight its slot belongs to the kernel. [`Buffers`], the engine's side, and the backend
//! share the states of the slots: a slot is free, or lent to one of the two. Safe code therefore cannot access a slot
//! that the kernel may write to.
//!
//! The memory lives as long as either side. If a backend is dropped with operations in flight (a device that never
//! completes them), the memory is never freed.

pub(crate) mod cache_lines;
pub mod limits;
// Only rings of Linux register buffers.
#[cfg(target_os = "linux")]
mod pieces;
mod spec;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::io::{Completion, Op};
use crate::system::memory::Region;
pub use crate::system::memory::page_size;
pub use spec::{MappedFile, MemoryKind, MemorySpec};

/// The engine's side of the buffers.
pub struct Buffers {
    region: Arc<Region>,
    states: Arc<[AtomicBool]>,
    stride: usize,
    bytes_each: usize,
}

impl Buffers {
    /// Allocates `count` zeroed buffers of `bytes_each` bytes. Each starts at a page, plus `spec.align`.
    ///
    /// # Errors
    /// Returns `OutOfMemory` if the size exceeds the address space, otherwise the error of the system call.
    pub fn new(count: u32, bytes_each: usize, spec: &MemorySpec) -> io::Result<Self> {
        let page = page_size();
        let stride = bytes_each.max(1).checked_next_multiple_of(page).ok_or_else(spec::too_large)?;
        let bytes = stride.checked_mul(count as usize).ok_or_else(spec::too_large)?;
        let region = Arc::new(Region::new(bytes.max(page), spec)?);
        let states = (0..count).map(|_| AtomicBool::new(false)).collect();
        Ok(Buffers { region, states, stride, bytes_each })
    }

    pub fn count(&self) -> u32 {
        u32::try_from(self.states.len()).unwrap_or(u32::MAX)
    }

    /// Returns the bytes of a slot.
    pub fn bytes_each(&self) -> usize {
        self.bytes_each
    }

    /// Returns the address of slot `slot`.
    pub fn slot(&self, slot: u32) -> *mut u8 {
        assert!((slot as usize) < self.states.len(), "slot {slot} of {}", self.states.len());
        // SAFETY: the region has `stride` bytes per slot, and the slot exists.
        unsafe { self.region.base().add(slot as usize * self.stride) }
    }

    /// Returns whether an operation on `slot` is in flight: submitted and not yet reaped.
    pub fn in_flight(&self, slot: u32) -> bool {
        self.states[slot as usize].load(Ordering::Acquire)
    }

    /// Returns the bytes of a slot that is not in flight. No operation can use the slot while they are borrowed.
    ///
    /// # Panics
    /// Panics if the slot is in flight or does not exist. Both are bugs of the caller.
    pub fn slot_mut(&mut self, slot: u32) -> SlotBytes<'_> {
        let start = self.slot(slot);
        let state = &self.states[slot as usize];
        assert!(!state.load(Ordering::Acquire), "slot {slot} is in flight");
        state.store(true, Ordering::Relaxed);
        // SAFETY: the slot is in the region, which `self` keeps alive and which was zeroed. It was free and is now
        // marked as lent, so no backend uses it. `&mut self` prevents a second loan here.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start, self.bytes_each) };
        SlotBytes { bytes, state }
    }

    /// Calls `fill` with the bytes of a slot that is not in flight.
    ///
    /// # Panics
    /// See [`slot_mut`](Self::slot_mut).
    pub fn fill<R>(&mut self, slot: u32, fill: impl FnOnce(&mut [u8]) -> R) -> R {
        fill(&mut self.slot_mut(slot))
    }

    /// Returns true if pages of the buffers' file were missing when they were accessed. The data in the buffers is lost.
    #[inline]
    pub fn have_lost_pages(&self) -> bool {
        self.region.has_lost_pages()
    }

    /// Does the same after an access to each page of the slots that are not in flight: a system call on a missing page fails with
    /// EFAULT, and that can have other causes.
    pub fn find_lost_pages(&mut self) -> bool {
        for slot in 0..self.count() {
            if !self.in_flight(slot) {
                let mut bytes = self.slot_mut(slot);
                bytes.iter_mut().step_by(page_size()).for_each(|byte| *byte = std::hint::black_box(*byte));
            }
            if self.have_lost_pages() {
                return true;
            }
        }
        false
    }

    /// Keeps the memory until the process ends, for a run with operations that never complete.
    pub fn leak(&self) {
        std::mem::forget(Arc::clone(&self.region));
    }

    /// Locks the memory into RAM (`mlock`).
    ///
    /// # Errors
    /// Returns the error of the system call, such as ENOMEM beyond the limit on locked memory.
    pub fn lock(&self) -> io::Result<()> {
        self.region.lock()
    }

    /// Returns the backend's side.
    pub(crate) fn slots(&self) -> Slots {
        Slots {
            base: self.region.base(),
            region: Arc::clone(&self.region),
            states: Arc::clone(&self.states),
            stride: self.stride,
            bytes_each: self.bytes_each,
            in_flight: 0,
        }
    }
}

/// The bytes of a free slot, lent to the engine.
pub struct SlotBytes<'a> {
    bytes: &'a mut [u8],
    state: &'a AtomicBool,
}

impl std::ops::Deref for SlotBytes<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes
    }
}

impl std::ops::DerefMut for SlotBytes<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        self.bytes
    }
}

impl Drop for SlotBytes<'_> {
    #[inline]
    fn drop(&mut self) {
        self.state.store(false, Ordering::Release);
    }
}

/// The backend's side of the buffers: lends slots to the kernel and takes them back.
pub struct Slots {
    base: *mut u8,
    region: Arc<Region>,
    states: Arc<[AtomicBool]>,
    stride: usize,
    bytes_each: usize,
    in_flight: usize,
}

// SAFETY: the address is that of the region, which outlives all slots. The states are atomic, and nothing is bound to a
// thread.
unsafe impl Send for Slots {}

impl Slots {
    /// Returns the same memory for an inner backend, with separate slot states. The inner backend may use only slots
    /// that are lent to this one.
    pub(crate) fn nested(&self) -> Slots {
        Slots {
            base: self.base,
            region: Arc::clone(&self.region),
            states: self.states.iter().map(|_| AtomicBool::new(false)).collect(),
            stride: self.stride,
            bytes_each: self.bytes_each,
            in_flight: 0,
        }
    }

    /// Returns the number of slots.
    pub fn count(&self) -> usize {
        self.states.len()
    }

    /// Returns the bytes of a slot.
    #[cfg(target_os = "linux")]
    pub(crate) fn bytes_each(&self) -> usize {
        self.bytes_each
    }

    /// Returns the number of slots in flight.
    #[inline]
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Marks the slot of the operation as the kernel's. Returns the address of its data.
    ///
    /// # Errors
    /// There is no such slot, it is in flight, or it is shorter than the operation.
    #[inline]
    pub fn start(&mut self, op: &Op) -> io::Result<*mut u8> {
        let at = op.slot as usize;
        let Some(state) = self.states.get(at) else {
            return Err(crate::io::misuse("operation on a slot that does not exist"));
        };
        if state.load(Ordering::Acquire) {
            return Err(crate::io::misuse("operation on a slot that is in flight"));
        }
        let mut skip = 0;
        if op.kind.moves_data() {
            let fits = |skip: &usize| *skip <= self.bytes_each && op.len as usize <= self.bytes_each - skip;
            let Some(within) = usize::try_from(op.skip).ok().filter(fits) else {
                return Err(crate::io::misuse("operation longer than its slot"));
            };
            skip = within;
        }
        state.store(true, Ordering::Release);
        self.in_flight += 1;
        // SAFETY: the slot exists, and `skip` is less than its size.
        Ok(unsafe { self.base.add(at * self.stride + skip) })
    }

    /// Returns the data of an operation in flight.
    ///
    /// # Errors
    /// Its slot is not in flight, or shorter than the operation.
    pub fn data(&mut self, op: &Op) -> io::Result<&mut [u8]> {
        let (at, len) = (op.slot as usize, op.len as usize);
        let is_in_flight = self.states.get(at).is_some_and(|state| state.load(Ordering::Acquire));
        let fits = |skip: &usize| skip.checked_add(len).is_some_and(|end| end <= self.bytes_each);
        let Some(skip) = usize::try_from(op.skip).ok().filter(|skip| is_in_flight && fits(skip)) else {
            return Err(crate::io::misuse("data of a slot that is not in flight"));
        };
        // SAFETY: the range is in the slot. The slot is in flight, so only this backend uses it.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.base.add(at * self.stride + skip), len) })
    }

    /// Takes a slot back from the kernel.
    #[inline]
    pub fn finish(&mut self, slot: u32) {
        let state = &self.states[slot as usize];
        debug_assert!(state.load(Ordering::Relaxed), "slot {slot} finished twice");
        state.store(false, Ordering::Release);
        self.in_flight -= 1;
    }

    /// Moves at most `max` of the oldest completions from `done` to `out`, and takes their slots back.
    pub fn finish_all(&mut self, done: &mut Vec<Completion>, max: usize, out: &mut Vec<Completion>) {
        for completion in done.iter().take(max) {
            self.finish(completion.slot);
        }
        crate::io::move_oldest(done, max, out);
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        if self.in_flight > 0 {
            std::mem::forget(Arc::clone(&self.region));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Kind;

    fn all_kinds() -> impl Iterator<Item = (MemorySpec, Buffers)> {
        use MemoryKind::{Malloc, Mmap, MmapHuge, MmapShared, Shm, ShmHuge};
        [Malloc, Shm, ShmHuge, Mmap, MmapShared, MmapHuge].into_iter().filter_map(|kind| {
            let spec = MemorySpec { kind, ..MemorySpec::default() };
            match Buffers::new(5, 3000, &spec) {
                Ok(buffers) => Some((spec, buffers)),
                Err(error) => {
                    eprintln!("SKIPPED {kind:?}: {error}");
                    let is_unsupported = error.kind() == io::ErrorKind::Unsupported;
                    assert!(is_unsupported || matches!(kind, ShmHuge | MmapHuge), "{kind:?}: {error}");
                    None
                }
            }
        })
    }

    #[test]
    fn every_kind_gives_zeroed_slots_on_pages_that_don_t_overlap() {
        for (spec, mut buffers) in all_kinds() {
            assert_eq!((buffers.count(), buffers.bytes_each()), (5, 3000));
            for slot in 0..5 {
                assert_eq!(buffers.slot(slot) as usize % page_size(), 0, "{spec:?}");
                assert!(buffers.slot_mut(slot).iter().all(|byte| *byte == 0), "{spec:?}");
                buffers.fill(slot, |bytes| bytes.fill(slot as u8 + 1));
            }
            for slot in 0..5 {
                assert!(buffers.slot_mut(slot).iter().all(|byte| *byte == slot as u8 + 1), "{spec:?}");
            }
        }
    }

    #[test]
    fn alignment_shifts_every_slot() {
        let buffers = Buffers::new(3, 4096, &MemorySpec { align: 512, ..MemorySpec::default() }).unwrap();
        assert!((0..3).all(|slot| buffers.slot(slot) as usize % page_size() == 512));
    }

    // Buffers in a file are refused on Windows.
    #[cfg(target_os = "linux")]
    #[test]
    fn mapped_file_is_created_and_removed_unless_it_existed() {
        let path = std::env::temp_dir().join(format!("fathom-os-buffers-{}", std::process::id()));
        for kind in [MemoryKind::Mmap, MemoryKind::MmapShared] {
            use crate::file::{Folder, OpenOptions};
            let folder = Folder::hold(&std::env::temp_dir()).unwrap();
            let name = std::path::PathBuf::from(path.file_name().unwrap());
            let mapped = |created: bool| {
                let options = OpenOptions { read: true, write: true, create: created, ..OpenOptions::new() };
                let file = options.open(&path).unwrap();
                let created = created.then(|| (folder.clone(), name.clone()));
                MemorySpec { kind, file: Some(MappedFile { file, created }), ..MemorySpec::default() }
            };
            let spec = mapped(true);
            let mut buffers = Buffers::new(2, 4096, &spec).unwrap();
            buffers.fill(1, |bytes| bytes.fill(1));
            assert!(path.exists());
            drop(buffers);
            assert!(!path.exists());
            std::fs::write(&path, vec![7; 100_000]).unwrap();
            drop(Buffers::new(2, 4096, &mapped(false)).unwrap());
            assert_eq!(std::fs::metadata(&path).unwrap().len(), 100_000, "a file is never cut");
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn oversized_buffers_are_an_error() {
        assert!(Buffers::new(u32::MAX, usize::MAX, &MemorySpec::default()).is_err());
        assert!(Buffers::new(u32::MAX, 1 << 40, &MemorySpec::default()).is_err());
        assert!(Buffers::new(1, usize::MAX, &MemorySpec::default()).is_err());
        assert_eq!(Buffers::new(0, 0, &MemorySpec::default()).unwrap().count(), 0);
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn data_behind_4_gib_of_a_slot_is_within_it() {
        let spec = MemorySpec { kind: MemoryKind::Mmap, ..MemorySpec::default() };
        let Ok(buffers) = Buffers::new(1, 5 << 30, &spec) else { return eprintln!("SKIPPED: no address space") };
        let mut slots = buffers.slots();
        let rest = Op { kind: Kind::Read, ioprio: 0, file: 0, slot: 0, len: 1 << 30, skip: 4 << 30, offset: 0 };
        assert!(slots.start(&Op { len: (1 << 30) + 1, ..rest }).is_err());
        assert!(slots.start(&Op { skip: u64::MAX, ..rest }).is_err());
        assert_eq!(slots.start(&rest).unwrap() as usize, buffers.slot(0) as usize + (4 << 30));
        slots.finish(0);
    }

    #[test]
    fn slots_in_flight_keep_the_memory() {
        let buffers = Buffers::new(2, 4096, &MemorySpec::default()).unwrap();
        let mut slots = buffers.slots();
        let op = Op { kind: Kind::Read, ioprio: 0, file: 0, slot: 1, len: 4096, skip: 0, offset: 0 };
        let data = slots.start(&op).unwrap();
        drop(buffers);
        drop(slots);
        // SAFETY: the memory is still lent to the operation in flight.
        unsafe { data.write_volatile(1) };
    }

    #[test]
    #[should_panic(expected = "in flight")]
    fn slot_in_flight_cannot_be_borrowed() {
        let mut buffers = Buffers::new(1, 4096, &MemorySpec::default()).unwrap();
        let mut slots = buffers.slots();
        slots.start(&Op { kind: Kind::Read, ioprio: 0, file: 0, slot: 0, len: 1, skip: 0, offset: 0 }).unwrap();
        buffers.slot_mut(0);
    }
}
