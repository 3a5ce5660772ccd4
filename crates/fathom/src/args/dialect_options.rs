//! The options of fio and DiskSpd, declared from the tables of the dialects: for man pages and completions. Command lines are
//! parsed by the dialects.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction};
use fio::options::engines::ENGINES;
use fio::options::kind::{Keyword, Kind};
use fio::options::program::{PROGRAM_OPTIONS, Takes};
use fio::options::{CORE, Category, ENGINE_OPTIONS, Opt, PROFILE_OPTIONS, Support};

/// Placeholder of values that have no name.
const VALUE: &str = "value";

/// Adds the options of the dialects to fathom's declarations. Rejected options are left out.
pub fn with_dialect_options(cli: clap::Command) -> clap::Command {
    cli.mut_subcommands(|command| match command.get_name() {
        "fio" => {
            command.override_usage("fathom fio [OPTION]... [JOB_FILE]...").args(program_options()).args(job_options())
        }
        "diskspd" => command.override_usage("fathom diskspd [OPTION]... TARGET...").args(diskspd_options()),
        _ => command,
    })
}

fn program_options() -> impl Iterator<Item = Arg> {
    let accepted = PROGRAM_OPTIONS.iter().filter(|option| is_accepted(option.support));
    accepted.map(|option| {
        let arg = long(option.name, help(&option.help(), option.support)).help_heading("Program options");
        match option.takes {
            Takes::Nothing => arg.require_equals(false).action(ArgAction::SetTrue),
            Takes::Optional if option.value.is_empty() => arg.num_args(0..=1).value_name(VALUE),
            Takes::Optional => arg.num_args(0..=1).value_name(option.value),
            Takes::Required => arg.value_name(option.value),
        }
    })
}

/// Returns the job options under the headings of the documentation. A name that several engines have occurs once.
fn job_options() -> Vec<Arg> {
    let mut options: Vec<&Opt> = Vec::new();
    for &category in Category::ALL {
        let all = CORE.iter().chain(ENGINE_OPTIONS).chain(PROFILE_OPTIONS).filter(|option| option.category == category);
        for option in all.filter(|option| is_accepted(option.support)) {
            let is_known = options.iter().any(|known| known.name == option.name)
                || PROGRAM_OPTIONS.iter().any(|program| program.name == option.name);
            if !is_known {
                options.push(option);
            }
        }
    }
    options.into_iter().map(job_option).collect()
}

fn job_option(option: &Opt) -> Arg {
    let arg = long(option.name, help(option.help, option.support)).help_heading(option.category.title());
    let arg = if option.has_optional_value() { arg.num_args(0..=1) } else { arg };
    let arg = option.alias.map_or(arg.clone(), |alias| arg.visible_alias(alias));
    let names = |keywords: &'static [Keyword]| {
        PossibleValuesParser::new(keywords.iter().filter(|keyword| keyword.is_supported).map(|keyword| keyword.name))
    };
    match option.kind {
        Kind::Keyword(keywords, _) | Kind::Distribution(keywords) => arg.value_parser(names(keywords)),
        Kind::EngineName => arg.value_parser(PossibleValuesParser::new(
            ENGINES.iter().filter(|engine| engine.is_supported).map(|engine| engine.name),
        )),
        _ => arg.value_name(VALUE),
    }
}

fn long(name: &'static str, help: String) -> Arg {
    Arg::new(name).long(name).require_equals(true).help(help)
}

fn is_accepted(support: Support) -> bool {
    matches!(support, Support::Supported | Support::NoEffect(_))
}

fn help(meaning: &str, support: Support) -> String {
    match support {
        Support::NoEffect(reason) => format!("{meaning}; no effect: {reason}"),
        _ => meaning.to_owned(),
    }
}

/// Returns one option per letter. Its help has a paragraph per form.
fn diskspd_options() -> impl Iterator<Item = Arg> {
    diskspd::options::OPTIONS.iter().map(|option| {
        let (id, meaning) = option.forms.first().map_or(("", ""), |first| (first.grammar, first.meaning));
        let forms = option.forms.iter().map(|form| format!("{}: {}", form.grammar, form.meaning));
        Arg::new(id)
            .short(option.letter)
            .action(ArgAction::SetTrue)
            .help(meaning)
            .long_help(forms.collect::<Vec<String>>().join("\n\n"))
            .help_heading(option.subject.heading())
    })
}
