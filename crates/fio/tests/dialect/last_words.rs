//! Options that are set in every job after all that it says itself.

use fio::parse::env::FixedEnv;
use fio::{Invocation, Request, parse_with};
use units::diagnostic::{Diagnostic, Source, Span};

const JOBS: &str = "[global]\nbs=8k\nsize=1m\n[a]\nrw=randread\n[b]\nbs=64k\nrw=write\n";

fn parsed(line: &str, last_words: &[&str]) -> Result<Invocation, Vec<Diagnostic>> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let span = |text: &&str| Span::new(&Source::new("sweep", *text), 0..text.len());
    let last_words: Vec<Span> = last_words.iter().map(span).collect();
    let env = FixedEnv::default().file("a.fio", JOBS.as_bytes());
    match parse_with(&words, &last_words, &env)? {
        Request::Run(invocation) => Ok(invocation),
        Request::Print { printed, .. } => panic!("{printed:?}"),
    }
}

fn refusal(line: &str, last_words: &[&str]) -> String {
    let diagnostics = parsed(line, last_words).expect_err("it is wrong");
    diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

#[test]
fn they_hold_in_every_job_wherever_it_says_something_else() {
    let invocation = parsed("a.fio --name=c --bs=4k --size=1m", &["bs=16k"]).unwrap();
    let sizes: Vec<_> = invocation.jobs.iter().map(|job| job.values.unsigneds("bs")[0]).collect();
    assert_eq!(sizes, [16 << 10; 3]);
    assert_eq!(invocation.jobs[0].options.last().unwrap().value.as_deref(), Some("16k"));
}

#[test]
fn an_alias_and_an_engine_with_an_option_of_its_own_are_understood() {
    let invocation = parsed("--name=a --size=1m", &["sqthread_poll=1", "blocksize=2k", "ioengine=io_uring"]).unwrap();
    let values = &invocation.jobs[0].values;
    assert_eq!(values.text("ioengine"), Some("io_uring"));
    assert!(values.flag("sqthread_poll") && values.unsigneds("bs")[0] == 2048);
}

#[test]
fn what_is_wrong_with_them_is_told_once_in_the_dialects_words() {
    let text = refusal("a.fio", &["bs=16q"]);
    assert!(text.contains("sweep:1") && text.contains("option bs:"), "{text}");
    assert_eq!(text.matches("error").count(), 1, "{text}");
    assert!(refusal("a.fio", &["iodepht=4"]).contains("did you mean `iodepth`?"));
    assert!(refusal("a.fio", &["sqthread_poll=1"]).contains("has it"));
    assert!(refusal("a.fio", &["size=1k"]).contains("less than one block"));
}
