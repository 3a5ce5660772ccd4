//! I/O buffers: one region of memory, cut into a slot for each operation that may be in flight.
//!
//! While an operation is in flight its slot belongs to the kernel. The slots' states are shared between [`Buffers`],
//! which the engine fills and reads through, and the back end, which hands them out: a slot is free, or lent to one of
//! the two. So safe code can't reach a slot that the kernel may be writing to. The memory itself lives as long as either of them, and for ever if a back end
//! is dropped while operations are still in flight (a device that never answers).

pub(crate) mod cache_lines;
mod region;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::io::{Completion, Op};
use region::Region;
pub(crate) use region::c_path;
pub use region::{MemoryKind, MemorySpec, page_size};

/// The engine's side of the buffers.
pub struct Buffers {
    region: Arc<Region>,
    states: Arc<[AtomicBool]>,
    stride: usize,
    bytes_each: usize,
}

impl Buffers {
    /// `count` zeroed buffers of `bytes_each`, each at the start of a page (moved on by `spec.align` where given).
    pub fn new(count: u32, bytes_each: usize, spec: &MemorySpec) -> io::Result<Self> {
        let page = page_size();
        let too_big = || io::Error::new(io::ErrorKind::OutOfMemory, "I/O buffers larger than the address space");
        let stride = bytes_each.max(1).checked_next_multiple_of(page).ok_or_else(too_big)?;
        let bytes = stride.checked_mul(count as usize).ok_or_else(too_big)?;
        let region = Arc::new(Region::new(bytes.max(page), spec)?);
        let states = (0..count).map(|_| AtomicBool::new(false)).collect();
        Ok(Buffers { region, states, stride, bytes_each })
    }

    pub fn count(&self) -> u32 {
        self.states.len() as u32
    }

    /// Bytes in each slot.
    pub fn bytes_each(&self) -> usize {
        self.bytes_each
    }

    /// Where slot `slot` lies; for what only needs the address.
    pub fn slot(&self, slot: u32) -> *mut u8 {
        assert!((slot as usize) < self.states.len(), "slot {slot} of {}", self.states.len());
        // SAFETY: the region holds `stride` bytes for each of the slots, and the slot was checked.
        unsafe { self.region.base().add(slot as usize * self.stride) }
    }

    /// True while an operation on `slot` is in flight: submitted and not yet reaped.
    pub fn in_flight(&self, slot: u32) -> bool {
        self.states[slot as usize].load(Ordering::Acquire)
    }

    /// The bytes of a slot that isn't in flight. No operation can be submitted on it while they are held.
    ///
    /// # Panics
    /// If the slot is in flight or doesn't exist: both are errors in the caller's bookkeeping, not in any input.
    pub fn slot_mut(&mut self, slot: u32) -> SlotBytes<'_> {
        let start = self.slot(slot);
        let state = &self.states[slot as usize];
        assert!(!state.load(Ordering::Acquire), "slot {slot} is in flight");
        state.store(true, Ordering::Relaxed);
        // SAFETY: the slot lies inside the region, which `self` keeps alive and which was zeroed at its birth. It was
        // free and is now marked as lent, so no back end takes it; `&mut self` keeps it from being lent here twice.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start, self.bytes_each) };
        SlotBytes { bytes, state }
    }

    /// Gives the bytes of a slot that isn't in flight to `fill`.
    ///
    /// # Panics
    /// As [`slot_mut`](Self::slot_mut).
    pub fn fill<R>(&mut self, slot: u32, fill: impl FnOnce(&mut [u8]) -> R) -> R {
        fill(&mut self.slot_mut(slot))
    }

    /// Keeps the memory for the rest of the process: for a run that leaves stuck operations behind.
    pub fn leak(&self) {
        std::mem::forget(Arc::clone(&self.region));
    }

    /// Locks the memory into RAM.
    pub fn lock(&self) -> io::Result<()> {
        self.region.lock()
    }

    /// The back end's side.
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

/// A free slot's bytes, lent to the engine.
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

/// The back end's side of the buffers: lends slots to the kernel and takes them back.
pub(crate) struct Slots {
    base: *mut u8,
    region: Arc<Region>,
    states: Arc<[AtomicBool]>,
    stride: usize,
    bytes_each: usize,
    in_flight: usize,
}

// SAFETY: the address is that of the region, which lives as long as any of its slots; the states are atomic. Nothing is
// bound to a thread.
unsafe impl Send for Slots {}

