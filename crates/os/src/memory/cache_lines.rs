//! CPU cache lines of a memory range: write-back, and copies that bypass the cache.
//!
//! x86-64 and aarch64 have instructions for this in user space. On other architectures the functions return false, and
//! the caller uses system calls.

/// Writes back the cache lines of `bytes` bytes from `start`. With `drain` it waits until they are in memory. Returns
/// false without action if the CPU has no instruction for it.
///
/// # Safety
/// The bytes are readable.
#[inline]
pub(crate) unsafe fn write_back(start: *const u8, bytes: usize, drain: bool) -> bool {
    if bytes == 0 {
        return true;
    }
    // SAFETY: guaranteed by the caller.
    unsafe { arch::write_back(start, bytes, drain) }
}

/// Copies so that `to` does not stay in the caches, and waits until it is in memory. Returns false after a plain copy
/// if the CPU has no instruction for it.
///
/// # Safety
/// `from` is readable and `to` is writable for `bytes` bytes, and they do not overlap.
#[inline]
pub(crate) unsafe fn copy_bypassing_caches(from: *const u8, to: *mut u8, bytes: usize) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { arch::copy_bypassing_caches(from, to, bytes) }
}

/// Calls `each` with the start of each cache line of the range.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline]
fn each_line(start: *const u8, bytes: usize, line_bytes: usize, mut each: impl FnMut(*const u8)) {
    let first = start as usize / line_bytes * line_bytes;
    // Pointer arithmetic instead of a cast from the number keeps the pointer's provenance.
    let first = start.wrapping_sub(start as usize - first);
    let lines = (start as usize + bytes - first as usize).div_ceil(line_bytes);
    for line in 0..lines {
        each(first.wrapping_add(line * line_bytes));
    }
}

#[cfg(target_arch = "x86_64")]
mod arch {
    use std::arch::asm;
    use std::arch::x86_64::{
        __cpuid, __cpuid_count, __m128i, _mm_clflush, _mm_loadu_si128, _mm_sfence, _mm_stream_si128,
    };
    use std::sync::OnceLock;

    /// Write-back instructions, best first: CLWB keeps the line in the cache, and all CPUs have CLFLUSH.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) enum Instruction {
        Clwb,
        Clflushopt,
        Clflush,
    }

    /// Returns the best instruction and the size of a cache line.
    pub(super) fn best() -> (Instruction, usize) {
        static BEST: OnceLock<(Instruction, usize)> = OnceLock::new();
        *BEST.get_or_init(|| {
            let line_bytes = match (__cpuid(1).ebx >> 8 & 0xff) * 8 {
                0 => 64,
                bytes => bytes as usize,
            };
            let features = if __cpuid(0).eax >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
            let instruction = match (features >> 24 & 1, features >> 23 & 1) {
                (1, _) => Instruction::Clwb,
                (_, 1) => Instruction::Clflushopt,
                _ => Instruction::Clflush,
            };
            (instruction, line_bytes)
        })
    }

    pub(super) unsafe fn write_back(start: *const u8, bytes: usize, drain: bool) -> bool {
        let (instruction, line_bytes) = best();
        // SAFETY: guaranteed by the caller.
        unsafe { write_back_by(instruction, line_bytes, start, bytes) };
        if drain {
            // SAFETY: every x86-64 CPU has this instruction.
            unsafe { _mm_sfence() };
        }
        true
    }

    /// # Safety
    /// As [`super::write_back`], and the CPU has the instruction.
    #[inline]
    pub(super) unsafe fn write_back_by(instruction: Instruction, line_bytes: usize, start: *const u8, bytes: usize) {
        // SAFETY: the line has at least one readable byte. These instructions change no memory.
        super::each_line(start, bytes, line_bytes, |line| unsafe {
            match instruction {
                Instruction::Clwb => asm!("clwb [{}]", in(reg) line, options(nostack, preserves_flags)),
                Instruction::Clflushopt => asm!("clflushopt [{}]", in(reg) line, options(nostack, preserves_flags)),
                Instruction::Clflush => _mm_clflush(line),
            }
        });
    }

    pub(super) unsafe fn copy_bypassing_caches(from: *const u8, to: *mut u8, bytes: usize) -> bool {
        const WORD: usize = size_of::<__m128i>();
        let head = to.align_offset(WORD).min(bytes);
        let words = (bytes - head) / WORD;
        let tail = head + words * WORD;
        // SAFETY: all three parts lie in the caller's ranges. The middle part starts at an aligned address of `to`.
        unsafe {
            std::ptr::copy_nonoverlapping(from, to, head);
            for word in 0..words {
                let at = head + word * WORD;
                _mm_stream_si128(to.add(at).cast(), _mm_loadu_si128(from.add(at).cast()));
            }
            std::ptr::copy_nonoverlapping(from.add(tail), to.add(tail), bytes - tail);
            // Both ends went through the cache and are written back.
            if head > 0 {
                write_back(to, head, false);
            }
            if tail < bytes {
                write_back(to.add(tail), bytes - tail, false);
            }
            _mm_sfence();
        }
        true
    }
}

