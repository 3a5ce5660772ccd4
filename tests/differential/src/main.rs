//! `cargo xtask differential`: compares fathom with fio in random jobs. Ends with exit status 1 if a difference is neither
//! known nor fio's own fault.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use differential::answers::Answer;
use differential::case::Case;
use differential::examine::{Failure, Verdict, examine};
use differential::generate::Generator;
use differential::pair::{Places, Programs};
use differential::report::{Report, describe};

const USAGE: &str =
    "usage: cargo xtask differential --fio PATH --cases N [--seed S] [--jobs J] [--keep FOLDER] [--without OPTION,…]
       cargo xtask differential --fio PATH --case 'OPTIONS'
       cargo xtask differential --fio PATH --cases N [--seed S] --record FILE
       cargo xtask differential --fio PATH --case 'OPTIONS' --record FILE";

/// First line of a file of answers.
const ANSWERS_HEAD: &str = "# What fio 3.42 does. Written by `cargo xtask differential --record`.\n";

fn main() -> ExitCode {
    match Options::parse().and_then(|options| options.run()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("differential: {why}");
            ExitCode::FAILURE
        }
    }
}

struct Options {
    fio: PathBuf,
    cases: u64,
    /// Number of the first case.
    first: u64,
    seed: u64,
    jobs: u64,
    keep: PathBuf,
    /// Options that no case has.
    without: Vec<String>,
    /// File for answers of fio, instead of a comparison.
    record: Option<PathBuf>,
    /// A single case instead of random ones.
    case: Option<Case>,
}

impl Options {
    fn parse() -> Result<Options, String> {
        let mut options = Options {
            fio: PathBuf::new(),
            cases: 0,
            first: 0,
            seed: 1,
            jobs: 2,
            keep: "target/differential".into(),
            without: Vec::new(),
            record: None,
            case: None,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or(USAGE)?;
            let number = || value.parse().map_err(|_| USAGE);
            match name.as_str() {
                "--fio" => options.fio = value.into(),
                "--cases" => options.cases = number()?,
                "--first" => options.first = number()?,
                "--seed" => options.seed = number()?,
                "--jobs" => options.jobs = number()?,
                "--keep" => options.keep = value.into(),
                "--without" => options.without = value.split(',').map(str::to_owned).collect(),
                "--record" => options.record = Some(value.into()),
                "--case" => options.case = Some(Case::parse(&value)),
                _ => return Err(USAGE.to_owned()),
            }
        }
        let is_complete = options.fio.is_file() && (options.cases > 0 || options.case.is_some()) && options.jobs > 0;
        if is_complete { Ok(options) } else { Err(USAGE.to_owned()) }
    }

    /// Returns whether all differences are explained.
    fn run(&self) -> Result<bool, String> {
        let fio = self.fio.canonicalize().map_err(|error| format!("{}: {error}", self.fio.display()))?;
        let programs = Programs::new(harness::binary(), &fio).map_err(|error| error.to_string())?;
        if let Some(path) = &self.record {
            return self.record(&programs, path).map(|()| true);
        }
        let begin = Instant::now();
        let report = match &self.case {
            Some(case) => {
                let mut report = Report::default();
                report.add(0, self.examine(&programs, 0, case, &Places::new())?);
                report
            }
            None => self.random_cases(&programs)?,
        };
        print!("{}", report.text(begin.elapsed()));
        Ok(!report.has_failures())
    }

    fn random_cases(&self, programs: &Programs) -> Result<Report, String> {
        let (next, report) = (AtomicU64::new(self.first), Mutex::new(Report::default()));
        let end = self.first + self.cases;
        let work = || {
            let places = Places::new();
            let generator = Generator::new(self.seed, places.has_devices()).without(&self.without);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return Ok(());
                }
                let verdict = self.examine(programs, number, &generator.case(number), &places)?;
                report.lock().expect("no thread panics with the lock").add(number, verdict);
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.jobs).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("a thread does not panic"))
        })
        .map_err(|error: String| error)?;
        Ok(report.into_inner().expect("all threads have ended"))
    }

    /// Appends the answer of a case to a file of answers.
    fn append(&self, programs: &Programs, case: &Case, path: &Path) -> Result<(), String> {
        let answer = Answer::record(programs, case, &Places::new()).map_err(|error| error.to_string())?;
        let answer = answer.ok_or("the programs differ")?.to_string();
        let file = std::fs::File::options().append(true).create(true).open(path);
        let written = file.and_then(|mut file| file.write_all(answer.as_bytes()));
        written.map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Writes the answers of the first cases of the seed that both programs answer in the same way.
    fn record(&self, programs: &Programs, path: &Path) -> Result<(), String> {
        if let Some(case) = &self.case {
            return self.append(programs, case, path);
        }
        let places = Places::new();
        let generator = Generator::new(self.seed, places.has_devices()).without(&self.without);
        let (mut text, mut count) = (String::from(ANSWERS_HEAD), 0);
        for number in self.first.. {
            if count == self.cases {
                break;
            }
            let answer = Answer::record(programs, &generator.case(number), &places);
            if let Some(answer) = answer.map_err(|error| format!("case {number}: {error}"))? {
                text.push_str(&answer.to_string());
                count += 1;
            }
        }
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn examine(&self, programs: &Programs, number: u64, case: &Case, places: &Places) -> Result<Verdict, String> {
        let verdict = examine(programs, number, case, places).map_err(|error| format!("case {number}: {error}"))?;
        if let Verdict::Unexplained(failure) = &verdict {
            println!("case {number}\n{}", describe(failure));
            self.keep(failure).map_err(|error| format!("{}: {error}", self.keep.display()))?;
        }
        Ok(verdict)
    }

    /// Keeps a failure in a file of its own.
    fn keep(&self, failure: &Failure) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.keep)?;
        let path: &Path = &self.keep.join(format!("{}-{}.txt", self.seed, failure.number));
        std::fs::write(path, format!("{}\noriginal\n  {}\n", describe(failure), failure.original))
    }
}
