//! Sequential streams among I/Os: several programs can each read or write on from where they were.

use std::collections::VecDeque;

/// Most streams of a direction. More are too many for the device, too.
const STREAMS_MAX: usize = 64;

/// The ends of the last streams, the newest first.
#[derive(Default)]
pub struct Streams(VecDeque<u64>);

impl Streams {
    /// Adds an I/O from `start` to before `end`. Returns true if a stream continues with it.
    pub fn add(&mut self, start: u64, end: u64) -> bool {
        let known = self.0.iter().position(|known| *known == start);
        match known {
            Some(at) => {
                self.0.remove(at);
            }
            None => self.0.truncate(STREAMS_MAX - 1),
        }
        self.0.push_front(end);
        known.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_in_turn_are_sequential() {
        let mut streams = Streams::default();
        let continued = |turn: u64, streams: &mut Streams| {
            (0..STREAMS_MAX as u64).filter(|of| streams.add(of * 1000 + turn, of * 1000 + turn + 1)).count()
        };
        assert_eq!(continued(0, &mut streams), 0);
        assert_eq!(continued(1, &mut streams), STREAMS_MAX);
        // One more stream than is remembered: each is forgotten before its turn.
        streams.add(900_000, 900_001);
        assert_eq!(continued(2, &mut streams), 0);
    }
}
