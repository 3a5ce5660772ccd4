//! fathom is compared with the fio that is installed.

use std::path::PathBuf;

use differential::examine::{Verdict, examine};
use differential::generate::Generator;
use differential::pair::{Places, Programs};
use differential::report::describe;

/// Random cases of each test. The tests run at the same time.
const CASES: u64 = 50;
const SEED: u64 = 33;

/// Returns the path of the installed fio.
fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join("fio")).find(|path| path.is_file());
    if found.is_none() {
        harness::skipped("fio is not installed");
    }
    found
}

fn check(first: u64) {
    let Some(fio) = installed() else { return };
    let programs = Programs::new(harness::binary(), &fio).expect("two programs");
    let places = Places::new();
    let generator = Generator::new(SEED, places.has_devices());
    let mut failures = String::new();
    for number in first..first + CASES {
        let verdict = examine(&programs, number, &generator.case(number), &places).expect("a run of both");
        if let Verdict::Unexplained(failure) = verdict {
            failures.push_str(&format!("case {number}\n{}", describe(&failure)));
        }
    }
    assert!(failures.is_empty(), "fathom | fio:\n{failures}");
}

#[test]
fn random_jobs_do_what_the_installed_fio_does_first_quarter() {
    check(0);
}

#[test]
fn random_jobs_do_what_the_installed_fio_does_second_quarter() {
    check(CASES);
}

#[test]
fn random_jobs_do_what_the_installed_fio_does_third_quarter() {
    check(2 * CASES);
}

#[test]
fn random_jobs_do_what_the_installed_fio_does_fourth_quarter() {
    check(3 * CASES);
}
