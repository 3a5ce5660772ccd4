//! Makes the I/Os of a plain job: they have one file and size, and nothing chooses or delays single ones.

use os::io::{Kind, Op};
use plan::Ddir;

use super::IoLoop;
use crate::access::PlainDraws;
use crate::worker::in_flight::{InFlightIo, Purpose};
use crate::worker::source::IoSource;

impl IoLoop<'_> {
    /// Returns true if all I/Os have one file and size, and nothing chooses or delays single ones.
    #[inline(always)]
    pub(super) fn is_plain_job(&self) -> bool {
        // Each field is named, so that a new one is a decision here, too.
        #[rustfmt::skip]
        let IoLoop {
            source, extras, pace, metadata, unsynced,
            // Between two batches.
            think: _, minimum: _, search: _, observes_completions: _, is_open_loop: _, arrivals_until_ns: _, limits: _,
            // Of every job.
            worker: _, live: _, events: _, deadlines: _, submission: _, accounting: _, files: _,
        } = self;
        let has_plain_pattern = matches!(source, IoSource::Pattern { access, .. } if access.is_plain());
        has_plain_pattern && extras.is_none() && pace.is_none() && metadata.is_none() && unsynced.is_none()
    }

    /// Makes I/Os for `room` slots. Returns how many: fewer if the job is not plain, its file is not open yet, or the pass may be
    /// over.
    // Not inlined: inlining spills registers in the I/O loop.
    #[inline(never)]
    pub(super) fn make_plain(&mut self, room: u32, start_ns: u64) -> u32 {
        if !self.is_plain_job() || !self.files.is_open(0) {
            return 0;
        }
        let IoSource::Pattern { access, content } = &mut self.source else { return 0 };
        let Some(mut draws) = access.plain_draws() else { return 0 };
        let len = crate::number::length(draws.plain.length);
        let wanted = self.limits.ios_left(&self.accounting.totals, room, len);
        let template = Op { kind: Kind::Read, ioprio: 0, file: 0, slot: 0, len, skip: 0, offset: 0 };
        let io = InFlightIo::of(&template, Purpose::Data(Ddir::Read), start_ns.max(self.deadlines.now_ns));
        let mut made = 0;
        while made < wanted {
            let (ddir, placed) = self.submission.prepare_all(
                (wanted - made, io, template),
                |offsets| draw(&mut draws, offsets),
                |buffers, slot, offset| {
                    buffers.fill(slot, |buffer| content.prepare_write(&mut buffer[..len as usize], offset));
                },
            );
            if placed == 0 {
                break;
            }
            self.accounting.issued_many(ddir, len, placed);
            made += placed;
        }
        made
    }
}

#[inline(never)]
fn draw(draws: &mut PlainDraws<'_>, offsets: &mut [u64]) -> (Ddir, usize) {
    draws.draw(offsets)
}
