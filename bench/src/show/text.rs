//! Results as lines on a terminal.

use crate::programs::{Kind, Program};
use crate::results::{Outcome, Results};
use crate::show;
use crate::statistics::Verdict;
use crate::works::Metric;

pub fn head(results: &Results) -> String {
    let machine = &results.machine;
    let load = machine.load_average.map_or(String::new(), |load| format!(", load average {:.2}", load[0]));
    let processors = machine.cpus.len();
    let mut text = format!("{}, {processors} processors, Linux {}{load}\n", machine.processor, machine.kernel);
    for program in &results.programs {
        text += &format!("  {}  {}\n", program.name(), program.path.display());
    }
    for warning in &results.warnings {
        text += &format!("WARNING: {warning}\n");
    }
    text
}

/// One work: a row for each metric, a column for each program.
pub fn work(outcome: &Outcome, programs: &[Program]) -> String {
    let length = outcome.seconds.map_or("to the end".into(), |seconds| format!("{seconds} s"));
    let rounds = outcome.runs.iter().map(|run| run.round + 1).max().unwrap_or(0);
    let mut text = format!(
        "\n{}: {}\n  jobs/{}, {rounds} × {length}, on processors {:?}\n",
        outcome.name, outcome.about, outcome.job, outcome.cpus
    );
    let is_there = |program: &&Program| outcome.runs.iter().any(|run| run.program == program.kind);
    let programs: Vec<&Program> = programs.iter().filter(is_there).collect();
    let mut heads = vec![String::new()];
    heads.extend(programs.iter().map(|program| program.name()));
    heads.extend(programs.iter().skip(1).map(|program| format!("ratio to {}", program.name())));
    let mut rows = vec![heads];
    for metric in Metric::ALL {
        rows.extend(row(outcome, &programs, metric));
    }
    text += &columns(&rows);
    for judged in &outcome.goals {
        let goal = &judged.goal;
        let verdict = show::verdict(judged.verdict, judged.summary.as_ref(), goal.metric, &goal.versus);
        text += &format!("  goal: {goal}: {verdict}\n");
    }
    for warning in &outcome.warnings {
        text += &format!("  WARNING: {warning}\n");
    }
    text
}

/// `None` for a metric that no program has here.
fn row(outcome: &Outcome, programs: &[&Program], metric: Metric) -> Option<Vec<String>> {
    let of = |kind: Kind| {
        let found = outcome.figures.iter().find(|figure| figure.program == kind && figure.metric == metric)?;
        let shown = show::figure(metric, found.summary.median);
        match found.summary.runs {
            1 => Some(shown),
            _ => Some(format!("{shown} ±{:.1}%", found.summary.spread_percent / 2.0)),
        }
    };
    let to = |kind: Kind| {
        let found = outcome.ratios.iter().find(|ratio| ratio.to == kind && ratio.metric == metric)?;
        Some(show::ratio(&found.summary))
    };
    let figures: Vec<Option<String>> = programs.iter().map(|program| of(program.kind)).collect();
    let ratios = programs.iter().skip(1).map(|program| to(program.kind));
    let is_known = figures.iter().any(Option::is_some);
    let cells = figures.into_iter().chain(ratios).map(|cell| cell.unwrap_or("-".into()));
    is_known.then(|| std::iter::once(metric.title().to_string()).chain(cells).collect())
}

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

/// How many goals were met, and which were not.
pub fn verdicts(results: &Results) -> String {
    let goals: Vec<_> =
        results.works.iter().flat_map(|work| work.goals.iter().map(move |goal| (&work.name, goal))).collect();
    let count = |verdict: Verdict| goals.iter().filter(|(_, goal)| goal.verdict == verdict).count();
    let (met, not_met, cannot) = (count(Verdict::Met), count(Verdict::NotMet), count(Verdict::CannotTell));
    let mut text = format!("{} goals: {met} met, {not_met} not met, {cannot} cannot tell", goals.len());
    text += &format!("; {} works skipped\n", results.skipped.len());
    for (name, judged) in goals.iter().filter(|(_, goal)| goal.verdict == Verdict::NotMet) {
        let goal = &judged.goal;
        let verdict = show::verdict(judged.verdict, judged.summary.as_ref(), goal.metric, &goal.versus);
        text += &format!("  {name}: {goal}: {verdict}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let rows = [["", "a", "long"], ["IOPS", "1.00 M", "x"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(columns(&rows), "        a       long\n  IOPS  1.00 M  x\n");
    }
}
