//! A set of repeats from the history, told as `fathom run` told it: but for what is in none of its runs, such as those that
//! failed, and the commands before them.

use ::history::{Document, Store, Wanted, compare, repeats};

use super::report::{Finding, Report, Run, Side};
use super::{NAMES, note_findings};
use crate::kept;

/// One workload of the set.
#[derive(Default)]
struct Kept {
    line: String,
    runs: Vec<Run>,
    documents: Vec<Document>,
}

/// The runs with this tag; those of two workloads have it with `-A` or `-B`, too.
pub fn retold(tag: &str, as_json: bool) -> Result<String, String> {
    let store = kept::store_if_any()?.ok_or("nothing is kept yet")?;
    let (sides, findings) = sides(&store, tag)?;
    let is_before = |a: &Kept, b: &Kept| a.runs.last().map(|run| run.turn) < b.runs.first().map(|run| run.turn);
    let order = match sides.as_slice() {
        [a, b] if !is_before(a, b) => "interleave",
        _ => "blocks",
    };
    let comparison = match sides.as_slice() {
        [a, b] => Some(compare::compare(&a.documents, &b.documents, &[])).filter(|found| !found.lines.is_empty()),
        _ => None,
    };
    let told = sides.iter().enumerate().map(|(at, side)| Side {
        name: NAMES[at],
        line: &side.line,
        prepare: None,
        runs: &side.runs,
        figures: repeats::repeated(&side.documents, &[]),
    });
    let report = Report {
        order,
        repeats: sides.iter().map(|side| side.runs.len()).max().unwrap_or(0),
        set: Some(tag),
        comparison,
        findings: findings.iter().collect(),
        ..Report::new(told.collect())
    };
    if as_json { report.json() } else { Ok(report.text()) }
}

fn sides(store: &Store, tag: &str) -> Result<(Vec<Kept>, Vec<Finding>), String> {
    let wanted = Wanted { tag: Some(tag.to_owned()), kind: Some("record".to_owned()), ..Wanted::default() };
    let mut entries = store.list(&wanted)?;
    entries.reverse();
    let of_workload = NAMES.map(|name| format!("{tag}-{name}"));
    let side_of = |tags: &[String]| of_workload.iter().position(|workload| tags.contains(workload));
    let workloads = entries.iter().filter_map(|entry| side_of(&entry.tags)).max().map_or(1, |last| last + 1);
    let mut sides: Vec<Kept> = (0..workloads).map(|_| Kept::default()).collect();
    let mut findings = Vec::new();
    for (turn, entry) in entries.iter().enumerate() {
        let at = side_of(&entry.tags).unwrap_or(0);
        let document = store.document(entry.id)?;
        let Document::Record(record) = &document else { continue };
        let line = record.plan.origin.command_line();
        note_findings(&mut findings, at, workloads, record);
        let side = &mut sides[at];
        if !side.runs.is_empty() && side.line != line {
            return Err(format!(
                "the runs with the tag {tag} are not of one line: `fathom history --tag {tag}` lists them, and `fathom \
                 compare` holds them against each other"
            ));
        }
        side.line = line;
        let (started_unix_ms, kept) = (Some(entry.started_unix_ms), Some(entry.id));
        side.runs.push(Run { turn: turn + 1, repeat: side.runs.len() + 1, started_unix_ms, kept, error: None });
        side.documents.push(document);
    }
    if entries.is_empty() { Err(format!("no run has the tag {tag}")) } else { Ok((sides, findings)) }
}
