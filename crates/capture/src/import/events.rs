//! I/Os of a trace that has the events of the block layer.

use std::collections::{HashSet, VecDeque};

use super::error::ImportError;
use super::order::{Entry, Ordered};
use crate::event::{Event, Kind};
use crate::io::{Io, Layer};
use crate::lives::{Changes, Lives};

/// Most events before the layer is known.
const EVENTS_MAX: usize = 1 << 20;

/// What an event of a trace is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traced {
    /// A bio was queued.
    Queued,
    /// A request was made.
    Requested,
    Other(Kind),
}

/// Reads events in the order of their times.
pub trait Events {
    /// Returns the next event, with the start of its I/O as `Kind::Insert` until the layer is known. `None` at the end.
    ///
    /// # Errors
    /// The input fails or is not valid.
    fn next(&mut self) -> Result<Option<(Traced, Event)>, ImportError>;

    /// Returns the number of the last event in the input.
    fn number(&self) -> u64;

    /// Returns the error of the event with a number.
    fn error(number: u64, what: &'static str) -> ImportError;
}

/// Events in the order of their times.
struct InOrder<E> {
    events: E,
    order: Ordered<(Traced, Event)>,
}

impl<E: Events> InOrder<E> {
    fn next(&mut self) -> Result<Option<(Traced, Event)>, ImportError> {
        let events = &mut self.events;
        let mut read = || -> Result<_, ImportError> {
            let next = events.next()?;
            Ok(next.map(|value| Entry { at: value.1.at_ns, number: events.number(), value }))
        };
        Ok(self.order.next(&mut read, E::error)?.map(|entry| entry.value))
    }
}

/// I/Os of events.
pub struct EventIos<E> {
    events: InOrder<E>,
    /// Events that were read to find the layer.
    first: VecDeque<(Traced, Event)>,
    layer: Layer,
    lives: Lives,
    is_at_end: bool,
}

impl<E: Events> EventIos<E> {
    /// Reads events until the layer is known: only a device with a queue makes, inserts and issues requests.
    pub fn new(events: E) -> Result<EventIos<E>, ImportError> {
        let mut events = InOrder { events, order: Ordered::default() };
        let (mut first, mut queued) = (VecDeque::new(), HashSet::new());
        let mut layer = Layer::Bios;
        while first.len() < EVENTS_MAX {
            let Some((traced, event)) = events.next()? else { break };
            first.push_back((traced, event));
            match traced {
                Traced::Requested | Traced::Other(Kind::Insert | Kind::Issue) => {
                    layer = Layer::Requests;
                    break;
                }
                Traced::Queued => drop(queued.insert((event.operation, event.sector))),
                // An I/O that was queued before is complete.
                Traced::Other(Kind::Complete) if queued.contains(&(event.operation, event.sector)) => break,
                Traced::Other(_) => {}
            }
        }
        let start_ns = first.front().map_or(0, |(_, event)| event.at_ns);
        Ok(EventIos { events, first, layer, lives: Lives::new(layer, start_ns), is_at_end: false })
    }

    pub fn layer(&self) -> Layer {
        self.layer
    }

    pub fn changes(&self) -> Changes {
        self.lives.changes()
    }

    pub fn next_io(&mut self) -> Result<Option<Io>, ImportError> {
        loop {
            if let Some(io) = self.lives.take_complete() {
                return Ok(Some(io));
            }
            if self.is_at_end {
                return Ok(self.lives.take_any());
            }
            let next = match self.first.pop_front() {
                Some(next) => Some(next),
                None => self.events.next()?,
            };
            match next {
                Some((traced, event)) => self.add(traced, event),
                None => self.is_at_end = true,
            }
        }
    }

    fn add(&mut self, traced: Traced, event: Event) {
        let start = Kind::Start { program: None };
        let kind = match (traced, self.layer) {
            (Traced::Queued, Layer::Bios) | (Traced::Requested, Layer::Requests) => start,
            (Traced::Queued, Layer::Requests) | (Traced::Requested, Layer::Bios) => return,
            // The parts of a split complete one by one.
            (Traced::Other(Kind::Split { .. }), Layer::Bios) => return,
            (Traced::Other(kind), _) => kind,
        };
        self.lives.event(&Event { kind, ..event });
    }
}
