//! Values at the borders of numbers, in each option of each command: the parser does not panic.

use clap::error::ErrorKind;
use clap::{Arg, Command, CommandFactory};

use super::{Cli, PROGRAM, declared, read};

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

/// Borders of a form that an option does not have. Together, the options have all of them.
const BORDERS_OF_OTHERS: usize = 2;

fn each_value(command: &Command, path: &[String], parser: &mut Command, check: &mut impl FnMut(Vec<String>)) {
    for (at, arg) in command.get_arguments().filter(|arg| arg.get_action().takes_values()).enumerate() {
        for (nth, form) in FORMS.into_iter().enumerate() {
            let line = |border: &str| [path, &given(arg, &form.replace('#', border))].concat();
            let borders = if has_form(parser, &line("1")) { BORDERS.len() } else { BORDERS_OF_OTHERS };
            let borders = BORDERS.iter().cycle().skip((at + nth) * BORDERS_OF_OTHERS % BORDERS.len()).take(borders);
            borders.for_each(|border| check(line(border)));
        }
    }
    for below in command.get_subcommands() {
        each_value(below, &[path, &[below.get_name().to_owned()]].concat(), parser, check);
    }
}

/// Returns whether the value of the last argument is one of the option.
fn has_form(parser: &mut Command, line: &[String]) -> bool {
    let parsed = parser.try_get_matches_from_mut([PROGRAM.to_owned()].iter().chain(line));
    !parsed.is_err_and(|error| matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue))
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
    each_value(&Cli::command(), &[], &mut declared(), &mut |line| {
        let shown = line.join(" ");
        assert!(std::panic::catch_unwind(|| drop(read(&line))).is_ok(), "{shown}");
        lines += 1;
    });
    for border in BORDERS {
        drop(read(&["knee", &format!("--p{border}=5ms"), "missing"].map(str::to_owned)));
    }
    assert!(lines > 5000, "{lines}");
}