impl Slots {
    /// The same memory for a back end that works on behalf of this one, with books of its own: what it may touch is
    /// what has been lent to this one.
    pub(crate) fn beneath(&self) -> Slots {
        Slots {
            base: self.base,
            region: Arc::clone(&self.region),
            states: self.states.iter().map(|_| AtomicBool::new(false)).collect(),
            stride: self.stride,
            bytes_each: self.bytes_each,
            in_flight: 0,
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.states.len()
    }

    /// How many slots are out.
    #[inline]
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Marks the operation's slot as the kernel's and gives the address of its data.
    #[inline]
    pub(crate) fn start(&mut self, op: &Op) -> io::Result<*mut u8> {
        let at = op.slot as usize;
        let Some(state) = self.states.get(at) else {
            return Err(crate::io::misuse("operation on a slot that doesn't exist"));
        };
        if state.load(Ordering::Acquire) {
            return Err(crate::io::misuse("operation on a slot that is in flight"));
        }
        let mut skip = 0;
        if op.kind.moves_data() {
            skip = op.skip as usize;
            if skip + op.len as usize > self.bytes_each {
                return Err(crate::io::misuse("operation longer than its slot"));
            }
        }
        state.store(true, Ordering::Release);
        self.in_flight += 1;
        // SAFETY: the slot exists and `skip` lies inside it.
        Ok(unsafe { self.base.add(at * self.stride + skip) })
    }

    /// Takes a slot back from the kernel.
    #[inline]
    pub(crate) fn finish(&mut self, slot: u32) {
        let state = &self.states[slot as usize];
        debug_assert!(state.load(Ordering::Relaxed), "slot {slot} finished twice");
        state.store(false, Ordering::Release);
        self.in_flight -= 1;
    }

    /// Moves at most `max` of the oldest `done` to `out` and takes their slots back.
    pub(crate) fn finish_all(&mut self, done: &mut Vec<Completion>, max: usize, out: &mut Vec<Completion>) {
        let count = max.min(done.len());
        for completion in &done[..count] {
            self.finish(completion.slot);
        }
        out.extend(done.drain(..count));
    }

    /// The whole region cut into pieces of at most `most` bytes at slot borders: address and length of each, and how
    /// many slots lie in one.
    pub(crate) fn pieces(&self, most: usize) -> (Vec<libc::iovec>, usize) {
        let per_piece = (most / self.stride).max(1);
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < self.count() {
            let slots = per_piece.min(self.count() - at);
            // SAFETY: `at` is below the number of slots.
            let base = unsafe { self.base.add(at * self.stride) };
            pieces.push(libc::iovec { iov_base: base.cast(), iov_len: slots * self.stride });
            at += slots;
        }
        (pieces, per_piece)
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
                    assert!(matches!(kind, ShmHuge | MmapHuge), "{kind:?}: {error}");
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
    fn an_alignment_moves_every_slot_on() {
        let buffers = Buffers::new(3, 4096, &MemorySpec { align: 512, ..MemorySpec::default() }).unwrap();
        assert!((0..3).all(|slot| buffers.slot(slot) as usize % page_size() == 512));
    }

    #[test]
    fn a_mapped_file_is_made_and_removed_or_kept_if_it_was_there() {
        let path = std::env::temp_dir().join(format!("fathom-os-buffers-{}", std::process::id()));
        for kind in [MemoryKind::Mmap, MemoryKind::MmapShared] {
            let spec = MemorySpec { kind, file: Some(path.clone()), ..MemorySpec::default() };
            let mut buffers = Buffers::new(2, 4096, &spec).unwrap();
            buffers.fill(1, |bytes| bytes.fill(1));
            assert!(path.exists());
            drop(buffers);
            assert!(!path.exists());
            std::fs::write(&path, vec![7; 100_000]).unwrap();
            drop(Buffers::new(2, 4096, &spec).unwrap());
            assert_eq!(std::fs::metadata(&path).unwrap().len(), 100_000, "a file is never cut");
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn no_size_is_too_large_for_an_error() {
        assert!(Buffers::new(u32::MAX, usize::MAX, &MemorySpec::default()).is_err());
        assert!(Buffers::new(u32::MAX, 1 << 40, &MemorySpec::default()).is_err());
        assert!(Buffers::new(1, usize::MAX, &MemorySpec::default()).is_err());
        assert_eq!(Buffers::new(0, 0, &MemorySpec::default()).unwrap().count(), 0);
    }

    #[test]
    fn slots_that_are_out_keep_the_memory_when_both_sides_are_gone() {
        let buffers = Buffers::new(2, 4096, &MemorySpec::default()).unwrap();
        let mut slots = buffers.slots();
        let op = Op { kind: Kind::Read, ioprio: 0, file: 0, slot: 1, len: 4096, skip: 0, offset: 0 };
        let data = slots.start(&op).unwrap();
        drop(buffers);
        drop(slots);
        // SAFETY: the memory was left to the operation that is still out.
        unsafe { data.write_volatile(1) };
    }

    #[test]
    fn pieces_cover_all_slots_at_their_borders() {
        let buffers = Buffers::new(5, 4096, &MemorySpec::default()).unwrap();
        let (pieces, slots_per_piece) = buffers.slots().pieces(9000);
        assert_eq!(slots_per_piece, 2);
        assert_eq!(pieces.iter().map(|piece| piece.iov_len).collect::<Vec<_>>(), [8192, 8192, 4096]);
        assert_eq!(pieces[1].iov_base.cast::<u8>(), buffers.slot(2));
    }

    #[test]
    #[should_panic(expected = "in flight")]
    fn a_slot_that_is_out_can_t_be_had() {
        let mut buffers = Buffers::new(1, 4096, &MemorySpec::default()).unwrap();
        let mut slots = buffers.slots();
        slots.start(&Op { kind: Kind::Read, ioprio: 0, file: 0, slot: 0, len: 1, skip: 0, offset: 0 }).unwrap();
        buffers.slot_mut(0);
    }
}
