//! Results as a table for `docs/performance.md`.

use crate::programs::Kind;
use crate::results::{Outcome, Results};
use crate::show;
use crate::works::Metric;

const SHOWN: [Metric; 3] = [Metric::Iops, Metric::CpuNs, Metric::KernelNs];
const HEAD: &str = "\
| work | IOPS, fathom | fio | CPU for an I/O, fathom | fio | the kernel's part, fathom | fio | goal | outcome |
|---|---|---|---|---|---|---|---|---|
";

pub fn table(results: &Results) -> String {
    let machine = &results.machine;
    let names: Vec<String> = results.programs.iter().map(|program| program.name()).collect();
    let mut text = format!(
        "{}, {} processors, Linux {}; {}; {} rounds; medians.\n\n",
        machine.processor,
        machine.cpus.len(),
        machine.kernel,
        names.join(", "),
        results.pairs
    );
    for warning in &results.warnings {
        text += &format!("**Warning**: {warning}.\n\n");
    }
    text += HEAD;
    for work in &results.works {
        text += &row(work);
    }
    for skipped in &results.skipped {
        text +=
            &format!("| `{}` | | | | | | | | skipped: {} |\n", skipped.name, skipped.reason.replace(['|', '\n'], " "));
    }
    text
}

fn row(work: &Outcome) -> String {
    let of = |kind: Kind, metric: Metric| {
        let found = work.figures.iter().find(|figure| figure.program == kind && figure.metric == metric);
        found.map_or("-".into(), |found| show::figure(metric, found.summary.median))
    };
    let figures: Vec<String> =
        SHOWN.iter().flat_map(|metric| [of(Kind::Fathom, *metric), of(Kind::Fio, *metric)]).collect();
    let goals: Vec<String> = work.goals.iter().map(|judged| judged.goal.to_string()).collect();
    let outcomes = work.goals.iter().map(|judged| {
        let goal = &judged.goal;
        show::verdict(judged.verdict, judged.summary.as_ref(), goal.metric, &goal.versus)
    });
    let outcomes: Vec<String> = outcomes.collect();
    format!("| `{}` | {} | {} | {} |\n", work.name, figures.join(" | "), goals.join("<br>"), outcomes.join("<br>"))
}
