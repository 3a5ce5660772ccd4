//! XML reports are well formed for all names of files and machines.

use crate::stage;
use diskspd::profile::{Profile, Target, TimeSpan};
use diskspd::render;
use proptest::prelude::*;
use record::{PhaseRecord, TargetStats};

/// Renders the report of a run with this name for file and machine.
fn results(name: &str) -> String {
    let time_span = TimeSpan {
        targets: vec![Target { path: "x".into(), ..Target::default() }],
        measure_latency: true,
        calculate_iops_std_dev: true,
        ..TimeSpan::default()
    };
    let profile = Profile { time_spans: vec![time_span], verbose_stats: true, ..Profile::default() };
    let mut record = stage::record("diskspd x", &diskspd::xml::write(&profile), &[1]);
    record.machine.hostname = name.into();
    record.machine.governors = vec![name.into()];
    record.phases = vec![PhaseRecord { measured_ns: 1, ..PhaseRecord::default() }];
    record.workers[0].stats.targets = vec![TargetStats { path: name.to_owned(), ..TargetStats::default() }];
    render::xml(&record).unwrap()
}

fn path(document: &roxmltree::Document) -> String {
    let span = document.root_element().children().find(|node| node.has_tag_name("TimeSpan")).unwrap();
    let path = span.descendants().find(|node| node.has_tag_name("Path")).unwrap();
    path.text().unwrap_or_default().to_owned()
}

#[test]
fn markup_in_names_round_trips() {
    for name in ["a&b.dat", "<unknown>", "\"'", "]]>", " x\t", "ÄÖ/日本", ""] {
        let xml = results(name);
        assert_eq!(path(&roxmltree::Document::parse(&xml).unwrap()), name, "{xml}");
    }
}

proptest! {
    #[test]
    fn results_are_well_formed_for_any_name(name in ".*") {
        let xml = results(&name);
        prop_assert!(roxmltree::Document::parse(&xml).is_ok(), "{}", xml);
        prop_assert!(xml.starts_with("<Results>\n") && xml.ends_with("</Results>"));
    }
}
