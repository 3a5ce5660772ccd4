//! Hands out a worker's I/Os, slot by slot.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use plan::stream::Queue;
use plan::{Ddir, Stream, Streams};
use record::{Arrivals, DistributionRange};
use units::random::Jenkins64;

use super::content::{Content, SourceData};
use super::error::{Fault, SourceError};
use super::offsets::Walk;
use super::pace::Pace;
use super::remainder::Remainder;

/// What a slot does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Io {
        stream: u32,
        ddir: Ddir,
        /// From the start of the target.
        offset: u64,
        length: u32,
    },
    /// The slot's stream is held back. Nothing was drawn; ask again then.
    Wait { until_ns: u64 },
}

/// All I/Os of one worker. Slots count from 0 over the queues, the first queue's first.
#[derive(Debug)]
pub struct Source {
    random: Jenkins64,
    slots: Box<[Slot]>,
    choices: Box<[Choice]>,
    streams: Box<[Entry]>,
}

#[derive(Debug)]
struct Slot {
    choice: u32,
    /// The stream whose content the slot's buffer still holds.
    holds: Option<u32>,
    /// Next offset of a stream that each slot follows by itself.
    pointer: u64,
    /// Place in the queue, and the queue's depth.
    place: u32,
    depth: u32,
}

/// How a queue finds the stream of its next I/O.
#[derive(Debug)]
enum Choice {
    One(u32),
    Evenly {
        streams: Box<[u32]>,
        count: Remainder,
    },
    /// Streams with the sums of the weights up to them.
    Weighed {
        streams: Box<[(u32, u64)]>,
        whole: Remainder,
    },
}

#[derive(Debug)]
struct Entry {
    walk: Walk,
    length: u32,
    pace: Option<Pace>,
    content: Content,
    path: String,
}

impl Source {
    /// `target_bytes` has the size of each stream's target. `shared` has the interlocked offset of each
    /// target, by [`Stream::target`].
    pub fn new(streams: &Streams, target_bytes: &[u64], shared: &[Arc<AtomicU64>]) -> Result<Self, SourceError> {
        assert_eq!(streams.list.len(), target_bytes.len(), "a size for each stream");
        let mut random = Jenkins64::new(streams.seed);
        let mut entries = Vec::with_capacity(streams.list.len());
        for (stream, target_bytes) in streams.list.iter().zip(target_bytes) {
            let shared = shared.get(stream.target as usize).cloned().unwrap_or_default();
            let entry = Entry::new(stream, *target_bytes, shared, &mut random);
            entries.push(entry.map_err(|fault| SourceError { path: stream.path.clone(), fault })?);
        }
        let mut slots = Vec::with_capacity(streams.depth() as usize);
        let mut choices = Vec::with_capacity(streams.queues.len());
        for (number, queue) in (0u32..).zip(&streams.queues) {
            let choice = Choice::new(queue, &entries)?;
            let pointer = match &choice {
                Choice::One(stream) => entries[*stream as usize].walk.start(),
                Choice::Evenly { .. } | Choice::Weighed { .. } => 0,
            };
            if let Choice::One(stream) = choice
                && let Some(pace) = &mut entries[stream as usize].pace
            {
                pace.queue(queue.depth);
            }
            slots.extend((0..queue.depth).map(|place| Slot {
                choice: number,
                holds: None,
                pointer,
                place,
                depth: queue.depth,
            }));
            choices.push(choice);
        }
        Ok(Source { random, slots: slots.into(), choices: choices.into(), streams: entries.into() })
    }

    /// Rates count from `now_ns` on.
    pub fn begin(&mut self, now_ns: u64) {
        for pace in self.streams.iter_mut().filter_map(|entry| entry.pace.as_mut()) {
            pace.begin(now_ns);
        }
    }

    /// Arrivals of rates count from then on.
    pub fn measure_from(&mut self, from_ns: u64) {
        for pace in self.streams.iter_mut().filter_map(|entry| entry.pace.as_mut()) {
            pace.measure_from(from_ns);
        }
    }

    /// The slot's I/O on that stream is done: when it was meant to start. `all_taken` says that no place was free.
    #[inline]
    pub fn end(&mut self, slot: u32, stream: u32, now_ns: u64, all_taken: bool) -> Option<u64> {
        let place = self.slots[slot as usize].place;
        self.streams[stream as usize].pace.as_mut()?.end(place, now_ns, all_taken)
    }

    /// The slot's I/O on that stream never got to the kernel.
    pub fn take_back(&mut self, slot: u32, stream: u32, ddir: Ddir, issued_ns: u64) {
        let place = self.slots[slot as usize].place;
        if let Some(pace) = &mut self.streams[stream as usize].pace {
            pace.take_back(place, ddir, issued_ns);
        }
    }

    /// What became of a stream's arrivals before `until_ns`; `None` where it has none.
    pub fn arrivals(&self, stream: u32, until_ns: u64) -> Option<[Arrivals; 3]> {
        self.streams[stream as usize].pace.as_ref()?.arrivals(until_ns)
    }

