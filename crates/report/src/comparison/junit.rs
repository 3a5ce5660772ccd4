//! A comparison as JUnit XML: a case for each figure with a limit, and for each figure without one.

use super::{Checked, ComparedSets};
use crate::junit::{Case, Outcome, Suite};
use crate::study::conclusion;

pub fn junit(sets: &ComparedSets) -> String {
    let case = |check: &Checked| Case {
        name: check.name(),
        seconds: 0.0,
        outcome: Outcome::of_change(check.verdict),
        message: format!("{}: {}", check.verdict, check.message),
    };
    let facts = sets.facts();
    let newest = facts.iter().max_by_key(|run| run.started_unix_ms);
    let properties = facts.iter().map(|run| {
        (format!("Run of {}", run.set), format!("{} on {}, {}, {}", run.suite, run.target, run.host, run.started))
    });
    let suite = Suite {
        name: sets.title(),
        class: "fathom.compare".to_owned(),
        started_s: newest
            .map_or(0, |run| (run.started_unix_ms / 1000).saturating_add_signed(i64::from(run.utc_offset_s))),
        host: newest.map(|run| run.host.clone()).unwrap_or_default(),
        seconds: 0.0,
        properties: properties.collect(),
        cases: sets.checks().iter().chain(&sets.unchecked()).map(case).collect(),
        output: conclusion(sets.comparison).join("\n"),
    };
    suite.xml()
}
