//! The catalogue against its pages: the figures of samples/published.toml, and the list in docs/limits-entries.md.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use assessment::{Confidence, Quantity};
use judge::limits::{Catalogue, Group, Limit, Load};
use judge::requirements::Requirements;
use plan::Ddir;
use serde::Deserialize;
use toml::Value;
use units::diagnostic::Source;

/// Largest rounding of a published figure: 31 MiB/s for 31.25.
const ROUNDING: f64 = 0.01;
/// Fewest examples of a table of machines or disks.
const EXAMPLES_MIN: usize = 3;

#[derive(Deserialize)]
struct File {
    page: Vec<Page>,
}

/// Examples from one page.
#[derive(Deserialize)]
struct Page {
    source: String,
    date: String,
    examples: Vec<BTreeMap<String, Value>>,
}

/// A published figure: its direction, whether it is that of the burst, its quantity, and its value in I/Os per second,
/// bytes per second or ns.
struct Figure {
    ddir: Option<Ddir>,
    is_burst: bool,
    of: Of,
    value: f64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Of {
    Rate(Quantity),
    Latency,
    BurstSeconds,
}

fn pages() -> Vec<Page> {
    toml::from_str::<File>(include_str!("../samples/published.toml")).expect("a sound file").page
}

fn figure(key: &str, value: &Value) -> Figure {
    let value = value.as_float().or_else(|| value.as_integer().map(|number| number as f64)).expect("a number");
    let (is_burst, key) = key.strip_prefix("burst_").map_or((false, key), |key| (true, key));
    let (ddir, key) = match key.split_once('_') {
        Some(("read", key)) => (Some(Ddir::Read), key),
        Some(("write", key)) => (Some(Ddir::Write), key),
        _ => (None, key),
    };
    let (of, scale) = match key {
        "iops" => (Of::Rate(Quantity::Iops), 1.0),
        "MBps" => (Of::Rate(Quantity::Bandwidth), 1e6),
        "MiBps" => (Of::Rate(Quantity::Bandwidth), 1_048_576.0),
        "GBps" => (Of::Rate(Quantity::Bandwidth), 1e9),
        "ms" => (Of::Latency, 1e6),
        "s" => (Of::BurstSeconds, 1.0),
        other => panic!("unknown figure `{other}`"),
    };
    Figure { ddir, is_burst, of, value: value * scale }
}

/// Returns the catalogue's figure, and its limit.
fn found(catalogue: &Catalogue, words: &str, ddir: Ddir, figure: &Figure) -> (f64, Limit) {
    let expectation = catalogue.expect(&Source::new("--expect", words)).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(expectation.warnings.is_empty(), "{words}: {:?}", expectation.warnings);
    let limits = expectation.limits(ddir, Load { alone: true, ..Load::default() });
    let is_meant = |limit: &&Limit| match figure.of {
        Of::Rate(quantity) => limit.metric.quantity == quantity,
        Of::Latency => !limit.metric.is_rate(),
        Of::BurstSeconds => limit.burst.is_some(),
    };
    let limit = limits.iter().find(is_meant).unwrap_or_else(|| panic!("{words}: {limits:?}")).clone();
    let burst = || limit.burst.unwrap_or_else(|| panic!("{words}: no burst"));
    let value = match figure.of {
        Of::BurstSeconds => burst().seconds.unwrap_or_else(|| panic!("{words}: no duration")),
        _ if figure.is_burst => burst().value,
        _ => limit.value,
    };
    (value, limit)
}

#[test]
fn published_examples_are_computed_from_the_catalogue() {
    let catalogue = Catalogue::built_in();
    let mut examples: BTreeMap<(String, String), usize> = BTreeMap::new();
    for page in pages() {
        *examples.entry((page.source.clone(), page.date.clone())).or_default() += page.examples.len();
        for example in &page.examples {
            let words = example["of"].as_str().expect("an expectation");
            for (key, value) in example.iter().filter(|(key, _)| key.as_str() != "of") {
                let figure = figure(key, value);
                for ddir in figure.ddir.map_or(vec![Ddir::Read, Ddir::Write], |ddir| vec![ddir]) {
                    let (value, limit) = found(&catalogue, words, ddir, &figure);
                    let is_equal = (value / figure.value - 1.0).abs() <= ROUNDING;
                    assert!(is_equal, "{words} {key}: {value}, published {}", figure.value);
                    assert_eq!((&limit.source, &limit.date), (&page.source, &page.date), "{words} {key}");
                }
            }
        }
    }
    // Each confirmed entry has its examples.
    let groups = catalogue.providers.values().flat_map(|provider| &provider.groups);
    for group in groups.filter(|group| group.confidence != Confidence::Low && has_figures(group)) {
        let count = examples.get(&(group.source.clone(), group.date.clone())).copied().unwrap_or(0);
        assert!(count >= EXAMPLES_MIN.min(group.rows.len().max(1)), "{}: {count} examples", group.title);
    }
}

/// Whether the group has a figure, and not only names.
fn has_figures(group: &Group) -> bool {
    group.rows.is_empty() || group.rows.values().flatten().any(Option::is_some)
}

#[test]
fn each_entry_names_a_document_or_is_not_confirmed() {
    for provider in Catalogue::built_in().providers.values() {
        for group in &provider.groups {
            let is_documented = group.source.contains("https://") && !group.seen.is_empty();
            assert!(is_documented || group.confidence == Confidence::Low, "{}", group.title);
            assert!(!group.source.contains("recalled") && !group.note.contains("recalled"), "{}", group.title);
        }
    }
    for name in Requirements::applications() {
        for rule in requirements(name).list {
            let source = rule.source.expect("each built-in rule has a source");
            assert!(source.source.contains("https://") && source.confidence != Confidence::Low, "{name}: {source:?}");
        }
    }
}

fn requirements(name: &str) -> Requirements {
    Requirements::of_application(&Source::new("--for", name)).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "the publisher's document",
        Confidence::Medium => "a copy or a quotation",
        Confidence::Low => "**not confirmed**",
    }
}

