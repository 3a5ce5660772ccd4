//! Where a sweep's report, its picture and its records go.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plan::Plan;
use record::Record;
use study::show::{Format, Ink, Report};
use study::{Sweep, Turn};

use super::request::{ReportFormat, Request};
use crate::outlet;
use crate::output::{print_and_flush, tell_line};
use crate::terminal::writes_utf8;

/// Characters of a point's name in a file's name.
const NAME_MAX: usize = 100;
/// The sweep itself among its records.
const WHOLE: &str = "sweep.json";

pub struct Files {
    output: Option<(File, PathBuf)>,
    svg: Option<(File, PathBuf)>,
    save: Option<PathBuf>,
}

impl Files {
    /// Makes all of them, so that what is wrong is found out now and not after an hour.
    pub fn create(request: &Request, plans: &[Arc<Plan>]) -> Result<Files, String> {
        let create = |path: &Option<PathBuf>| {
            let Some(path) = path else { return Ok(None) };
            check(path, plans)?;
            File::create(path).map(|file| Some((file, path.clone()))).map_err(|error| not_written(path, &error))
        };
        if let Some(folder) = &request.save {
            check(&folder.join(WHOLE), plans)?;
            let made = std::fs::create_dir_all(folder).and_then(|()| File::create(folder.join(WHOLE)));
            made.map_err(|error| not_written(folder, &error))?;
        }
        Ok(Files { output: create(&request.output)?, svg: create(&request.svg)?, save: request.save.clone() })
    }

    /// Saves the record of a run where that is wanted; false where it couldn't be.
    pub fn save(&self, sweep: &Sweep, turn: Turn, record: &Record) -> bool {
        let Some(folder) = &self.save else { return true };
        let path = folder.join(file_name(&sweep.points()[turn.point].name(), turn));
        let text = record::schema::write(record).map_err(|broken| broken.to_string());
        let written = text.and_then(|text| std::fs::write(&path, text).map_err(|error| error.to_string()));
        if let Err(error) = &written {
            tell_line!("fathom sweep: {} can't be written: {error}", path.display());
        }
        written.is_ok()
    }

    /// Writes the report wherever it is wanted; false where it couldn't be.
    pub fn write(&mut self, request: &Request, report: &Report) -> bool {
        let ink = if request.output.is_some() || writes_utf8() { Ink::Unicode } else { Ink::Ascii };
        let format = match request.format {
            ReportFormat::Text => Format::Text(ink),
            ReportFormat::Other(format) => format,
        };
        let text = report.write(format);
        let mut good = true;
        match &mut self.output {
            Some((file, path)) => good &= fill(file, path, &text),
            None => good &= print_and_flush(&text),
        }
        if let Some((file, path)) = &mut self.svg {
            good &= fill(file, path, &report.svg());
        }
        if let Some(folder) = &self.save {
            let path = folder.join(WHOLE);
            let whole = report.write(Format::Json);
            good &= File::create(&path).is_ok_and(|mut file| fill(&mut file, &path, &whole));
        }
        // Where the report is for a program or kept, people get its sentence.
        if let Some(sentence) = report.sentence()
            && (request.output.is_some() || request.format != ReportFormat::Text)
        {
            tell_line!("{sentence}");
        }
        good
    }
}

fn check(path: &Path, plans: &[Arc<Plan>]) -> Result<(), String> {
    outlet::check(path, plans.iter().map(Arc::as_ref)).map_err(|why| format!("{}: {why}", path.display()))
}

/// `002-bs=4k_iodepth=8.json`, and the run's number where a point has several.
fn file_name(point: &str, turn: Turn) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "=-.,:".contains(c) { c } else { '_' };
    let name: String = point.chars().map(plain).take(NAME_MAX).collect();
    let repeat = if turn.repeat > 0 { format!("-{}", turn.repeat + 1) } else { String::new() };
    format!("{:03}-{name}{repeat}.json", turn.point + 1)
}

fn fill(file: &mut File, path: &Path, text: &str) -> bool {
    let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
    if let Err(error) = &written {
        tell_line!("fathom sweep: {}", not_written(path, error));
    }
    written.is_ok()
}

fn not_written(path: &Path, error: &io::Error) -> String {
    format!("{} can't be written: {}", path.display(), units::errno::reason(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_name_stays_in_its_folder() {
        let turn = |repeat| Turn { point: 1, repeat };
        assert_eq!(file_name("bs=4k iodepth=8", turn(0)), "002-bs=4k_iodepth=8.json");
        assert_eq!(file_name("filename=../../etc/x", turn(2)), "002-filename=.._.._etc_x-3.json");
    }
}
