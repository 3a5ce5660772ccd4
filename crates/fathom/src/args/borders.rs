//! Values at the borders of numbers, in each option of each command: the parser does not panic, and reads no other number.

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

/// Arguments that complete the line of a command: without them, most lines are refused before their numbers are compared.
fn operands(path: &[String], command: &Command) -> (Vec<String>, Vec<String>) {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let line = ["fio", "--name=a"];
    match path.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["sweep"] => (Vec::new(), words(&[&["bs=4k"], line.as_slice()].concat())),
        ["run"] => (Vec::new(), words(&line)),
        ["fleet"] => (words(&["--hosts=a,b"]), words(&line)),
        ["compare"] => (words(&["1", "2"]), Vec::new()),
        ["fleet", "manifest"] => (words(&["--image=a", "--workers=1"]), words(&line)),
        _ => {
            let required = command.get_positionals().filter(|arg| arg.is_required_set());
            (required.map(|_| "1".to_owned()).collect(), Vec::new())
        }
    }
}

/// What the values of a form became: the command, or `None` if they were refused.
type Read<'a> = Vec<(&'a str, Option<String>)>;

/// Calls `check` with the values of each form of each option, in a line that is complete.
fn each_form(command: &Command, path: &[String], parser: &mut Command, check: &mut impl FnMut(&str, &Read)) {
    for (at, arg) in command.get_arguments().filter(|arg| arg.get_action().takes_values()).enumerate() {
        let (before, after) = if arg.is_positional() { Default::default() } else { operands(path, command) };
        for (nth, form) in FORMS.into_iter().enumerate() {
            let line = |border: &str| [path, &before, &given(arg, &form.replace('#', border)), &after].concat();
            let borders = if has_form(parser, &line("1")) { BORDERS.len() } else { BORDERS_OF_OTHERS };
            let borders = BORDERS.iter().cycle().skip((at + nth) * BORDERS_OF_OTHERS % BORDERS.len()).take(borders);
            let read = borders.map(|border| (*border, command_of(&line(border))));
            check(&format!("{} {} {form}", path.join(" "), arg.get_id()), &read.collect());
        }
    }
    for below in command.get_subcommands() {
        each_form(below, &[path, &[below.get_name().to_owned()]].concat(), parser, check);
    }
}

/// Returns the command of a line; `None` if it is refused.
fn command_of(line: &[String]) -> Option<String> {
    let read = std::panic::catch_unwind(|| read(line).ok().map(|cli| format!("{cli:?}")));
    read.unwrap_or_else(|_| panic!("the parser panics: {}", line.join(" ")))
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

/// Returns two numbers that became the same command.
fn same<'a>(read: &Read<'a>) -> Option<(&'a str, &'a str)> {
    let accepted: Vec<_> = read.iter().filter_map(|(border, command)| Some((*border, command.as_ref()?))).collect();
    let mut pairs =
        accepted.iter().enumerate().flat_map(|(at, one)| accepted[at + 1..].iter().map(move |other| (one, other)));
    // Beyond 2^53, numbers with decimals are that far apart.
    let is_same = |one: &str, other: &str| one.parse::<f64>().ok() == other.parse::<f64>().ok();
    let found = pairs.find(|((one, command), (other, of_other))| command == of_other && !is_same(one, other));
    found.map(|((one, _), (other, _))| (*one, *other))
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn values_at_borders_are_refused_or_are_the_numbers_that_they_name() {
    let (mut lines, mut accepted, mut wrong) = (0, 0, Vec::new());
    each_form(&Cli::command(), &[], &mut declared(), &mut |of, read| {
        lines += read.len();
        accepted += read.iter().filter(|(_, command)| command.is_some()).count();
        wrong.extend(same(read).map(|(one, other)| format!("{of}: {one} is {other}")));
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lines > 5000 && accepted > 1000, "{accepted} of {lines} lines are accepted");
    for border in BORDERS {
        drop(command_of(&["knee", &format!("--p{border}=5ms"), "missing"].map(str::to_owned)));
    }
}
