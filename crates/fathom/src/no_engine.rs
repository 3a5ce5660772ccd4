//! Systems without an engine, such as macOS: the commands that measure are refused.

use app::output::stderr_line;

/// What the help of the program says.
pub const NOTE: &str = "\
fathom has no engine for this system: it shows saved runs. The commands that measure (assess, knee, sweep, run, fleet, fio, \
diskspd) and `suite show` work on Linux and Windows, `capture` on Linux.";

const MEASURING: [&[&str]; 9] = [
    &["assess"],
    &["knee"],
    &["sweep"],
    &["run"],
    &["fleet"],
    &["fio"],
    &["diskspd"],
    &["capture"],
    &["suite", "show"],
];

/// Returns true for a command line that needs an engine, and for its help.
pub fn is_needed_for(args: &[String]) -> bool {
    let words: Vec<&str> = args.iter().map(String::as_str).skip_while(|word| *word == "help").collect();
    MEASURING.iter().any(|command| words.starts_with(command))
}

/// Prints why nothing runs, and returns the exit code.
pub fn refuse(code: u8) -> u8 {
    stderr_line!(
        "error: fathom has no engine for this system ({}): the commands that measure and `suite show` work on Linux and \
         Windows, `capture` on Linux\n\
         help: save the result there with --save FILE, --record=FILE of fio or -Rrecord=FILE of diskspd; `fathom show FILE` shows it \
         here",
        std::env::consts::OS
    );
    code
}

#[cfg(test)]
mod tests {
    use clap::Subcommand;

    use super::*;
    use crate::args::Measuring;

    #[test]
    fn each_command_that_measures_is_refused_and_named_in_the_help() {
        let is_needed_for = |line: &str| is_needed_for(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let declared = Measuring::augment_subcommands(clap::Command::new("fathom"));
        for command in declared.get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = command.get_name();
            assert!(is_needed_for(&format!("{name} x")) && is_needed_for(&format!("help {name}")), "{name}");
            assert!(NOTE.contains(name), "{name}");
        }
        assert!(
            !["show fio", "suite list", "suite", "help show", "help", "limits list"].into_iter().any(is_needed_for)
        );
        assert_eq!(refuse(3), 3);
    }
}
