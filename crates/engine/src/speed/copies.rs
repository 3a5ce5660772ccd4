//! Speed of copies of memory.

use std::hint::black_box;

use super::{rate, warm_up};

/// Memory that one pass copies.
const MEMORY_BYTES: usize = 32 << 20;
/// Bytes of one figure.
const TOTAL_BYTES: usize = 64 * MEMORY_BYTES;
/// Sizes of the copies.
pub const COPY_SIZES: [usize; 11] = [8, 16, 96, 128, 256, 512, 2048, 8192, 131_072, 262_144, 524_288];
/// Copies from this size on are byte by byte in [`CopyMethod::Hybrid`].
const HYBRID_BYTES: usize = 64;

/// How memory is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyMethod {
    /// `memcpy` of the C library.
    Memcpy,
    /// `memmove` of the C library, within one buffer.
    Memmove,
    /// A loop over the bytes.
    Simple,
    /// `memcpy` for small copies, else the loop.
    Hybrid,
}

/// Returns the speed of each size of [`COPY_SIZES`] in bytes per second.
pub fn copies(method: CopyMethod) -> Vec<f64> {
    let mut memory = vec![0x5a; 2 * MEMORY_BYTES];
    warm_up(|| pass(&mut memory, method, COPY_SIZES[COPY_SIZES.len() - 1]));
    COPY_SIZES.iter().map(|&size| rate(MEMORY_BYTES, TOTAL_BYTES, || pass(&mut memory, method, size))).collect()
}

/// Copies the first half of the memory to the second, `size` bytes at a time.
fn pass(memory: &mut [u8], method: CopyMethod, size: usize) {
    if method == CopyMethod::Memmove {
        for from in (0..MEMORY_BYTES).step_by(size) {
            let end = (from + size).min(MEMORY_BYTES);
            memory.copy_within(from..end, MEMORY_BYTES + from);
        }
        black_box(memory);
        return;
    }
    let in_bytes = method == CopyMethod::Simple || (method == CopyMethod::Hybrid && size >= HYBRID_BYTES);
    let (from, to) = memory.split_at_mut(MEMORY_BYTES);
    for (from, to) in from.chunks(size).zip(to.chunks_mut(size)) {
        let (from, to) = (black_box(from), black_box(to));
        if in_bytes {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        } else {
            to.copy_from_slice(from);
        }
    }
}
