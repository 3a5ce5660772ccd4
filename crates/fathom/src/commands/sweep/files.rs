//! Files of a sweep: its report, its chart and its records.

use std::path::PathBuf;
use std::sync::Arc;

use assessment::Assessment;
use plan::Plan;
use record::{Record, schema};
use report::Ink;
use study::Run;
use targets::OutputGuard;

use crate::args::sweep::{Args, Format};
use app::atomic_file::AtomicFile;
use app::command_error::CommandError;
use app::driver::Keeper;
use app::output::{stderr_line, write_stdout};
use app::save_folder::SaveFolder;
use app::terminal::ink;

/// Characters of a point's name in a file's name.
const NAME_MAX: usize = 100;
/// The report among the records.
const REPORT: &str = "sweep.json";

pub struct Files {
    output: Option<AtomicFile>,
    svg: Option<AtomicFile>,
    folder: Option<SaveFolder>,
}

impl Files {
    /// Checks all paths before the first run.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn create(args: &Args, plans: &[Arc<Plan>], guard: &mut OutputGuard) -> Result<Files, CommandError> {
        let mut open = |option: &str, path: &Option<PathBuf>| {
            let file = path.as_ref().map(|path| AtomicFile::open(path, guard)).transpose();
            file.map_err(|error| format!("{option} {error}"))
        };
        let folder = args.save.as_ref().map(|path| SaveFolder::create(path, REPORT, plans)).transpose();
        Ok(Files {
            output: open("--output", &args.output)?,
            svg: open("--svg", &args.svg)?,
            folder: folder.map_err(|error| format!("--save {error}"))?,
        })
    }

    /// Writes the report and the chart. Returns false if a file could not be written.
    pub fn write(&mut self, args: &Args, assessment: &Assessment) -> bool {
        let ink = if args.output.is_some() { Ink::Unicode } else { ink() };
        let text = match args.format {
            Format::Text => report::text(assessment, ink),
            Format::Csv => report::csv(assessment),
            Format::Json => report::json(assessment),
            Format::Markdown => Some(report::markdown(assessment)),
        };
        let text = text.unwrap_or_default();
        let mut is_written = match &self.output {
            Some(file) => file.write_or_report(text.as_bytes()),
            None => write_stdout(&text),
        };
        if let Some(file) = &self.svg {
            is_written &= file.write_or_report(report::svg(assessment).as_bytes());
        }
        if let Some(folder) = &mut self.folder {
            folder.write(REPORT, Ok(report::json(assessment).unwrap_or_default()));
            is_written &= !folder.has_failed();
        }
        if let Some(sentence) = report::sentence(assessment)
            && (args.output.is_some() || args.format != Format::Text)
        {
            stderr_line!("{sentence}");
        }
        is_written
    }
}

impl Keeper for Files {
    fn record(&mut self, run: &Run, record: &Record) -> Option<i64> {
        let folder = self.folder.as_mut()?;
        folder.write(&file_name(run), schema::write(record).map_err(|error| error.to_string()));
        None
    }
}

/// Returns a name such as `002-bs=4k_iodepth=8.json`, with the run's number if a point has several runs.
fn file_name(run: &Run) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "=-.,:".contains(c) { c } else { '_' };
    let name: String = run.name.chars().map(plain).take(NAME_MAX).collect();
    let repeat = if run.repeat > 0 { format!("-{}", run.repeat + 1) } else { String::new() };
    format!("{:03}-{name}{repeat}.json", run.point + 1)
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
