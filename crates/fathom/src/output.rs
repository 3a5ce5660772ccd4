//! Where the report goes: standard output, or the file of `--output`.

use std::fmt::Arguments;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The exit code of a command that has no answer.
const REFUSED: u8 = 2;

pub enum Output {
    Stdout,
    File(File),
}

impl Output {
    pub fn open(path: Option<&str>) -> io::Result<Self> {
        path.map_or(Ok(Output::Stdout), |path| File::create(path).map(Output::File))
    }

    pub fn is_stdout(&self) -> bool {
        matches!(self, Output::Stdout)
    }

    /// Writes a piece of the report. A reader that has gone away is no reason to stop measuring; a file that takes no
    /// more, on a disk that the job has just filled, is one to go on elsewhere.
    pub fn write(&mut self, text: &str) {
        if let Output::File(file) = self {
            let Err(error) = file.write_all(text.as_bytes()).and_then(|()| file.flush()) else { return };
            let error = units::errno::reason(&error);
            tell_line!("fio: the report can't be written where --output says: {error}; it goes to standard output");
            *self = Output::Stdout;
        }
        print_and_flush(text);
    }
}

/// Prints. A reader that has gone away is no failure; what standard output doesn't take for another reason goes to
/// standard error, after a word about it, and the answer is false.
pub fn print_and_flush(text: &str) -> bool {
    static TOLD: AtomicBool = AtomicBool::new(false);
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            if !TOLD.swap(true, Relaxed) {
                tell(format_args!(
                    "standard output can't be written: {}; all of it comes here\n",
                    units::errno::reason(&error)
                ));
            }
            tell(format_args!("{text}"));
            false
        }
        _ => true,
    }
}

/// Prints what need not be text.
pub fn print_bytes(bytes: &[u8]) -> bool {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return print_and_flush(text);
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).is_ok()
}

/// Carries out a command whose answer is a text; what it is called stands before what went wrong.
pub fn answer(name: &str, carried_out: Result<String, String>) -> ExitCode {
    match carried_out {
        Ok(text) if print_and_flush(&text) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(REFUSED),
        Err(message) => {
            tell_line!("fathom {name}: {message}");
            ExitCode::from(REFUSED)
        }
    }
}

/// Says something on standard error, if anybody hears it: `eprint!` would end the run where nobody does.
pub fn tell(text: Arguments) {
    let _ = io::stderr().lock().write_all(text.to_string().as_bytes());
}

/// As [`tell`], a line.
macro_rules! tell_line {
    ($($text:tt)*) => { $crate::output::tell(format_args!("{}\n", format_args!($($text)*))) };
}
pub(crate) use tell_line;
