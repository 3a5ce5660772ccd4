//! Results as a Markdown table for `docs/performance.md`.

use crate::metric::Metric;
use crate::programs::ProgramKind;
use crate::report;
use crate::results::{Ratio, Results, WorkloadResult};

const HEAD: &str = "\
| workload | IOPS: fathom, fio | ratio | CPU time per I/O: fathom (kernel), fio (kernel) | ratio | goals |
|---|---|---|---|---|---|
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
        text += &format!("| `{}` | | | | | skipped: {} |\n", skipped.name, skipped.reason.replace(['|', '\n'], " "));
    }
    text
}

fn row(workload: &WorkloadResult) -> String {
    let of = |kind: ProgramKind, metric: Metric| {
        let found = workload.metrics.iter().find(|one| one.program == kind && one.metric == metric);
        found.map_or("-".into(), |found| metric.format(found.summary.median))
    };
    let ratio = |metric: Metric| {
        let of_fio = |one: &&Ratio| one.baseline == ProgramKind::Fio && one.metric == metric;
        workload.ratios.iter().find(of_fio).map_or("-".into(), |ratio| report::ratio(&ratio.summary))
    };
    let iops = [ProgramKind::Fathom, ProgramKind::Fio].map(|kind| of(kind, Metric::Iops)).join(", ");
    let cpu = [ProgramKind::Fathom, ProgramKind::Fio]
        .map(|kind| format!("{} ({})", of(kind, Metric::CpuNs), of(kind, Metric::KernelNs)))
        .join(", ");
    let goals = workload.goals.iter().map(|judged| {
        let goal = &judged.goal;
        let verdict = report::verdict(judged.verdict, judged.summary.as_ref(), goal.metric, &goal.baseline);
        format!("{goal}: {verdict}")
    });
    let goals: Vec<String> = goals.collect();
    let (of_iops, of_cpu) = (ratio(Metric::Iops), ratio(Metric::CpuNs));
    format!("| `{}` | {iops} | {of_iops} | {cpu} | {of_cpu} | {} |\n", workload.name, goals.join("<br>"))
}
