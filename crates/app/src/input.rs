//! Input files: regular files, pipes and standard input, each kind up to a size.
//!
//! A device has no end: its type is checked before it is opened, as opening alone can have an effect.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

const MIB: u64 = 1 << 20;

/// What a file is read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display)]
pub enum Kind {
    #[strum(to_string = "a job file")]
    JobFile,
    /// An XML profile of DiskSpd.
    #[strum(to_string = "a profile")]
    Profile,
    #[strum(to_string = "a suite")]
    Suite,
    #[strum(to_string = "a file of requirements")]
    Requirements,
    #[strum(to_string = "a file of limits")]
    Limits,
    /// A saved record or assessment.
    #[strum(to_string = "a record or an assessment")]
    Saved,
    /// A file of `fathom capture`. It is read in parts.
    #[strum(to_string = "a capture")]
    Capture,
}

impl Kind {
    /// Returns the size limit in bytes. A capture has none: it is not read into memory.
    fn bytes_max(self) -> Option<u64> {
        Some(match self {
            Kind::JobFile | Kind::Limits => 16 * MIB,
            Kind::Profile => diskspd::xml::FILE_BYTES_MAX as u64,
            Kind::Suite | Kind::Requirements => MIB,
            Kind::Saved => 1024 * MIB,
            Kind::Capture => return None,
        })
    }
}

/// Reads a file, or standard input if the path is `-`.
///
/// # Errors
///
/// The path is a device, the content is larger than its kind allows, or it cannot be read.
pub fn read(path: &Path, kind: Kind) -> io::Result<Vec<u8>> {
    if ["-", "/dev/stdin"].map(Path::new).contains(&path) {
        return read_all(io::stdin().lock(), kind);
    }
    read_all(open(path, kind)?, kind)
}

/// Opens a file or a pipe.
///
/// # Errors
///
/// The path is a device, the file is larger than its kind allows, or it cannot be opened.
pub fn open(path: &Path, kind: Kind) -> io::Result<File> {
    check(&path.metadata()?, kind)?;
    let file = File::open(path)?;
    // The path may lead to another file now.
    check(&file.metadata()?, kind)?;
    Ok(file)
}

/// Reads a file of UTF-8 text as [`read`] does.
///
/// # Errors
///
/// As [`read`], or the file is not UTF-8.
pub fn read_text(path: &Path, kind: Kind) -> io::Result<String> {
    String::from_utf8(read(path, kind)?).map_err(|_| refused("it is not UTF-8 text".to_owned()))
}

/// Returns the first bytes of a regular file.
///
/// # Errors
///
/// There is no such file, or it cannot be read.
pub fn start_of_file(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    if !path.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut start = Vec::new();
    File::open(path)?.take(bytes).read_to_end(&mut start)?;
    Ok(start)
}

fn check(found: &Metadata, kind: Kind) -> io::Result<()> {
    let device = match os::file::Kind::of(found) {
        os::file::Kind::Char => Some("a character device"),
        os::file::Kind::Block => Some("a block device"),
        _ => None,
    };
    if let Some(device) = device {
        return Err(refused(format!("it is {device}: {kind} must be a file or a pipe")));
    }
    match kind.bytes_max() {
        Some(max) if found.is_file() && found.len() > max => Err(too_large(kind, max)),
        _ => Ok(()),
    }
}

fn read_all(mut input: impl Read, kind: Kind) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Some(max) = kind.bytes_max() else {
        input.read_to_end(&mut bytes)?;
        return Ok(bytes);
    };
    input.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(too_large(kind, max)) } else { Ok(bytes) }
}

fn too_large(kind: Kind, bytes_max: u64) -> io::Error {
    refused(format!("it is larger than {}, the most that {kind} can have", units::format::size(bytes_max)))
}

fn refused(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}
