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

    /// Writes a piece of the report. A reader that has gone away is no reason to stop measuring.
    pub fn write(&mut self, text: &str) {
        let written = match self {
            Output::Stdout => {
                print_and_flush(text);
                Ok(())
            }
            Output::File(file) => file.write_all(text.as_bytes()).and_then(|()| file.flush()),
        };
        if let Err(error) = written {
            eprintln!("fio: the report can't be written: {error}");
        }
    }
}

/// Prints without failing where nobody reads.
pub fn print_and_flush(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
