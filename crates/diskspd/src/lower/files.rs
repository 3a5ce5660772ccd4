//! Files to create: when, and with which size.

use std::collections::{BTreeMap, BTreeSet};

use plan::stream::NewFile;

use super::Machine;
use crate::profile::{Precreate, Profile, Target, WriteContent};

/// Files to create before each time span, by path.
pub type Files = Vec<BTreeMap<String, NewFile>>;

/// Returns the files to create. Files of the whole run are created before the first time span that uses them, others
/// before each time span that requests them. If several targets have the same path, the last one applies, as in
/// DiskSpd.
pub fn files_to_make(profile: &Profile, machine: &dyn Machine) -> Files {
    let once = made_once(profile);
    let mut seen = BTreeSet::new();
    let mut spans = Vec::new();
    for span in &profile.time_spans {
        let mut files = BTreeMap::new();
        for target in &span.targets {
            let first = seen.insert(target.path.as_str());
            let file = match once.get(target.path.as_str()) {
                Some(&file) => first.then_some(file),
                None => target.file_size.map(|bytes| NewFile { bytes, zeros: is_zeroed(target) }),
            };
            if let Some(file) = file.filter(|_| !machine.is_special_file(&target.path)) {
                files.insert(target.path.clone(), file);
            }
        }
        spans.push(files);
    }
    spans
}

fn is_zeroed(target: &Target) -> bool {
    target.write_content == WriteContent::Zero
}

/// Returns the files of `PrecreateFiles`, which are created once for all time spans. Depending on its value, files
/// whose size or content changes are created per time span.
fn made_once(profile: &Profile) -> BTreeMap<&str, NewFile> {
    let mut targets: BTreeMap<&str, Vec<&Target>> = BTreeMap::new();
    for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
        targets.entry(&target.path).or_default().push(target);
    }
    let size = |target: &Target| target.file_size.unwrap_or_default();
    let constant = |targets: &[&Target], ignore_zeros: bool| {
        let mut sizes = targets.iter().map(|target| size(target)).filter(|&bytes| bytes > 0 || !ignore_zeros);
        let first = sizes.next();
        sizes.all(|bytes| Some(bytes) == first)
    };
    let chosen = |targets: &[&Target]| match profile.precreate {
        Precreate::None => false,
        Precreate::UseMaxSize => true,
        Precreate::OnlyConstantSizes => constant(targets, false),
        Precreate::OnlyConstantOrZeroSizes => constant(targets, true),
    };
    let same_content = |targets: &[&Target]| {
        let mut zeroed = targets.iter().map(|target| is_zeroed(target));
        let first = zeroed.next();
        zeroed.all(|zeros| Some(zeros) == first)
    };
    let file = |targets: &[&Target]| NewFile {
        bytes: targets.iter().map(|target| size(target)).max().unwrap_or_default(),
        zeros: targets.first().is_some_and(|target| is_zeroed(target)),
    };
    targets
        .into_iter()
        .filter(|(_, targets)| chosen(targets) && same_content(targets))
        .map(|(path, targets)| (path, file(&targets)))
        .filter(|(_, file)| file.bytes > 0)
        .collect()
}
