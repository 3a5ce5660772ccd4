//! Parts of the time of a slow I/O, by layer.

use record::{IoLayer, SlowIo};

use super::window::Life;

/// A slow I/O with its life in the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Explained {
    pub worker: usize,
    pub io: SlowIo,
    /// The disk and the life there. `None` if the trace does not have it.
    pub life: Option<(usize, Life)>,
}

/// A time in one layer, by `CLOCK_MONOTONIC`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub layer: IoLayer,
    pub from_ns: u64,
    pub until_ns: u64,
}

impl Part {
    pub fn ns(&self) -> u64 {
        self.until_ns.saturating_sub(self.from_ns)
    }

    pub fn time(&self) -> (u64, u64) {
        (self.from_ns, self.until_ns)
    }

    pub fn is_in_kernel(&self) -> bool {
        matches!(self.layer, IoLayer::Queue | IoLayer::Device)
    }

    /// Returns the same part at another time of the run: evenly spread ones for the numbers from 0 on. `None` if the run is shorter
    /// than the part.
    pub fn shifted(&self, nth: usize, (start_ns, end_ns): (u64, u64)) -> Option<Part> {
        /// The golden ratio spreads the fractional parts of its multiples evenly.
        const SPREAD: f64 = 0.618_033_988_749_894_9;
        let room_ns = end_ns.saturating_sub(start_ns).checked_sub(self.ns())?;
        let from_ns = start_ns + ((nth + 1) as f64 * SPREAD).fract().mul_add(room_ns as f64, 0.0) as u64;
        Some(Part { from_ns, until_ns: from_ns + self.ns(), ..*self })
    }
}

impl Explained {
    /// Returns the parts of its time, in order. They do not overlap and have no gaps.
    pub fn parts(&self) -> Vec<Part> {
        let SlowIo { submitted_ns, reaped_ns, .. } = self.io;
        let Some((_, life)) = self.life else {
            return vec![Part { layer: IoLayer::NotTraced, from_ns: submitted_ns, until_ns: reaped_ns }];
        };
        let mut from_ns = submitted_ns;
        let borders = [
            (IoLayer::Submission, life.start_ns),
            (IoLayer::Queue, life.issued_ns),
            (IoLayer::Device, life.completed_ns),
            (IoLayer::Reaping, reaped_ns),
        ];
        borders
            .into_iter()
            .map(|(layer, until_ns)| {
                let until_ns = until_ns.clamp(from_ns, reaped_ns.max(from_ns));
                let part = Part { layer, from_ns, until_ns };
                from_ns = until_ns;
                part
            })
            .collect()
    }
}
