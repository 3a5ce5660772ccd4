//! Skewed distributions over a range of numbers.
//!
//! A hash scatters the frequent numbers over the range, unless `hashed` is false. `center` then shifts them.

use super::{Tausworthe32, hash_u64};

/// Maximum terms of Zipf's sum. More terms cost seconds and change little.
const MAX_TERMS: u64 = 10_000_000;

/// Uniform draws per normal draw.
const NORMAL_TERMS: u64 = 12;

/// Common state: a range, its generator, and the mapping from rank to number.
#[derive(Clone, Debug)]
struct Spread {
    ranges: u64,
    shift: u64,
    hashed: bool,
}

impl Spread {
    #[inline]
    fn place(&self, rank: u64) -> u64 {
        let rank = if self.hashed { hash_u64(rank) } else { rank };
        rank.wrapping_add(self.shift) % self.ranges
    }
}

fn start(ranges: u64, center: Option<f64>, seed: u32, hashed: bool) -> (Spread, Tausworthe32) {
    let ranges = ranges.max(1);
    let mut random = Tausworthe32::new(seed);
    let drawn = u64::from(random.draw());
    let shift = center.map_or(drawn, |center| (ranges as f64 * center) as u64);
    (Spread { ranges, shift, hashed }, random)
}

#[derive(Clone, Debug)]
pub struct Zipf {
    spread: Spread,
    random: Tausworthe32,
    center: Option<f64>,
    zeta: f64,
    eta: f64,
    alpha: f64,
    two: f64,
}

impl Zipf {
    /// Makes a Zipf distribution. This computes up to ten million powers: construct once, then call [`Zipf::reseed`].
    pub fn new(ranges: u64, theta: f64, center: Option<f64>, seed: u32, hashed: bool) -> Self {
        let (spread, random) = start(ranges, center, seed, hashed);
        let zeta = (1..=spread.ranges.min(MAX_TERMS)).fold(0.0, |sum, term| sum + (1.0 / term as f64).powf(theta));
        let two = 1.0 + 0.5f64.powf(theta);
        let zeta_of_two = 1.0f64.powf(theta) + 0.5f64.powf(theta);
        let eta = (1.0 - (2.0 / spread.ranges as f64).powf(1.0 - theta)) / (1.0 - zeta_of_two / zeta);
        Zipf { spread, random, center, zeta, eta, alpha: 1.0 / (1.0 - theta), two }
    }

    pub fn reseed(&mut self, seed: u32) {
        (self.spread, self.random) = start(self.spread.ranges, self.center, seed, self.spread.hashed);
    }

    pub fn draw(&mut self) -> u64 {
        let uniform = self.random.fraction_closed();
        let scaled = uniform * self.zeta;
        let rank = if scaled < 1.0 {
            0
        } else if scaled < self.two {
            1
        } else {
            (self.spread.ranges as f64 * (self.eta * uniform - self.eta + 1.0).powf(self.alpha)) as u64
        };
        self.spread.place(rank)
    }
}

#[derive(Clone, Debug)]
pub struct Pareto {
    spread: Spread,
    random: Tausworthe32,
    center: Option<f64>,
    power: f64,
}

impl Pareto {
    pub fn new(ranges: u64, power: f64, center: Option<f64>, seed: u32, hashed: bool) -> Self {
        let (spread, random) = start(ranges, center, seed, hashed);
        Pareto { spread, random, center, power: power.ln() / (1.0 - power).ln() }
    }

    pub fn reseed(&mut self, seed: u32) {
        (self.spread, self.random) = start(self.spread.ranges, self.center, seed, self.spread.hashed);
    }

    pub fn draw(&mut self) -> u64 {
        let uniform = self.random.fraction_closed();
        let rank = ((self.spread.ranges - 1) as f64 * uniform.powf(self.power)) as u64;
        self.spread.place(rank)
    }
}

#[derive(Clone, Debug)]
pub struct Normal {
    spread: Spread,
    random: Tausworthe32,
    deviation: u32,
}

impl Normal {
    /// Makes a normal distribution. `deviation_percent` is a share of the range, at most 50.
    pub fn new(ranges: u64, deviation_percent: f64, center: Option<f64>, seed: u32, hashed: bool) -> Self {
        let ranges = ranges.max(1);
        let deviation = ((ranges as f64 * deviation_percent) / 100.0).ceil() as u64;
        let deviation = (deviation as u32).min((ranges / 2).min(u64::from(u32::MAX)) as u32);
        // fio stores the shift in 32 bits: a center below 0.5 wraps around.
        let shift = center.map_or(0, |center| (ranges as f64 * (center - 0.5)) as i64 as u32);
        let spread = Spread { ranges, shift: u64::from(shift), hashed };
        Normal { spread, random: Tausworthe32::new(seed), deviation }
    }

    pub fn reseed(&mut self, seed: u32) {
        self.random = Tausworthe32::new(seed);
    }

    pub fn draw(&mut self) -> u64 {
        let ranges = self.spread.ranges;
        let sum: u64 = (0..NORMAL_TERMS).map(|_| u64::from(self.random.draw()) % (ranges + 1)).sum();
        let mut rank = sum.div_ceil(NORMAL_TERMS);
        if self.deviation > 0 {
            let width = (f64::from(self.deviation) * self.random.fraction()) as i32;
            let mut off = width.wrapping_sub((self.deviation / 2) as i32);
            while off != 0 && rank.wrapping_add_signed(i64::from(off)) >= ranges {
                off /= 2;
            }
            rank = rank.wrapping_add_signed(i64::from(off));
        }
        self.spread.place(rank)
    }
}
