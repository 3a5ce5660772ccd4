//! Direction of the next I/O.

use plan::{Ddir, Pattern};
use random::Tausworthe32;

use super::file::File;

#[derive(Clone, Debug)]
pub(super) struct Mix {
    kind: Kind,
    ddir: Ddir,
    /// Number of I/Os in the current direction at which a new direction is drawn.
    until_issued: u64,
    read_percent: u32,
    random: Tausworthe32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    One,
    Mixed,
    /// Each block is trimmed, then written.
    TrimThenWrite,
}

impl Mix {
    /// Returns `None` for a pattern without a direction.
    pub(super) fn new(pattern: Pattern, read_percent: u32, seed: u64) -> Option<Self> {
        let first = Ddir::ALL.into_iter().find(|&ddir| pattern.has(ddir))?;
        let kind = match (pattern.is_mixed(), pattern.writes && pattern.trims) {
            (true, _) => Kind::Mixed,
            (false, true) => Kind::TrimThenWrite,
            (false, false) => Kind::One,
        };
        let random = Tausworthe32::new(crate::number::low_half(seed));
        Some(Mix { kind, ddir: first, until_issued: 0, read_percent: read_percent.min(100), random })
    }

    pub(super) fn reseed(&mut self, seed: u64) {
        self.random = Tausworthe32::new(crate::number::low_half(seed));
    }

    pub(super) fn start_counting(&mut self) {
        self.until_issued = 0;
    }

    #[inline]
    pub(super) fn draw(&mut self, issued: &[u64; 3]) -> Ddir {
        if self.kind == Kind::Mixed && issued[self.ddir as usize] >= self.until_issued {
            let drawn = if self.random.between(1, 100) <= self.read_percent { Ddir::Read } else { Ddir::Write };
            if drawn != self.ddir {
                self.until_issued = issued[self.ddir as usize] * u64::from(self.percent(other(self.ddir))) / 100;
            }
            self.ddir = drawn;
        }
        self.ddir
    }

    /// Draws the direction of the next I/Os. Returns it, and how many have it before it is drawn again.
    #[inline]
    pub(super) fn run(&mut self, issued: &[u64; 3]) -> (Ddir, u64) {
        let ddir = self.draw(issued);
        (ddir, self.until_issued.saturating_sub(issued[ddir as usize]).max(1))
    }

    /// Returns the direction on this file if `rated` was drawn.
    #[inline]
    pub(super) fn on_file(&self, rated: Ddir, file: &File) -> Ddir {
        if self.kind != Kind::TrimThenWrite {
            rated
        } else if file.last_start[Ddir::Write as usize] == file.last_start[Ddir::Trim as usize] {
            Ddir::Trim
        } else {
            Ddir::Write
        }
    }

    /// Returns true if a block of this file is trimmed and not written yet.
    pub(super) fn is_in_pair(&self, file: &File) -> bool {
        self.kind == Kind::TrimThenWrite && self.on_file(Ddir::Trim, file) == Ddir::Write
    }

    /// Changes to the other direction of a mixed pattern if its share is above 0 %.
    pub(super) fn switch(&mut self) -> Option<Ddir> {
        let other = other(self.ddir);
        if self.kind != Kind::Mixed || self.percent(other) == 0 {
            return None;
        }
        self.ddir = other;
        Some(other)
    }

    fn percent(&self, ddir: Ddir) -> u32 {
        if ddir == Ddir::Read { self.read_percent } else { 100 - self.read_percent }
    }
}

fn other(ddir: Ddir) -> Ddir {
    if ddir == Ddir::Read { Ddir::Write } else { Ddir::Read }
}
