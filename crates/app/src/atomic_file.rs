//! Files that the program writes. Each one passes the engine's output guard before it is opened.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use os::file::Kind;
use targets::{Existing, NamedBy, OutputGuard, OutputPlace};

use crate::file_call;
use crate::output::stderr_line;
use crate::temporary_file::TemporaryFile;

/// Why a file is not written.
#[derive(Debug)]
pub struct OutputError {
    /// The path, as the user gave it.
    path: PathBuf,
    cause: targets::OutputError,
}

impl fmt::Display for OutputError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: ", self.path.display())?;
        match &self.cause {
            targets::OutputError::Refused(refusal) => refusal.fmt(to),
            targets::OutputError::Io(error) => to.write_str(&units::errno::reason(error)),
        }
    }
}

impl std::error::Error for OutputError {}

impl From<OutputError> for String {
    fn from(error: OutputError) -> String {
        error.to_string()
    }
}

impl OutputError {
    pub fn io(path: &Path, error: io::Error) -> OutputError {
        OutputError { path: path.to_owned(), cause: targets::OutputError::Io(error) }
    }

    /// Returns the error with another path: the one that the user gave.
    pub fn of(self, path: &Path) -> OutputError {
        OutputError { path: path.to_owned(), ..self }
    }

    /// Returns the error without the path.
    pub fn into_cause(self) -> io::Error {
        match self.cause {
            targets::OutputError::Io(error) => error,
            targets::OutputError::Refused(refusal) => io::Error::other(refusal.to_string()),
        }
    }
}

/// Checks that a file may be written.
///
/// # Errors
/// The output guard refuses the path.
pub fn check(path: &Path, guard: &mut OutputGuard) -> Result<(), OutputError> {
    let refused = targets::OutputError::Refused;
    guard.check(path).map_err(|refusal| OutputError { path: path.to_owned(), cause: refused(refusal) })
}

/// Opens a file for a report that grows while the run is active. An existing file loses its contents.
///
/// # Errors
/// The output guard refuses the path, or the file cannot be opened.
pub fn create(path: &Path, guard: &mut OutputGuard) -> Result<File, OutputError> {
    let opened = guard.open(path, Existing::Truncate, NamedBy::User);
    opened.map_err(|cause| OutputError { path: path.to_owned(), cause })
}

/// As [`create`], at a name that the program has chosen.
///
/// # Errors
/// As [`create`], or a file or link of another user is there.
pub fn create_own(path: &Path, guard: &mut OutputGuard) -> Result<File, OutputError> {
    let opened = guard.open(path, Existing::Truncate, NamedBy::Program);
    opened.map_err(|cause| OutputError { path: path.to_owned(), cause })
}

/// Writes a whole file at once.
///
/// # Errors
/// As [`AtomicFile::open`] and [`AtomicFile::write`].
pub fn write(path: &Path, bytes: &[u8], guard: &mut OutputGuard) -> Result<(), OutputError> {
    AtomicFile::open(path, guard)?.write(bytes)
}

/// Writes a whole file at once, at a name that the program has chosen.
///
/// # Errors
/// As [`AtomicFile::open_own`] and [`AtomicFile::write`].
pub fn write_own(path: &Path, bytes: &[u8], guard: &mut OutputGuard) -> Result<(), OutputError> {
    AtomicFile::open_own(path, guard)?.write(bytes)
}

/// A file that is replaced when its new contents are complete. After an error the old contents remain.
#[derive(Debug)]
pub struct AtomicFile {
    /// The path, as the user gave it.
    given: PathBuf,
    /// The folder is held from the check to the end.
    place: OutputPlace,
    named_by: NamedBy,
    /// `None` for a pipe or a character device.
    temporary: Option<Arc<TemporaryFile>>,
}

impl AtomicFile {
    /// Checks a path, and creates a file in its directory for a test. Call this before the run: a wrong path is reported
    /// before hours of measurement.
    ///
    /// # Errors
    /// The output guard refuses the path, or no file can be created in its directory.
    pub fn open(given: &Path, guard: &mut OutputGuard) -> Result<AtomicFile, OutputError> {
        AtomicFile::of(given, NamedBy::User, guard)
    }

    /// As [`AtomicFile::open`], at a name that the program has chosen.
    ///
    /// # Errors
    /// As [`AtomicFile::open`], or a file or link of another user is there.
    pub fn open_own(given: &Path, guard: &mut OutputGuard) -> Result<AtomicFile, OutputError> {
        AtomicFile::of(given, NamedBy::Program, guard)
    }

    fn of(given: &Path, named_by: NamedBy, guard: &mut OutputGuard) -> Result<AtomicFile, OutputError> {
        // A symbolic link remains. The file that it leads to is replaced.
        let place = guard.place(given, named_by);
        let place = place.map_err(|cause| OutputError { path: given.to_owned(), cause })?;
        let failed = |error| OutputError::io(given, error);
        let given = given.to_owned();
        if std::fs::metadata(place.at()).is_ok_and(|found| is_stream(&found)) {
            return Ok(AtomicFile { given, place, named_by, temporary: None });
        }
        let temporary = Arc::new(TemporaryFile::beside(place.at()).map_err(failed)?);
        let checked = Arc::clone(&temporary);
        file_call::wait(move || checked.check_writable()).map_err(failed)?;
        Ok(AtomicFile { given, place, named_by, temporary: Some(temporary) })
    }

    /// Writes the new contents and replaces the file.
    ///
    /// # Errors
    /// The file has come into use since it was opened, or an I/O error occurs.
    pub fn write(&self, bytes: &[u8]) -> Result<(), OutputError> {
        let (place, temporary, bytes) = (self.place.clone(), self.temporary.clone(), bytes.to_vec());
        let named_by = self.named_by;
        let write = move || {
            let write = || {
                OutputGuard::new([]).place(place.at(), named_by)?;
                match temporary {
                    Some(temporary) => Ok(temporary.replace(place.at(), &bytes)?),
                    None => write_stream(place.open_stream()?, &bytes),
                }
            };
            Ok(write())
        };
        let written = file_call::wait(write).map_err(|error| OutputError::io(&self.given, error))?;
        written.map_err(|cause| OutputError { path: self.given.clone(), cause })
    }

    /// Writes as [`AtomicFile::write`] and prints an error. Returns false after an error.
    pub fn write_or_report(&self, bytes: &[u8]) -> bool {
        let written = self.write(bytes);
        if let Err(error) = &written {
            stderr_line!("error: {error}");
        }
        written.is_ok()
    }
}

fn write_stream(mut file: File, bytes: &[u8]) -> Result<(), targets::OutputError> {
    file.write_all(bytes)?;
    Ok(os::file::close(file)?)
}

/// Pipes, sockets and character devices take bytes and cannot be replaced.
fn is_stream(found: &Metadata) -> bool {
    matches!(Kind::of(found), Kind::Char | Kind::Pipe | Kind::Socket)
}

/// Returns true if two paths lead to the same file. Missing files are compared by path.
pub fn is_same_file(one: &str, other: &str) -> bool {
    targets::resolve(Path::new(one)) == targets::resolve(Path::new(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_a_link_remains() {
        let folder = std::env::temp_dir().join(format!("fathom-atomic-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (file, link) = (folder.join("file"), folder.join("link"));
        std::fs::write(&file, "old contents").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"new", &mut OutputGuard::new([])).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
        let error = AtomicFile::open(&folder, &mut OutputGuard::new([])).unwrap_err();
        assert!(error.to_string().contains("this is a directory"), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
