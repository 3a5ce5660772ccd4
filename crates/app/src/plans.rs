//! The plan of a suite's job. The dialect parses the job as a file and a command line.

use std::io::{self, BufRead};

use iolog::{MergeError, MergeSource};
use plan::Dialect;
use plan::Plan;
use study::suite::Job;
use units::diagnostic::{Diagnostic, Level};

use crate::machine::RealMachine;

/// Returns the plan of a job and the warnings of its dialect, located in the suite's file.
///
/// # Errors
/// The errors of the dialect.
pub fn plan(job: &Job) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
    let planned = match job.dialect {
        Dialect::Fio => of_fio(&job.args, &WithFile(job)),
        Dialect::DiskSpd => of_diskspd(&job.args, &WithFile(job)),
    };
    let located = |list: Vec<Diagnostic>| list.into_iter().map(|diagnostic| job.located(diagnostic)).collect();
    match planned {
        Ok((mut plan, warnings)) => {
            plan.reseed(job.pass);
            Ok((plan, located(warnings)))
        }
        Err(errors) => Err(located(errors)),
    }
}

/// Returns the plan of a line of fio, and the warnings.
///
/// # Errors
/// The errors of the dialect.
pub fn of_fio(args: &[String], env: &dyn fio::parse::env::Env) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
    match fio::parse(args, env)? {
        fio::Request::Run(invocation) => {
            let plan = fio::lower(&invocation, &RealMachine);
            Ok((plan, [invocation.warnings, invocation.own_warnings].concat()))
        }
        fio::Request::Print { .. } => Err(vec![Diagnostic::error("the command line defines no I/O")]),
    }
}

/// Returns the plan of a line of DiskSpd, and the warnings.
///
/// # Errors
/// The errors of the dialect.
pub fn of_diskspd(
    args: &[String],
    env: &dyn diskspd::parse::env::Env,
) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
    match diskspd::parse(args, env)? {
        diskspd::Request::Run(invocation) => {
            let lowered = diskspd::lower::lower(&invocation.profile, &invocation.args, &RealMachine)?;
            if !lowered.refused.is_empty() {
                return Err(lowered.refused);
            }
            Ok((lowered.plan, invocation.messages.into_warnings().into_iter().chain(lowered.warnings).collect()))
        }
        _ => Err(vec![Diagnostic::error("the line runs nothing")]),
    }
}

/// Returns the diagnostics of the highest level as one text.
pub fn text(diagnostics: &[Diagnostic]) -> String {
    let worst = diagnostics.iter().map(|diagnostic| diagnostic.level).max().unwrap_or(Level::Note);
    let shown: Vec<String> =
        diagnostics.iter().filter(|diagnostic| diagnostic.level == worst).map(ToString::to_string).collect();
    shown.join("\n")
}

/// The machine, with the job's file on it.
struct WithFile<'a>(&'a Job);

impl WithFile<'_> {
    fn text(&self, path: &str) -> Option<&str> {
        let (name, text) = self.0.file.as_ref()?;
        (name == path).then_some(text)
    }
}

impl fio::parse::env::Env for WithFile<'_> {
    fn var(&self, name: &str) -> Option<String> {
        RealMachine.var(name)
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        match self.text(path) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => fio::parse::env::Env::read_file(&RealMachine, path),
        }
    }

    fn open_log(&self, path: &str) -> io::Result<Box<dyn BufRead>> {
        RealMachine.open_log(path)
    }

    fn merge_traces(&self, sources: &[MergeSource], into: &str) -> Result<(), MergeError> {
        RealMachine.merge_traces(sources, into)
    }

    fn exists(&self, path: &str) -> bool {
        self.text(path).is_some() || RealMachine.exists(path)
    }

    fn is_directory(&self, path: &str) -> bool {
        // `fathom suite show` has no target. Any other command has made its folder.
        self.text(path).is_none() && (RealMachine.is_directory(path) || !RealMachine.exists(path))
    }

    fn machine(&self) -> fio::parse::env::MachineSizes {
        RealMachine.machine()
    }
}

impl diskspd::parse::env::Env for WithFile<'_> {
    fn uptime_ms(&self) -> u32 {
        RealMachine.uptime_ms()
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        match self.text(path) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => diskspd::parse::env::Env::read_file(&RealMachine, path),
        }
    }

    fn online_cpus(&self) -> Vec<u32> {
        diskspd::parse::env::Env::online_cpus(&RealMachine)
    }
}

#[cfg(test)]
mod tests {
    use study::suite::{BUILT_IN, FillWay, Form, Place, Site, Sites, Suite, SuiteParams, built_in};

    use super::*;

    fn params(suite: &Suite, form: Form, short: bool, place: Place) -> SuiteParams {
        let site = Site::new(place, suite.default_size(short, false, None));
        SuiteParams { form, short, is_resized: short, sites: Sites::one(site), fill: FillWay::Suite, runtime_s: None }
    }