#[cfg(target_arch = "aarch64")]
mod arch {
    use std::arch::asm;

    /// Returns the size of the smallest cache line. CTR_EL0 is readable in user space.
    fn line_bytes() -> usize {
        let cache_type: u64;
        // SAFETY: reads a register that Linux makes readable in user space.
        unsafe { asm!("mrs {}, ctr_el0", out(reg) cache_type, options(nomem, nostack, preserves_flags)) };
        4 << (cache_type >> 16 & 0xf)
    }

    pub(super) unsafe fn write_back(start: *const u8, bytes: usize, drain: bool) -> bool {
        // SAFETY: the line has at least one readable byte. The instruction changes no memory.
        super::each_line(start, bytes, line_bytes(), |line| unsafe {
            asm!("dc cvac, {}", in(reg) line, options(nostack, preserves_flags));
        });
        if drain {
            // SAFETY: a memory barrier.
            unsafe { asm!("dsb sy", options(nostack, preserves_flags)) };
        }
        true
    }

    /// Non-temporal stores are only hints on aarch64, so the lines are written back after a plain copy.
    pub(super) unsafe fn copy_bypassing_caches(from: *const u8, to: *mut u8, bytes: usize) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe {
            std::ptr::copy_nonoverlapping(from, to, bytes);
            write_back(to, bytes, true)
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod arch {
    pub(super) unsafe fn write_back(_: *const u8, _: usize, _: bool) -> bool {
        false
    }

    pub(super) unsafe fn copy_bypassing_caches(from: *const u8, to: *mut u8, bytes: usize) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_every_length_and_alignment_are_exact() {
        let from: Vec<u8> = (0..600).map(|at| (at * 7 + 3) as u8).collect();
        for to_skip in [0, 1, 7, 15, 16, 33] {
            for bytes in (0..100).chain([128, 512, 550]) {
                let mut to = vec![0xeeu8; 640];
                // SAFETY: both vectors are long enough.
                let _ = unsafe { copy_bypassing_caches(from.as_ptr().add(5), to.as_mut_ptr().add(to_skip), bytes) };
                assert_eq!(to[to_skip..][..bytes], from[5..][..bytes]);
                assert!(to[..to_skip].iter().chain(&to[to_skip + bytes..]).all(|byte| *byte == 0xee));
            }
        }
    }

    #[test]
    fn cache_line_write_back_changes_no_data() {
        let bytes: Vec<u8> = (0..=255).collect();
        for (skip, count, drain) in [(0, 256, true), (3, 1, false), (60, 10, true), (255, 0, false)] {
            // SAFETY: the range lies in the vector.
            let done = unsafe { write_back(bytes.as_ptr().add(skip), count, drain) };
            assert!(done || cfg!(not(any(target_arch = "x86_64", target_arch = "aarch64"))));
        }
        assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == at as u8));
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[test]
    fn each_cache_line_of_a_range_is_visited_once() {
        let lines = |start: usize, bytes| {
            let mut seen = Vec::new();
            each_line(start as *const u8, bytes, 64, |line| seen.push(line as usize));
            seen
        };
        assert_eq!(lines(128, 64), [128]);
        assert_eq!(lines(128, 65), [128, 192]);
        assert_eq!(lines(191, 2), [128, 192]);
        assert_eq!(lines(130, 1), [128]);
        assert_eq!(lines(0, 256), [0, 64, 128, 192]);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn all_supported_write_back_instructions_work() {
        use arch::Instruction::{Clflush, Clflushopt, Clwb};
        let (best, line_bytes) = arch::best();
        let bytes = [7u8; 300];
        let there = match best {
            Clwb => vec![Clwb, Clflushopt, Clflush],
            Clflushopt => vec![Clflushopt, Clflush],
            Clflush => vec![Clflush],
        };
        for instruction in there {
            // SAFETY: the range is the array, and the CPU has the better ones only with all below.
            unsafe { arch::write_back_by(instruction, line_bytes, bytes.as_ptr(), bytes.len()) };
        }
        assert!(bytes.iter().all(|byte| *byte == 7));
    }
}
