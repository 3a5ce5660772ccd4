//! A workload of the command line: a job file, an XML profile, or a command line in quotes.

use plan::Plan;
use units::diagnostic::Diagnostic;

use crate::input;
use crate::lines::fio_line::FioLine;
use crate::lines::{Dialect, Planned, diskspd_line};
use crate::secrets::{mask_arguments, mask_line};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workload {
    /// The command line with its program, without passwords and keys.
    pub text: String,
    pub dialect: Dialect,
    /// Arguments of the dialect's program.
    pub line: Vec<String>,
}

impl Workload {
    /// Parses one argument of the command line.
    ///
    /// # Errors
    /// A quote of the command line is not closed, or there is no such job file.
    pub fn parse(arg: &str) -> Result<Workload, String> {
        let program = arg.split_whitespace().next().filter(|program| program.len() < arg.trim().len());
        if let Some(dialect) = program.and_then(Dialect::of_program) {
            let line = shlex::split(arg).ok_or_else(|| format!("`{arg}`: its quotes are not closed"))?;
            return Ok(Workload { text: mask_line(arg), dialect, line: line.into_iter().skip(1).collect() });
        }
        // Other errors name a file or an extension.
        let is_path = arg == "-" || arg.contains(['.', '/']) || std::path::Path::new(arg).exists();
        if !is_path {
            return Err(format!(
                "there is no job file `{arg}`\nhelp: fathom runs jobs of fio and DiskSpd: `fathom run job.fio`, `fathom run fio \
                 --name=a …`"
            ));
        }
        Ok(if is_profile(arg) {
            Workload { text: arg.to_owned(), dialect: Dialect::DiskSpd, line: vec![format!("-X{arg}")] }
        } else {
            Workload { text: arg.to_owned(), dialect: Dialect::Fio, line: vec![arg.to_owned()] }
        })
    }

    /// Returns the workload of a command line that the shell has split.
    pub fn of_line(dialect: Dialect, line: Vec<String>) -> Workload {
        let text = [vec![dialect.name().to_owned()], mask_arguments(&line)].concat().join(" ");
        Workload { text, dialect, line }
    }

    /// Returns the plan and the warnings. `is_local`: the targets are on this machine.
    ///
    /// # Errors
    /// The errors of the dialect.
    pub fn plan(&self, command: &'static str, is_local: bool) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
        let planned = match self.dialect {
            Dialect::Fio => FioLine::new(&self.line, command, is_local).plan(&[]),
            Dialect::DiskSpd => diskspd_line::plan(&self.line, &[], command),
        };
        match planned? {
            Planned::Run { plan, warnings } => Ok((*plan, warnings)),
            Planned::Print { .. } => Err(vec![Diagnostic::error("the command line prints text and runs no I/O")]),
        }
    }
}

/// Bytes of a file in which the first character other than a space is looked for.
const START_BYTES: u64 = 4096;

/// Returns true for an XML file, by its name or its first byte.
fn is_profile(path: &str) -> bool {
    let by_name = path.rsplit('.').next().is_some_and(|ending| ending.eq_ignore_ascii_case("xml"));
    // Standard input can be read only once. A profile is a file.
    let begins = || input::start_of_file(std::path::Path::new(path), START_BYTES).ok();
    by_name || begins().is_some_and(|bytes| bytes.trim_ascii_start().first() == Some(&b'<'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arg: &str) -> (Dialect, Vec<String>) {
        let workload = Workload::parse(arg).unwrap_or_else(|message| panic!("{message}"));
        (workload.dialect, workload.line)
    }

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_workload_is_a_line_in_quotes_a_profile_or_a_job_file() {
        assert_eq!(read("fio --name=a '--filename=x y'"), (Dialect::Fio, strings(&["--name=a", "--filename=x y"])));
        assert_eq!(read("/opt/diskspd.exe -b4K t"), (Dialect::DiskSpd, strings(&["-b4K", "t"])));
        assert_eq!(read("base.fio"), (Dialect::Fio, strings(&["base.fio"])));
        assert_eq!(read("my jobs/fio base.fio"), (Dialect::Fio, strings(&["my jobs/fio base.fio"])));
        assert_eq!(read("mixed.XML"), (Dialect::DiskSpd, strings(&["-Xmixed.XML"])));
    }
}
