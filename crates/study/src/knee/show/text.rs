//! A search for a terminal: the table of its loads, the curve, and what they come to.

use units::format::grouped;

use super::{Asked, sentence};
use crate::figures::median;
use crate::knee::{Measured, Study};
use crate::metric::Scale;
use crate::show::chart::bar;
use crate::show::text::{WIDTH, wrapped};

const BAR_MAX: usize = 46;
/// Bars of latency end at so many times the bound, or the knee's latency: what lies beyond only says how long it was run.
const BAR_TIMES: f64 = 2.0;
/// Fewer I/Os beyond a percentile than this say little about it.
const TAIL_MIN: f64 = 10.0;

/// One load of the table.
struct Row {
    load: String,
    iops: f64,
    /// Median, 99th and 99.9th percentile, and the one that is asked for.
    ns: [f64; 3],
    asked_ns: Option<f64>,
    late: String,
    verdict: String,
    mark: &'static str,
}

pub fn write(study: &Study, asked: &Asked) -> String {
    let mut text = format!("knee of: {}, {}", asked.target, asked.work);
    text.push_str(&match study {
        Study::Rate(_) => {
            let arrivals = if asked.is_poisson { "Poisson" } else { "even" };
            format!(", {arrivals} arrivals, {} a step\n\n", time(asked.runtime_ns as f64))
        }
        Study::Depth(_) => format!(", closed loop, {} a depth\n\n", time(asked.runtime_ns as f64)),
    });
    let rows = rows(study);
    if !rows.is_empty() {
        text.push_str(&table(&rows, study, asked));
        text.push_str(&format!("\n{}", chart(&rows, study, asked)));
    }
    let notes: Vec<String> = asked.notes.iter().cloned().chain(too_few(study, asked)).collect();
    if !notes.is_empty() {
        text.push('\n');
        notes.iter().for_each(|note| text.push_str(&wrapped(note)));
    }
    text.push('\n');
    if let Study::Rate(search) = study
        && let Some(knee) = sentence::of_knee(search, asked)
    {
        text.push_str(&wrapped(&knee));
    }
    text.push_str(&wrapped(&super::sentence(study, asked)));
    text
}

fn rows(study: &Study) -> Vec<Row> {
    match study {
        Study::Rate(search) => {
            let (met, knee) = (search.met(), search.knee());
            let row = |(rate, runs): (&u64, &Vec<Measured>)| {
                let (good, all) = search.tally(*rate);
                let mark = match (Some(*rate) == met, Some(*rate) == knee) {
                    (true, _) => "highest",
                    (_, true) => "knee",
                    _ => "",
                };
                let (load, verdict) = (grouped(*rate as f64), format!("{good} of {all}"));
                Row { late: format!("{:.1}", mid(runs, Measured::late_percent)), mark, ..of(load, runs, verdict) }
            };
            search.rates().iter().map(row).collect()
        }
        Study::Depth(depths) => {
            let (knee, within) = (depths.knee(), depths.within());
            let row = |(at, (depth, measured)): (usize, &(u32, Measured))| {
                let mark = match (Some(at) == knee, Some(at) == within) {
                    (true, _) => "knee",
                    (_, true) => "highest",
                    _ => "",
                };
                Row { mark, ..of(depth.to_string(), std::slice::from_ref(measured), String::new()) }
            };
            depths.depths().iter().enumerate().map(row).collect()
        }
    }
}

fn of(load: String, runs: &[Measured], verdict: String) -> Row {
    let known: Vec<f64> = runs.iter().filter_map(|run| run.asked_ns).collect();
    Row {
        load,
        iops: mid(runs, |run| run.iops),
        ns: [mid(runs, |run| run.p50_ns), mid(runs, |run| run.p99_ns), mid(runs, |run| run.p99_9_ns)],
        asked_ns: (known.len() * 2 > runs.len()).then(|| median(known.into_iter())),
        late: String::new(),
        verdict,
        mark: "",
    }
}

fn mid(runs: &[Measured], of: impl Fn(&Measured) -> f64) -> f64 {
    median(runs.iter().map(of))
}

