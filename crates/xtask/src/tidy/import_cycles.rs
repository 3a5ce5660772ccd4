//! No more than two files of a crate import each other in a cycle.

use std::collections::{BTreeMap, VecDeque};

use super::finding::Finding;
use super::modules::{Crates, Import};

/// Largest cycle that is allowed: a module and its parent.
const FILES_MAX: usize = 2;

/// Returns a finding for each file of a cycle of more than two files.
pub fn check(crates: &Crates) -> Vec<Finding> {
    let imports = crates.imports();
    let graph = Graph::new(&imports);
    let mut found = Vec::new();
    for cycle in graph.cycles().into_iter().filter(|cycle| cycle.len() > FILES_MAX) {
        for file in &cycle {
            let Some(round) = graph.round(file, &cycle) else { continue };
            let short = |path: &str| path.rsplit("/src/").next().unwrap_or_default().to_owned();
            let step =
                |import: &&Import| format!("{} (line {} of {})", short(&import.to), import.line, short(&import.from));
            let steps: Vec<String> = round.iter().map(step).collect();
            let what = format!(
                "part of an import cycle of {} files: it imports {}; move what they share to a file that imports none of them",
                cycle.len(),
                steps.join(", which imports ")
            );
            found.push(Finding::new(file, round.first().map_or(0, |import| import.line), what));
        }
    }
    found.sort();
    found
}

/// Files and their imports.
struct Graph<'a> {
    imports: BTreeMap<&'a str, Vec<&'a Import>>,
}

impl<'a> Graph<'a> {
    fn new(imports: &'a [Import]) -> Graph<'a> {
        let mut graph: BTreeMap<&str, Vec<&Import>> = BTreeMap::new();
        for import in imports {
            graph.entry(&import.from).or_default().push(import);
            graph.entry(&import.to).or_default();
        }
        Graph { imports: graph }
    }

    /// Files that each of them reaches: the strongly connected components (Tarjan 1972, without recursion).
    fn cycles(&self) -> Vec<Vec<&'a str>> {
        let mut search = Search::default();
        for file in self.imports.keys() {
            if !search.index.contains_key(file) {
                self.search(file, &mut search);
            }
        }
        for cycle in &mut search.found {
            cycle.sort_unstable();
        }
        search.found.sort();
        search.found
    }

    fn search(&self, start: &'a str, search: &mut Search<'a>) {
        // A file and which of its imports comes next.
        let mut path = vec![(start, 0)];
        search.enter(start);
        while let Some((file, next)) = path.last_mut() {
            let file = *file;
            if let Some(import) = self.imports[file].get(*next) {
                *next += 1;
                let to = import.to.as_str();
                match search.index.get(to) {
                    None => {
                        search.enter(to);
                        path.push((to, 0));
                    }
                    Some(index) if search.stack.contains(&to) => search.lower(file, *index),
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            let low = search.low[file];
            if let Some((above, _)) = path.last() {
                search.lower(above, low);
            }
            if low == search.index[file] {
                let at = search.stack.iter().position(|other| *other == file).unwrap_or_default();
                let cycle = search.stack.split_off(at);
                search.found.push(cycle);
            }
        }
    }

    /// Returns the shortest path from a file through its cycle back to it.
    fn round(&self, file: &str, cycle: &[&str]) -> Option<Vec<&'a Import>> {
        let mut reached: BTreeMap<&str, &Import> = BTreeMap::new();
        let mut queue = VecDeque::from([file]);
        while let Some(at) = queue.pop_front() {
            for import in self.imports.get(at)?.iter().filter(|import| cycle.contains(&import.to.as_str())) {
                if !reached.contains_key(import.to.as_str()) {
                    reached.insert(&import.to, import);
                    queue.push_back(&import.to);
                }
            }
        }
        let mut round = vec![*reached.get(file)?];
        while round.last()?.from != file {
            round.push(reached.get(round.last()?.from.as_str())?);
        }
        round.reverse();
        Some(round)
    }
}

/// State of the search for cycles.
#[derive(Default)]
struct Search<'a> {
    index: BTreeMap<&'a str, usize>,
    low: BTreeMap<&'a str, usize>,
    stack: Vec<&'a str>,
    found: Vec<Vec<&'a str>>,
}

impl<'a> Search<'a> {
    fn enter(&mut self, file: &'a str) {
        let index = self.index.len();
        self.index.insert(file, index);
        self.low.insert(file, index);
        self.stack.push(file);
    }

    fn lower(&mut self, file: &'a str, index: usize) {
        self.low.entry(file).and_modify(|low| *low = index.min(*low));
    }
}

#[cfg(test)]
mod tests {
    use super::super::modules::crates_of;
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        check(&crates_of(files)).iter().map(Finding::line).collect()
    }

    #[test]
    fn a_cycle_of_three_files_fails() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;\nmod b;\nmod c;\n"),
            ("crates/x/src/a.rs", "use crate::b::B;\npub struct A;\n"),
            ("crates/x/src/b.rs", "pub struct B;\nuse super::c::C;\n"),
            ("crates/x/src/c.rs", "pub struct C;\nfn f(a: crate::a::A) {}\n"),
        ];
        let found = found(&files);
        assert_eq!(found.len(), 3);
        assert_eq!(
            found[0],
            "crates/x/src/a.rs:1: part of an import cycle of 3 files: it imports b.rs (line 1 of a.rs), which imports \
             c.rs (line 2 of b.rs), which imports a.rs (line 2 of c.rs); move what they share to a file that imports \
             none of them"
        );
    }

    #[test]
    fn a_parent_that_only_declares_and_reexports_makes_no_cycle() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;\npub use a::{B, C};\n"),
            ("crates/x/src/a/mod.rs", "mod b;\nmod c;\npub use b::B;\npub use c::C;\n"),
            ("crates/x/src/a/b.rs", "use super::C;\npub struct B(C);\n"),
            ("crates/x/src/a/c.rs", "pub struct C;\n"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }

    #[test]
    fn two_files_may_use_each_other() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;\nuse a::A;\npub struct B(A);\n"),
            ("crates/x/src/a.rs", "pub struct A;\nfn f(b: crate::B) {}\n"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }
}
