//! fio's compressed logs of latencies, bandwidth and IOPS: binary samples in zlib streams, one stream after another.
//!
//! A sample has 40 bytes, in little endian order, and 8 bytes for each of the optional columns offset and time of issue
//! (fio 3.42, `struct io_sample` in `iolog.h`).

use std::io::{self, BufRead, Read, Write};

use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;

const HAS_OFFSET: u32 = 1 << 31;
const SHOWS_PRIORITY: u32 = 1 << 30;
const HAS_SECOND_VALUE: u32 = 1 << 29;
const HAS_ISSUE_TIME: u32 = 1 << 28;
const COLUMNS: u32 = HAS_OFFSET | SHOWS_PRIORITY | HAS_SECOND_VALUE | HAS_ISSUE_TIME;
const FIXED_BYTES: usize = 40;
const REAL_TIME_CLASS: u16 = 1;

/// Columns in addition to time, value, direction and size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SampleColumns {
    pub second_value: bool,
    pub offset: bool,
    /// The priority itself. Without it, a flag for the real-time class.
    pub priority: bool,
    pub issue_time: bool,
}

/// A line of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sample {
    pub time_ms: u64,
    pub value: u64,
    pub second_value: u64,
    /// fio's number of the direction.
    pub direction: u8,
    pub priority: u16,
    pub bytes: u64,
    pub offset: u64,
    pub issue_ns: u64,
}

impl SampleColumns {
    fn bits(self) -> u32 {
        let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        bit(self.offset, HAS_OFFSET)
            | bit(self.priority, SHOWS_PRIORITY)
            | bit(self.second_value, HAS_SECOND_VALUE)
            | bit(self.issue_time, HAS_ISSUE_TIME)
    }

    fn of_bits(bits: u32) -> Self {
        let has = |bit: u32| bits & bit != 0;
        SampleColumns {
            second_value: has(HAS_SECOND_VALUE),
            offset: has(HAS_OFFSET),
            priority: has(SHOWS_PRIORITY),
            issue_time: has(HAS_ISSUE_TIME),
        }
    }

    fn sample_bytes(self) -> usize {
        FIXED_BYTES + 8 * (usize::from(self.offset) + usize::from(self.issue_time))
    }
}

/// Returns the samples as one zlib stream.
pub fn compress(samples: impl Iterator<Item = Sample>, columns: SampleColumns) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    for sample in samples {
        let mut bytes = Vec::with_capacity(columns.sample_bytes());
        for word in [sample.time_ms, sample.value, sample.second_value] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&(u32::from(sample.direction) | columns.bits()).to_le_bytes());
        bytes.extend_from_slice(&u32::from(sample.priority).to_le_bytes());
        bytes.extend_from_slice(&sample.bytes.to_le_bytes());
        if columns.offset {
            bytes.extend_from_slice(&sample.offset.to_le_bytes());
        }
        if columns.issue_time {
            bytes.extend_from_slice(&sample.issue_ns.to_le_bytes());
        }
        // Writing to memory does not fail.
        let _ = encoder.write_all(&bytes);
    }
    encoder.finish().unwrap_or_default()
}

/// Writes the lines of a compressed log.
///
/// # Errors
/// The log cannot be read or is no compressed log, or the text cannot be written. The lines before the damage are written.
pub fn write_text(mut log: impl BufRead, text: &mut impl Write) -> io::Result<()> {
    while !log.fill_buf()?.is_empty() {
        let mut samples = ZlibDecoder::new(log);
        while let Some((sample, columns)) = read_sample(&mut samples)? {
            write_line(text, &sample, columns)?;
        }
        log = samples.into_inner();
    }
    Ok(())
}

/// Reads the next sample of a stream. `None` at its end.
fn read_sample(stream: &mut impl Read) -> io::Result<Option<(Sample, SampleColumns)>> {
    let mut fixed = [0; FIXED_BYTES];
    // The first byte decides between the end of the stream and the middle of a sample.
    if stream.read(&mut fixed[..1])? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut fixed[1..])?;
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| fixed[at + byte]));
    let kind = word(24) as u32;
    let columns = SampleColumns::of_bits(kind);
    let mut optional = |is_present: bool| -> io::Result<u64> {
        let mut bytes = [0; 8];
        if is_present {
            stream.read_exact(&mut bytes)?;
        }
        Ok(u64::from_le_bytes(bytes))
    };
    let sample = Sample {
        time_ms: word(0),
        value: word(8),
        second_value: word(16),
        direction: (kind & !COLUMNS) as u8,
        priority: (word(24) >> 32) as u16,
        bytes: word(32),
        offset: optional(columns.offset)?,
        issue_ns: optional(columns.issue_time)?,
    };
    Ok(Some((sample, columns)))
}

fn write_line(text: &mut impl Write, sample: &Sample, columns: SampleColumns) -> io::Result<()> {
    write!(text, "{}, {}", sample.time_ms, sample.value)?;
    if columns.second_value {
        write!(text, ", {}", sample.second_value)?;
    }
    write!(text, ", {}, {}", sample.direction, sample.bytes)?;
    if columns.offset {
        write!(text, ", {}", sample.offset)?;
    }
    match columns.priority {
        true => write!(text, ", 0x{:04x}", sample.priority)?,
        false => write!(text, ", {}", u8::from(sample.priority >> 13 == REAL_TIME_CLASS))?,
    }
    if columns.issue_time {
        write!(text, ", {}", sample.issue_ns)?;
    }
    writeln!(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: Sample = Sample {
        time_ms: 12,
        value: 345,
        second_value: 678,
        direction: 1,
        priority: 0x2003,
        bytes: 4096,
        offset: 8192,
        issue_ns: 99,
    };

    fn text(log: &[u8]) -> (io::Result<()>, String) {
        let mut text = Vec::new();
        let ended = write_text(log, &mut text);
        (ended, String::from_utf8(text).unwrap())
    }

    #[test]
    fn streams_one_after_another_have_the_lines_of_the_columns() {
        let all = SampleColumns { second_value: true, offset: true, priority: true, issue_time: true };
        let mut log = compress([SAMPLE, SAMPLE].into_iter(), SampleColumns::default());
        log.extend(compress([SAMPLE].into_iter(), all));
        let (ended, text) = text(&log);
        ended.unwrap();
        assert_eq!(text, "12, 345, 1, 4096, 1\n12, 345, 1, 4096, 1\n12, 345, 678, 1, 4096, 8192, 0x2003, 99\n");
    }

    #[test]
    fn damaged_logs_give_the_lines_before_the_damage_and_an_error() {
        let one = compress([SAMPLE].into_iter(), SampleColumns::default());
        let cut = [&one[..], &one[..one.len() / 2]].concat();
        assert!(matches!(text(&cut), (Err(_), lines) if lines.starts_with("12, 345, 1, 4096, 1\n")));
        assert!(text(b"no zlib stream").0.is_err());
        assert!(text(b"").0.is_ok());
    }
}
