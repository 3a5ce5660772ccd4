//! Decided differences from fio, with reasons. `docs/fio-differences.md` prints the list.

use crate::case::Case;
use crate::compare::{Difference, Kind};

/// A decided difference.
pub struct Known {
    pub name: &'static str,
    /// Whether it explains a difference of a case.
    pub explains: fn(&Case, &Difference) -> bool,
    /// What fio does.
    pub fio: &'static str,
    /// What fathom does, and why.
    pub fathom: &'static str,
}

/// The decided differences.
pub const KNOWN: &[Known] = &[Known {
    name: "unnamed job in the report",
    explains: |case, difference| {
        let named = |text: &str| text.trim_end_matches(", ").to_owned();
        case.has("group_reporting") && difference.kind == Kind::Errors && named(&difference.fio) == difference.fathom
    },
    fio: "Adds a job without a name and I/O to the JSON report if only the last jobs have `group_reporting`.",
    fathom: "Reports the group.",
}];

/// Returns the decided difference that explains a difference.
pub fn explanation(case: &Case, difference: &Difference) -> Option<&'static Known> {
    KNOWN.iter().find(|known| (known.explains)(case, difference))
}

/// Returns whether no decided difference explains a difference.
pub fn is_unexplained(case: &Case, difference: &Difference) -> bool {
    explanation(case, difference).is_none()
}