    #[test]
    fn every_job_of_every_suite_has_a_plan_in_every_form() {
        for name in BUILT_IN {
            let suite = built_in(name).unwrap();
            let places = [Place::Directory("/d".into()), Place::Path("/d/file".into())];
            let forms = [Form::Literal, Form::AsMeant];
            for (place, form, short) in
                places.iter().flat_map(|place| forms.map(|form| (place, form, form == Form::Literal)))
            {
                let params = params(&suite, form, short, place.clone());
                for test in &suite.tests {
                    for cell in test.cells(short) {
                        let job = suite.job(test, &cell, &params);
                        let planned = plan(&job);
                        assert!(
                            planned.is_ok(),
                            "{name} {}:\n{}\n{}",
                            test.name,
                            text(&planned.unwrap_err()),
                            job.text()
                        );
                        let (plan, warnings) = planned.unwrap();
                        assert!(form == Form::Literal || warnings.is_empty(), "{name} {}: {warnings:?}", test.name);
                        let most = study::suite::footprint(&plan).into_values().max().unwrap_or(0);
                        assert!(!short || most <= 1 << 30, "{name} {} takes {most} bytes in short", test.name);
                    }
                }
            }
        }
    }

    #[test]
    fn the_short_form_of_each_suite_takes_at_most_a_minute() {
        use study::suite::{Planned, takes_ns};
        for name in BUILT_IN {
            let suite = built_in(name).unwrap();
            let params = params(&suite, Form::AsMeant, true, Place::Directory("/d".into()));
            let tests: Vec<_> = suite.tests.iter().map(study::suite::Test::in_short_form).collect();
            let all: Vec<Planned> = tests
                .iter()
                .map(|test| Planned {
                    test,
                    plans: test
                        .cells(true)
                        .iter()
                        .map(|cell| plan(&suite.job(test, cell, &params)).unwrap().0)
                        .collect(),
                })
                .collect();
            let (ns, _) = takes_ns(&all);
            assert!(ns <= 60_000_000_000, "{name}: {} s", ns / 1_000_000_000);
        }
    }

    #[test]
    fn each_job_works_on_its_own_volume() {
        let suite = built_in("azure").unwrap();
        let site = |name: &str, bytes: u64| Site {
            volumes: vec![name.to_owned()],
            ..Site::new(Place::Directory(format!("/{name}")), Some(bytes))
        };
        let sites = Sites::new(vec![site("nocache", 8 << 20), site("readcache", 4 << 20)]).unwrap();
        let params = SuiteParams { sites, ..params(&suite, Form::AsMeant, false, Place::Path("/f".into())) };
        let on = |name: &str| {
            let test = suite.tests.iter().find(|test| test.name == name).unwrap();
            let (plan, _) = plan(&suite.job(test, &Vec::new(), &params)).unwrap();
            let written: Vec<String> = study::suite::written(&plan).into_iter().collect();
            (study::suite::footprint(&plan), written)
        };
        let (taken, written) = on("max-combined-iops");
        let files = |folder: &str| (0..4).map(|nth| format!("/{folder}/data.{nth}")).collect::<Vec<String>>();
        assert_eq!(written, files("nocache"));
        assert_eq!(taken.keys().cloned().collect::<Vec<_>>(), [files("nocache"), files("readcache")].concat());
        assert_eq!((taken["/nocache/data.0"], taken["/readcache/data.3"]), (8 << 20, 4 << 20));
        let (taken, written) = on("max-read-iops");
        assert_eq!((taken.keys().cloned().collect::<Vec<_>>(), written.len()), (files("readcache"), 0));
    }

    #[test]
    fn a_line_that_creates_its_file_writes_even_if_it_only_reads() {
        let suite = built_in("azure-diskspd").unwrap();
        let test = suite.tests.iter().find(|test| test.name == "max-read-iops").unwrap();
        let writes = |form: Form| {
            let params = params(&suite, form, true, Place::Path("/f".into()));
            study::suite::writes(&plan(&suite.job(test, &Vec::new(), &params)).unwrap().0)
        };
        assert!(writes(Form::Literal), "its line has -c");
        assert!(!writes(Form::AsMeant));
    }

    #[test]
    fn an_error_of_a_dialect_is_located_in_the_suites_file() {
        let text = "name = \"a\"\ntitle = \"t\"\nsource = \"s\"\ndate = \"2026\"\n[[test]]\nname = \"x\"\ntitle = \"t\"\n\
                    job = { rw = \"read\",\n  bs = \"4q\" }\n";
        let suite = study::suite::Suite::read("a.toml", text).unwrap();
        let params = params(&suite, Form::AsMeant, false, Place::Directory("/d".into()));
        let refused = super::text(&plan(&suite.job(&suite.tests[0], &Vec::new(), &params)).unwrap_err());
        assert!(refused.contains("a.toml:9:3"), "{refused}");
    }

    #[test]
    fn blocks_that_are_verified_have_the_same_seeds_in_each_pass() {
        let seeds = |pass, verify: &str| {
            let options = [("rw", "randwrite"), ("size", "1m"), ("filename", "/simulated/data"), ("verify", verify)];
            let options = options.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
            let mut job = Job::fio("job.fio", vec![("job".to_owned(), options)]);
            job.pass = pass;
            plan(&job).expect("the job is planned").0.workers[0].job().unwrap().load.access.seeds
        };
        assert_eq!(seeds(0, "crc32c"), seeds(1, "crc32c"));
        assert_ne!(seeds(0, "0"), seeds(1, "0"));
    }
}
