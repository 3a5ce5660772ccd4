//! Which preparation the tests need here, and why.

use std::collections::BTreeMap;

use judge::assessment::TargetKind;
use study::prepare::Extent;
use study::suite::{Needs, footprint};

use super::ready::Ready;
use super::target::Found;

/// The tests that need something, as a reason for doing it.
pub fn reason(ready: &[Ready], need: fn(&Needs) -> bool, why: &str) -> Option<String> {
    let names: Vec<&str> =
        ready.iter().filter(|ready| need(&ready.test.needs)).map(|ready| ready.test.name.as_str()).collect();
    match names.len() {
        0 => None,
        1..=3 => Some(format!("{}: {why}", names.join(", "))),
        many => Some(format!("{} and {} more tests: {why}", names[0], many - 1)),
    }
}

/// What those tests work on.
pub fn extents(ready: &[Ready], need: fn(&Needs) -> bool, found: &Found) -> Vec<Extent> {
    let mut taken: BTreeMap<String, u64> = BTreeMap::new();
    for ready in ready.iter().filter(|ready| need(&ready.test.needs)) {
        for (path, bytes) in ready.runs.iter().flat_map(|run| footprint(&run.plan)) {
            let known = taken.entry(path).or_default();
            *known = (*known).max(bytes);
        }
    }
    let is_device = found.facts.kind == TargetKind::Device;
    let extent = |(path, bytes): (String, u64)| Extent { path, bytes: (bytes > 0).then_some(bytes) };
    taken.into_iter().map(extent).filter(|extent| is_device || extent.bytes.is_some()).collect()
}
