//! Built-in workloads (`--profile`): their options, and the jobs that they make.

mod act;

use units::diagnostic::{Source, Span};

use super::parser::Parser;
use super::section_lines::set_options;
use super::settings::Profile;
use super::value::Amount;
use super::values::Values;
use crate::options::{Key, core_option, key, kinds};

/// Name and options of a job.
type ProfileJob = (String, Vec<String>);

/// Returns the options of all jobs. Those of the command line replace them.
fn globals(profile: Profile, values: &Values) -> Vec<String> {
    match profile {
        Profile::Tiobench => tiobench_globals(values),
        Profile::Act { .. } => act::globals(values),
    }
}

fn jobs(profile: Profile, values: &Values) -> Vec<ProfileJob> {
    match profile {
        Profile::Tiobench => tiobench_jobs(),
        Profile::Act { .. } => act::jobs(values),
    }
}

fn tiobench_jobs() -> Vec<ProfileJob> {
    let jobs: [(&str, &[&str]); 4] = [
        ("seqwrite", &["rw=write", "end_fsync=1"]),
        ("randwrite", &["stonewall", "rw=randwrite", "end_fsync=1"]),
        ("seqread", &["stonewall", "rw=read"]),
        ("randread", &["stonewall", "rw=randread"]),
    ];
    let owned = |options: &[&str]| options.iter().map(|&option| option.to_owned()).collect();
    jobs.into_iter().map(|(name, options)| (name.to_owned(), owned(options))).collect()
}

fn tiobench_globals(values: &Values) -> Vec<String> {
    let size = match values.amount(key::SIZE) {
        Some(Amount::Bytes(mib)) => format!("size={}", mib.saturating_mul(1 << 20)),
        _ => "size=4*1024*$mb_memory".to_owned(),
    };
    let number =
        |key: Key<kinds::Number>, default: u64| if values.is_set(&key) { values.unsigned(key) } else { default };
    let files = (1..=4).map(|number| format!(".fio.tio.{number}")).collect::<Vec<_>>().join(":");
    vec![
        "direct=1".to_owned(),
        size,
        format!("bs={}", number(key::BLOCK, 4096)),
        format!("loops={}", number(key::NUMRUNS, 1)),
        format!("directory={}", values.text(key::DIR).unwrap_or("./")),
        format!("numjobs={}", number(key::THREADS, 1)),
        "runtime=600".to_owned(),
        "group_reporting".to_owned(),
        "thread".to_owned(),
        "overwrite=1".to_owned(),
        format!("filename={files}"),
        "ioengine=sync".to_owned(),
    ]
}

/// Adds the jobs of the profile of the command line.
pub fn add_jobs(parser: &mut Parser) {
    let Some(profile) = parser.state.program.profile else { return };
    if matches!(profile, Profile::Act { .. }) && !act::prepare(parser) {
        return;
    }
    let values = parser.globals.values.share();
    // The size of tiobench is in MiB, and so replaced.
    let is_own = |text: &&String| {
        let name = text.split('=').next().unwrap_or_default();
        (name == "size" && profile == Profile::Tiobench)
            || core_option(name).is_none_or(|option| !values.is_set(option))
    };
    let globals: Vec<String> = globals(profile, &values).iter().filter(is_own).cloned().collect();
    let lines = lines(profile, &globals);
    set_options(&mut parser.globals, &lines, &mut parser.state);
    for (name, options) in jobs(profile, &values) {
        let lines = self::lines(profile, &options);
        let span = parser.globals.span.clone();
        let mut section = parser.globals.new_job(&name, span);
        set_options(&mut section, &lines, &mut parser.state);
        parser.add_job(section);
    }
}

/// Returns the lines of a section of a profile.
fn lines(profile: Profile, options: &[String]) -> Vec<Span> {
    let source = Source::new(format!("--profile={}", profile.name()), options.join("\n"));
    let mut start = 0;
    let line = |text: &String| {
        let range = start..start + text.len();
        start = range.end + 1;
        Span::new(&source, range)
    };
    options.iter().map(line).collect()
}
