//! Files of a sweep: its report, its charts and its records.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assessment::Assessment;
use plan::Plan;
use record::Record;
use report::Ink;
use study::Run;

use super::request::{ReportFormat, Request};
use crate::driver::Keeper;
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
    /// A record could not be saved.
    has_failed: bool,
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
        Ok(Files {
            output: create(&request.output)?,
            svg: create(&request.svg)?,
            save: request.save.clone(),
            has_failed: false,
        })
    }

    /// Writes the report and the charts. False if a file could not be written.
    pub fn write(&mut self, request: &Request, assessment: &Assessment) -> bool {
        let ink = if request.output.is_some() || writes_utf8() { Ink::Unicode } else { Ink::Ascii };
        let text = match request.format {
            ReportFormat::Text => report::text(assessment, ink),
            ReportFormat::Csv => report::csv(assessment),
            ReportFormat::Json => report::json(assessment),
            ReportFormat::Markdown => Some(report::markdown(assessment)),
        };
        let text = text.unwrap_or_default();
        let mut is_written = !self.has_failed;
        match &mut self.output {
            Some((file, path)) => is_written &= fill(file, path, &text),
            None => is_written &= print_and_flush(&text),
        }
        if let Some((file, path)) = &mut self.svg {
            is_written &= fill(file, path, &report::svg(assessment));
        }
        if let Some(folder) = &self.save {
            let path = folder.join(WHOLE);
            let whole = report::json(assessment).unwrap_or_default();
            is_written &= File::create(&path).is_ok_and(|mut file| fill(&mut file, &path, &whole));
        }
        if let Some(sentence) = report::sentence(assessment)
            && (request.output.is_some() || request.format != ReportFormat::Text)
        {
            tell_line!("{sentence}");
        }
        is_written
    }
}

impl Keeper for Files {
    fn record(&mut self, run: &Run, record: &Record) -> Option<i64> {
        let path = self.save.as_ref()?.join(file_name(run));
        let text = record::schema::write(record).map_err(|broken| broken.to_string());
        let written = text.and_then(|text| std::fs::write(&path, text).map_err(|error| error.to_string()));
        if let Err(error) = &written {
            tell_line!("error: {} cannot be written: {error}", path.display());
            self.has_failed = true;
        }
        None
    }
}

fn check(path: &Path, plans: &[Arc<Plan>]) -> Result<(), String> {
    outlet::check(path, plans.iter().map(Arc::as_ref)).map_err(|why| format!("{}: {why}", path.display()))
}

/// `002-bs=4k_iodepth=8.json`, and the run's number where a point has several.
fn file_name(run: &Run) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "=-.,:".contains(c) { c } else { '_' };
    let name: String = run.name.chars().map(plain).take(NAME_MAX).collect();
    let repeat = if run.repeat > 0 { format!("-{}", run.repeat + 1) } else { String::new() };
    format!("{:03}-{name}{repeat}.json", run.point + 1)
}

fn fill(file: &mut File, path: &Path, text: &str) -> bool {
    let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
    if let Err(error) = &written {
        tell_line!("error: {}", not_written(path, error));
    }
    written.is_ok()
}

fn not_written(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {}", path.display(), units::errno::reason(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_name_stays_in_its_folder() {
        let run = |name: &str, repeat| {
            let run = Run::new(study::Work::Plan(Arc::default()), "");
            file_name(&Run { name: name.to_owned(), point: 1, repeat, ..run })
        };
        assert_eq!(run("bs=4k iodepth=8", 0), "002-bs=4k_iodepth=8.json");
        assert_eq!(run("filename=../../etc/x", 2), "002-filename=.._.._etc_x-3.json");
    }
}
