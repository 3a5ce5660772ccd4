//! Decided differences from fio, with reasons. `docs/fio-random-jobs.md` prints the list.

mod ends;
mod entry;
mod ios;
mod results;
mod versions;

use crate::case::Case;
use crate::compare::Difference;
pub use entry::{Known, Version};

/// Returns the decided differences.
fn all() -> impl Iterator<Item = &'static Known> {
    [ios::KNOWN, ends::KNOWN, results::KNOWN, versions::KNOWN].into_iter().flatten()
}

/// Returns the decided difference from this version of fio that explains a difference.
pub fn explanation(version: Version, case: &Case, difference: &Difference) -> Option<&'static Known> {
    let applies = |known: &&Known| {
        known.last.is_none_or(|last| version <= last)
            && known.kinds.contains(&difference.kind)
            && (known.cases)(case)
            && (known.differences)(difference)
    };
    all().find(applies)
}

/// Returns the page with the table of decided differences replaced.
///
/// # Panics
///
/// Panics if the page has no markers of the table.
pub fn in_page(page: &str) -> String {
    let row = |known: &Known| {
        let versions = known.last.map_or(String::new(), |last| format!("Up to {}.{}: ", last.0, last.1));
        format!("| {} | {versions}{} | {} |\n", known.name, known.fio, known.fathom)
    };
    let rows: String = all().map(row).collect();
    harness::with_table(page, "known", &format!("| subject | fio | fathom |\n|---|---|---|\n{rows}"))
}
