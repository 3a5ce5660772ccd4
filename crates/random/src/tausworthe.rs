//! L'Ecuyer's maximally equidistributed combined Tausworthe generators with 88 and 258 bits of state.

/// 2⁻³² and 2⁻⁶⁴. Multiplication by a power of two is exact.
const SCALE_32: f64 = 1.0 / 4_294_967_296.0;
const SCALE_64: f64 = SCALE_32 * SCALE_32;

/// Draws that are discarded after seeding.
const WARM_UP: usize = 6;

/// Minimum start value per component. Lower values have only bits that the component ignores.
const MINIMUM: [u64; 5] = [1, 7, 15, 33, 49];

#[derive(Clone, Debug)]
pub struct Tausworthe32 {
    state: [u32; 3],
}

impl Tausworthe32 {
    pub fn new(seed: u32) -> Self {
        let mut state = [0; 3];
        let mut last = 53u32;
        for (component, minimum) in state.iter_mut().zip(MINIMUM) {
            last = at_least(u64::from(last.wrapping_mul(69069) ^ seed), minimum) as u32;
            *component = last;
        }
        let mut generator = Tausworthe32 { state };
        for _ in 0..WARM_UP {
            generator.draw();
        }
        generator
    }

    #[inline]
    pub fn draw(&mut self) -> u32 {
        let [a, b, c] = self.state;
        self.state = [
            ((a & 0xffff_fffe) << 12) ^ (((a << 13) ^ a) >> 19),
            ((b & 0xffff_fff8) << 4) ^ (((b << 2) ^ b) >> 25),
            ((c & 0xffff_fff0) << 17) ^ (((c << 3) ^ c) >> 11),
        ];
        self.state[0] ^ self.state[1] ^ self.state[2]
    }

    /// Draws from `[0, 1)`.
    #[inline]
    pub fn fraction(&mut self) -> f64 {
        f64::from(self.draw()) * SCALE_32
    }

    /// Draws from `[0, 1]`.
    #[inline]
    pub fn fraction_closed(&mut self) -> f64 {
        f64::from(self.draw()) / f64::from(u32::MAX)
    }

    /// Draws from `(0, 1]`.
    #[inline]
    pub fn fraction_above_zero(&mut self) -> f64 {
        (f64::from(self.draw()) + 1.0) * SCALE_32
    }

    /// Draws a block number below `count`: [`Self::fraction`] times `count` in double precision, rounded down. Returns 0 if `count`
    /// is 0.
    #[inline(always)]
    pub fn block(&mut self, count: u32) -> u32 {
        let drawn = self.draw();
        let product = u64::from(count) * u64::from(drawn);
        // Double precision rounds products below 2³² by at most 2⁻²². If the fractional part is below 1 − 2⁻²², rounding does not
        // reach the next integer.
        if product as u32 <= u32::MAX - (1 << 10) {
            return (product >> 32) as u32;
        }
        (f64::from(count) * (f64::from(drawn) * SCALE_32)) as u32
    }

    /// Draws from `low` to `high`, inclusive. The range has at most 2³¹ values.
    #[inline]
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        let values = f64::from(high.wrapping_sub(low).wrapping_add(1));
        low.wrapping_add((values * self.fraction()) as i32 as u32)
    }
}

#[derive(Clone, Debug)]
pub struct Tausworthe64 {
    state: [u64; 5],
}

impl Tausworthe64 {
    pub fn new(seed: u64) -> Self {
        let mut state = [0; 5];
        let mut last = 53u64;
        for (component, minimum) in state.iter_mut().zip(MINIMUM) {
            last = at_least(last.wrapping_mul(6_906_969_069) ^ seed, minimum);
            *component = last;
        }
        let mut generator = Tausworthe64 { state };
        for _ in 0..WARM_UP {
            generator.draw();
        }
        generator
    }

    #[inline]
    pub fn draw(&mut self) -> u64 {
        let [a, b, c, d, e] = self.state;
        self.state = [
            ((a & !0x1) << 10) ^ (((a << 1) ^ a) >> 53),
            ((b & !0x1ff) << 5) ^ (((b << 24) ^ b) >> 50),
            ((c & !0xfff) << 29) ^ (((c << 3) ^ c) >> 23),
            ((d & !0x1_ffff) << 23) ^ (((d << 5) ^ d) >> 24),
            ((e & !0x7f_ffff) << 8) ^ (((e << 3) ^ e) >> 33),
        ];
        self.state.iter().fold(0, |sum, component| sum ^ component)
    }

    /// Draws from `[0, 1]`. The largest values round to 1.
    #[inline]
    pub fn fraction(&mut self) -> f64 {
        self.draw() as f64 * SCALE_64
    }

    /// Draws from `low` to `high`, inclusive.
    #[inline]
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let values = high.wrapping_sub(low).wrapping_add(1) as f64;
        low.wrapping_add((values * self.fraction()) as u64)
    }
}

/// Either generator, as the job chooses.
#[derive(Clone, Debug)]
pub enum Tausworthe {
    Narrow(Tausworthe32),
    Wide(Tausworthe64),
}

impl Tausworthe {
    /// Makes a generator. The 32-bit one uses the low half of the seed.
    pub fn new(seed: u64, wide: bool) -> Self {
        if wide {
            Tausworthe::Wide(Tausworthe64::new(seed))
        } else {
            Tausworthe::Narrow(Tausworthe32::new(seed as u32))
        }
    }

    #[inline(always)]
    pub fn draw(&mut self) -> u64 {
        match self {
            Tausworthe::Narrow(generator) => u64::from(generator.draw()),
            Tausworthe::Wide(generator) => generator.draw(),
        }
    }

    #[inline(always)]
    pub fn fraction(&mut self) -> f64 {
        match self {
            Tausworthe::Narrow(generator) => generator.fraction(),
            Tausworthe::Wide(generator) => generator.fraction(),
        }
    }

    /// Draws from `low` to `high`, inclusive.
    #[inline]
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        match self {
            Tausworthe::Narrow(generator) => {
                low.wrapping_add(u64::from(generator.between(0, high.wrapping_sub(low) as u32)))
            }
            Tausworthe::Wide(generator) => generator.between(low, high),
        }
    }

    /// Returns the largest value of [`Tausworthe::draw`].
    pub fn max(&self) -> u64 {
        match self {
            Tausworthe::Narrow(_) => u64::from(u32::MAX),
            Tausworthe::Wide(_) => u64::MAX,
        }
    }

    /// Draws a 64-bit seed: the product of two draws.
    #[inline]
    pub fn seed(&mut self) -> u64 {
        let first = self.draw();
        first.wrapping_mul(self.draw())
    }
}

fn at_least(value: u64, minimum: u64) -> u64 {
    if value < minimum { value + minimum } else { value }
}
