//! The coverage of the confidence intervals, by simulation: the table in docs/coverage.md.
//!
//!     cargo bench -p fathom-judge --bench coverage [-- RUNS [FIGURE|disturbed [INTERVALS...]]]

#[path = "../tests/verdicts/simulation.rs"]
mod simulation;

use simulation::{Coverage, Disturbance, Kind, Noise, Shape, Spread, coverage, verdicts};

const RUNS: usize = 2000;
const INTERVALS: [usize; 3] = [20, 60, 240];
/// Runs with more intervals take most of the time: a quarter as many are simulated.
const MANY_INTERVALS: usize = 100;
/// Numbers that are too few for a confidence interval.
const FEW_INTERVALS: [usize; 4] = [3, 5, 10, 15];
const CORRELATIONS: [f64; 3] = [0.0, 0.5, 0.8];
/// Rates of disturbed intervals as shares of the others', how many there are in a row, and how many between.
const DISTURBANCES: [(&str, Disturbance); 8] = [
    ("another program takes half of the disk", Disturbance { rate: 0.5, lasts: 5.0, pauses: 5.0 }),
    ("the same, in short bursts", Disturbance { rate: 0.5, lasts: 2.0, pauses: 4.0 }),
    ("the CPUs are taken", Disturbance { rate: 0.05, lasts: 3.0, pauses: 3.0 }),
    ("slow periods", Disturbance { rate: 0.1, lasts: 4.0, pauses: 8.0 }),
    ("rare slow periods", Disturbance { rate: 0.1, lasts: 8.0, pauses: 32.0 }),
    ("single stalls without I/Os", Disturbance { rate: 0.0, lasts: 1.0, pauses: 30.0 }),
    ("outliers, four times as fast", Disturbance { rate: 4.0, lasts: 1.0, pauses: 20.0 }),
    ("shifts of the level", Disturbance { rate: 0.5, lasts: 20.0, pauses: 20.0 }),
];
/// Thresholds, as shares of the true rate.
const THRESHOLDS: [f64; 6] = [0.05, 0.25, 0.9, 1.1, 4.0, 20.0];

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let only = std::env::args().skip(1).find(|arg| arg.parse::<usize>().is_err() && !arg.starts_with('-'));
    let only = only.as_deref();
    let (runs, intervals) = match numbers.as_slice() {
        [] => (RUNS, &INTERVALS[..]),
        [runs] => (*runs, &INTERVALS[..]),
        [runs, intervals @ ..] => (*runs, intervals),
    };
    if numbers.len() < 2 {
        println!(
            "Ranges of few intervals that include the true figure, of {runs} simulated runs. Levels vary by 50 %\n"
        );
        table(runs, only, Spread::Wide, &FEW_INTERVALS);
    }
    println!(
        "\n95 % intervals that include the true figure, of {runs} runs ({} with n = 240). Levels vary by 5 %;",
        runs / 4
    );
    println!("– is no confidence interval\n");
    table(runs, only, Spread::Narrow, intervals);
    if only.is_none_or(|only| only == "disturbed") {
        disturbed(runs, intervals);
    }
}

/// Prints the coverage of disturbed runs, and how many of them pass and fail against thresholds around the true rate.
fn disturbed(runs: usize, counts: &[usize]) {
    println!("\nDisturbed runs: the same, then runs that pass and fail against a share of the true rate\n");
    let thresholds = THRESHOLDS.map(|share| format!("{share} ×")).join(" | ");
    println!(
        "| disturbance | n | iops | lat.mean | {thresholds} |\n|---|---|---|---|{}",
        "---|".repeat(THRESHOLDS.len())
    );
    for (name, disturbance) in DISTURBANCES {
        for &intervals in counts {
            let runs = if intervals > MANY_INTERVALS { runs / 4 } else { runs };
            let (noise, spread, disturbance) = (Noise::Normal, Spread::Narrow, Some(disturbance));
            let kind = Kind { noise, spread, correlation: 0.0, intervals, shape: None, disturbance };
            let latencies = Kind { shape: Some(Shape::LogNormal), ..kind };
            let of_threshold = |share| {
                let (passes, fails) = verdicts(kind, share, runs);
                let percent = |count| 100.0 * count as f64 / runs as f64;
                format!("{:.1} %, {:.1} %", percent(passes), percent(fails))
            };
            let covered = [coverage(kind, &["read.iops"], runs)[0], coverage(latencies, &["read.lat.mean"], runs)[0]];
            let [rate, latency] = covered.map(cell);
            println!("| {name} | {intervals} | {rate} | {latency} | {} |", THRESHOLDS.map(of_threshold).join(" | "));
        }
    }
}

/// Prints the coverage of all figures, or of one.
fn table(runs: usize, only: Option<&str>, spread: Spread, counts: &[usize]) {
    let shapes = [Shape::LogNormal, Shape::Bimodal, Shape::HeavyTail];
    let latencies =
        shapes.into_iter().flat_map(|shape| ["lat.mean", "lat.p50", "lat.p99"].map(|name| (Some(shape), name)));
    let figures: Vec<(Option<Shape>, &str)> = std::iter::once((None, "iops")).chain(latencies).collect();
    println!("| figure | noise | φ | n = {} |", counts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | "));
    println!("|---|---|---|{}", "---|".repeat(counts.len()));
    for shape in std::iter::once(None).chain(shapes.map(Some)) {
        let of_shape = figures.iter().filter(|(of, name)| *of == shape && only.is_none_or(|only| only == *name));
        let names: Vec<&str> = of_shape.map(|(_, name)| *name).collect();
        if names.is_empty() {
            continue;
        }
        for (noise, correlation) in kinds() {
            let of_count = |&intervals: &usize| {
                let runs = if intervals > MANY_INTERVALS { runs / 4 } else { runs };
                coverage(Kind { noise, spread, correlation, intervals, shape, disturbance: None }, &names, runs)
            };
            let columns: Vec<Vec<Coverage>> = counts.iter().map(of_count).collect();
            for (at, name) in names.iter().enumerate() {
                let cells = columns.iter().map(|column| cell(column[at])).collect::<Vec<_>>().join(" | ");
                let shape = shape.map(|shape| format!(", {}", title(shape))).unwrap_or_default();
                println!(
                    "| {name}{shape} | {} | {correlation} | {cells} |",
                    if noise == Noise::Normal { "normal" } else { "stepped" }
                );
            }
        }
    }
}

/// Stepped noise without correlation is normal noise without correlation.
fn kinds() -> Vec<(Noise, f64)> {
    let normal = CORRELATIONS.map(|correlation| (Noise::Normal, correlation));
    normal.into_iter().chain(CORRELATIONS[1..].iter().map(|correlation| (Noise::Stepped, *correlation))).collect()
}

fn title(shape: Shape) -> &'static str {
    match shape {
        Shape::LogNormal => "log-normal",
        Shape::Bimodal => "bimodal",
        Shape::HeavyTail => "heavy tail",
    }
}

fn cell(coverage: Coverage) -> String {
    match coverage.given {
        0 => "–".to_owned(),
        given if given < coverage.runs => {
            let none = 100.0 * (1.0 - given as f64 / coverage.runs as f64);
            format!("{:.1} % ({none:.0} % –)", 100.0 * coverage.share())
        }
        _ => format!("{:.1} %", 100.0 * coverage.share()),
    }
}
