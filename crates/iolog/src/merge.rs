//! Merges traces of blktrace into one, in the order of their times.

use std::io::{self, BufRead, Write};

use super::blktrace::{BinaryLog, RawRecord};
use super::error::LogError;

/// A trace to merge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergeSource {
    pub path: String,
    /// Times of the trace are multiplied by this percentage.
    pub time_percent: u64,
    /// Number of times that the trace is read, one after the other.
    pub iterations: u64,
}

/// Why traces are not merged.
#[derive(Debug)]
pub enum MergeError {
    /// A source cannot be read.
    Source { path: String, error: LogError },
    /// The merged trace cannot be written.
    Output(io::Error),
}

/// Merges the queued requests of the sources. `open` opens a source, once per iteration.
///
/// # Errors
/// A source is not a trace or cannot be read, or the output cannot be written.
pub fn merge<R: BufRead>(
    sources: &[MergeSource],
    open: impl Fn(&str) -> io::Result<R>,
    output: &mut impl Write,
) -> Result<(), MergeError> {
    let mut cursors = Vec::new();
    for source in sources {
        let mut cursor = Cursor { source, open: &open, input: None, iteration: 0, length_ns: 0, next: None };
        cursor.advance()?;
        cursors.push(cursor);
    }
    let earliest = |cursors: &[Cursor<_, _>]| {
        let times = cursors.iter().enumerate().filter_map(|(at, cursor)| Some((cursor.next?.time_ns, at)));
        times.min().map(|(_, at)| at)
    };
    while let Some(at) = earliest(&cursors) {
        if let Some(record) = cursors[at].next {
            output.write_all(&record.bytes()).map_err(MergeError::Output)?;
        }
        cursors[at].advance()?;
    }
    output.flush().map_err(MergeError::Output)
}

/// Position in a source.
struct Cursor<'a, R, F> {
    source: &'a MergeSource,
    open: &'a F,
    input: Option<(BinaryLog, R)>,
    iteration: u64,
    /// Time of the last request of the source, which is the start of the next iteration.
    length_ns: u64,
    next: Option<RawRecord>,
}

impl<R: BufRead, F: Fn(&str) -> io::Result<R>> Cursor<'_, R, F> {
    fn advance(&mut self) -> Result<(), MergeError> {
        self.next = self.read().map_err(|error| MergeError::Source { path: self.source.path.clone(), error })?;
        Ok(())
    }

    /// Reads the next request, with its time in the merged trace. `None` at the end of the last iteration.
    fn read(&mut self) -> Result<Option<RawRecord>, LogError> {
        while self.iteration < self.source.iterations {
            if self.input.is_none() {
                let mut input = (self.open)(&self.source.path)?;
                let log = BinaryLog::of(input.fill_buf()?).ok_or(LogError::NotALog)?;
                self.input = Some((log, input));
            }
            if let Some((log, input)) = &mut self.input
                && let Some(mut record) = log.next_request(input)?
            {
                if self.iteration == 0 {
                    self.length_ns = record.time_ns;
                }
                let elapsed_ns = record.time_ns.saturating_add(self.iteration.saturating_mul(self.length_ns));
                let time_ns = u128::from(elapsed_ns) * u128::from(self.source.time_percent) / 100;
                record.time_ns = time_ns.min(u128::from(u64::MAX)) as u64;
                return Ok(Some(record));
            }
            self.input = None;
            self.iteration += 1;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor as Bytes;

    use super::*;

    /// Returns a record of blktrace, version 7, in one of the byte orders.
    fn record(time_ns: u64, sector: u64, action: u32, is_swapped: bool) -> Vec<u8> {
        let mut record = Vec::new();
        let words = |record: &mut Vec<u8>, bytes: &[u8]| match is_swapped {
            true => record.extend(bytes.iter().rev()),
            false => record.extend(bytes),
        };
        words(&mut record, &0x6561_7407_u32.to_ne_bytes());
        words(&mut record, &1_u32.to_ne_bytes());
        words(&mut record, &time_ns.to_ne_bytes());
        words(&mut record, &sector.to_ne_bytes());
        for word in [4096_u32, action, 77, (8 << 20) | 16, 0] {
            words(&mut record, &word.to_ne_bytes());
        }
        words(&mut record, &0_u16.to_ne_bytes());
        words(&mut record, &3_u16.to_ne_bytes());
        record.extend([1, 2, 3]);
        record
    }

    const READ: u32 = 1 << 16 | 1;
    const WRITE: u32 = 1 << 17 | 1;
    const COMPLETED_READ: u32 = 1 << 16 | 8;

    fn merged(sources: &[(&str, u64, u64)]) -> Vec<(u64, u64)> {
        let traces = |path: &str| -> Vec<u8> {
            let records = match path {
                "a" => [(100, 1, READ), (150, 9, COMPLETED_READ), (300, 2, WRITE)],
                _ => [(200, 11, READ), (250, 12, WRITE), (260, 19, COMPLETED_READ)],
            };
            records.into_iter().flat_map(|(time, sector, action)| record(time, sector, action, path == "b")).collect()
        };
        let sources: Vec<MergeSource> = (sources.iter())
            .map(|&(path, time_percent, iterations)| MergeSource { path: path.to_owned(), time_percent, iterations })
            .collect();
        let mut output = Vec::new();
        merge(&sources, |path| Ok(Bytes::new(traces(path))), &mut output).unwrap();
        let field = |record: &[u8], at: usize| u64::from_ne_bytes(record[at..at + 8].try_into().unwrap());
        output.chunks(48).map(|record| (field(record, 8), field(record, 16))).collect()
    }

    #[test]
    fn requests_are_in_the_order_of_their_scaled_times() {
        assert_eq!(merged(&[("a", 100, 1), ("b", 100, 1)]), [(100, 1), (200, 11), (250, 12), (300, 2)]);
        assert_eq!(merged(&[("a", 100, 1), ("b", 25, 1)]), [(50, 11), (62, 12), (100, 1), (300, 2)]);
        assert_eq!(merged(&[("b", 100, 0), ("a", 200, 1)]), [(200, 1), (600, 2)]);
    }

    #[test]
    fn an_iteration_starts_at_the_last_time_of_the_first() {
        assert_eq!(merged(&[("a", 100, 3)]), [(100, 1), (300, 2), (400, 1), (600, 2), (700, 1), (900, 2)]);
        assert_eq!(
            merged(&[("a", 50, 2), ("b", 100, 1)]),
            [(50, 1), (150, 2), (200, 1), (200, 11), (250, 12), (300, 2)]
        );
    }

    #[test]
    fn a_merged_trace_can_be_replayed() {
        let sources = [MergeSource { path: "b".to_owned(), time_percent: 100, iterations: 1 }];
        let mut output = Vec::new();
        merge(&sources, |_| Ok(Bytes::new(record(5, 8, WRITE, true))), &mut output).unwrap();
        assert_eq!(output.len(), 48);
        let summary = crate::summarize(Bytes::new(output), &plan::ReplayRules::default(), false).unwrap();
        assert_eq!((summary.files, summary.bytes), (vec!["8:16".to_owned()], 4096));
    }

    #[test]
    fn other_files_are_reported() {
        let sources = [MergeSource { path: "text".to_owned(), time_percent: 100, iterations: 1 }];
        let merged = merge(&sources, |_| Ok(Bytes::new("fio version 2 iolog\n")), &mut Vec::new());
        assert!(matches!(merged, Err(MergeError::Source { path, error: LogError::NotALog }) if path == "text"));
    }
}
