//! Results as text on the terminal.

use crate::metric::Metric;
use crate::programs::{Program, ProgramKind};
use crate::report;
use crate::results::{Results, WorkloadResult};
use crate::statistics::Verdict;

/// Renders the machine, the programs and the warnings.
pub fn head(results: &Results) -> String {
    let machine = &results.machine;
    let load = machine.load_average.map_or(String::new(), |load| format!(", load average {:.2}", load[0]));
    let cpus = machine.cpus.len();
    let mut text = format!("{}, {cpus} CPUs, Linux {}{load}\n", machine.cpu_model, machine.kernel);
    for program in &results.programs {
        text += &format!("  {}  {}\n", program.name(), program.path.display());
    }
    for warning in &results.warnings {
        text += &format!("warning: {warning}\n");
    }
    text
}

/// Renders one workload: a row per metric, a column per program.
pub fn workload(result: &WorkloadResult, programs: &[Program]) -> String {
    let runtime = result.seconds.map_or("until done".into(), |seconds| format!("{seconds} s"));
    let pairs = result.runs.iter().map(|run| run.pair + 1).max().unwrap_or(0);
    let mut text = format!(
        "\n{}: {}\n  jobs/{}, {pairs} × {runtime}, on CPUs {:?}\n",
        result.name, result.description, result.job, result.cpus
    );
    let has_runs = |program: &&Program| result.runs.iter().any(|run| run.program == program.kind);
    let programs: Vec<&Program> = programs.iter().filter(has_runs).collect();
    let mut heads = vec![String::new()];
    heads.extend(programs.iter().map(|program| program.name()));
    heads.extend(programs.iter().skip(1).map(|program| format!("ratio to {}", program.name())));
    let mut rows = vec![heads];
    for metric in Metric::ALL {
        rows.extend(row(result, &programs, metric));
    }
    text += &columns(&rows);
    for judged in &result.goals {
        let goal = &judged.goal;
        let verdict = report::verdict(judged.verdict, judged.summary.as_ref(), goal.metric, &goal.baseline);
        text += &format!("  goal: {goal}: {verdict}\n");
    }
    for warning in &result.warnings {
        text += &format!("  warning: {warning}\n");
    }
    text
}

/// Returns the cells of a metric; `None` if no program has a value.
fn row(result: &WorkloadResult, programs: &[&Program], metric: Metric) -> Option<Vec<String>> {
    let of = |kind: ProgramKind| {
        let found = result.metrics.iter().find(|one| one.program == kind && one.metric == metric)?;
        let shown = metric.format(found.summary.median);
        match found.summary.runs {
            1 => Some(shown),
            _ => Some(format!("{shown} ±{:.1}%", found.summary.spread_percent / 2.0)),
        }
    };
    let to = |kind: ProgramKind| {
        let found = result.ratios.iter().find(|ratio| ratio.baseline == kind && ratio.metric == metric)?;
        Some(report::ratio(&found.summary))
    };
    let values: Vec<Option<String>> = programs.iter().map(|program| of(program.kind)).collect();
    let ratios = programs.iter().skip(1).map(|program| to(program.kind));
    let is_known = values.iter().any(Option::is_some);
    let cells = values.into_iter().chain(ratios).map(|cell| cell.unwrap_or("-".into()));
    is_known.then(|| std::iter::once(metric.title().to_string()).chain(cells).collect())
}

/// Aligns cells to columns.
fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |nth: usize| rows.iter().filter_map(|row| row.get(nth)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..count).map(|nth| width(nth).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("  {}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// Renders the number of goals met, and the goals not met.
pub fn verdicts(results: &Results) -> String {
    let goals: Vec<_> = results
        .workloads
        .iter()
        .flat_map(|workload| workload.goals.iter().map(move |goal| (&workload.name, goal)))
        .collect();
    let count = |verdict: Verdict| goals.iter().filter(|(_, goal)| goal.verdict == verdict).count();
    let (met, not_met) = (count(Verdict::Met), count(Verdict::NotMet));
    let inconclusive = count(Verdict::Inconclusive);
    let mut text = format!("{} goals: {met} met, {not_met} not met, {inconclusive} inconclusive", goals.len());
    text += &format!("; {} workloads skipped\n", results.skipped.len());
    for (name, judged) in goals.iter().filter(|(_, goal)| goal.verdict == Verdict::NotMet) {
        let goal = &judged.goal;
        let verdict = report::verdict(judged.verdict, judged.summary.as_ref(), goal.metric, &goal.baseline);
        text += &format!("  {name}: {goal}: {verdict}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["", "a", "long"], ["IOPS", "1.00 M", "x"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(columns(&rows), "        a       long\n  IOPS  1.00 M  x\n");
    }
}
