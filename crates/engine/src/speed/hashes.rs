//! Hashes that no verification uses. `--crctest` measures them.

/// MurmurHash3 with 32 bits (Austin Appleby, public domain).
pub fn murmur3(data: &[u8], seed: u32) -> u32 {
    let scramble = |word: u32| word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let mut hash = seed;
    let (words, rest) = data.as_chunks::<4>();
    for word in words {
        hash = (hash ^ scramble(u32::from_le_bytes(*word))).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    if !rest.is_empty() {
        hash ^= scramble(little_endian(rest));
    }
    hash ^= crate::number::index(data.len());
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// Bob Jenkins' lookup3 (public domain), for little-endian words.
pub fn jenkins(data: &[u8], seed: u32) -> u32 {
    let mut state = [0xdead_beef_u32.wrapping_add(crate::number::index(data.len())).wrapping_add(seed); 3];
    // The last block, also a full one, is mixed in another way.
    let last = data.len().saturating_sub(1) / 12 * 12;
    for block in data[..last].as_chunks::<12>().0 {
        add(&mut state, block);
        let [mut a, mut b, mut c] = state;
        for (first, second) in [(4, 6), (16, 19)] {
            a = a.wrapping_sub(c) ^ c.rotate_left(first);
            c = c.wrapping_add(b);
            b = b.wrapping_sub(a) ^ a.rotate_left(second);
            a = a.wrapping_add(c);
            c = c.wrapping_sub(b) ^ b.rotate_left(if first == 4 { 8 } else { 4 });
            b = b.wrapping_add(a);
        }
        state = [a, b, c];
    }
    if data.is_empty() {
        return state[2];
    }
    add(&mut state, &data[last..]);
    let [mut a, mut b, mut c] = state;
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

fn add(state: &mut [u32; 3], block: &[u8]) {
    for (word, bytes) in state.iter_mut().zip(block.chunks(4)) {
        *word = word.wrapping_add(little_endian(bytes));
    }
}

/// FNV-1 (Fowler, Noll, Vo) over words of 64 bits.
pub fn fnv(data: &[u8], seed: u64) -> u64 {
    let (words, rest) = data.as_chunks::<8>();
    let mut hash = seed;
    for word in words {
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3) ^ u64::from_le_bytes(*word);
    }
    for byte in rest {
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3) ^ u64::from(*byte);
    }
    hash
}

/// Returns the value of at most four bytes.
fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, byte| (value << 8) | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values are those of the published programs.
    #[test]
    fn hashes_have_their_published_values() {
        let text = b"Four score and seven years ago";
        assert_eq!([jenkins(b"", 0), jenkins(text, 0), jenkins(text, 1)], [0xdead_beef, 0x1777_0551, 0xcd62_8161]);
        assert_eq!([murmur3(b"", 0), murmur3(b"", 1), murmur3(b"test", 0)], [0, 0x514e_28b7, 0xba6b_d213]);
        assert_eq!(murmur3(b"Hello, world!", 0x9747_b28c), 0x2488_4cba);
    }

    #[test]
    fn each_byte_counts_in_fnv() {
        let data = [7; 19];
        for at in 0..data.len() {
            let mut other = data;
            other[at] ^= 1;
            assert_ne!(fnv(&data, 1), fnv(&other, 1), "{at}");
        }
    }
}
