//! Plans of a fio command line, with options that override its own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, BufRead};

use fio::options::core_option;
use fio::parse::env::{Env, MachineSizes};
use fio::parse::settings::ProgramSettings;
use fio::{Request, parse_with};
use fleet::{HOST_MARK, HOST_VARIABLE};
use iolog::{MergeError, MergeSource};
use units::diagnostic::{Diagnostic, Source, Span};
use units::when::When;

use super::{Planned, without_effect};
use crate::machine::RealMachine;

/// Options that set a block size.
const BLOCK_SIZES: [&str; 3] = ["bs", "bsrange", "bssplit"];

pub struct FioLine<'a> {
    args: &'a [String],
    /// Name of the command that makes the runs.
    command: &'static str,
    env: ReadOnce,
}

impl<'a> FioLine<'a> {
    /// `is_local`: the targets are on this machine.
    pub fn new(args: &'a [String], command: &'static str, is_local: bool) -> Self {
        FioLine { args, command, env: ReadOnce { is_local, read: RefCell::default() } }
    }

    /// Returns the plan of the line with `settings` in place of its own options.
    ///
    /// # Errors
    /// The errors of the dialect.
    pub fn plan(&self, settings: &[(String, String)]) -> Result<Planned, Vec<Diagnostic>> {
        let span = |(option, value): &(String, String)| {
            let text = format!("{option}={value}");
            let range = 0..text.len();
            Span::new(&Source::new(self.command, text), range)
        };
        let overrides: Vec<Span> = settings.iter().map(span).collect();
        match parse_with(self.args, &overrides, &self.env)? {
            Request::Run(mut invocation) => {
                if let Some(file) = invocation.program.reports.first() {
                    let error = Diagnostic::error(format!("--report is an option of `fathom {}` here", self.command));
                    let help = format!("write it before `fio`: fathom {} --report {file} ... fio ...", self.command);
                    return Err(vec![error.help(help)]);
                }
                let mut warnings = std::mem::take(&mut invocation.warnings);
                warnings.append(&mut invocation.own_warnings);
                warnings.extend(without_effect(self.command, &report_options(&invocation.program)));
                Ok(Planned::Run { plan: Box::new(fio::lower(&invocation, &RealMachine)), warnings })
            }
            Request::Print { output, mut warnings, mut own_warnings, .. } => {
                warnings.append(&mut own_warnings);
                Ok(Planned::Print { printed: output, warnings })
            }
        }
    }
}

pub fn is_block_size(option: &str) -> bool {
    core_option(option).is_some_and(|option| BLOCK_SIZES.contains(&option.name))
}

/// Returns the options for fio's report, and whether they were given.
fn report_options(program: &ProgramSettings) -> [(&'static str, bool); 6] {
    let standard = ProgramSettings::default();
    [
        ("--output", program.output.is_some()),
        ("--output-format", program.formats != standard.formats),
        ("--record", program.record.is_some()),
        ("--status-interval", program.status_interval.is_some()),
        ("--debug", !program.debug.is_empty()),
        ("--eta", program.eta == When::Always),
    ]
}

/// The machine, with each file read once. Standard input can be read only once, and all runs must have the same job files.
struct ReadOnce {
    /// The targets are on this machine.
    is_local: bool,
    read: RefCell<HashMap<String, Vec<u8>>>,
}

impl Env for ReadOnce {
    fn var(&self, name: &str) -> Option<String> {
        if !self.is_local && name == HOST_VARIABLE {
            return Some(HOST_MARK.to_owned());
        }
        RealMachine.var(name)
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        if let Some(bytes) = self.read.borrow().get(path) {
            return Ok(bytes.clone());
        }
        let bytes = RealMachine.read_file(path)?;
        self.read.borrow_mut().insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    fn open_log(&self, path: &str) -> io::Result<Box<dyn BufRead>> {
        RealMachine.open_log(path)
    }

    fn merge_traces(&self, sources: &[MergeSource], into: &str) -> Result<(), MergeError> {
        RealMachine.merge_traces(sources, into)
    }

    fn exists(&self, path: &str) -> bool {
        RealMachine.exists(path)
    }

    fn is_directory(&self, path: &str) -> bool {
        !self.is_local || RealMachine.is_directory(path)
    }

    fn machine(&self) -> MachineSizes {
        RealMachine.machine()
    }
}
