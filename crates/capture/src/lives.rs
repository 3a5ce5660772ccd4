//! I/Os made of their events, in the order of their starts.

use std::collections::{HashMap, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{Event, Kind};
use crate::io::{Flags, Io, Layer, Operation};
use crate::owner::{LeftOut, Owner};

/// Most I/Os that wait for an earlier one. Then the earliest one counts as not completed.
const WAITING_MAX: usize = 1 << 20;
/// Most parts of split I/Os whose completions are expected.
const PARTS_MAX: usize = 1 << 16;

/// Changes of I/Os between the program and the device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// I/Os that became a part of another one.
    pub merged: u64,
    /// I/Os that were split.
    pub split: u64,
    /// I/Os that the driver returned to the queue.
    pub requeued: u64,
    /// Events of I/Os that had started before the capture, of all programs.
    pub unmatched: u64,
    /// I/Os whose completion was not awaited: too many later I/Os had started.
    pub given_up: u64,
}

/// An I/O that is not returned yet.
struct Life {
    io: Io,
    /// First sector by which the next event names it.
    at: u64,
    /// Sectors that are not completed.
    left: u32,
    state: State,
    owner: Owner,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Completed,
    /// It is a part of another one.
    Merged,
}

/// I/Os in flight, by their events.
pub struct Lives {
    layer: Layer,
    /// Time 0 of the I/Os.
    start_ns: u64,
    /// In the order of their starts.
    lives: VecDeque<Life>,
    /// Number of the first of them.
    first: u64,
    /// Numbers of open I/Os by operation and first sector, in the order of their starts.
    open: HashMap<(Operation, u64), Vec<u64>>,
    /// First parts of split I/Os. Their completions are not those of the whole I/O.
    parts: HashMap<(Operation, u64), u32>,
    changes: Changes,
    left_out: LeftOut,
}

impl Lives {
    /// `start_ns` is the start of the capture by `CLOCK_MONOTONIC`.
    pub fn new(layer: Layer, start_ns: u64) -> Lives {
        let (lives, open, parts) = (VecDeque::new(), HashMap::new(), HashMap::new());
        let (changes, left_out) = (Changes::default(), LeftOut::default());
        Lives { layer, start_ns, lives, first: 0, open, parts, changes, left_out }
    }

    pub fn changes(&self) -> Changes {
        self.changes
    }

    /// Returns the number of I/Os that were not returned, because they are not selected.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// Returns the start of the first I/O that is not returned yet.
    pub fn first_start_ns(&self) -> Option<u64> {
        self.lives.front().map(|life| life.io.start_ns)
    }

    /// Adds an event. Call this in the order of their times.
    pub fn event(&mut self, event: &Event) {
        self.event_of(event, Owner::Selected);
    }

    /// Adds an event. `owner` is that of its thread: I/Os that a thread starts are its own.
    pub fn event_of(&mut self, event: &Event, owner: Owner) {
        let selected = u64::from(owner == Owner::Selected);
        let key = (event.operation, event.sector);
        let at_ns = event.at_ns.saturating_sub(self.start_ns);
        match event.kind {
            Kind::Start { program } => {
                self.start(event, program, owner);
            }
            Kind::Insert => {
                let waits = |life: &Life| life.io.issued_ns.is_none();
                let found = self.find(key, |life| waits(life) && life.io.inserted_ns.is_none());
                let found = found.or_else(|| self.find(key, waits));
                let number = found.unwrap_or_else(|| self.start(event, None, owner));
                self.io(number, |life| life.io.inserted_ns = Some(at_ns.saturating_sub(life.io.start_ns)));
            }
            Kind::Issue => self.issue(event, at_ns, owner),
            Kind::Requeue => {
                if let Some(number) = self.find(key, |life| life.io.issued_ns.is_some()) {
                    let mut is_selected = false;
                    self.io(number, |life| {
                        life.io.issued_ns = None;
                        is_selected = life.owner == Owner::Selected;
                    });
                    self.changes.requeued += u64::from(is_selected);
                }
            }
            Kind::BackMerge => self.changes.merged += selected,
            Kind::FrontMerge => {
                self.changes.merged += selected;
                self.merge_before(event);
            }
            Kind::RequestMerge => {
                self.changes.merged += selected;
                if let Some(number) = self.find(key, |life| life.io.issued_ns.is_none()) {
                    self.close(number, State::Merged);
                }
            }
            Kind::Split { next } => {
                self.changes.split += selected;
                self.split(event, next);
            }
            Kind::Complete => self.complete(event, at_ns),
        }
    }

    /// Returns the next I/O that is complete, in the order of starts.
    pub fn take_complete(&mut self) -> Option<Io> {
        loop {
            let is_full = self.lives.len() > WAITING_MAX;
            let front = self.lives.front().filter(|life| is_full || life.state != State::Open)?;
            self.changes.given_up += u64::from(front.state == State::Open && front.owner == Owner::Selected);
            let io = self.take_front();
            if io.is_some() {
                return io;
            }
        }
    }