/// Returns a source with its address as a link.
fn linked(source: &str) -> String {
    let link = |word: &str| match word.strip_prefix("https://") {
        Some(address) => format!("[{}](https://{address})", address.split('/').next().unwrap_or(address)),
        None => word.to_owned(),
    };
    source.split(' ').map(link).collect::<Vec<_>>().join(" ")
}

/// Returns the list of all entries, and of all rules of applications.
fn list() -> String {
    let mut text = "# Published limits and requirements: the entries\n\nThis page is generated from `data/limits` and \
         `data/requirements`; do not edit it. To update it, run\n\
         `UPDATE_DOCS=1 cargo test -p fathom-judge --test verdicts published`.\n"
        .to_owned();
    for (name, provider) in Catalogue::built_in().providers {
        let _ = write!(
            text,
            "\n## {}\n\n| `{name}:` | names | source | date | read | from |\n|---|---|---|---|---|---|\n",
            provider.title
        );
        for group in &provider.groups {
            let names = match (&group.name, group.rows.len()) {
                (Some(name), _) => format!("`{name}`"),
                (None, 1..=8) => group.rows.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" "),
                (None, count) => format!("{count} names"),
            };
            let path = if group.path.is_empty() { String::new() } else { format!(", `/{}`", group.path) };
            let cells = [
                format!("{}{path}", group.title),
                names,
                linked(&group.source),
                group.date.clone(),
                group.seen.clone(),
                confidence(group.confidence).to_owned(),
            ];
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
    }
    text += "\n## Applications\n\n| `--for` | rule | source | date | from |\n|---|---|---|---|---|\n";
    for name in Requirements::applications() {
        for rule in requirements(name).list {
            let source = rule.source.expect("each built-in rule has a source");
            let date = source.date.unwrap_or_default();
            let cells = [
                format!("`{name}`"),
                format!("`{}`", rule.text),
                linked(&source.source),
                date,
                confidence(source.confidence).to_owned(),
            ];
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
    }
    text
}

#[test]
fn the_page_lists_each_entry_with_its_source() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/limits-entries.md");
    let page = std::fs::read_to_string(&path).expect("docs/limits-entries.md");
    let made = list();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).expect("docs/limits-entries.md is writable");
        return;
    }
    assert!(
        page == made,
        "docs/limits-entries.md: `UPDATE_DOCS=1 cargo test -p fathom-judge --test verdicts published`"
    );
}
