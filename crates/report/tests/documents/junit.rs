//! JUnit XML, compared with the common schemas.

use std::collections::BTreeMap;

use assessment::{
    Cause, Comparison, Judgement, LimitedChange, Metric, Reason, Repeats, RepeatsResult, Study, Undecided, Verdict,
    Workload,
};
use roxmltree::{Document, Node};

use crate::sample;

/// An element of the schemas of Ant (Windy Road's `JUnit.xsd`) and Jenkins: the attributes that each needs, those that
/// both allow, and the children in their order, with the smallest and largest number of each.
struct Element {
    name: &'static str,
    needs: &'static [&'static str],
    allows: &'static [&'static str],
    children: &'static [(&'static str, usize, usize)],
    has_text: bool,
}

const ANY: usize = usize::MAX;

const fn leaf(name: &'static str, needs: &'static [&'static str], allows: &'static [&'static str]) -> Element {
    Element { name, needs, allows, children: &[], has_text: true }
}

const SCHEMA: [Element; 10] = [
    Element { name: "testsuites", needs: &[], allows: &[], children: &[("testsuite", 0, ANY)], has_text: false },
    Element {
        name: "testsuite",
        needs: &["package", "id", "name", "timestamp", "hostname", "tests", "failures", "errors", "time"],
        allows: &["skipped"],
        children: &[("properties", 1, 1), ("testcase", 0, ANY), ("system-out", 1, 1), ("system-err", 1, 1)],
        has_text: false,
    },
    Element { name: "properties", needs: &[], allows: &[], children: &[("property", 0, ANY)], has_text: false },
    Element { name: "property", needs: &["name", "value"], allows: &[], children: &[], has_text: false },
    Element {
        name: "testcase",
        needs: &["name", "classname", "time"],
        allows: &[],
        children: &[("skipped", 0, 1), ("error", 0, 1), ("failure", 0, 1)],
        has_text: false,
    },
    leaf("skipped", &[], &["message"]),
    leaf("error", &["type"], &["message"]),
    leaf("failure", &["type"], &["message"]),
    leaf("system-out", &[], &[]),
    leaf("system-err", &[], &[]),
];

fn check(node: Node) {
    let name = node.tag_name().name();
    let element = SCHEMA.iter().find(|element| element.name == name).unwrap_or_else(|| panic!("unknown: {name}"));
    let attributes: Vec<&str> = node.attributes().map(|attribute| attribute.name()).collect();
    let is_allowed = |attribute: &&str| element.needs.contains(attribute) || element.allows.contains(attribute);
    assert!(attributes.iter().all(is_allowed), "{name}: {attributes:?}");
    assert!(element.needs.iter().all(|needed| attributes.contains(needed)), "{name}: {attributes:?}");
    let children: Vec<&str> = node.children().filter(Node::is_element).map(|child| child.tag_name().name()).collect();
    let mut rest = children.as_slice();
    for (child, least, most) in element.children {
        let count = rest.iter().take_while(|name| *name == child).count();
        assert!((*least..=*most).contains(&count), "{name} has {count} {child}: {children:?}");
        rest = &rest[count..];
    }
    assert_eq!(rest, [""; 0], "{name}: children in the wrong order: {children:?}");
    let has_text = node.children().filter(Node::is_text).any(|text| !text.text().unwrap_or_default().trim().is_empty());
    assert!(element.has_text || !has_text, "text in {name}");
    match name {
        "testcase" => {
            assert!(children.len() <= 1, "a test case has one outcome: {children:?}");
            assert!(node.attribute("time").unwrap().parse::<f64>().unwrap() >= 0.0);
        }
        "testsuite" => {
            let time = node.attribute("timestamp").unwrap();
            let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            assert_eq!(shape, "0000-00-00T00:00:00", "{time}");
            assert!(["name", "hostname"].iter().all(|name| !node.attribute(*name).unwrap().trim().is_empty()));
        }
        _ => {}
    }
    node.children().filter(Node::is_element).for_each(check);
}

/// Returns the outcome and the message of each test case, by name.
fn cases(xml: &str) -> BTreeMap<String, (String, String)> {
    let document = Document::parse(xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
    check(document.root_element());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut cases = BTreeMap::new();
    for case in document.descendants().filter(|node| node.has_tag_name("testcase")) {
        let outcome = case.children().find(Node::is_element);
        let (kind, message) = match outcome {
            Some(child) => (child.tag_name().name(), child.attribute("message").unwrap_or_default()),
            None => ("passed", ""),
        };
        *counts.entry(kind).or_default() += 1;
        let name = case.attribute("name").unwrap().to_owned();
        assert!(cases.insert(name.clone(), (kind.to_owned(), message.to_owned())).is_none(), "twice: {name}");
    }
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
    for (attribute, kind) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
        let count = counts.get(kind).copied().unwrap_or_default();
        assert_eq!(suite.attribute(attribute).unwrap(), count.to_string(), "{attribute}");
    }
    assert_eq!(suite.attribute("tests").unwrap(), cases.len().to_string());
    cases
}

#[test]
fn each_threshold_is_a_case_and_each_verdict_an_outcome() {
    let cases = cases(&report::junit(&sample::assessment()));
    let (kind, message) = &cases["max-write-iops: write.iops at least 16,000 IOPS (P30)"];
    assert!(kind == "failure" && message.starts_with("FAIL: 13,201 IOPS, 83 % of the "), "{kind}: {message}");
    let outcome = |name: &str| cases.get(name).map(|(kind, _)| kind.as_str());
    assert_eq!(outcome("fsync: fsync.p99 at most 10 ms"), Some("passed"));
    assert_eq!(outcome("max-read-iops"), Some("error"));
    assert_eq!(outcome("<b>mixed</b> & \"quoted\""), Some("skipped"));
    assert_eq!(outcome("block-sizes"), Some("passed"), "a test without expectations");
    assert!(cases["max-read-iops"].1.starts_with("INVALID: most reads came from the page cache"));
}

#[test]
fn a_verdict_that_no_test_explains_is_a_case() {
    let mut assessment = sample::with_tests(vec![sample::test("read", assessment::Aim::DiskIops, Vec::new())]);
    assessment.verdict = Verdict::Inconclusive;
    let missing = assessment::Unmeasured {
        rule: "write.iops".to_owned(),
        application: None,
        load: assessment::RequiredLoad::default(),
        measured_by: None,
    };
    assessment.cause = Cause::NotMeasured { rules: vec!["write.iops".to_owned()], missing: vec![missing] };
    let cases = cases(&report::junit(&assessment));
    let (kind, message) = &cases["azure"];
    assert!(kind == "skipped" && message.contains("write.iops"), "{kind}: {message}");
    assessment.tests.clear();
    assessment.machine.hostname = "".into();
    assessment.suite = "\u{1b}\u{0}<suite>\u{ffff}".into();
    assert_eq!(self::cases(&report::junit(&assessment)).len(), 1);
}

#[test]
fn two_settings_with_one_metric_are_two_cases() {
    let judgement = |size: &str| Judgement {
        verdict: Verdict::Pass,
        metric: Metric::IOPS,
        at: vec![("bs".to_owned(), size.to_owned())],
        measured: 1.0,
        whole_run: None,
        threshold: None,
        few_intervals: None,
        correction: None,
        can_continue: false,
        interval: None,
        reason: Reason::SustainedRate,
    };
    let mut assessment = sample::assessment();
    let threshold = assessment.tests[0].judgements[0].threshold.clone();
    let both = ["4k", "64k"].map(|size| Judgement { threshold: threshold.clone(), ..judgement(size) });
    assessment.tests[0].judgements = both.to_vec();
    let cases = cases(&report::junit(&assessment));
    assert!(cases.contains_key("max-write-iops: iops bs=64k at least 16,000 IOPS (P30)"), "{cases:?}");
}

#[test]
fn limits_of_changes_are_cases() {
    let limits = ["write.iops<-5%", "write.lat.p99>10%"].map(str::to_owned);
    let limits = [limits.as_slice(), &["read.iops<-10%".to_owned()]].concat();
    let of = |limit: usize, undecided| LimitedChange {
        limit: limits[limit].clone(),
        test: "A".to_owned(),
        side: 1,
        difference: -0.12,
        undecided,
    };
    let open = Undecided::NotDetectable { detectable: Some(0.77), repeats: Some(42) };
    let (failed, undecided) = (vec![of(0, None)], vec![of(2, Some(open))]);
    let comparison = Comparison { failed, undecided, ..Comparison::default() };
    let mut assessment = sample::with_tests(Vec::new());
    (assessment.verdict, assessment.cause) = (Verdict::Fail, Cause::Result);
    assessment.study = Study::Repeats(Repeats {
        workloads: Vec::<Workload>::new(),
        repeats: 5,
        order: "blocks".to_owned(),
        seed: None,
        fail_on: limits.to_vec(),
        set: None,
        runs: Vec::new(),
        result: Some(RepeatsResult { comparison: Some(comparison), ..RepeatsResult::default() }),
    });
    let cases = cases(&report::junit(&assessment));
    assert_eq!(cases.len(), 3, "{cases:?}");
    let (kind, message) = &cases["read.iops at most 10 % lower"];
    assert!(kind == "error" && message.contains("--repeat 42"), "{kind} {message}");
    assert!(cases["write.iops at most 5 % lower"].1.contains("A write.iops: B is 12 % lower than A"), "{cases:?}");
    assert_eq!(cases["write.lat.p99 at most 10 % higher"].0, "passed");
}