    /// Returns the next I/O at the end of the capture, complete or not.
    pub fn take_any(&mut self) -> Option<Io> {
        while !self.lives.is_empty() {
            let io = self.take_front();
            if io.is_some() {
                return io;
            }
        }
        None
    }

    /// Removes the first I/O. `None` if it is a part of another one, or is not selected.
    fn take_front(&mut self) -> Option<Io> {
        self.leave_place(self.first);
        let life = self.lives.pop_front()?;
        self.first += 1;
        if life.state == State::Merged {
            return None;
        }
        match life.owner {
            Owner::Selected => return Some(life.io),
            Owner::Program => self.left_out.programs += 1,
            Owner::Kernel => self.left_out.kernel += 1,
        }
        None
    }

    fn start(&mut self, event: &Event, program: Option<u32>, owner: Owner) -> u64 {
        let number = self.first + self.lives.len() as u64;
        let io = Io {
            start_ns: event.at_ns.saturating_sub(self.start_ns),
            operation: event.operation,
            flags: event.flags,
            sector: event.sector,
            sectors: event.sectors,
            inserted_ns: None,
            issued_ns: None,
            completed_ns: None,
            program,
        };
        self.lives.push_back(Life { io, at: io.sector, left: io.sectors, state: State::Open, owner });
        self.open.entry((io.operation, io.sector)).or_default().push(number);
        number
    }

    /// The event has the size of the request after all merges.
    fn issue(&mut self, event: &Event, at_ns: u64, owner: Owner) {
        let key = (event.operation, event.sector);
        let found = self.find(key, |life| life.io.issued_ns.is_none());
        let number = found.unwrap_or_else(|| self.start(event, None, owner));
        self.io(number, |life| {
            life.io.issued_ns = Some(at_ns.saturating_sub(life.io.start_ns));
            life.io.sectors = event.sectors;
            life.left = event.sectors;
        });
    }

    /// The request that began after this I/O begins with it now.
    fn merge_before(&mut self, event: &Event) {
        let old = (event.operation, event.sector.wrapping_add(u64::from(event.sectors)));
        let Some(number) = self.find(old, |life| life.io.issued_ns.is_none()) else { return };
        self.move_to(number, event.sector);
        self.io(number, |life| life.io.sector = event.sector);
    }

    /// An I/O of a device with requests is split before its parts have requests.
    fn split(&mut self, event: &Event, next: u64) {
        let key = (event.operation, event.sector);
        if self.layer == Layer::Requests {
            return;
        }
        let Some(number) = self.find(key, |_| true) else { return };
        let first = u32::try_from(next.saturating_sub(event.sector)).unwrap_or(u32::MAX);
        self.move_to(number, next);
        self.io(number, |life| life.left = life.left.saturating_sub(first));
        if self.parts.len() < PARTS_MAX {
            *self.parts.entry(key).or_default() += 1;
        }
    }

    fn complete(&mut self, event: &Event, at_ns: u64) {
        let key = (event.operation, event.sector);
        let is_issued = |life: &Life| self.layer == Layer::Bios || life.io.issued_ns.is_some();
        // The kernel issues another request for a flush.
        let found = self.find(key, is_issued).or_else(|| self.find(key, |life| life.io.operation == Operation::Flush));
        let Some(number) = found else { return self.complete_part(key) };
        let mut is_whole = false;
        self.io(number, |life| {
            is_whole = event.sectors >= life.left || event.flags.has(Flags::FAILED);
            life.left = life.left.saturating_sub(event.sectors);
            life.io.completed_ns = is_whole.then(|| at_ns.saturating_sub(life.io.start_ns));
            life.io.flags = life.io.flags.with(Flags(event.flags.0 & Flags::FAILED.0));
        });
        match is_whole {
            true => self.close(number, State::Completed),
            false => self.move_to(number, event.sector.wrapping_add(u64::from(event.sectors))),
        }
    }

    /// Completes the first part of a split I/O.
    fn complete_part(&mut self, key: (Operation, u64)) {
        match self.parts.get_mut(&key) {
            Some(parts) if *parts > 1 => *parts -= 1,
            Some(_) => {
                self.parts.remove(&key);
            }
            // A write that the kernel flushes after completes twice, then without sectors.
            None if key.0 == Operation::Flush => {}
            None => self.changes.unmatched += 1,
        }
    }

    /// Returns the number of the first open I/O at a place that fits.
    fn find(&self, key: (Operation, u64), fits: impl Fn(&Life) -> bool) -> Option<u64> {
        let life = |number: &u64| self.lives.get((number - self.first) as usize);
        self.open.get(&key)?.iter().copied().find(|number| life(number).is_some_and(&fits))
    }

