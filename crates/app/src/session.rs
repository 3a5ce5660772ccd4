//! Facts about the session that a study belongs to.

use assessment::{Target, Volume};
use os::signal::Interrupts;
use plan::Plan;
use study::{End, Session};
use units::calendar::date_and_time;

use crate::runner::Runner;
use crate::secrets::mask_arguments;
use crate::{run, target};

/// Returns the facts about a session that starts now. `typed` are the arguments after the command's name.
pub fn start(
    command: &str,
    typed: &[String],
    runner: &dyn Runner,
    (target, volumes): (Target, Vec<Volume>),
    tags: &[String],
) -> Session {
    let line = std::iter::once("fathom".to_owned()).chain(runner.words()).chain([command.to_owned()]);
    let line = line.chain(mask_arguments(typed));
    Session {
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        command: line.collect(),
        started_unix_ms: run::unix_ms(),
        utc_offset_s: os::clock::utc_offset_s(),
        target,
        volumes,
        machine: runner.machine(),
        tags: tags.to_vec(),
    }
}

/// Returns a name for a thing that is made now by this process: local time and process number.
pub fn stamp() -> String {
    let local_s = (run::unix_ms() / 1000).saturating_add_signed(i64::from(os::clock::utc_offset_s()));
    let time: String = date_and_time(local_s).chars().filter(|c| *c == 'T' || c.is_ascii_digit()).collect();
    format!("{}-{}", time.replace('T', "-"), std::process::id())
}

/// Returns the facts about a session that ends now.
pub fn end(interrupts: Interrupts, target: Option<Target>) -> End {
    End { ended_unix_ms: run::unix_ms(), is_stopped: interrupts.count() > 0, target }
}

/// Returns facts about the first target of a plan. The path has the number of the others. Of a target on other machines
/// only the path is known.
pub fn target_of(plan: &Plan, runner: &dyn Runner) -> Target {
    let mut paths: Vec<&str> = plan.workers.iter().flat_map(plan::Worker::paths).collect();
    paths.sort_unstable();
    paths.dedup();
    let Some(first) = paths.first() else { return Target::default() };
    let facts = runner.is_local().then(|| target::find(first, &[]).ok().map(|found| found.facts)).flatten();
    let facts = facts.unwrap_or_else(|| Target { path: (*first).into(), ..Target::default() });
    let others = if paths.len() > 1 { format!(" and {} more", paths.len() - 1) } else { String::new() };
    Target { path: format!("{}{others}", facts.path.raw()).into(), ..facts }
}
