//! Values at the borders of numbers, in each option of each command: the parser does not panic.

use clap::{Arg, Command, CommandFactory};

use super::{Cli, read};

const BORDERS: [&str; 14] = [
    "",
    "0",
    "-1",
    "2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "nan",
    "inf",
];
/// Texts of values with a number in the place of `#`.
const FORMS: [&str; 12] = [
    "#",
    "#s",
    "#h",
    "#k",
    "#%",
    "read.iops>=#",
    "write.clat.p99<=#ms",
    "aws:gp3?iops=#",
    "bs=#..#k",
    "#,#",
    "a:#",
    "#/#",
];

fn each_value(command: &Command, path: &[String], check: &mut impl FnMut(Vec<String>)) {
    for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values()) {
        for border in BORDERS {
            for form in FORMS {
                check([path, &given(arg, &form.replace('#', border))].concat());
            }
        }
    }
    for below in command.get_subcommands() {
        each_value(below, &[path, &[below.get_name().to_owned()]].concat(), check);
    }
}

fn given(arg: &Arg, value: &str) -> Vec<String> {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => vec![format!("--{long}={value}")],
        (None, Some(short)) => vec![format!("-{short}{value}")],
        (None, None) => vec!["--".to_owned(), value.to_owned()],
    }
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn no_value_at_a_border_makes_the_parser_of_arguments_panic() {
    let mut lines = 0;
    each_value(&Cli::command(), &[], &mut |line| {
        let shown = line.join(" ");
        assert!(std::panic::catch_unwind(|| drop(read(&line))).is_ok(), "{shown}");
        lines += 1;
    });
    for border in BORDERS {
        drop(read(&["knee", &format!("--p{border}=5ms"), "missing"].map(str::to_owned)));
    }
    assert!(lines > 10_000, "{lines}");
}