    /// Gives a stream the data that its writes are taken from.
    pub fn give_data(&mut self, stream: u32, data: SourceData) -> Result<(), SourceError> {
        let entry = &mut self.streams[stream as usize];
        let given = entry.content.give(data, entry.length);
        given.map_err(|fault| SourceError { path: entry.path.clone(), fault })
    }

    /// Fails where a stream's writes still lack their data.
    pub fn check_data(&self) -> Result<(), SourceError> {
        match self.streams.iter().find(|entry| entry.content.needs_data()) {
            None => Ok(()),
            Some(entry) => Err(SourceError { path: entry.path.clone(), fault: Fault::NoSource }),
        }
    }

    /// How the I/O of a stream is really spread over its target; empty is evenly.
    pub fn spread(&self, stream: u32) -> Vec<DistributionRange> {
        self.streams[stream as usize].walk.spread()
    }

    /// The next I/O of a slot that has none in flight.
    #[inline]
    pub fn next(&mut self, slot: u32, now_ns: u64) -> Step {
        let slot = &mut self.slots[slot as usize];
        let stream = self.choices[slot.choice as usize].choose(&mut self.random);
        let entry = &mut self.streams[stream as usize];
        let (offset, ddir) = match &mut entry.pace {
            None => entry.walk.step(&mut slot.pointer, &mut self.random),
            Some(pace) => {
                if let Some(until_ns) = pace.held_until(now_ns) {
                    return Step::Wait { until_ns };
                }
                let (offset, ddir) = entry.walk.step(&mut slot.pointer, &mut self.random);
                pace.issued(slot.place, ddir, now_ns);
                (offset, ddir)
            }
        };
        Step::Io { stream, ddir, offset, length: entry.length }
    }

    /// Fills the slot's buffer for the write that [`Source::next`] has just given it, before any other slot's next.
    /// A buffer that still holds what it should is left alone: reads have places of their own.
    #[inline]
    pub fn fill(&mut self, slot: u32, stream: u32, buffer: &mut [u8]) {
        let slot = &mut self.slots[slot as usize];
        if slot.holds == Some(stream) {
            return;
        }
        let entry = &self.streams[stream as usize];
        // In DiskSpd's area of buffers those for reads come first.
        let place = (u64::from(slot.depth) + u64::from(slot.place)) * u64::from(entry.length);
        entry.content.fill(buffer, place, &mut self.random);
        slot.holds = entry.content.is_lasting().then_some(stream);
    }
}

impl Entry {
    fn new(stream: &Stream, target_bytes: u64, shared: Arc<AtomicU64>, random: &mut Jenkins64) -> Result<Self, Fault> {
        Ok(Entry {
            walk: Walk::new(stream, target_bytes, shared, random)?,
            length: stream.block_bytes,
            pace: Pace::new(stream)?,
            content: Content::new(stream)?,
            path: stream.path.clone(),
        })
    }

    /// What the stream does that a queue over several streams can't.
    fn needs_own_queue(&self) -> Option<&'static str> {
        if self.walk.is_parallel() {
            return Some("a pointer for each outstanding I/O");
        }
        self.pace.is_some().then_some("a rate or a burst")
    }
}

impl Choice {
    fn new(queue: &Queue, entries: &[Entry]) -> Result<Self, SourceError> {
        if let [only] = queue.shares[..] {
            return Ok(Choice::One(only.stream));
        }
        let mut whole: u64 = 0;
        let mut sums = Vec::with_capacity(queue.shares.len());
        for share in &queue.shares {
            let entry = &entries[share.stream as usize];
            if let Some(what) = entry.needs_own_queue() {
                return Err(SourceError { path: entry.path.clone(), fault: Fault::NeedsItsOwnQueue { what } });
            }
            whole += u64::from(share.weight);
            sums.push((share.stream, whole));
        }
        if whole == 0 {
            let path = entries.first().map(|entry| entry.path.clone()).unwrap_or_default();
            return Err(SourceError { path, fault: Fault::NoWeight });
        }
        let first = queue.shares[0].weight;
        if queue.shares.iter().all(|share| share.weight == first) {
            let streams: Box<[u32]> = queue.shares.iter().map(|share| share.stream).collect();
            let count = Remainder::by(streams.len() as u64);
            return Ok(Choice::Evenly { streams, count });
        }
        Ok(Choice::Weighed { streams: sums.into(), whole: Remainder::by(whole) })
    }

    #[inline]
    fn choose(&self, random: &mut Jenkins64) -> u32 {
        match self {
            Choice::One(stream) => *stream,
            Choice::Evenly { streams, count } => streams[count.of(u64::from(random.draw_u32())) as usize],
            Choice::Weighed { streams, whole } => {
                let drawn = whole.of(random.draw());
                // The last sum is above every remainder.
                streams[streams.partition_point(|(_, sum)| *sum <= drawn)].0
            }
        }
    }
}
