//! Results as a Markdown table for `docs/performance.md`.

use crate::metric::Metric;
use crate::programs::ProgramKind;
use crate::report;
use crate::results::{Results, WorkloadResult};

const SHOWN: [Metric; 3] = [Metric::Iops, Metric::CpuNs, Metric::KernelNs];
const HEAD: &str = "\
| workload | IOPS: fathom | fio | CPU time per I/O: fathom | fio | kernel time per I/O: fathom | fio | goal | verdict |
|---|---|---|---|---|---|---|---|---|
";

/// Renders all results.
pub fn table(results: &Results) -> String {
    let machine = &results.machine;
    let names: Vec<String> = results.programs.iter().map(|program| program.name()).collect();
    let mut text = format!(
        "{}, {} CPUs, Linux {}; {}; {} pairs; medians.\n\n",
        machine.cpu_model,
        machine.cpus.len(),
        machine.kernel,
        names.join(", "),
        results.pairs
    );
    for warning in &results.warnings {
        text += &format!("**Warning**: {warning}.\n\n");
    }
    text += HEAD;
    for workload in &results.workloads {
        text += &row(workload);
    }
    for skipped in &results.skipped {
        text +=
            &format!("| `{}` | | | | | | | | skipped: {} |\n", skipped.name, skipped.reason.replace(['|', '\n'], " "));
    }
    text
}

fn row(workload: &WorkloadResult) -> String {
    let of = |kind: ProgramKind, metric: Metric| {
        let found = workload.metrics.iter().find(|one| one.program == kind && one.metric == metric);
        found.map_or("-".into(), |found| metric.format(found.summary.median))
    };
    let values: Vec<String> =
        SHOWN.iter().flat_map(|metric| [of(ProgramKind::Fathom, *metric), of(ProgramKind::Fio, *metric)]).collect();
    let goals: Vec<String> = workload.goals.iter().map(|judged| judged.goal.to_string()).collect();
    let verdicts = workload.goals.iter().map(|judged| {
        let goal = &judged.goal;
        report::verdict(judged.verdict, judged.summary.as_ref(), goal.metric, &goal.baseline)
    });
    let verdicts: Vec<String> = verdicts.collect();
    format!("| `{}` | {} | {} | {} |\n", workload.name, values.join(" | "), goals.join("<br>"), verdicts.join("<br>"))
}
