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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

    pub fn is_before_completion(&self) -> bool {
        matches!(self.layer, IoLayer::Submission | IoLayer::Queue | IoLayer::Device)
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
