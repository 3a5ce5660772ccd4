//! A job without options is lowered to the default worker of the plan, with a file named after the job. Words become modes.

use std::sync::Arc;

use fio::lower::{FixedMachine, lower};
use fio::parse::env::FixedEnv;
use fio::parse::{Request, parse};
use plan::{Echo, Fallocate, Targets, Worker};

#[test]
fn a_plain_job_is_the_default_worker() {
    let Ok(Request::Run(invocation)) = parse(&["--name=job".to_owned()], &FixedEnv::default()) else { panic!("a job") };
    let plan = lower(&invocation, &FixedMachine { cpus: 1 });
    let lowered = &plan.workers[0];
    let mut expected = Worker {
        name: "job".into(),
        targets: Targets { paths: vec!["job.0.0".into()], generated: true, ..Targets::default() },
        echo: Arc::new(Echo {
            ioengine: "psync".into(),
            rw: "read".into(),
            iodepth: 1,
            options: lowered.echo.options.clone(),
            ..Echo::default()
        }),
        ..Worker::default()
    };
    // fio's defaults of options that have no effect in this job.
    (expected.rate.cycle_ms, expected.think.blocks, expected.measure.logs.per_job) = (1000, 1, true);
    // Files for reads are laid out.
    expected.targets.create.overwrite = true;
    assert_eq!(format!("{lowered:#?}"), format!("{expected:#?}"));
}

#[test]
fn each_word_of_fallocate_is_its_mode() {
    for (word, mode) in [
        ("none", Fallocate::None),
        ("posix", Fallocate::Posix),
        ("keep", Fallocate::Keep),
        ("truncate", Fallocate::Truncate),
        ("native", Fallocate::Native),
    ] {
        let line = ["--name=job".to_owned(), format!("--fallocate={word}")];
        let Ok(Request::Run(invocation)) = parse(&line, &FixedEnv::default()) else { panic!("{word}") };
        assert_eq!(lower(&invocation, &FixedMachine { cpus: 1 }).workers[0].targets.create.fallocate, mode, "{word}");
    }
}
