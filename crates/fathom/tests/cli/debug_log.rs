//! `FATHOM_LOG`: messages for people who debug a run.

use crate::stage::{Outcome, Scratch, fathom, outcome};

fn run(scratch: &Scratch, filters: Option<&str>, engine: &str) -> Outcome {
    let job = format!("--name=one --filename=f --size=64k --bs=4k --rw=read --ioengine={engine}");
    let mut command = fathom(scratch.path(), &job);
    filters.map(|filters| command.env("FATHOM_LOG", filters));
    outcome(command.spawn().unwrap()).assert_success()
}

#[test]
fn the_log_shows_the_steps_of_a_run_in_their_order() {
    let scratch = Scratch::new("debug-log");
    let log = run(&scratch, Some("engine=debug,os=debug"), "psync").stderr;
    let steps = [
        "DEBUG engine::run::coordinator: workers of the plan: 1",
        "job \"one\", phase 0, depth 1, [\"f\"]",
        "the checks accept the plan",
        "worker 0: laid out [Target { path: \"f\"",
        "phase 0 begins",
        "engine Psync, depth 1, files: 1",
        "worker 0: ended, error: None",
        "phase 0 ends",
    ];
    let mut rest = log.as_str();
    for step in steps {
        let Some((_, after)) = rest.split_once(step) else { panic!("no {step:?} after the others in:\n{log}") };
        rest = after;
    }
}

#[test]
fn nothing_is_logged_without_filters_or_per_io() {
    let scratch = Scratch::new("debug-log-off");
    assert_eq!(run(&scratch, None, "psync").stderr, "");
    assert_eq!(run(&scratch, Some("fleet=trace"), "psync").stderr, "");
    // 16 I/Os, at the most detailed level.
    let lines = run(&scratch, Some("trace"), "psync").stderr.lines().count();
    assert!((8..16).contains(&lines), "{lines} lines");
}
