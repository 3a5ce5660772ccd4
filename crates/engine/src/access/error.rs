//! Why the I/O of a job cannot be generated.

use std::fmt;

use plan::Ddir;
use units::random::LfsrError;

/// Why the I/O of a job cannot be generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessError {
    NoFiles,
    NoDirection,
    BlockSize { ddir: Ddir, min: u64, max: u64 },
    ZoneShares { ddir: Ddir },
    Strides,
    MapMemory { blocks: u64 },
    Lfsr(LfsrError),
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccessError::NoFiles => write!(f, "there is no file to do I/O on"),
            AccessError::NoDirection => write!(f, "the pattern neither reads nor writes nor trims"),
            AccessError::BlockSize { ddir, min, max } => {
                write!(f, "block sizes for {} from {min} to {max} bytes cannot be", ddir.name())
            }
            AccessError::ZoneShares { ddir } => {
                write!(f, "the shares of the zones for {} do not add up to 100 percent", ddir.name())
            }
            AccessError::Strides => write!(f, "strided zones need a size and a range above zero"),
            AccessError::MapMemory { blocks } => {
                write!(f, "no memory for a random map of {blocks} blocks: norandommap and softrandommap do without")
            }
            AccessError::Lfsr(error) => write!(f, "random_generator=lfsr: {error}"),
        }
    }
}

impl std::error::Error for AccessError {}