fn table(rows: &[Row], study: &Study, asked: &Asked) -> String {
    let is_rate = matches!(study, Study::Rate(_));
    let is_usual = ["p50", "p99", "p99.9"].contains(&asked.percentile.as_str());
    let largest = rows.iter().map(|row| row.ns[1]).fold(0.0, f64::max);
    let scale = Scale::of_time(largest);
    let mut heads: Vec<String> = vec![if is_rate { "asked/s" } else { "iodepth" }.into(), "done/s".into()];
    heads.extend(["p50", "p99", "p99.9"].map(str::to_owned));
    heads.extend((!is_usual).then(|| asked.percentile.clone()));
    heads.extend(is_rate.then(|| "late %".to_owned()));
    heads.extend(is_rate.then(|| "good".to_owned()));
    heads.push(String::new());
    let mut lines = vec![heads];
    for row in rows {
        let mut line = vec![row.load.clone(), grouped(row.iops)];
        line.extend(row.ns.map(|ns| scale.number(ns)));
        line.extend((!is_usual).then(|| shown(row.asked_ns, scale)));
        line.extend(is_rate.then(|| row.late.clone()));
        line.extend(is_rate.then(|| row.verdict.clone()));
        line.push(row.mark.to_owned());
        lines.push(line);
    }
    let what = if is_rate { "response time" } else { "latency" };
    let good = if is_rate { "; good: runs that met the rate and the bound" } else { "" };
    format!("{}{what} in {}{good}\n", aligned(&lines), scale.unit)
}

fn shown(ns: Option<f64>, scale: Scale) -> String {
    ns.map_or("never".to_owned(), |ns| scale.number(ns))
}

fn aligned(lines: &[Vec<String>]) -> String {
    let length = |text: &String| text.chars().count();
    let columns = lines.first().map_or(0, Vec::len);
    let width = |at: usize| lines.iter().filter_map(|line| line.get(at)).map(length).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        // The mark at the end stands where it begins.
        let cells = line.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
            if at + 1 == columns { format!("  {cell}") } else { format!("  {cell:>width$}") }
        });
        text.push_str(cells.collect::<String>().trim_end());
        text.push('\n');
    }
    text
}

/// Latency over the rate, or I/Os over the depth.
fn chart(rows: &[Row], study: &Study, asked: &Asked) -> String {
    let label_width = rows.iter().map(|row| row.load.chars().count()).max().unwrap_or(0);
    let room = BAR_MAX.min(WIDTH.saturating_sub(label_width + 24));
    let line = |row: &Row, bar: String, number: String| {
        format!("  {:>label_width$}  {bar} {number}  {}", row.load, row.mark).trim_end().to_owned() + "\n"
    };
    let Study::Rate(search) = study else {
        let largest = rows.iter().map(|row| row.iops).fold(0.0, f64::max);
        let lines = rows.iter().map(|row| line(row, bar(row.iops, largest, room), grouped(row.iops)));
        return format!("I/Os a second over iodepth\n{}", lines.collect::<String>());
    };
    let scale = Scale::of_time(rows.iter().filter_map(|row| row.asked_ns).fold(0.0, f64::max));
    let curve = search.curve();
    let of_knee = search.knee().and_then(|knee| curve.iter().find(|(rate, _)| *rate == knee)).map(|(_, ns)| *ns);
    let reach = search.terms.bound_ns.map(|ns| ns as f64).or(of_knee);
    let highest = curve.iter().map(|(_, ns)| *ns).fold(1.0, f64::max);
    let end = reach.map_or(highest, |reach| (reach * BAR_TIMES).min(highest.max(reach)));
    let lines = rows.iter().map(|row| {
        let ns = row.asked_ns.unwrap_or(f64::INFINITY).min(end);
        line(row, bar(ns, end, room), shown(row.asked_ns, scale))
    });
    let bars = lines.collect::<String>();
    format!(
        "{} of response time, {}, over I/Os a second; bars end at {}\n{bars}",
        asked.percentile,
        scale.unit,
        time(end)
    )
}

/// A percentile of so few I/Os that a handful of them decides.
fn too_few(study: &Study, asked: &Asked) -> Option<String> {
    let Study::Rate(search) = study else { return None };
    let beyond = |rate: u64| rate as f64 * asked.runtime_ns as f64 / 1e9 * (100.0 - search.terms.percent) / 100.0;
    let beyond = beyond(search.met()?);
    (beyond < TAIL_MIN).then(|| {
        let percentile = &asked.percentile;
        format!("a run has only {} I/Os beyond {percentile}: a longer --runtime makes it surer", grouped(beyond))
    })
}

/// With its unit, for people.
pub fn time(ns: f64) -> String {
    units::format::time_ns(ns).replace(" us", " µs")
}
