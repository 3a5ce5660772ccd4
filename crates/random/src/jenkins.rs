//! Bob Jenkins' small noncryptographic generator with 64-bit words: DiskSpd's generator.

/// Draws that are discarded after seeding.
const WARM_UP: usize = 20;

/// Words of a block in [`Jenkins64::fill_correlated`], and how many of them are drawn.
const BLOCK_WORDS: usize = 16;
const BLOCK_DRAWS: usize = 5;

const WORD: usize = size_of::<u64>();

#[derive(Clone, Debug)]
pub struct Jenkins64 {
    state: [u64; 4],
}

impl Jenkins64 {
    pub fn new(seed: u64) -> Self {
        let mut generator = Jenkins64 { state: [0xf1ea_5eed, seed, seed, seed] };
        for _ in 0..WARM_UP {
            generator.draw();
        }
        generator
    }

    #[inline]
    pub fn draw(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let mixed = a.wrapping_sub(b.rotate_left(7));
        let last = mixed.wrapping_add(b ^ c.rotate_left(13));
        self.state = [b ^ c.rotate_left(13), c.wrapping_add(d.rotate_left(37)), d.wrapping_add(mixed), last];
        last
    }

    /// Returns the low 32 bits of a draw.
    #[inline]
    pub fn draw_u32(&mut self) -> u32 {
        self.draw() as u32
    }

    /// Returns true with a probability of `percent`.
    #[inline]
    pub fn chance(&mut self, percent: u32) -> bool {
        self.draw_u32() % 100 < percent
    }

    /// Fills the buffer with a draw per word.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        for place in buffer.chunks_mut(WORD) {
            place.copy_from_slice(&self.draw().to_le_bytes()[..place.len()]);
        }
    }

    /// Fills the buffer faster: five of 16 words are drawn, and the others are computed from them. The last 16 words or
    /// fewer are all drawn.
    pub fn fill_correlated(&mut self, buffer: &mut [u8]) {
        let blocks = (buffer.len() / WORD).saturating_sub(1) / BLOCK_WORDS;
        let (blocks, rest) = buffer.split_at_mut(blocks * BLOCK_WORDS * WORD);
        for block in blocks.chunks_exact_mut(BLOCK_WORDS * WORD) {
            for (place, word) in block.chunks_exact_mut(WORD).zip(self.block()) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
        self.fill(rest);
    }

    #[inline]
    fn block(&mut self) -> [u64; BLOCK_WORDS] {
        let drawn: [u64; BLOCK_DRAWS] = std::array::from_fn(|_| self.draw());
        let [a, b, c, d, e] = drawn;
        let (turned_a, turned_b, turned_c) = (a.rotate_left(7), b.rotate_left(13), c.rotate_left(19));
        [
            a,
            b,
            c,
            d,
            e,
            turned_a ^ b,
            turned_a ^ c,
            turned_a ^ d,
            turned_a ^ e,
            turned_b ^ c,
            turned_b ^ d,
            turned_b ^ e,
            turned_c ^ d,
            turned_c ^ e,
            turned_a ^ turned_b ^ turned_c,
            turned_a ^ d.rotate_left(39) ^ e.rotate_left(39),
        ]
    }
}
