//! Standard output, standard error, and the file of `--output`.
//!
//! Text may contain names from outside. Control characters that the terminal would obey are escaped here. Only functions
//! whose name ends with `raw` do not escape: their text has no names, or its renderer escapes them.
//!
//! The progress line is removed from the terminal while text is written. Text for the terminal waits while the full-screen view
//! owns it.

use std::fmt::Arguments;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

#[cfg(any(target_os = "linux", windows))]
use live::Line;
use targets::OutputGuard;
use units::markup::printable;

use crate::atomic_file::{self, OutputError};
use crate::{exit, file_call};

pub struct Output {
    /// The path and the file of `--output`. `None`: standard output.
    file: Option<(String, File)>,
    /// The report is not complete in the file.
    has_failed: bool,
}

impl Output {
    /// Opens the file of `--output`. Without a path, the output is standard output.
    ///
    /// # Errors
    /// The output guard refuses the path, or the file cannot be opened.
    pub fn open(path: Option<&str>, guard: &mut OutputGuard) -> Result<Self, OutputError> {
        let open = |path: &str| Ok((path.to_owned(), atomic_file::create(Path::new(path), guard)?));
        Ok(Output { file: path.map(open).transpose()?, has_failed: false })
    }

    pub fn is_stdout(&self) -> bool {
        self.file.is_none()
    }

    /// Writes a part of the report. After an error of the file, the report continues on standard output. Example: the job has
    /// filled the disk.
    pub fn write(&mut self, text: &str) {
        let text = &*printable(text);
        if let Some((path, mut file)) = self.file.take() {
            let bytes = text.as_bytes().to_vec();
            match file_call::wait(move || file.write_all(&bytes).and_then(|()| file.flush()).map(|()| file)) {
                Ok(file) => return self.file = Some((path, file)),
                Err(error) => stderr_line!(
                    "fio: --output={path}: {}; the file is not complete, the report continues on standard output",
                    units::errno::reason(&error)
                ),
            }
            self.has_failed = true;
        }
        self.has_failed |= !write_stdout(text);
    }

    /// Closes the file. Returns false if the report is not complete in it. Prints the error.
    pub fn finish(&mut self) -> bool {
        if let Some((path, file)) = self.file.take()
            && let Err(error) = file_call::wait(|| os::file::close(file))
        {
            stderr_line!("fio: --output={path}: {}; the file is not complete", units::errno::reason(&error));
            self.has_failed = true;
        }
        !self.has_failed
    }
}

/// Writes to standard output. A pipe without a reader is no failure. After another error, such as a closed standard output, the
/// text goes to standard error, and the result is false.
pub fn write_stdout(text: &str) -> bool {
    write_stdout_raw(&printable(text))
}

/// Writes to standard output as [`write_stdout`], without escaping.
pub fn write_stdout_raw(text: &str) -> bool {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    match write(Stream::Stdout, text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            if !IS_REPORTED.swap(true, Relaxed) {
                write_stderr(format_args!(
                    "standard output can't be written: {}; the report continues here\n",
                    units::errno::reason(&error)
                ));
            }
            write_stderr(format_args!("{text}"));
            false
        }
        _ => true,
    }
}

/// Writes bytes to standard output, without escaping. They need not be text.
pub fn write_stdout_bytes_raw(bytes: &[u8]) -> bool {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return write_stdout_raw(text);
    }
    write(Stream::Stdout, bytes).is_ok()
}

/// Prints the text of a command and returns its exit code.
pub fn print_text(text: &str) -> u8 {
    if write_stdout(text) { exit::DONE } else { exit::FAILED }
}

/// Writes to standard error and ignores errors. `eprint!` panics if standard error is closed.
pub fn write_stderr(text: Arguments) {
    write_stderr_raw(&printable(&text.to_string()));
}

/// Writes to standard error as [`write_stderr`], without escaping.
pub fn write_stderr_raw(text: &str) {
    let _ = write(Stream::Stderr, text.as_bytes());
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    fn is_terminal(self) -> bool {
        match self {
            Stream::Stdout => io::stdout().is_terminal(),
            Stream::Stderr => io::stderr().is_terminal(),
        }
    }
}

/// Writes to a stream, unless its text is held.
fn write(stream: Stream, bytes: &[u8]) -> io::Result<()> {
    if let Some(held) = &mut *HELD.lock().unwrap_or_else(PoisonError::into_inner)
        && stream.is_terminal()
    {
        held.push((stream, bytes.to_vec()));
        return Ok(());
    }
    #[cfg(any(target_os = "linux", windows))]
    if stream == Stream::Stdout && os::standard_streams::is_output_closed() {
        return Err(os::errno::error(units::errno::EBADF));
    }
    without_line(|| match stream {
        Stream::Stdout => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush())
        }
        Stream::Stderr => io::stderr().lock().write_all(bytes),
    })
}

/// Text for the terminal that waits for the end of the full-screen view.
static HELD: Mutex<Option<Vec<HeldText>>> = Mutex::new(None);

type HeldText = (Stream, Vec<u8>);

/// Starts to hold all text for the terminal.
pub fn hold() {
    HELD.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
}

/// Writes the held text. From now on text is written at once.
pub fn release() {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
    for (stream, bytes) in held.into_iter().flatten() {
        // A terminal that is closed needs no text.
        let _ = write(stream, &bytes);
    }
}

/// The progress line of the process.
#[cfg(any(target_os = "linux", windows))]
static LINE: Mutex<Option<Line>> = Mutex::new(None);

/// Sets the progress line that is removed while text is written.
#[cfg(any(target_os = "linux", windows))]
pub fn set_line(line: Option<Line>) {
    *LINE.lock().unwrap_or_else(PoisonError::into_inner) = line;
}

/// Calls `write` while the progress line is not on the terminal.
#[cfg(any(target_os = "linux", windows))]
fn without_line<T>(write: impl FnOnce() -> T) -> T {
    let line = LINE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match line {
        Some(line) => line.suspend(write),
        None => write(),
    }
}

/// Calls `write`: only runs have a progress line.
#[cfg(not(any(target_os = "linux", windows)))]
fn without_line<T>(write: impl FnOnce() -> T) -> T {
    write()
}

/// Writes a line to standard error, as [`write_stderr`].
#[macro_export]
macro_rules! stderr_line {
    ($($text:tt)*) => { $crate::output::write_stderr(format_args!("{}\n", format_args!($($text)*))) };
}
pub use crate::stderr_line;
