//! Linear feedback shift register (LFSR) that returns each value below a limit once.

use std::fmt;

/// Feedback taps of a maximal LFSR, by width from 3 bits.
const TAPS: [&[u32]; 61] = [
    &[3, 2],
    &[4, 3],
    &[5, 3],
    &[6, 5],
    &[7, 6],
    &[8, 6, 5, 4],
    &[9, 5],
    &[10, 7],
    &[11, 9],
    &[12, 6, 4, 1],
    &[13, 4, 3, 1],
    &[14, 5, 3, 1],
    &[15, 14],
    &[16, 15, 13, 4],
    &[17, 14],
    &[18, 11],
    &[19, 6, 2, 1],
    &[20, 17],
    &[21, 19],
    &[22, 21],
    &[23, 18],
    &[24, 23, 22, 17],
    &[25, 22],
    &[26, 6, 2, 1],
    &[27, 5, 2, 1],
    &[28, 25],
    &[29, 27],
    &[30, 6, 4, 1],
    &[31, 28],
    &[32, 31, 29, 1],
    &[33, 20],
    &[34, 27, 2, 1],
    &[35, 33],
    &[36, 25],
    &[37, 5, 4, 3, 2, 1],
    &[38, 6, 5, 1],
    &[39, 35],
    &[40, 38, 21, 19],
    &[41, 38],
    &[42, 41, 20, 19],
    &[43, 42, 38, 37],
    &[44, 43, 18, 17],
    &[45, 44, 42, 41],
    &[46, 45, 26, 25],
    &[47, 42],
    &[48, 47, 21, 20],
    &[49, 40],
    &[50, 49, 24, 23],
    &[51, 50, 36, 35],
    &[52, 49],
    &[53, 52, 38, 37],
    &[54, 53, 18, 17],
    &[55, 31],
    &[56, 55, 35, 34],
    &[57, 50],
    &[58, 39],
    &[59, 58, 38, 37],
    &[60, 59],
    &[61, 60, 46, 45],
    &[62, 61, 6, 5],
    &[63, 62],
];

/// Reasons why an LFSR cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LfsrError {
    /// The number of values is 0, or at least 2⁶³.
    Range,
    /// The seed sets all bits. The LFSR would never leave this state.
    StuckSeed,
}

impl fmt::Display for LfsrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LfsrError::Range => "the number of values must be from 1 to 2^63 - 1",
            LfsrError::StuckSeed => "the seed must not have all bits of the shift register set",
        })
    }
}

impl std::error::Error for LfsrError {}

#[derive(Clone, Debug)]
pub struct Lfsr {
    taps: u64,
    top_bit: u64,
    state: u64,
    max: u64,
    drawn: u64,
    /// fio reaches the first value of the sequence in two steps. A restart does not do so.
    first: bool,
}

impl Lfsr {
    /// Makes an LFSR for the values from 0 to `values` - 1.
    ///
    /// # Errors
    /// Returns an error for an unsupported number of values or an unsupported seed.
    pub fn new(values: u64, seed: u64) -> Result<Self, LfsrError> {
        if values == 0 {
            return Err(LfsrError::Range);
        }
        let width = (3..64).find(|&bits| 1u64 << bits > values).ok_or(LfsrError::Range)?;
        let taps = TAPS[width - 3].iter().fold(0, |mask, tap| mask | 1u64 << (tap - 1));
        let mut lfsr = Lfsr { taps, top_bit: 1 << (width - 1), state: 0, max: values - 1, drawn: 0, first: true };
        lfsr.restart(seed);
        if lfsr.state == lfsr.mask() { Err(LfsrError::StuckSeed) } else { Ok(lfsr) }
    }

    /// Restarts the sequence.
    pub fn restart(&mut self, seed: u64) {
        self.state = seed & self.mask();
        self.drawn = 0;
    }

    /// Returns the next value. `None` after all values.
    #[inline]
    pub fn draw(&mut self) -> Option<u64> {
        if self.drawn > self.max {
            return None;
        }
        self.drawn += 1;
        if self.first {
            self.first = false;
            self.step();
        }
        self.step();
        while self.state > self.max {
            self.step();
        }
        Some(self.state)
    }

    #[inline]
    fn step(&mut self) {
        let feedback = if self.state & 1 == 0 { self.taps } else { 0 };
        self.state = ((self.state >> 1) | self.top_bit) ^ feedback;
    }

    fn mask(&self) -> u64 {
        (self.top_bit << 1).wrapping_sub(1)
    }
}
