//! Trims of written blocks between the writes, and which blocks they take.

use std::collections::VecDeque;

use plan::VerifyTrims;
use random::Tausworthe32;

use super::Written;
use super::pieces::{Key, Pieces, Trimmed};
use crate::access::{Purpose, SeedTable};

pub struct Trims {
    settings: VerifyTrims,
    random: Tausworthe32,
    /// The largest draw that selects a block.
    selects_up_to: u32,
    /// Selected writes, in their order. Some may have been replaced or verified since.
    queue: VecDeque<Key>,
    batch_left: u64,
    last_was_trim: bool,
}

impl Trims {
    pub fn new(settings: VerifyTrims, seeds: &SeedTable) -> Self {
        Trims {
            settings,
            random: Tausworthe32::new(crate::number::low_half(seeds.of(Purpose::Trim))),
            selects_up_to: u32::MAX / 100 * settings.percent.min(100),
            queue: VecDeque::new(),
            batch_left: 0,
            last_was_trim: false,
        }
    }

    /// Forgets the writes of the pass before.
    pub fn start_pass(&mut self) {
        self.queue.clear();
        self.batch_left = 0;
    }

    /// Decides whether a write is trimmed later.
    pub fn draw(&mut self, write: Key) {
        if self.random.draw() <= self.selects_up_to {
            self.queue.push_back(write);
        }
    }

    /// Notes the kind of the last completed I/O.
    pub fn completed(&mut self, is_trim: bool) {
        self.last_was_trim = is_trim;
    }

    /// Returns the block to trim, if a trim is due and its write is complete.
    pub fn due(&mut self, pieces: &mut Pieces) -> Option<Written> {
        if self.batch_left == 0 {
            if self.queue.is_empty() || self.last_was_trim || !pieces.len().is_multiple_of(self.settings.blocks) {
                return None;
            }
            let batch = u64::from(self.settings.batch);
            self.batch_left = if batch == 0 { self.settings.blocks } else { batch };
        }
        while let Some(&write) = self.queue.front() {
            match pieces.trim(write, self.settings.reads_zeroes) {
                Trimmed::InFlight => return None,
                Trimmed::Gone => _ = self.queue.pop_front(),
                Trimmed::Yes(written) => {
                    self.queue.pop_front();
                    self.batch_left -= 1;
                    return Some(written);
                }
            }
        }
        self.batch_left = 0;
        None
    }
}
