//! The state of a verification, saved at the end of a job for a later run that verifies its writes.
//!
//! The file is fio's: a header of three words (version, size, checksum), then the state.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use plan::{Verify, Worker};
use record::StateFault;
use targets::{Existing, NamedBy, OutputError, OutputGuard};

use super::checksum::crc32c;

const VERSION: u64 = 7;
const WORD: usize = 8;
/// Words before the state.
const HEAD_WORDS: usize = 3;
/// Bytes of a state before the numbers of the writes in flight.
const STATE_BYTES: usize = 144;
const NUMBER_AT: usize = 8;
const INDEX_AT: usize = 16;
const NAME_AT: usize = 80;
const NAME_BYTES: usize = 64;
/// A place for a write in flight that is free.
const NO_NUMBER: u64 = u64::MAX;
/// Largest state that is read.
const MAX_BYTES: u64 = 1 << 30;

/// Which writes of a run were complete.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// Writes with this number and above were not issued, or not synced.
    pub issued: u64,
    pub in_flight: Vec<u64>,
    /// Numbers of the failed writes, in ascending order.
    pub failed: Vec<u64>,
}

impl State {
    /// Returns true if the verification ends before the write with this number.
    pub fn ends_at(&self, number: u64) -> bool {
        number >= self.issued || self.in_flight.contains(&number)
    }

    pub fn skips(&self, number: u64) -> bool {
        self.failed.binary_search(&number).is_ok()
    }

    /// Writes the state to its file.
    ///
    /// # Errors
    /// The file is refused, or cannot be written.
    pub fn save(&self, guard: &mut OutputGuard, worker: &Worker, verify: &Verify) -> Result<(), OutputError> {
        let state = self.bytes(worker);
        let mut bytes = Vec::with_capacity(HEAD_WORDS * WORD + state.len());
        for word in [VERSION, state.len() as u64, u64::from(crc32c(&state))] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&state);
        let mut file = guard.open(&path(worker, verify), Existing::Truncate, NamedBy::Program)?;
        Ok(file.write_all(&bytes)?)
    }

    fn bytes(&self, worker: &Worker) -> Vec<u8> {
        let mut bytes = vec![0; STATE_BYTES];
        // As in fio, with synchronous engines, too.
        let depth = worker.requested_depth() as usize;
        let places = depth + self.failed.len();
        bytes[..4].copy_from_slice(&crate::number::index(places).to_le_bytes());
        bytes[NUMBER_AT..NUMBER_AT + WORD].copy_from_slice(&self.issued.to_le_bytes());
        bytes[INDEX_AT..INDEX_AT + WORD].copy_from_slice(&u64::from(worker.number - 1).to_le_bytes());
        let name = &worker.name.as_bytes()[..worker.name.len().min(NAME_BYTES - 1)];
        bytes[NAME_AT..NAME_AT + name.len()].copy_from_slice(name);
        let free = std::iter::repeat(&NO_NUMBER);
        for number in self.in_flight.iter().chain(free).take(depth).chain(&self.failed) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Reads the state that an earlier run of the job saved.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged. With the error of the call, if there is one.
    pub fn load(worker: &Worker, verify: &Verify) -> Result<State, (StateFault, Option<io::Error>)> {
        let unreadable = |error| (StateFault::Unreadable, Some(error));
        let mut bytes = Vec::new();
        let file = File::open(path(worker, verify)).map_err(unreadable)?;
        file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
        State::of_bytes(&bytes, worker.requested_depth() as usize).map_err(|fault| (fault, None))
    }

    fn of_bytes(bytes: &[u8], depth: usize) -> Result<State, StateFault> {
        let word = |at: usize| -> Result<u64, StateFault> {
            let word = bytes.get(at..at + WORD).ok_or(StateFault::Short)?;
            Ok(u64::from_le_bytes(std::array::from_fn(|byte| word[byte])))
        };
        match word(0)? {
            VERSION => {}
            found => return Err(StateFault::Version { found }),
        }
        let size = usize::try_from(word(WORD)?).map_err(|_| StateFault::Short)?;
        let from = HEAD_WORDS * WORD;
        let end = from.checked_add(size).ok_or(StateFault::Short)?;
        let state = bytes.get(from..end).filter(|_| size >= STATE_BYTES).ok_or(StateFault::Short)?;
        if u64::from(crc32c(state)) != word(2 * WORD)? {
            return Err(StateFault::Checksum);
        }
        let issued = word(from + NUMBER_AT)?;
        let mut numbers = (from + STATE_BYTES..end).step_by(WORD).map(word);
        let in_flight = numbers.by_ref().take(depth).collect::<Result<Vec<u64>, _>>()?;
        let mut failed = numbers.collect::<Result<Vec<u64>, _>>()?;
        failed.retain(|&number| number != NO_NUMBER);
        failed.sort_unstable();
        Ok(State { issued, in_flight: in_flight.into_iter().filter(|&number| number != NO_NUMBER).collect(), failed })
    }
}

/// Returns the path of a worker's state, as fio names it.
pub fn path(worker: &Worker, verify: &Verify) -> PathBuf {
    let name = format!("local-{}-{}-verify.state", worker.name.replace('/', "."), worker.number - 1);
    verify.folder.as_ref().map_or_else(|| PathBuf::from(&name), |folder| Path::new(folder).join(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(state: &State) -> Vec<u8> {
        let mut worker = Worker::default();
        worker.job_mut().unwrap().iodepth = 4;
        let state = state.bytes(&worker);
        let head = [VERSION, state.len() as u64, u64::from(crc32c(&state))];
        head.iter().flat_map(|word| word.to_le_bytes()).chain(state).collect()
    }

    #[test]
    fn a_saved_state_is_read_as_it_was() {
        let state = State { issued: 70, in_flight: vec![61, 68], failed: vec![5, 9] };
        assert_eq!(State::of_bytes(&saved(&state), 4), Ok(state.clone()));
        assert!(!state.ends_at(60) && state.ends_at(61) && state.ends_at(70));
        assert!(state.skips(9) && !state.skips(10));
    }

    #[test]
    fn damaged_states_are_refused() {
        let bytes = saved(&State::default());
        for cut in 0..bytes.len() {
            assert_eq!(State::of_bytes(&bytes[..cut], 4), Err(StateFault::Short), "{cut}");
        }
        let mut other = bytes.clone();
        other[100] ^= 1;
        assert_eq!(State::of_bytes(&other, 4), Err(StateFault::Checksum));
        other[0] = 3;
        assert_eq!(State::of_bytes(&other, 4), Err(StateFault::Version { found: 3 }));
    }
}
