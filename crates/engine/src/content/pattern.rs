//! Data that repeats a pattern.

use std::io::Read;

use plan::PatternPart;
use record::ContentFault;
use targets::fault;

use super::fill;

const WORD: usize = size_of::<u64>();

/// Maximum size of a pattern file, as in fio.
const MAX_PATTERN: u64 = 128 << 20;

/// Bytes to repeat, and the positions of the offset of the I/O in them.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    bytes: Vec<u8>,
    offsets_at: Vec<usize>,
}

impl Pattern {
    /// Returns `None` if the content is not a pattern.
    ///
    /// # Errors
    /// The pattern is empty, or its file cannot be read.
    pub(super) fn of(content: &plan::Content) -> Result<Option<Self>, ContentFault> {
        let pattern = match content {
            plan::Content::Random | plan::Content::Zero => return Ok(None),
            plan::Content::Pattern(parts) => Pattern::of_parts(parts),
            plan::Content::PatternFile(path) => Pattern {
                bytes: read_start(path).map_err(|error| ContentFault::PatternFile {
                    path: path.clone(),
                    error: fault::os_error(&error),
                })?,
                offsets_at: Vec::new(),
            },
        };
        if pattern.bytes.is_empty() { Err(ContentFault::EmptyPattern) } else { Ok(Some(pattern)) }
    }

    pub fn of_parts(parts: &[PatternPart]) -> Self {
        let mut pattern = Pattern::default();
        for part in parts {
            match part {
                PatternPart::Bytes(bytes) => pattern.bytes.extend_from_slice(bytes),
                PatternPart::Offset => {
                    pattern.offsets_at.push(pattern.bytes.len());
                    pattern.bytes.extend_from_slice(&[0; WORD]);
                }
            }
        }
        pattern
    }

    /// Returns the bytes to repeat. Offsets are zero.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub fn has_offset(&self) -> bool {
        !self.offsets_at.is_empty()
    }

    /// Repeats the pattern over the data of an I/O at `offset`.
    pub fn fill(&self, buffer: &mut [u8], offset: u64) {
        if !self.has_offset() {
            fill::repeat(buffer, &self.bytes);
            return;
        }
        let once = self.bytes.len().min(buffer.len());
        buffer[..once].copy_from_slice(&self.bytes[..once]);
        for &at in self.offsets_at.iter().filter(|&&at| at < once) {
            let fits = WORD.min(once - at);
            buffer[at..at + fits].copy_from_slice(&offset.to_ne_bytes()[..fits]);
        }
        fill::spread(buffer, once);
    }
}

fn read_start(path: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_PATTERN).read_to_end(&mut bytes)?;
    Ok(bytes)
}
