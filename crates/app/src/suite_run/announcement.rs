//! What a suite is going to do, before it does it.

use study::suite::{Extension, Planned, Ready, Suite, SuiteParams, forbidden, takes_bytes, takes_ns, time_text};
use units::format;

use super::ready;
use super::volumes::{self, Volume};
use crate::command_error::CommandError;
use crate::consent::{Demand, SpaceDemand};
use crate::output::stderr_line;

/// Refuses to start if no test may run.
///
/// # Errors
/// All tests write, and the targets may hold data.
pub fn refuse_if_all_write(ready: &[Ready], volumes: &[Volume], params: &SuiteParams) -> Result<(), CommandError> {
    let targets: Vec<_> = volumes.iter().map(Volume::target).collect();
    let mut forbidden = ready.iter().map(|ready| forbidden(ready, &targets, params));
    match forbidden.clone().next().flatten() {
        Some(first) if forbidden.all(|target| target.is_some()) => Err(format!(
            "{0} may hold data, and all of these tests write: nothing was run\nhelp: to overwrite the data, add \
             --overwrite {0}",
            first.given
        )
        .into()),
        _ => Ok(()),
    }
}

/// Prints what will run, before it runs.
pub fn announce(suite: &Suite, ready: &[Ready], volumes: &[Volume], params: &SuiteParams, extension: Extension) {
    let planned: Vec<Planned> = ready::planned(ready);
    let taken = takes_bytes(&planned);
    let on = volumes.iter().zip(params.sites.iter()).map(|(volume, site)| {
        let bytes = taken.iter().filter(|(path, _)| site.place.holds(path)).map(|(_, bytes)| bytes).sum();
        let is_written = planned.iter().flat_map(|planned| &planned.plans).any(|plan| site.is_written_by(plan));
        let what = match (volume.found.existed, volume.found.may_write, is_written) {
            (false, ..) => format!("takes {}, freed at the end", format::size(bytes)),
            (true, true, _) => "its data is overwritten".to_owned(),
            (true, false, true) => "only the tests that read run".to_owned(),
            (true, false, false) => "only reads".to_owned(),
        };
        if volumes.len() == 1 { what } else { format!("{}: {what}", volume.shown()) }
    });
    let on: Vec<String> = on.collect();
    let (where_to, tests) = (volumes::all_shown(volumes), ready.len());
    let (many, time) = (if tests == 1 { "" } else { "s" }, time_text(&planned));
    let extended = match extension {
        Extension::Off => String::new(),
        Extension::Threefold => " (up to three times as long if not decided)".to_owned(),
        Extension::Until(time) => {
            format!(" (up to {} per test until it is decided)", format::time_ns(time.as_nanos() as f64))
        }
    };
    let on = on.join("; ");
    stderr_line!("{} on {where_to}: {tests} test{many}, {time}{extended} plus preparation; {on}", suite.name);
}

/// Returns the time of the tests, and the bytes that they write.
pub fn demand(ready: &[Ready], volumes: &[Volume], params: &SuiteParams) -> Demand {
    let planned: Vec<Planned> = ready::planned(ready);
    let taken = takes_bytes(&planned);
    let mut space: Vec<(&Volume, SpaceDemand)> = Vec::new();
    for (volume, site) in volumes.iter().zip(params.sites.iter()) {
        let found = &volume.found;
        let is_written = planned.iter().flat_map(|planned| &planned.plans).any(|plan| site.is_written_by(plan));
        if found.existed && !(found.may_write && is_written) {
            continue;
        }
        let bytes = taken.iter().filter(|(path, _)| site.place.holds(path)).map(|(_, bytes)| bytes).sum();
        // Without a size, the tests use all of a device.
        let bytes = if found.existed && bytes == 0 { found.facts.size_bytes } else { bytes };
        match space.iter_mut().find(|(other, _)| other.found.shares(found)) {
            Some((_, known)) => known.bytes = known.bytes.saturating_add(bytes),
            None => space.push((volume, found.demand(bytes))),
        }
    }
    Demand { time_ns: takes_ns(&planned).0, space: space.into_iter().map(|(_, space)| space).collect() }
}
