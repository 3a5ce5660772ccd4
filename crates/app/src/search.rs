//! A search on one target (`knee`, `assess --like`): the target and its files, consent, the runs and the results.

use std::path::Path;
use std::sync::Arc;

use assessment::Assessment;
use os::signal::Interrupts;
use plan::Plan;
use study::Study;
use study::knee::{self, CapturedLoad, Knee, KneeTarget};
use study::suite::Place;
use targets::OutputGuard;

use crate::atomic_file::AtomicFile;
use crate::command_error::CommandError;
use crate::consent::{self, Demand};
use crate::driver::{self, NoKeeper};
use crate::explain::Explain;
use crate::live_views::{LiveOptions, LiveViews};
use crate::progress::{self, Progress};
use crate::results::Results;
use crate::run::RunOptions;
use crate::runner::Runner;
use crate::scratch::TestFiles;
use crate::target::{self, Found};
use crate::{exit, session, signals};

/// Name of a new file in a directory.
const FILE: &str = "data";

/// What a command requests of a search.
pub struct SearchArgs<'a> {
    /// Name of the command.
    pub command: &'a str,
    /// The arguments after it.
    pub typed: &'a [String],
    pub target: &'a str,
    /// Consent to overwrite data: paths of files or devices.
    pub overwrite: &'a [String],
    /// Start without confirmation.
    pub yes: bool,
    pub is_quiet: bool,
    pub live: LiveOptions,
    pub explain: Explain,
    pub reports: &'a [String],
    pub save: Option<&'a str>,
    pub no_history: bool,
    pub tags: &'a [String],
}

/// A search whose target is found and whose files are made.
pub struct Search<'a> {
    args: SearchArgs<'a>,
    runner: &'a dyn Runner,
    interrupts: Interrupts,
    options: RunOptions<'static>,
    pub found: Found,
    files: Box<dyn TestFiles>,
}

/// What runs, checked.
pub struct Ready {
    pub plan: Arc<Plan>,
    pub target: KneeTarget,
    /// The replay of a captured load.
    pub captured: Option<CapturedLoad>,
    pub ramp_ns: u64,
    pub demand: Demand,
}

/// A search that has ended.
pub struct Ended {
    pub assessment: Assessment,
    /// The file of the report.
    pub output: Option<AtomicFile>,
    results: Results,
    interrupts: Interrupts,
}

impl<'a> Search<'a> {
    /// Finds the target and makes its files. `check` has further conditions.
    ///
    /// # Errors
    /// The target cannot be used; nothing ran.
    pub fn open(
        args: SearchArgs<'a>,
        runner: &'a dyn Runner,
        check: impl FnOnce(&Found) -> Result<(), CommandError>,
    ) -> Result<Search<'a>, CommandError> {
        let found = runner.find(args.target, args.overwrite)?;
        target::refuse_others(args.overwrite, std::iter::once(&found))?;
        consent::to_new_files(std::iter::once(&found), args.yes)?;
        found.refuse_if_used()?;
        check(&found)?;
        // Signals first: from here on files are made.
        let interrupts = signals::install()?;
        let options = RunOptions { explain: args.explain, ..RunOptions::default() };
        let files = runner.make_files(&found, false, &options.lease)?;
        Ok(Search { args, runner, interrupts, options, found, files })
    }

    /// Returns the file or device of the job.
    pub fn path(&self) -> String {
        match self.files.place() {
            Place::Directory(folder) => Path::new(folder).join(FILE).to_string_lossy().into_owned(),
            Place::Path(path) => path.clone(),
        }
    }

    pub fn has_direct_io(&self) -> bool {
        self.files.has_direct_io()
    }

    /// Returns the largest size of a new file, up to `wanted`.
    ///
    /// # Errors
    /// A host does not answer.
    pub fn file_bytes_max(&self, wanted: u64) -> Result<u64, String> {
        self.runner.file_bytes_max(self.files.as_ref(), wanted)
    }

    /// Runs the search to its end. `output` is the file of the report.
    ///
    /// # Errors
    /// The user does not agree, or a file of the results cannot be written; nothing ran.
    pub fn run(mut self, request: assessment::Knee, ready: Ready, output: Option<&str>) -> Result<Ended, CommandError> {
        let Ready { plan, target, captured, ramp_ns, demand } = ready;
        let args = self.args;
        consent::to_demand(&demand, args.yes)?;
        self.files.will_run(&plan)?;
        let mut guard = OutputGuard::new([plan.as_ref()]);
        let output = output.map(|path| AtomicFile::open(Path::new(path), &mut guard)).transpose();
        let output = output.map_err(|error| format!("--output {error}"))?;
        let results = Results::open(args.reports, args.save, args.no_history, &mut guard)?;
        drop(guard);
        if !args.is_quiet {
            progress::announce(knee::runs(&request), |runs| Some(knee::time_ns(&request, ramp_ns, runs)));
        }
        let session = session::start(args.command, args.typed, self.runner, (self.found.facts, Vec::new()), args.tags);
        let mut study = Box::new(match captured {
            Some(captured) => Knee::of_captured(session, request, target, captured),
            None => Knee::new(session, request, target),
        });
        let mut progress = Progress::new(args.is_quiet, args.explain);
        let mut display = LiveViews::open(&mut progress, &args.live, self.runner.fleet())?;
        let runner = (self.runner, self.interrupts);
        driver::drive(study.as_mut(), runner, &self.options, &mut display, &mut NoKeeper);
        drop(display);
        let assessment = study.finish(&session::end(self.interrupts, None));
        Ok(Ended { assessment, output, results, interrupts: self.interrupts })
    }
}

impl Ended {
    /// Saves the results. `is_printed`: the report was written. Returns the exit code.
    pub fn save(self, is_printed: bool) -> u8 {
        let is_written = self.results.save(&self.assessment) && is_printed;
        exit::of(&self.assessment, self.interrupts.last(), is_written)
    }
}
