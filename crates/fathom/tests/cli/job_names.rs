//! Findings on a job whose name contains a colon and a comma.

use std::path::Path;

use crate::stage::{Outcome, Scratch, command, outcome};
use serde_json::Value;

/// The name reads like a list of names, and like a label before a message.
const NAME: &str = "a: b, c";
/// Two phases. Only the first job has the finding: it ends by size before its runtime.
const JOBS: &str = "[global]\nioengine=psync\nbs=4k\nfilename=data\nsize=1m\n\
                    [a: b, c]\nrw=write\nruntime=30\n\
                    [d]\nstonewall\nrw=read\nruntime=1\ntime_based\n";
const HEADLINE: &str = "the job ended by size before its runtime";

fn run(directory: &Path, word: &str, arguments: &str) -> Outcome {
    let outcome = outcome(command(directory, word, arguments).spawn().unwrap());
    outcome.ended_with(0);
    outcome
}

/// Returns the finding, after a check that there is one.
fn ended_early(findings: &Value) -> &Value {
    let found: Vec<&Value> =
        findings.as_array().unwrap().iter().filter(|finding| finding["kind"] == "ended-early").collect();
    assert_eq!(found.len(), 1, "{findings:#}");
    found[0]
}

#[test]
fn a_job_name_with_colon_and_comma_stays_one_name_in_every_report() {
    let scratch = Scratch::new("job-names");
    std::fs::write(scratch.file("jobs.fio"), JOBS).unwrap();
    let live = run(scratch.path(), "fio", "jobs.fio --record=saved.json --output-format=json");
    let again = run(scratch.path(), "show", "saved.json --format fio-json");
    for report in [live.json(), again.json()] {
        let jobs: Vec<&Value> = report["jobs"].as_array().unwrap().iter().map(|job| &job["jobname"]).collect();
        assert_eq!(jobs, [NAME, "d"]);
        let finding = ended_early(&report["fathom"]["findings"]);
        assert_eq!(finding["subject"]["jobs"]["names"], serde_json::json!([{ "name": NAME }]), "{finding:#}");
        assert_eq!(finding["evidence"]["runtime_s"], 30.0, "{finding:#}");
        let message = finding["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("\"{NAME}\": {HEADLINE}: after ")), "{message}");
    }

    let shown = run(scratch.path(), "show", "saved.json");
    assert!(shown.stdout.contains(&format!("\n{NAME}: (groupid=0, jobs=1): ")), "{}", shown.stdout);
    shown.complained_of(&format!("warning: \"{NAME}\": {HEADLINE}"));

    let document = run(scratch.path(), "show", "saved.json --format json").json();
    assert_eq!(document["plan"]["workers"][0]["name"], NAME);
}

#[test]
fn pages_of_a_run_name_the_job_once_beside_its_finding() {
    let scratch = Scratch::new("job-names-pages");
    std::fs::write(scratch.file("jobs.fio"), JOBS).unwrap();
    run(scratch.path(), "fio", "jobs.fio --record=saved.json --output=report.txt");
    let markdown = run(scratch.path(), "show", "saved.json --format markdown").stdout;
    for expected in [
        "**\"a: b, c\": write ".to_owned(),
        format!("\n| {NAME} | write |"),
        format!("- **warning** {HEADLINE} (`ended-early`): {NAME}: after "),
    ] {
        assert!(markdown.contains(&expected), "{expected}\n{markdown}");
    }
    run(scratch.path(), "show", "saved.json --report page.html");
    let page = std::fs::read_to_string(scratch.file("page.html")).unwrap();
    assert!(page.contains(&format!("<h3>{NAME}</h3> <span")), "the section of the phase has the job's name");
    assert!(page.contains(&format!("<li>{NAME}: after ")), "the finding is of that job");
    assert!(!page.contains("<li>b, c"), "nothing cuts the name");
}
