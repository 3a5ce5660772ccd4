//! Long lists take time in proportion to their length, in every option and in every short text.
#![cfg(target_os = "linux")]

use fio::options::{CORE, ENGINE_OPTIONS};
use parsers::{Progress, parser};

const SEPARATORS: [&str; 7] = [":", ",", "-", "/", "(", "1:", "x,"];
/// Separators of the shorter list.
const COUNT: usize = 5_000;
/// One undisturbed measurement of a parser that takes linear time is enough.
const ATTEMPTS: usize = 20;

/// Returns the CPU time of this thread in ns.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has this file");
    text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("the first number is the time")
}

/// Returns whether twice the count of separators takes less than three times the CPU time. It is twice if the time is
/// linear, and four times if it is quadratic.
fn is_linear(run: fn(&[u8]) -> Progress, input: &dyn Fn(usize) -> Vec<u8>) -> bool {
    let time = |count: usize| {
        let input = input(count);
        let before = cpu_ns();
        run(&input);
        cpu_ns() - before
    };
    (0..ATTEMPTS).any(|_| time(2 * COUNT) < 3 * time(COUNT).max(1))
}

#[test]
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
