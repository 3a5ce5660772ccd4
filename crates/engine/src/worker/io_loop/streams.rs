//! Makes the I/Os of a worker with streams.

use os::io::{Kind, Op};
use plan::Ddir;
use record::RunError;

use super::IoLoop;
use crate::streams::Step;
use crate::worker::in_flight::{InFlightIo, Purpose, Times};
use crate::worker::source::IoSource;

impl IoLoop<'_> {
    /// Makes I/Os for the free slots, each from a stream of its queue. Returns the earliest due time of the delayed
    /// streams if no I/O is prepared.
    pub(super) fn refill_from_streams(&mut self, room: u32, now_ns: u64) -> Result<(bool, Option<u64>), RunError> {
        let mut due_ns: Option<u64> = None;
        let mut left = room;
        while left > 0
            && let Some(slot) = self.submission.in_flight.take_slot()
        {
            let IoSource::Streams(streams) = &mut self.source else { break };
            match streams.source.next(slot, now_ns) {
                Step::Io { stream, ddir, offset, length } => {
                    let purpose = Purpose::Data(ddir);
                    let (start_ns, issue_ns) = (now_ns, now_ns);
                    let io = InFlightIo {
                        purpose,
                        ioprio: 0,
                        file: stream,
                        offset,
                        len: length,
                        done: 0,
                        times: Times { start_ns, issue_ns },
                    };
                    self.make_stream_io(slot, ddir, io);
                    left -= 1;
                }
                Step::Wait { until_ns } => {
                    streams.delayed.push(slot);
                    due_ns = Some(due_ns.map_or(until_ns, |other| other.min(until_ns)));
                }
            }
        }
        if let IoSource::Streams(streams) = &mut self.source {
            while let Some(slot) = streams.delayed.pop() {
                self.submission.in_flight.return_unused(slot);
            }
        }
        Ok((false, if self.submission.is_empty() { due_ns } else { None }))
    }

    #[inline]
    fn make_stream_io(&mut self, slot: u32, ddir: Ddir, io: InFlightIo) {
        let InFlightIo { file, offset, len, .. } = io;
        let IoSource::Streams(streams) = &mut self.source else { return };
        let skip = streams.data_at(ddir);
        let kind = if ddir == Ddir::Write { Kind::Write } else { Kind::Read };
        if ddir == Ddir::Write {
            let (source, at) = (&mut streams.source, crate::number::size(skip));
            self.submission.buffers.fill(slot, |buffer| source.fill(slot, file, &mut buffer[at..][..len as usize]));
        }
        let ioprio = streams.ioprios[file as usize];
        self.submission.prepare(Op { kind, ioprio, file, slot, len, skip, offset }, io);
        self.accounting.issued(file, ddir, len, true);
    }
}
