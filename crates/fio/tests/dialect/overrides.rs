//! Tests of options that override the options of each job.

use fio::options::{core_option, engine_option};
use fio::parse::env::FixedEnv;
use fio::parse::value::Value;
use fio::{Invocation, Request, parse_with};
use units::diagnostic::{Diagnostic, Source, Span};

const JOBS: &str = "[global]\nbs=8k\nsize=1m\n[a]\nrw=randread\n[b]\nbs=64k\nrw=write\n";

fn parsed(line: &str, overrides: &[&str]) -> Result<Invocation, Vec<Diagnostic>> {
    let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let span = |text: &&str| Span::new(&Source::new("sweep", *text), 0..text.len());
    let overrides: Vec<Span> = overrides.iter().map(span).collect();
    let env = FixedEnv::default().file("a.fio", JOBS.as_bytes());
    match parse_with(&args, &overrides, &env)? {
        Request::Run(invocation) => Ok(*invocation),
        Request::Print { output, .. } => panic!("{output:?}"),
    }
}

fn errors(line: &str, overrides: &[&str]) -> String {
    let diagnostics = parsed(line, overrides).expect_err("the override is invalid");
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

#[test]
fn overrides_apply_to_all_jobs() {
    let invocation = parsed("a.fio --name=c --bs=4k --size=1m", &["bs=16k"]).unwrap();
    let bs = core_option("bs").unwrap();
    assert!(invocation.jobs.iter().all(|job| job.values.current(bs) == Some(&Value::Numbers([16 << 10; 3]))));
    assert_eq!(invocation.jobs.len(), 3);
    assert_eq!(invocation.jobs[0].options.last().unwrap().value.as_deref(), Some("16k"));
}

#[test]
fn overrides_can_be_aliases_and_engine_options() {
    let invocation = parsed("--name=a --size=1m", &["sqthread_poll=1", "blocksize=2k", "ioengine=io_uring"]).unwrap();
    let values = &invocation.jobs[0].values;
    let is = |option, value| values.current(option) == Some(&value);
    assert!(is(core_option("ioengine").unwrap(), Value::Text("io_uring".to_owned())));
    assert!(is(engine_option("io_uring", "sqthread_poll").unwrap(), Value::Flag(true)));
    assert!(is(core_option("bs").unwrap(), Value::Numbers([2048; 3])));
}

#[test]
fn an_error_in_an_override_is_reported_once() {
    let text = errors("a.fio", &["bs=16q"]);
    assert!(text.contains("sweep:1") && text.contains("option bs:"), "{text}");
    assert_eq!(text.matches("error").count(), 1, "{text}");
    assert!(errors("a.fio", &["iodepht=4"]).contains("did you mean `iodepth`?"));
    assert!(errors("a.fio", &["sqthread_poll=1"]).contains("engines with this option: io_uring"));
    assert!(errors("a.fio", &["size=1k"]).contains("smaller than one block"));
}
