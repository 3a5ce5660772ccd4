//! The figures about speed in README and `docs/performance.md` are those of `bench/results.json`.
//!
//! To measure again: `cargo run --release -p fathom-bench -- --seconds 1 --json bench/results.json`, then
//! `UPDATE_DOCS=1 cargo test -p fathom-bench --test claims` writes the table and the picture; README's sentence is changed by hand.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use bench::metric::Metric;
use bench::programs::ProgramKind;
use bench::report::{markdown, svg};
use bench::results::Results;

const BEGIN: &str = "<!-- results -->\n";
const END: &str = "<!-- end -->\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn results() -> Results {
    Results::read(&root().join("bench/results.json")).unwrap()
}

/// Returns the lowest and the highest median of fathom's CPU time per I/O, in percent of fio's, over some workloads.
fn cpu_percent(results: &Results, prefixes: &[&str], is_counted: impl Fn(u32) -> bool) -> String {
    let selected = results.workloads.iter().filter(|workload| {
        let (family, depth) = workload.name.rsplit_once('-').unwrap_or((&workload.name, ""));
        prefixes.iter().any(|prefix| family.starts_with(prefix)) && depth.parse().is_ok_and(&is_counted)
    });
    let ratios = selected.map(|workload| {
        let of_fio = workload.ratios.iter().find(|one| one.baseline == ProgramKind::Fio && one.metric == Metric::CpuNs);
        (of_fio.unwrap_or_else(|| panic!("{} has no CPU time", workload.name)).summary.median * 100.0).round()
    });
    let ratios: Vec<f64> = ratios.collect();
    assert!(!ratios.is_empty(), "no workload of {prefixes:?}");
    let (least, most) =
        ratios.iter().fold((f64::MAX, f64::MIN), |(least, most), one| (least.min(*one), most.max(*one)));
    if least == most { format!("{least} %") } else { format!("{least} to {most} %") }
}

#[test]
fn readme_quotes_the_results() {
    let results = results();
    let queue = ["device-", "libaio-"];
    let claim = format!(
        "On a zram device, a job with io_uring or libaio needs {} of fio's CPU time per I/O at depth 8 or more, and {} at \
         depth 1; with io_uring, registered buffers and batches of 16, {}",
        cpu_percent(&results, &queue, |depth| depth >= 8),
        cpu_percent(&results, &queue, |depth| depth == 1),
        cpu_percent(&results, &["batches-"], |_| true),
    );
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(readme.contains(&claim), "README.md needs this sentence: {claim}");
}

#[test]
fn table_of_performance_is_that_of_the_results() {
    let page = root().join("docs/performance.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = format!("{before}{BEGIN}{}\n{END}{after}", markdown::table(&results()));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(page, expected).unwrap();
        return;
    }
    assert!(text == expected, "docs/performance.md: UPDATE_DOCS=1 writes the table");
}

#[test]
fn picture_of_performance_is_that_of_the_results() {
    let path = root().join("docs/performance.svg");
    let expected = svg::picture(&results());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, expected).unwrap();
        return;
    }
    assert!(std::fs::read_to_string(path).unwrap() == expected, "docs/performance.svg: UPDATE_DOCS=1 writes it");
}
