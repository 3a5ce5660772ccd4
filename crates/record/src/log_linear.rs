//! Log-linear bins: each power of two has `2^BITS` bins, each value below `2^(BITS + 1)` has a bin of its own.

/// Returns the number of bins that cover all of `u64`.
pub(crate) const fn count<const BITS: u32>() -> usize {
    (64 - BITS as usize + 1) << BITS
}

/// Returns the number of a bin, for a list of the bins that are in use.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the number of bins is checked when the program is compiled")]
pub(crate) fn stored<const BITS: u32>(index: usize) -> u16 {
    const { assert!(count::<BITS>() <= 1 << 16) };
    debug_assert!(index < count::<BITS>());
    index as u16
}

/// Returns the bin of a value.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both parts are below the number of bins")]
pub(crate) fn index_of<const BITS: u32>(value: u64) -> usize {
    // With a bit of `1 << BITS` set, values that have bins of their own need no branch.
    let error_bits = 63 - BITS - (value | 1 << BITS).leading_zeros();
    ((error_bits as usize) << BITS) + (value >> error_bits) as usize
}

/// Returns the least value of a bin.
pub(crate) fn low_of<const BITS: u32>(index: usize) -> u64 {
    if index < 2 << BITS {
        return index as u64;
    }
    let within = (index & ((1 << BITS) - 1)) as u64;
    ((1 << BITS) + within) << error_bits_of::<BITS>(index)
}

/// Returns the middle of a bin. It represents all its values.
pub(crate) fn middle_of<const BITS: u32>(index: usize) -> u64 {
    if index < 2 << BITS {
        return index as u64;
    }
    low_of::<BITS>(index) + (1 << error_bits_of::<BITS>(index)) / 2
}

#[expect(clippy::cast_possible_truncation, reason = "an index is below the number of bins")]
fn error_bits_of<const BITS: u32>(index: usize) -> u32 {
    (index >> BITS) as u32 - 1
}
