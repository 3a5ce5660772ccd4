//! The figures in README's samples are those of the saved runs in `docs/samples`.

use std::path::Path;

use crate::stage::{Scratch, command, outcome};

/// A saved run, and a line of its sample in README.
const SAMPLES: [(&str, &str); 2] =
    [("read-iops.json", "quick on /mnt/data: 1 test,"), ("quick.json", "quick on /mnt/data: 7 tests,")];

#[test]
fn samples_are_the_cards_of_saved_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let scratch = Scratch::new("readme");
    for (file, line) in SAMPLES {
        let block = readme.split("```").find(|block| block.contains(line)).unwrap_or_else(|| panic!("no {line}"));
        let mut show = command(scratch.path(), "show", "");
        let shown = outcome(show.arg(root.join("docs/samples").join(file)).env("LC_ALL", "C.UTF-8").spawn().unwrap());
        let mut card = shown.stdout.lines();
        let is_of_card =
            |line: &&str| !line.is_empty() && !["$ ", "report: ", "…"].iter().any(|begin| line.starts_with(begin));
        for line in block.lines().filter(is_of_card) {
            assert!(card.any(|shown| shown == line), "{file}: {line}\n{}", shown.stdout);
        }
    }
}
