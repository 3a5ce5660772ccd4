//! Reads a file of [`Writer`](crate::Writer).

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::ZlibDecoder;

use crate::decoder::PROGRAMS_MAX;
use crate::document::{DOCUMENT_MAX, Facts, Head, MAGIC};
use crate::io::{Flags, Io, Operation};
use crate::varint::{get, get_difference};
use crate::writer::{Before, COMPLETED, END, INSERTED, ISSUED, NAMED};

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is no capture.
    #[error("this is no file of `fathom capture`")]
    NoCapture,
    /// It is a capture of another version.
    #[error("this is a capture in the format {0}, and this fathom reads {MAGIC}")]
    Version(String),
    /// It ends early: the capture was killed.
    #[error("the capture file is incomplete: fathom was killed, or the file was truncated")]
    Incomplete,
    /// Its contents are not valid.
    #[error("the capture is damaged")]
    Damaged,
    #[error("{}", units::errno::reason(.0))]
    Io(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => ReadError::Incomplete,
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => ReadError::Damaged,
            _ => ReadError::Io(error),
        }
    }
}

/// Reads a capture.
pub struct Reader<R: BufRead> {
    from: BufReader<ZlibDecoder<R>>,
    before: Before,
    facts: Option<Facts>,
}

impl<R: BufRead> Reader<R> {
    /// Reads the head.
    ///
    /// # Errors
    /// The input is no capture of this version.
    pub fn new(mut from: R) -> Result<(Head, Reader<R>), ReadError> {
        let magic = line(&mut from, 2 * MAGIC.len() as u64)?;
        if magic != MAGIC.as_bytes() {
            let name = MAGIC.split('/').next().unwrap_or_default();
            let text = String::from_utf8_lossy(&magic).into_owned();
            let is_capture = text.starts_with(&format!("{name}/"));
            return Err(if is_capture { ReadError::Version(text) } else { ReadError::NoCapture });
        }
        let head = line(&mut from, DOCUMENT_MAX)?;
        let head = serde_json::from_slice(&head).map_err(|_| ReadError::Damaged)?;
        Ok((head, Reader { from: BufReader::new(ZlibDecoder::new(from)), before: Before::default(), facts: None }))
    }

    /// Returns the next I/O; `None` after the last one.
    ///
    /// # Errors
    /// The input fails, ends early or is not valid.
    pub fn next_io(&mut self) -> Result<Option<Io>, ReadError> {
        let mut first = [0; 2];
        if self.facts.is_some() {
            return Ok(None);
        }
        self.from.read_exact(&mut first[..1])?;
        if first[0] == END {
            let mut text = Vec::new();
            self.from.by_ref().take(DOCUMENT_MAX).read_to_end(&mut text)?;
            self.facts = Some(serde_json::from_slice(&text).map_err(|_| ReadError::Damaged)?);
            return Ok(None);
        }
        self.from.read_exact(&mut first[1..])?;
        self.io(first).map(Some)
    }

    fn io(&mut self, [stages, flags]: [u8; 2]) -> Result<Io, ReadError> {
        let operation = *Operation::ALL.get(usize::from(stages & 0x0f)).ok_or(ReadError::Damaged)?;
        let from = &mut self.from;
        let start_ns = self.before.start_ns.checked_add(get(from)?).ok_or(ReadError::Damaged)?;
        let end = &mut self.before.ends[operation.index()];
        let sector = get_difference(from, *end)?;
        let small = |number: u64| u32::try_from(number).map_err(|_| ReadError::Damaged);
        let sectors = small(get(from)?)?;
        let mut stage = |bit| if stages & bit == 0 { Ok(None) } else { get(from).map(Some) };
        let (inserted_ns, issued_ns, completed_ns) = (stage(INSERTED)?, stage(ISSUED)?, stage(COMPLETED)?);
        let program = stage(NAMED)?.map(small).transpose()?;
        if program.is_some_and(|index| index as usize >= PROGRAMS_MAX) {
            return Err(ReadError::Damaged);
        }
        let flags = Flags(flags);
        let io = Io { start_ns, operation, flags, sector, sectors, inserted_ns, issued_ns, completed_ns, program };
        self.before.start_ns = start_ns;
        *end = io.end();
        Ok(io)
    }

