//! Makes the I/Os of a worker, slot by slot.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use plan::stream::Queue;
use plan::{Ddir, Stream, Streams};
use random::Jenkins64;
use record::{Arrivals, BoundFeature, DistributionRange, StreamFault};

use super::content::{Content, SourceData};
use super::error::SourceError;
use super::offsets::Walk;
use super::pace::Pace;
use super::remainder::Remainder;

/// The next step of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Io {
        stream: u32,
        ddir: Ddir,
        /// From the start of the target.
        offset: u64,
        length: u32,
    },
    /// The stream's next I/O is not due. Nothing was drawn. Call `next` again at that time.
    Wait { until_ns: u64 },
}

/// All I/Os of one worker. Slots are numbered from 0, queue by queue.
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
    /// The stream whose content is in the slot's buffer.
    holds: Option<u32>,
    /// Next offset of the slot's own sequence (parallel order).
    pointer: u64,
    /// Index of the slot in its queue, and the depth of the queue.
    place: u32,
    depth: u32,
}

/// Selects the stream of a queue's next I/O.
#[derive(Debug)]
enum Choice {
    One(u32),
    Evenly {
        streams: Box<[u32]>,
        count: Remainder,
    },
    /// Streams with cumulative weights.
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
    /// Makes the source of a worker's I/O. `target_bytes` has the size of each stream's target. `shared` has the
    /// interlocked offset of each target, by [`Stream::target`].
    ///
    /// # Errors
    /// A stream does not fit its target, or its parameters contradict each other.
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

    /// Starts the rates at `now_ns`.
    pub fn begin(&mut self, now_ns: u64) {
        for pace in self.streams.iter_mut().filter_map(|entry| entry.pace.as_mut()) {
            pace.begin(now_ns);
        }
    }

    /// Counts arrivals with an intended start from `from_ns` on.
    pub fn measure_from(&mut self, from_ns: u64) {
        for pace in self.streams.iter_mut().filter_map(|entry| entry.pace.as_mut()) {
            pace.measure_from(from_ns);
        }
    }

    /// Ends the slot's I/O on a stream. Returns its intended start, if it has one. `all_taken`: all slots of the
    /// worker were in use.
    #[inline]
    pub fn end(&mut self, slot: u32, stream: u32, now_ns: u64, all_taken: bool) -> Option<u64> {
        let place = self.slots[slot as usize].place;
        self.streams[stream as usize].pace.as_mut()?.end(place, now_ns, all_taken)
    }

    /// Takes back the slot's I/O on a stream: it was never submitted.
    pub fn take_back(&mut self, slot: u32, stream: u32, ddir: Ddir, issued_ns: u64) {
        let place = self.slots[slot as usize].place;
        if let Some(pace) = &mut self.streams[stream as usize].pace {
            pace.take_back(place, ddir, issued_ns);
        }
    }

    /// Returns a stream's arrivals before `until_ns`; `None` without intended starts.
    pub fn arrivals(&self, stream: u32, until_ns: u64) -> Option<[Arrivals; 3]> {
        self.streams[stream as usize].pace.as_ref()?.arrivals(until_ns)
    }

    /// Sets the data of a stream's writes.
    ///
    /// # Errors
    /// The data is smaller than a block.
    pub fn give_data(&mut self, stream: u32, data: SourceData) -> Result<(), SourceError> {
        let entry = &mut self.streams[stream as usize];
        let given = entry.content.give(data, entry.length);
        given.map_err(|fault| SourceError { path: entry.path.clone(), fault })
    }

    /// Checks that each stream has the data of its writes.
    ///
    /// # Errors
    /// The data of a stream is missing.
    pub fn check_data(&self) -> Result<(), SourceError> {
        match self.streams.iter().find(|entry| entry.content.needs_data()) {
            None => Ok(()),
            Some(entry) => Err(SourceError { path: entry.path.clone(), fault: StreamFault::NoSource }),
        }
    }

    /// Returns the effective distribution of a stream's I/Os on its target; empty if it is uniform.
    pub fn spread(&self, stream: u32) -> Vec<DistributionRange> {
        self.streams[stream as usize].walk.spread()
    }

    /// Returns the next I/O of a slot without an I/O in flight.
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

    /// Fills the slot's buffer for the write that [`Source::next`] just returned. Call it before `next` of another
    /// slot: both draw from one generator. Reads have separate buffer areas, so constant content is filled once.
    #[inline]
    pub fn fill(&mut self, slot: u32, stream: u32, buffer: &mut [u8]) {
        let slot = &mut self.slots[slot as usize];
        if slot.holds == Some(stream) {
            return;
        }
        let entry = &self.streams[stream as usize];
        // In DiskSpd's buffer area the buffers of reads come first.
        let place = (u64::from(slot.depth) + u64::from(slot.place)) * u64::from(entry.length);
        entry.content.fill(buffer, place, &mut self.random);
        slot.holds = entry.content.is_lasting().then_some(stream);
    }
}

impl Entry {
    fn new(
        stream: &Stream,
        target_bytes: u64,
        shared: Arc<AtomicU64>,
        random: &mut Jenkins64,
    ) -> Result<Self, StreamFault> {
        Ok(Entry {
            walk: Walk::new(stream, target_bytes, shared, random)?,
            length: stream.block_bytes,
            pace: Pace::new(stream)?,
            content: Content::new(stream)?,
            path: stream.path.clone(),
        })
    }

    /// Returns the feature that a queue over several streams cannot have.
    fn needs_own_queue(&self) -> Option<BoundFeature> {
        if self.walk.is_parallel() {
            return Some(BoundFeature::ParallelOffsets);
        }
        self.pace.is_some().then_some(BoundFeature::RateOrBurst)
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
            if let Some(feature) = entry.needs_own_queue() {
                return Err(SourceError { path: entry.path.clone(), fault: StreamFault::NeedsOwnQueue { feature } });
            }
            whole += u64::from(share.weight);
            sums.push((share.stream, whole));
        }
        if whole == 0 {
            let path = entries.first().map(|entry| entry.path.clone()).unwrap_or_default();
            return Err(SourceError { path, fault: StreamFault::NoWeight });
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
            Choice::Evenly { streams, count } => streams[crate::number::size(count.of(u64::from(random.draw_u32())))],
            Choice::Weighed { streams, whole } => {
                let drawn = whole.of(random.draw());
                // The last sum is greater than every remainder, so the index is valid.
                streams[streams.partition_point(|(_, sum)| *sum <= drawn)].0
            }
        }
    }
}
