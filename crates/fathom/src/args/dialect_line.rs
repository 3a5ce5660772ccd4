//! The command line of a dialect at the end of one of ours: `fathom sweep bs=4k,8k fio job.fio`.

use app::lines::{Dialect, Line};

/// Cuts the dialect's line off the arguments of `fathom run`. A path is a job file there, not a program.
pub fn take(command: &clap::Command, args: &mut Vec<String>) -> Option<Line> {
    let at = positionals(command, args).find(|at| !args[*at].contains('/') && is_program(&args[*at]))?;
    cut(args, at)
}

/// Cuts the dialect's line off the arguments of `fathom sweep`, and takes the dashes off the axes before it: `-o=1,2` is
/// an axis there.
pub fn take_of_sweep(command: &clap::Command, args: &mut Vec<String>) -> Option<Line> {
    let at = positionals(command, args).find(|at| is_program(&args[*at]));
    let line = at.and_then(|at| cut(args, at));
    for arg in args.iter_mut().skip(1) {
        let option = arg.split_once('=').map(|(option, _)| option.to_owned());
        if option.is_some_and(|option| option.starts_with('-') && find(command, &option).is_none()) {
            *arg = arg.trim_start_matches('-').to_owned();
        }
    }
    line
}

fn is_program(arg: &str) -> bool {
    Dialect::of_program(arg).is_some()
}

fn cut(args: &mut Vec<String>, at: usize) -> Option<Line> {
    let line = args.split_off(at + 1);
    Some(Line { dialect: Dialect::of_program(&args.pop()?)?, args: line })
}

/// Places of the arguments that are neither options nor their values. The command's name is at 0.
pub fn positionals<'a>(command: &'a clap::Command, args: &'a [String]) -> impl Iterator<Item = usize> + 'a {
    (1..args.len()).filter(|at| {
        let is_value = *at > 1 && find(command, &args[at - 1]).is_some_and(|option| option.get_action().takes_values());
        !is_value && !args[*at].starts_with('-')
    })
}

/// The option that an argument without `=` names.
pub fn find<'a>(command: &'a clap::Command, arg: &str) -> Option<&'a clap::Arg> {
    let long = arg.strip_prefix("--").filter(|name| !name.is_empty());
    let short = arg.strip_prefix('-').and_then(|name| name.chars().next().filter(|_| name.chars().count() == 1));
    command.get_arguments().find(|known| match long {
        Some(name) => known.get_long() == Some(name) || known.get_all_aliases().is_some_and(|all| all.contains(&name)),
        None => short.is_some() && known.get_short() == short,
    })
}
