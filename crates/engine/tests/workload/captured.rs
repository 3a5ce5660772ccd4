//! I/Os that fio 3.42 did, captured from its logs (`--write_iolog`): number, first I/Os, and a checksum of all. The generator
//! produces the same without fio.
//!
//! With `UPDATE_CORPUS=1` and fio 3.42 in the path the test captures them again.

use std::fmt::Write;

use crate::access_like_fio::{Fio, sequence};
use crate::cases::CASES;
use crate::job::Action;

const FILE: &str = "tests/workload/fio-3.42.txt";
/// I/Os of a case that the file lists. They show where a difference begins.
const LISTED: usize = 12;

#[test]
fn same_job_has_the_captured_sequence() {
    if std::env::var_os("UPDATE_CORPUS").is_some() {
        capture();
    }
    let captured = std::fs::read_to_string(FILE).expect("the captured I/Os are readable");
    let captured: Vec<&str> = captured.trim_end().split("\n\n").collect();
    assert_eq!(captured.len(), CASES.len());
    for (captured, case) in captured.into_iter().zip(CASES) {
        let count = captured.lines().nth(1).and_then(|line| line.split(' ').next()?.parse().ok());
        let ours =
            sequence(case, 1 + case.jobs_before(), count.expect("the second line begins with the number of I/Os"));
        assert_eq!(described(&case.line(), &ours.expect("the test knows all options")), captured);
    }
}

fn capture() {
    let fio = Fio::find().filter(|fio| !fio.is_old).expect("fio 3.42 is in the path");
    let cases = CASES.iter().enumerate().map(|(number, case)| {
        let actions = fio.run(number, &[case]).unwrap_or_else(|error| panic!("{}: {error}", case.line()));
        described(&case.line(), &actions[0])
    });
    let text = cases.collect::<Vec<_>>().join("\n\n") + "\n";
    std::fs::write(FILE, text).expect("the captured I/Os are written");
}

fn described(line: &str, actions: &[Action]) -> String {
    let mut text = format!("{line}\n{} I/Os, checksum {:016x}", actions.len(), checksum(actions));
    for action in actions.iter().take(LISTED) {
        write!(text, "\n{action:?}").expect("a string takes any text");
    }
    text
}

/// FNV-1a with 64 bits, over the lines of all I/Os.
fn checksum(actions: &[Action]) -> u64 {
    let lines = actions.iter().map(|action| format!("{action:?}\n"));
    lines
        .flat_map(String::into_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