    /// Returns the facts at the end, after [`Reader::next_io`] has returned `None`.
    pub fn into_facts(self) -> Option<Facts> {
        self.facts
    }
}

/// Reads a line of at most `most` bytes, without its end.
fn line(from: &mut impl BufRead, most: u64) -> Result<Vec<u8>, ReadError> {
    let mut line = Vec::new();
    from.take(most).read_until(b'\n', &mut line)?;
    match line.pop() {
        Some(b'\n') => Ok(line),
        _ => Err(ReadError::NoCapture),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Device, End as CaptureEnd};
    use crate::io::Layer;
    use crate::lives::Changes;
    use crate::owner::LeftOut;
    use crate::writer::Writer;

    fn head() -> Head {
        Head {
            fathom: "0.1.0".to_owned(),
            target: "/mnt".into(),
            device: Device { name: "vda".into(), size_bytes: 1 << 30, ..Device::default() },
            partition: None,
            layer: Layer::Requests,
            started_unix_ms: Some(1),
            utc_offset_s: -3600,
            has_names: true,
            origin: crate::document::Origin::Capture,
        }
    }

    fn facts() -> Facts {
        let (changes, programs) = (Changes::default(), vec!["dd".into()]);
        let [events, lost_events, unreadable] = [4, 3, 2];
        let (end, left_out) = (CaptureEnd::Exit, Some(LeftOut { programs: 7, kernel: 8 }));
        Facts { end, duration_ns: 5, events, lost_events, unreadable, changes, cpu_ns: 1, programs, left_out }
    }

    fn ios() -> Vec<Io> {
        let io = |nth: u64, operation| Io {
            start_ns: nth * 1_000_003,
            operation,
            flags: Flags::SYNC,
            sector: (nth * 7919) % 1000,
            sectors: 8,
            inserted_ns: nth.is_multiple_of(2).then_some(nth),
            issued_ns: nth.is_multiple_of(3).then_some(nth * 100),
            completed_ns: Some(u64::MAX - nth),
            program: nth.is_multiple_of(5).then_some(0),
        };
        let mut all: Vec<Io> = (0..50).map(|nth| io(nth, Operation::ALL[nth as usize % 5])).collect();
        all.push(Io { sector: u64::MAX, sectors: u32::MAX, completed_ns: None, ..io(50, Operation::Read) });
        all
    }

    fn written() -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), &head()).unwrap();
        ios().iter().for_each(|io| writer.io(io).unwrap());
        writer.finish(&facts()).unwrap()
    }

    fn read(bytes: &[u8]) -> Result<(Head, Vec<Io>, Facts), ReadError> {
        let (head, mut reader) = Reader::new(bytes)?;
        let mut ios = Vec::new();
        while let Some(io) = reader.next_io()? {
            ios.push(io);
        }
        Ok((head, ios, reader.into_facts().unwrap()))
    }

    #[test]
    fn a_capture_comes_back() {
        let (head, ios, facts) = read(&written()).unwrap();
        assert_eq!((head, ios, facts), (self::head(), self::ios(), self::facts()));
    }

    #[test]
    fn an_index_beyond_the_names_is_refused() {
        let read_with = |program: usize| {
            let mut writer = Writer::new(Vec::new(), &head()).unwrap();
            writer.io(&Io { program: Some(program as u32), ..ios()[0] }).unwrap();
            read(&writer.finish(&facts()).unwrap())
        };
        assert!(read_with(PROGRAMS_MAX - 1).is_ok());
        assert!(matches!(read_with(PROGRAMS_MAX), Err(ReadError::Damaged)));
    }

    #[test]
    fn a_file_that_is_cut_or_is_something_else_is_refused() {
        let bytes = written();
        for end in [bytes.len() - 40, bytes.len() - 100, bytes.len() / 2] {
            let error = read(&bytes[..end]).unwrap_err();
            assert!(matches!(error, ReadError::Incomplete | ReadError::Damaged), "{end}: {error}");
        }
        assert!(matches!(read(b"fathom.capture/2\n{}\n"), Err(ReadError::Version(_))));
        assert!(matches!(read(b"fathom.capture/1\n{}\n"), Err(ReadError::Damaged)));
        for other in [&b""[..], b"\n", b"{\"schema\": 1}", &[0xff; 100]] {
            assert!(matches!(read(other), Err(ReadError::NoCapture)));
        }
    }
}
