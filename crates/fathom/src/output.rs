//! Where the report goes: standard output, or the file of `--output`.

use std::fs::File;
use std::io::{self, Write};

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
            eprintln!("fio: the report can't be written where --output says: {error}; it goes to standard output");
            *self = Output::Stdout;
        }
        print_and_flush(text);
    }
}

/// Prints without failing where nobody reads.
pub fn print_and_flush(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Prints what the program was run for: a disk without room for it is told, a reader who has seen enough is none.
pub fn print_report(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        _ => Ok(()),
    }
}
