//! The figures in README's sample are those of the saved run in `docs/samples`.

use std::path::Path;

use crate::stage::{Scratch, command, outcome};

/// A line of README's sample.
const LINE: &str = "quick on /mnt/data: 7 tests,";

#[test]
fn the_sample_is_the_card_of_a_saved_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let scratch = Scratch::new("readme");
    let block = readme.split("```").find(|block| block.contains(LINE)).unwrap();
    let mut show = command(scratch.path(), "show", "");
    let shown = outcome(show.arg(root.join("docs/samples/quick.json")).env("LC_ALL", "C.UTF-8").spawn().unwrap());
    let mut card = shown.stdout.lines();
    let is_of_card = |line: &&str| !line.is_empty() && !["$ ", "…"].iter().any(|begin| line.starts_with(begin));
    for line in block.lines().filter(is_of_card) {
        assert!(card.any(|shown| shown == line), "{line}\n{}", shown.stdout);
    }
}
