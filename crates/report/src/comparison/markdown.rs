//! A comparison as Markdown: the conclusion, the limits and the table; the rest is folded.

use assessment::Verdict;
use units::markup::printable;

use super::{Checked, ComparedSets, RunFacts};
use crate::markdown::folded;
use crate::study::{Ink, comparison_notes, comparison_table};
use crate::text::{masked, sentence};
use crate::thresholds::mark;

pub fn markdown(sets: &ComparedSets) -> String {
    let (first, others) = sets.sentences();
    let verdict = match sets.verdict() {
        Verdict::Measured => String::new(),
        verdict => format!("{} {verdict}: ", mark(verdict, Ink::Unicode)),
    };
    let mut text = format!("## {verdict}{}\n\n**{}.**", masked(&sets.title()), masked(&sentence(&first)));
    text += &others.iter().map(|one| format!("<br>{}.", masked(&sentence(one)))).collect::<String>();
    text += "\n\n";
    text += &checks(&sets.checks());
    text += &comparison_table(sets.comparison).markdown();
    let notes = comparison_notes(sets.comparison);
    let notes = notes.iter().map(|note| format!("- {}\n", masked(&note.replace('\n', "; ")))).collect::<String>();
    text += &folded("Source of the variation, and the runs", &format!("{notes}\n{}", runs(&sets.facts())));
    printable(&text).into_owned()
}

fn checks(checks: &[Checked]) -> String {
    let line = |one: &Checked| {
        format!("- {} {}: {}\n", mark(one.verdict, Ink::Unicode), masked(&one.name()), masked(&one.message))
    };
    let lines: String = checks.iter().map(line).collect();
    if lines.is_empty() { lines } else { lines + "\n" }
}

fn runs(facts: &[RunFacts]) -> String {
    let row = |run: &RunFacts| {
        let cells = [&run.set, &run.suite, &run.target, &run.host, &run.started];
        format!("| {} |\n", cells.map(|cell| masked(cell)).join(" | "))
    };
    let rows: String = facts.iter().map(row).collect();
    format!("| set | test | target | host | started |\n|---|---|---|---|---|\n{rows}")
}
