//! Standard output, standard error, and the file of `--output`.

use std::fmt::Arguments;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use engine::OutputGuard;

use crate::atomic_file::{self, OutputError};
use crate::exit;

pub enum Output {
    Stdout,
    File(File),
}

impl Output {
    /// Opens the file of `--output`; standard output without one.
    ///
    /// # Errors
    /// The output guard refuses the path, or the file cannot be opened.
    pub fn open(path: Option<&str>, guard: &mut OutputGuard) -> Result<Self, OutputError> {
        path.map_or(Ok(Output::Stdout), |path| atomic_file::create(Path::new(path), guard).map(Output::File))
    }

    pub fn is_stdout(&self) -> bool {
        matches!(self, Output::Stdout)
    }

    /// Writes a part of the report. A closed pipe does not stop the run. If the file cannot be written, for example on a
    /// disk that the job has filled, the report continues on standard output.
    pub fn write(&mut self, text: &str) {
        if let Output::File(file) = self {
            let Err(error) = file.write_all(text.as_bytes()).and_then(|()| file.flush()) else { return };
            let error = units::errno::reason(&error);
            stderr_line!("fio: --output: {error}; the report continues on standard output");
            *self = Output::Stdout;
        }
        write_stdout(text);
    }
}

/// Writes to standard output. A closed pipe is no failure. After another error the text goes to standard error, and the
/// result is false.
pub fn write_stdout(text: &str) -> bool {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
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

/// Writes bytes to standard output. They need not be text.
pub fn write_stdout_bytes(bytes: &[u8]) -> bool {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return write_stdout(text);
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).is_ok()
}

/// Prints the text of a command and returns its exit code.
pub fn print_text(text: &str) -> u8 {
    if write_stdout(text) { exit::DONE } else { exit::FAILED }
}

/// Writes to standard error and ignores errors. `eprint!` panics if standard error is closed.
pub fn write_stderr(text: Arguments) {
    let _ = io::stderr().lock().write_all(text.to_string().as_bytes());
}

/// Writes a line to standard error, as [`write_stderr`].
macro_rules! stderr_line {
    ($($text:tt)*) => { $crate::output::write_stderr(format_args!("{}\n", format_args!($($text)*))) };
}
pub(crate) use stderr_line;
