//! The values of a chart that are saved from the page.

use crate::sample;
use assessment::{Aim, Assessment, Figures, Metric, Rates, Round, Study, Sweep, SweepPoint, SweepResult};
use plan::Ddir;

/// Returns a document that the page holds.
fn saved(assessment: &Assessment, name: &str) -> String {
    let page = report::html(assessment);
    let link = page.split(&format!("\" download=\"{name}\"")).next().and_then(|before| before.rsplit("href=\"").next());
    let (_, text) = link.expect("a link").split_once("utf-8,").expect("a document in the page");
    text.replace("%0D%0A", "\n").replace("%22", "\"")
}

/// Returns the cells of a saved chart, without the names of the columns.
fn rows(assessment: &Assessment, chart: &str) -> Vec<[String; 3]> {
    let csv = saved(assessment, &format!("{chart}.csv"));
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>().try_into().expect("three cells");
    csv.lines().skip(1).map(cells).collect()
}

#[test]
fn values_of_a_chart_are_saved_from_the_page_without_a_script() {
    let quick = sample::quick();
    assert_eq!(saved(&quick, "write-iops-iops.csv").lines().next(), Some("series,time (s),IOPS"));
    let points = rows(&quick, "write-iops-iops");
    assert!(points.len() > 20 && points.iter().all(|cells| cells[0] == "write"), "{points:?}");
    let json: serde_json::Value = serde_json::from_str(&saved(&quick, "write-iops-iops.json")).unwrap();
    assert_eq!((&json["x"], &json["series"][0]["name"]), (&"time (s)".into(), &"write".into()));
    assert_eq!(json["series"][0]["points"].as_array().unwrap().len(), points.len());
    assert_eq!(saved(&quick, "write-iops-latency.csv").lines().next(), Some("series,time (s),latency (ns)"));
}

/// Returns a sweep over two axes of two runs each, whose points have the values 1, 2, 3 and so on.
fn sweep(axes: [(&str, &[&str]); 2]) -> Assessment {
    let settings = axes[0].1.iter().flat_map(|first| axes[1].1.iter().map(move |second| [*first, *second]));
    let point = |(at, values): (usize, [&str; 2])| {
        let value = 1.0 + at as f64;
        let names = [axes[0].0, axes[1].0].into_iter().zip(values);
        SweepPoint {
            settings: names.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            runs: Vec::new(),
            median: Some(Figures { total: Rates { iops: value, ..Rates::default() }, ..Figures::default() }),
            range: Some((value - 0.5, value + 0.25)),
            spread_percent: None,
        }
    };
    let points = settings.enumerate().map(point).collect();
    let mut assessment = sample::assessment();
    assessment.tests.truncate(1);
    assessment.study = Study::Sweep(Sweep {
        dialect: "fio".to_owned(),
        line: Vec::new(),
        axes: axes.map(|(name, values)| (name.to_owned(), values.iter().copied().map(str::to_owned).collect())).into(),
        repeats: 2,
        order: "given".to_owned(),
        seed: None,
        metric: Metric::IOPS,
        refused: Vec::new(),
        result: Some(SweepResult { points, ..SweepResult::default() }),
    });
    assessment
}

#[test]
fn points_of_a_sweep_are_saved_with_the_names_of_their_series_and_without_ranges() {
    let depths = ["1", "2", "4", "8", "16", "32", "64"];
    for several in [2, depths.len()] {
        let saved = rows(&sweep([("bs", &["4k", "8k"]), ("iodepth", &depths[..several])]), "max-write-iops-sweep");
        let row = |at: usize| {
            let (series, place) = (at / 2, at % 2);
            let value = place * several + series + 1;
            [format!("iodepth={}", depths[series]), ["4k", "8k"][place].to_owned(), value.to_string()]
        };
        assert_eq!(saved, (0..2 * several).map(row).collect::<Vec<_>>());
    }
}

#[test]
fn labels_that_are_no_numbers_of_json_are_texts() {
    let sweep = sweep([("name", &["inf", "nan", "7"]), ("iodepth", &["1"])]);
    let json: serde_json::Value = serde_json::from_str(&saved(&sweep, "max-write-iops-sweep.json")).unwrap();
    assert_eq!(json["series"][0]["points"], serde_json::json!([["inf", 1.0], ["nan", 2.0], [7.0, 3.0]]));
}

#[test]
fn percentiles_are_saved_with_all_nines() {
    let mut assessment = sample::assessment();
    let writes = &mut assessment.tests[0].rounds[0].record.workers[0].stats.ddirs[Ddir::Write as usize];
    (0..2_000_000).for_each(|at| writes.lat.record(1_000 + at % 1_000));
    let saved = rows(&assessment, "max-write-iops-percentiles");
    let percents: Vec<f64> = saved.iter().map(|[_, percent, _]| percent.parse().unwrap()).collect();
    assert!(percents.is_sorted_by(|one, other| one < other), "{percents:?}");
    assert!(percents.last().is_some_and(|last| (99.9999..100.0).contains(last)), "{percents:?}");
}

#[test]
fn steps_of_a_closed_loop_are_saved_and_joined_unless_they_deliver_clearly_less() {
    let round = |(depth, ios): (u64, u64)| {
        let mut record = sample::record(&[sample::Did {
            ddir: Ddir::Write,
            spells: vec![(1, ios)],
            bytes: 4096,
            median_ns: 80_000,
        }]);
        record.workers[0].stats.ddirs[Ddir::Write as usize].ios = ios;
        Round { at: vec![("iodepth".to_owned(), depth.to_string())], record }
    };
    let steps = [(1, 60_000), (2, 100_000), (3, 99_900), (4, 50_000)];
    let test = sample::test("closed", Aim::Behaviour, steps.map(round).into());
    let assessment = sample::with_tests(vec![test]);
    let saved = rows(&assessment, "closed-load");
    let loads = |series: &str| {
        let of_series = saved.iter().filter(|[name, ..]| name == series);
        of_series.map(|[_, load, _]| load.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(loads("p99"), ["60000", "100000", "99900", "50000"]);
    let charts = report::charts(&assessment);
    let svg = charts.iter().find(|chart| chart.name == "closed-load").expect("a curve").svg();
    let lines = svg.split("<path class=\"s0\" d=\"").skip(1).filter_map(|path| path.split('"').next());
    assert_eq!(lines.map(|line| line.matches('L').count()).max(), Some(2), "three steps are joined: {svg}");
}

#[test]
fn rounds_are_saved_without_the_bounds_of_the_rule() {
    let saved = rows(&sample::assessment(), "snia-iops-steady");
    let rounds: Vec<&str> = saved.iter().map(|[_, round, _]| round.as_str()).collect();
    assert_eq!(rounds, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]);
    assert!(saved.iter().all(|[name, ..]| name == "write.iops of a round"), "{saved:?}");
}
