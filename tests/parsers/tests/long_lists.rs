//! Long lists take time in proportion to their length, in every option and in every short text.
#![cfg(target_os = "linux")]

use std::time::Duration;

use fio::options::{CORE, ENGINE_OPTIONS};
use nix::time::{ClockId, clock_gettime};
use parsers::{Progress, parser};

const SEPARATORS: [&str; 7] = [":", ",", "-", "/", "(", "1:", "x,"];
/// Separators of the shorter list.
const COUNT: usize = 300;
/// One undisturbed measurement of a parser that takes linear time is enough.
const ATTEMPTS: usize = 20;

/// Returns the CPU time of this thread.
fn cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("every Linux has this clock").into()
}

/// Returns whether eight times the count of separators takes less than 24 times the CPU time. It is 8 times if the time is
/// linear, and 64 times if it is quadratic.
fn is_linear(run: fn(&[u8]) -> Progress, input: &dyn Fn(usize) -> Vec<u8>) -> bool {
    let time = |count: usize| {
        let input = input(count);
        let before = cpu_time();
        run(&input);
        cpu_time() - before
    };
    (0..ATTEMPTS).any(|_| time(8 * COUNT) < 24 * time(COUNT))
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn a_long_list_takes_linear_time_in_every_option_of_fio() {
    let value = parser("value").expect("the parser is in the list").run;
    let mut slow = Vec::new();
    for (index, option) in CORE.iter().chain(ENGINE_OPTIONS).enumerate() {
        for separator in SEPARATORS {
            let index = u16::try_from(index).expect("there are fewer options").to_le_bytes();
            let input = |count: usize| [&index[..], separator.repeat(count).as_bytes()].concat();
            if !is_linear(value, &input) {
                slow.push(format!("{}={separator}…", option.name));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn a_long_list_takes_linear_time_in_every_option_of_diskspd_and_in_short_texts() {
    let letters =
        diskspd::options::OPTIONS.iter().map(|option| ("diskspd_command_line", format!("-{}", option.letter)));
    let texts = ["axes", "change_limits", "quantity", "requirements", "limits"].map(|name| (name, "bs=".to_owned()));
    let mut slow = Vec::new();
    for (name, start) in letters.chain(texts) {
        let run = parser(name).expect("the parser is in the list").run;
        for separator in SEPARATORS {
            let input = |count: usize| format!("{start}{}\0a\0", separator.repeat(count)).into_bytes();
            if !is_linear(run, &input) {
                slow.push(format!("{name}: {start}{separator}…"));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}
