//! Writes a file: its head as a line of JSON, then the I/Os and the facts at the end, compressed.
//!
//! An I/O has a byte with its operation and one with its flags. Numbers of variable length follow: the time since the start of the
//! I/O before it, the distance from the end of the last I/O of its operation, its sectors, its stages and its program.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::to_vec;

use crate::document::{Facts, Head, MAGIC};
use crate::io::{Io, Operation};
use crate::varint::{put, put_difference};

/// Bits of the first byte of an I/O, beside its operation.
pub const INSERTED: u8 = 0x10;
pub const ISSUED: u8 = 0x20;
pub const COMPLETED: u8 = 0x40;
pub const NAMED: u8 = 0x80;
/// The first byte of the end.
pub const END: u8 = 0x0f;

/// Ends of the last I/O of each operation, and the start of the last I/O.
#[derive(Default)]
pub struct Before {
    pub start_ns: u64,
    pub ends: [u64; Operation::ALL.len()],
}

/// Writes a capture.
pub struct Writer<W: Write> {
    to: ZlibEncoder<W>,
    before: Before,
    /// The I/O that is written.
    bytes: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Writes the head.
    ///
    /// # Errors
    /// The output fails.
    pub fn new(mut to: W, head: &Head) -> io::Result<Writer<W>> {
        writeln!(to, "{MAGIC}")?;
        to.write_all(&to_vec(head)?)?;
        to.write_all(b"\n")?;
        // The file of a killed capture is recognised.
        to.flush()?;
        Ok(Writer { to: ZlibEncoder::new(to, Compression::fast()), before: Before::default(), bytes: Vec::new() })
    }

    /// Writes an I/O. Call this in the order of starts.
    ///
    /// # Errors
    /// The output fails.
    pub fn io(&mut self, io: &Io) -> io::Result<()> {
        self.bytes.clear();
        let stages = [(io.inserted_ns, INSERTED), (io.issued_ns, ISSUED), (io.completed_ns, COMPLETED)];
        let has = stages.iter().filter(|(ns, _)| ns.is_some()).fold(0, |bits, (_, bit)| bits | bit);
        let named = if io.program.is_some() { NAMED } else { 0 };
        let end = &mut self.before.ends[io.operation.index()];
        self.bytes.extend([io.operation as u8 | has | named, io.flags.0]);
        put(&mut self.bytes, io.start_ns.saturating_sub(self.before.start_ns));
        put_difference(&mut self.bytes, io.sector, *end);
        put(&mut self.bytes, u64::from(io.sectors));
        stages.iter().filter_map(|(ns, _)| *ns).for_each(|ns| put(&mut self.bytes, ns));
        io.program.into_iter().for_each(|program| put(&mut self.bytes, u64::from(program)));
        self.before.start_ns = self.before.start_ns.max(io.start_ns);
        *end = io.end();
        self.to.write_all(&self.bytes)
    }

    /// Writes the end and returns the output.
    ///
    /// # Errors
    /// The output fails.
    pub fn finish(mut self, facts: &Facts) -> io::Result<W> {
        self.to.write_all(&[END])?;
        self.to.write_all(&to_vec(facts)?)?;
        self.to.finish()
    }
}
