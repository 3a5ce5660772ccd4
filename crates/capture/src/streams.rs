//! Sequential streams among I/Os: several programs can each read or write on from where they were.

use std::collections::VecDeque;

/// Most streams of a direction. More are too many for the device, too.
const STREAMS_MAX: usize = 64;

/// The ends of the last streams, the newest first, and what belongs to each.
pub struct Streams<T>(VecDeque<(u64, T)>);

impl<T> Default for Streams<T> {
    fn default() -> Self {
        Streams(VecDeque::new())
    }
}

impl<T: Copy> Streams<T> {
    /// Adds an I/O from `start` to before `end`. If a stream continues with it, returns what belongs to the stream. Else a stream
    /// begins, to which `new` belongs.
    pub fn add(&mut self, start: u64, end: u64, new: T) -> Option<T> {
        let known = self.0.iter().position(|(known, _)| *known == start).and_then(|at| self.0.remove(at));
        if known.is_none() {
            self.0.truncate(STREAMS_MAX - 1);
        }
        let known = known.map(|(_, of_stream)| of_stream);
        self.0.push_front((end, known.unwrap_or(new)));
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_in_turn_are_sequential() {
        let mut streams = Streams::default();
        let continued = |turn: u64, streams: &mut Streams<u64>| {
            let known = (0..STREAMS_MAX as u64).map(|of| (of, streams.add(of * 1000 + turn, of * 1000 + turn + 1, of)));
            known.filter(|(of, known)| *known == Some(*of)).count()
        };
        assert_eq!(continued(0, &mut streams), 0);
        assert_eq!(continued(1, &mut streams), STREAMS_MAX);
        // One more stream than is remembered: each is forgotten before its turn.
        assert_eq!(streams.add(900_000, 900_001, 900), None);
        assert_eq!(continued(2, &mut streams), 0);
    }
}
