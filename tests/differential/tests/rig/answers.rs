//! fathom is compared with the answers of fio 3.42 in `corpus/differential`.

use std::path::Path;

use differential::answers::Answer;
use differential::pair::Places;
use differential::run::Program;

/// Tests that share the cases, so that they run at the same time.
const TESTS: usize = 4;

fn check(test: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/differential");
    // Random cases, and cases in which fathom once did something else.
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the answers of fio");
    let answers = Answer::parse_all(&(text("cases.txt") + &text("mended.txt")));
    assert!(answers.len() >= 400, "there are {} answers", answers.len());
    let places = Places::new();
    let fathom = Program::fathom(harness::binary());
    let mut failures = Vec::new();
    for answer in answers.iter().skip(test).step_by(TESTS) {
        if answer.case.uses_device() && !places.has_devices() {
            continue;
        }
        let differences = answer.check(&fathom, &places).expect("a run");
        if !differences.is_empty() {
            let lines: Vec<String> = differences.iter().map(|difference| format!("    {difference}\n")).collect();
            failures.push(format!("  {}\n{}", answer.case, lines.concat()));
        }
    }
    assert!(failures.is_empty(), "fathom | fio 3.42:\n{}", failures.concat());
}

#[test]
fn answers_of_fio_first_quarter() {
    check(0);
}

#[test]
fn answers_of_fio_second_quarter() {
    check(1);
}

#[test]
fn answers_of_fio_third_quarter() {
    check(2);
}

#[test]
fn answers_of_fio_fourth_quarter() {
    check(3);
}
