//! No word makes an axis panic, and no axis, failure or metric a report.

use assessment::{LatencyKind, Metric, Statistic};
use proptest::prelude::*;
use study::show::{Asked, Format, Ink, Report};
use study::{Axis, Order, Sweep};

const PIECES: [&str; 18] = [
    "bs",
    "-",
    "--",
    "=",
    ",",
    ";",
    "..",
    "4k",
    "64K",
    "0",
    "1",
    "9999999999999999999",
    "MiB",
    "B",
    ".5",
    "é",
    " ",
    "<",
];

/// Pieces of real words reach further than random characters.
fn word() -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned), 1 => any::<String>()];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_word_is_an_axis_or_a_message(word in word()) {
        match Axis::parse(&word) {
            Ok(axis) => {
                prop_assert!(!axis.option.is_empty() && !axis.values.is_empty());
                axis.is_ordered();
            }
            Err(diagnostic) => prop_assert!(!diagnostic.to_string().is_empty()),
        }
    }

    #[test]
    fn any_sweep_can_be_told_in_every_form(first in word(), second in word(), reason in any::<String>(), runs in 0..4usize) {
        let axes: Vec<Axis> = [first, second].iter().filter_map(|word| Axis::parse(word).ok()).collect();
        let Ok(mut sweep) = Sweep::new(axes, 1, Order::Random { seed: 3 }) else { return Ok(()) };
        for _ in 0..runs {
            let Some(turn) = sweep.next_turn() else { break };
            sweep.remark(turn, &reason, &reason);
            sweep.take_failed(turn, reason.clone());
        }
        let asked = Asked {
            dialect: "fio".into(),
            line: vec![reason],
            repeats: 1,
            order: Order::Given,
            metric: Metric::latency(LatencyKind::Total, Statistic::Percentile(99.0)),
            program: "test".into(),
        };
        let report = Report::new(&asked, &sweep);
        for format in [Format::Text(Ink::Unicode), Format::Text(Ink::Ascii), Format::Csv, Format::Markdown] {
            prop_assert!(!report.write(format).is_empty());
        }
        prop_assert!(serde_json::from_str::<serde_json::Value>(&report.write(Format::Json)).is_ok());
        prop_assert!(report.svg().ends_with("</svg>\n"));
    }
}