    fn io(&mut self, number: u64, change: impl FnOnce(&mut Life)) {
        if let Some(life) = self.lives.get_mut((number - self.first) as usize) {
            change(life);
        }
    }

    /// Changes the place of an open I/O.
    fn move_to(&mut self, number: u64, sector: u64) {
        self.leave_place(number);
        self.io(number, |life| life.at = sector);
        if let Some(life) = self.lives.get((number - self.first) as usize) {
            self.open.entry((life.io.operation, sector)).or_default().push(number);
        }
    }

    fn leave_place(&mut self, number: u64) {
        let Some(life) = self.lives.get((number - self.first) as usize) else { return };
        let key = (life.io.operation, life.at);
        let Some(numbers) = self.open.get_mut(&key) else { return };
        numbers.retain(|known| *known != number);
        if numbers.is_empty() {
            self.open.remove(&key);
        }
    }

    fn close(&mut self, number: u64, state: State) {
        self.leave_place(number);
        self.io(number, |life| life.state = state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Kind = Kind::Start { program: None };

    fn event(at_ns: u64, kind: Kind, sector: u64, sectors: u32) -> Event {
        Event { at_ns, kind, thread: None, operation: Operation::Write, flags: Flags::default(), sector, sectors }
    }

    /// Returns the I/Os of these events, and the changes.
    fn ios(layer: Layer, events: &[Event]) -> (Vec<Io>, Changes) {
        let mut lives = Lives::new(layer, 1000);
        events.iter().for_each(|event| lives.event(event));
        let mut ios: Vec<Io> = std::iter::from_fn(|| lives.take_complete()).collect();
        ios.extend(std::iter::from_fn(|| lives.take_any()));
        (ios, lives.changes())
    }

    /// Start, first sector, number of sectors, times of the stages.
    type Line = (u64, u64, u32, [Option<u64>; 3]);

    fn lines(ios: &[Io]) -> Vec<Line> {
        let line = |io: &Io| (io.start_ns, io.sector, io.sectors, [io.inserted_ns, io.issued_ns, io.completed_ns]);
        ios.iter().map(line).collect()
    }

    #[test]
    fn requests_have_all_stages_in_the_order_of_their_starts() {
        let (found, changes) = ios(
            Layer::Requests,
            &[
                event(900, Kind::Complete, 7, 8),
                event(1010, START, 0, 8),
                event(1020, START, 64, 8),
                event(1021, Kind::Insert, 64, 8),
                event(1023, Kind::Issue, 64, 8),
                event(1030, Kind::Complete, 64, 8),
                event(1040, Kind::Issue, 0, 8),
                event(1060, Kind::Complete, 0, 8),
                event(1070, START, 8, 8),
            ],
        );
        let expected = [
            (10, 0, 8, [None, Some(30), Some(50)]),
            (20, 64, 8, [Some(1), Some(3), Some(10)]),
            (70, 8, 8, [None, None, None]),
        ];
        assert_eq!(lines(&found), expected);
        assert_eq!(changes, Changes { unmatched: 1, ..Changes::default() });
    }

    #[test]
    fn merged_requests_are_one_io() {
        let (found, changes) = ios(
            Layer::Requests,
            &[
                event(1010, START, 16, 8),
                event(1011, Kind::BackMerge, 24, 8),
                event(1012, Kind::FrontMerge, 8, 8),
                event(1013, START, 32, 8),
                event(1014, Kind::RequestMerge, 32, 8),
                event(1020, Kind::Issue, 8, 32),
                event(1030, Kind::Complete, 8, 32),
            ],
        );
        assert_eq!(lines(&found), [(10, 8, 32, [None, Some(10), Some(20)])]);
        assert_eq!(changes, Changes { merged: 3, ..Changes::default() });
    }

    #[test]
    fn a_request_completes_in_parts_and_can_return_to_the_queue() {
        let (found, changes) = ios(
            Layer::Requests,
            &[
                event(1010, START, 0, 16),
                event(1020, Kind::Issue, 0, 16),
                event(1025, Kind::Requeue, 0, 16),
                event(1030, Kind::Issue, 0, 16),
                event(1040, Kind::Complete, 0, 4),
                event(1050, Kind::Complete, 4, 12),
            ],
        );
        assert_eq!(lines(&found), [(10, 0, 16, [None, Some(20), Some(40)])]);
        assert_eq!(changes, Changes { requeued: 1, ..Changes::default() });
        let failed = Event { flags: Flags::FAILED, ..event(1050, Kind::Complete, 0, 4) };
        let (found, _) = ios(Layer::Requests, &[event(1010, Kind::Issue, 0, 16), failed]);
        assert_eq!(lines(&found), [(10, 0, 16, [None, Some(0), Some(40)])]);
        assert!(found[0].flags.has(Flags::FAILED));
    }

    #[test]
    fn a_flush_has_no_issue_of_its_own() {
        let flush = |at_ns, kind| Event { operation: Operation::Flush, ..event(at_ns, kind, 0, 0) };
        let write_at_0 = [event(1000, START, 0, 8), event(1001, Kind::Issue, 0, 8)];
        let flushes = [flush(1010, START), flush(1050, Kind::Complete)];
        let (found, changes) = ios(Layer::Requests, &[&write_at_0[..], &flushes].concat());
        assert_eq!(lines(&found), [(0, 0, 8, [None, Some(1), None]), (10, 0, 0, [None, None, Some(40)])]);
        assert_eq!(changes.unmatched, 0);
    }

    #[test]
    fn an_insert_belongs_to_the_io_that_is_not_in_the_queue() {
        let events = [
            event(1010, START, 0, 8),
            event(1011, Kind::Issue, 0, 8),
            event(1020, START, 0, 8),
            event(1021, Kind::Insert, 0, 8),
            event(1030, START, 0, 8),
            event(1032, Kind::Insert, 0, 8),
        ];
        let (found, _) = ios(Layer::Requests, &events);
        let expected =
            [(10, 0, 8, [None, Some(1), None]), (20, 0, 8, [Some(1), None, None]), (30, 0, 8, [Some(2), None, None])];
        assert_eq!(lines(&found), expected);
    }

    #[test]
    fn a_split_bio_ends_with_its_last_part() {
        let (found, changes) = ios(
            Layer::Bios,
            &[
                event(1010, START, 0, 24),
                event(1011, Kind::Split { next: 8 }, 0, 0),
                event(1012, Kind::Split { next: 16 }, 8, 0),
                event(1020, Kind::Complete, 8, 8),
                event(1030, Kind::Complete, 0, 8),
                event(1040, Kind::Complete, 16, 8),
            ],
        );
        assert_eq!(lines(&found), [(10, 0, 24, [None, None, Some(30)])]);
        assert_eq!(changes, Changes { split: 2, ..Changes::default() });
    }

    #[test]
    fn ios_at_the_same_place_complete_in_their_order() {
        let (found, _) = ios(
            Layer::Bios,
            &[
                event(1010, START, 0, 8),
                event(1020, START, 0, 8),
                event(1030, Kind::Complete, 0, 8),
                event(1050, Kind::Complete, 0, 8),
            ],
        );
        assert_eq!(lines(&found), [(10, 0, 8, [None, None, Some(20)]), (20, 0, 8, [None, None, Some(30)])]);
    }

    #[test]
    fn ios_that_are_not_selected_are_counted_and_keep_those_at_their_place_apart() {
        let mut lives = Lives::new(Layer::Requests, 1000);
        let all = [(Owner::Program, 0), (Owner::Selected, 0), (Owner::Kernel, 64), (Owner::Selected, 72)];
        for (nth, (owner, sector)) in all.into_iter().enumerate() {
            lives.event_of(&event(1010 + nth as u64, START, sector, 8), owner);
        }
        lives.event_of(&event(1020, Kind::RequestMerge, 72, 8), Owner::Selected);
        lives.event_of(&event(1021, Kind::BackMerge, 80, 8), Owner::Program);
        // An interrupt completes them in any thread.
        for (at_ns, kind, sector) in [
            (1030, Kind::Issue, 0),
            (1031, Kind::Issue, 0),
            (1032, Kind::Issue, 64),
            (1040, Kind::Complete, 0),
            (1050, Kind::Complete, 0),
            (1060, Kind::Complete, 64),
        ] {
            lives.event_of(&event(at_ns, kind, sector, 8), Owner::Kernel);
        }
        let found: Vec<Io> = std::iter::from_fn(|| lives.take_complete()).collect();
        assert_eq!(lines(&found), [(11, 0, 8, [None, Some(20), Some(39)])]);
        assert_eq!(lives.left_out(), LeftOut { programs: 1, kernel: 1 });
        assert_eq!(lives.changes(), Changes { merged: 1, ..Changes::default() });
    }

    #[test]
    fn an_io_that_never_completes_does_not_hold_the_others_forever() {
        let mut lives = Lives::new(Layer::Bios, 0);
        lives.event(&event(0, START, 1, 1));
        let mut returned = 0;
        for nth in 0..WAITING_MAX as u64 + 10 {
            lives.event(&event(nth, START, 8, 8));
            lives.event(&event(nth, Kind::Complete, 8, 8));
            returned += u64::from(lives.take_complete().is_some());
        }
        assert!(returned > 0 && lives.lives.len() <= WAITING_MAX);
        assert!(!lives.open.contains_key(&(Operation::Write, 1)));
        assert_eq!(lives.changes().given_up, 1);
    }
}
