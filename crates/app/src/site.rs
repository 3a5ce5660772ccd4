//! A static site of saved runs in a folder (`fathom report --site`).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use ::history::{Document, Entry, EntryDevice, HistoryError, Store};
use report::{Site, SiteRun, SiteTarget, run_page};
use units::format;
use units::order::OrderBy;
use units::untrusted::joined;

use crate::command_error::CommandError;
use crate::input::{self, Kind};
use crate::output::stderr_line;
use crate::save_folder::SaveFolder;
use crate::{documents, table, trends};

/// Lists the pages, one a line. A folder without it is no site.
const LIST: &str = "fathom-site.txt";
const ASSESSMENT: &str = "assessment";
const HEAD: &str =
    "`fathom report --site` made these pages. It replaces and removes them, and no other file of this folder.\n";

/// Writes or updates a site of runs. Returns false if a file could not be written or a run could not be read. Prints these
/// errors.
///
/// # Errors
/// The folder has files that fathom did not make, or it cannot be created.
pub fn write(dir: &Path, store: &Store, runs: &[Entry]) -> Result<bool, CommandError> {
    let site = Site::new(targets(runs));
    let earlier = earlier_pages(dir)?;
    let possible: BTreeSet<String> = site.names().chain(runs.iter().map(|run| run_page(run.id))).collect();
    let is_foreign = |page: &&String| !earlier.contains(*page) && dir.join(page).symlink_metadata().is_ok();
    if let Some(page) = possible.iter().find(is_foreign) {
        return Err(format!("{}: fathom did not make this file", dir.join(page).display()).into());
    }
    let mut folder = SaveFolder::create(dir, LIST, &[])?;
    // If this process is stopped, the next one knows all pages.
    folder.write(LIST, Ok(list(earlier.union(&possible))));
    let (with_page, unread) = write_runs(&mut folder, store, &site);
    let mut made: BTreeSet<String> = with_page.iter().map(|id| run_page(*id)).collect();
    // Their earlier pages stay.
    made.extend(unread.iter().map(|id| run_page(*id)).filter(|page| earlier.contains(page)));
    for (name, page) in site.pages(&with_page) {
        folder.write(&name, Ok(page));
        made.insert(name);
    }
    earlier.difference(&made).for_each(|page| folder.remove(page));
    folder.write(LIST, Ok(list(made.iter())));
    stderr_line!("site: {}, {} pages", dir.join(report::INDEX).display(), made.len());
    Ok(unread.is_empty() && !folder.has_failed())
}

/// Writes the pages of the runs. Returns the runs that have one, and those that cannot be read. Of runs with many threads
/// only the figures are saved: they have no page.
fn write_runs(folder: &mut SaveFolder, store: &Store, site: &Site) -> (BTreeSet<i64>, Vec<i64>) {
    let (mut with_page, mut unread) = (BTreeSet::new(), Vec::new());
    for (all_runs, target) in site.targets() {
        for run in &target.runs {
            let of_run = |error: CommandError| error.of(format_args!("run {}", run.id));
            let document = match store.document(run.id) {
                Err(HistoryError::FiguresOnly(_)) => continue,
                Ok(document) => documents::complete(document).map_err(|error| of_run(error.into())),
                Err(error) => Err(error.into()),
            };
            let page = |document: Document| report::html_with_link(&documents::assessed(&document), all_runs);
            match document.map(page) {
                Ok(page) => {
                    folder.write(&run_page(run.id), Ok(page));
                    with_page.insert(run.id);
                }
                Err(error) => {
                    error.print();
                    unread.push(run.id);
                }
            }
        }
    }
    (with_page, unread)
}

/// Returns the pages of an earlier site; none in a new or empty folder.
fn earlier_pages(dir: &Path) -> Result<BTreeSet<String>, CommandError> {
    let failed = |error: std::io::Error| format!("{}: {}", dir.display(), units::errno::reason(&error));
    let is_empty = match std::fs::read_dir(dir) {
        Ok(mut files) => files.next().is_none(),
        Err(error) if error.kind() == ErrorKind::NotFound => true,
        Err(error) => return Err(failed(error).into()),
    };
    if is_empty {
        return Ok(BTreeSet::new());
    }
    match input::read(&dir.join(LIST), Kind::Saved) {
        Ok(list) => {
            Ok(String::from_utf8_lossy(&list).lines().filter(|name| is_page(name)).map(str::to_owned).collect())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Err(format!(
            "{}: this folder has files, and is not a site that fathom made\nhelp: name a new or an empty folder",
            dir.display()
        )
        .into()),
        Err(error) => Err(failed(error).into()),
    }
}

/// Returns true for the name of a file in the folder. Other lines of a list lead to no file.
fn is_page(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    name.ends_with(".html") && name.chars().all(is_plain)
}

fn list<'a>(pages: impl Iterator<Item = &'a String>) -> String {
    pages.fold(HEAD.to_owned(), |text, page| text + page + "\n")
}

/// Returns the runs by target, suite and host.
fn targets(runs: &[Entry]) -> Vec<SiteTarget> {
    let mut groups: BTreeMap<[&str; 3], Vec<&Entry>> = BTreeMap::new();
    for run in runs {
        groups.entry([run.target.raw(), run.suite.raw(), run.host.raw()]).or_default().push(run);
    }
    groups.into_values().filter_map(target).collect()
}

fn target(mut runs: Vec<&Entry>) -> Option<SiteTarget> {
    runs.order_by_key(|run| Reverse((run.started_unix_ms, run.id)));
    let newest = runs.first()?;
    Some(SiteTarget {
        target: newest.target.to_string(),
        suite: newest.suite.to_string(),
        host: newest.host.to_string(),
        device: newest.devices.iter().map(device).collect::<Vec<_>>().join(", "),
        trend: trends::of(newest.target.raw(), runs.iter().copied()),
        is_assessed: runs.iter().all(|run| run.kind.raw() == ASSESSMENT),
        runs: runs.iter().map(|run| site_run(run)).collect(),
    })
}

fn device(device: &EntryDevice) -> String {
    let size = (device.size_bytes > 0).then(|| format::size(device.size_bytes));
    let names = [&device.name, &device.model, &device.serial].map(ToString::to_string);
    names.into_iter().chain(size).filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" ")
}

fn site_run(run: &Entry) -> SiteRun {
    let parts = [run.title.to_string(), table::figures_of(run)];
    SiteRun {
        id: run.id,
        started: table::when(run),
        verdict: run.verdict,
        is_stopped: run.stopped,
        result: parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": "),
        message: run.message.to_string(),
        tags: joined(&run.tags, ", "),
    }
}
