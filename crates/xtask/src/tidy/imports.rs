//! Imports between the files of a crate: no more than two files import each other in a cycle.
//!
//! A path leads to the file that defines its item: re-exports are followed. A declaration (`mod a;`) and a re-export
//! (`pub use`) are not imports.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use super::source::{Finding, Source};

/// Largest cycle that is allowed: a module and its parent.
const FILES_MAX: usize = 2;
/// Maximum length of a chain of re-exports.
const DEPTH_MAX: usize = 16;
/// Keywords before the name of an item.
const ITEMS: [&str; 9] = ["const", "enum", "fn", "macro_rules", "static", "struct", "trait", "type", "union"];

/// One module: a file without the modules written in it.
pub struct Module {
    path: String,
    /// Folder of its children.
    folder: String,
    items: BTreeSet<String>,
    uses: Vec<Use>,
    references: Vec<(Vec<String>, usize)>,
}

/// One name of a `use` declaration.
struct Use {
    /// Name in this module; `*` for all names.
    name: String,
    path: Vec<String>,
    is_reexport: bool,
    line: usize,
}

impl Module {
    pub fn of(source: &Source) -> Module {
        let (path, folder) = (source.path.clone(), source.folder().to_owned());
        let (items, uses, references) = Default::default();
        let mut module = Module { path, folder, items, uses, references };
        let (mut at, mut depth) = (0, 0_usize);
        while at < source.tokens.len() {
            match source.at(at) {
                "{" => depth += 1,
                "}" => depth -= 1,
                // `use<'a>` is a bound.
                "use" if source.at(at + 1) != "<" => {
                    let is_reexport = matches!(source.at(at.wrapping_sub(1)), "pub" | ")");
                    at = module.use_tree(source, at + 1, &[], is_reexport);
                    continue;
                }
                keyword if depth == 0 && ITEMS.contains(&keyword) => {
                    let name = at + if keyword == "macro_rules" { 2 } else { 1 };
                    module.items.insert(source.at(name).to_owned());
                }
                text if is_name(text) => {
                    at = module.reference(source, at);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        module
    }

    /// Adds the names of a `use` declaration from an index. Returns the index after them.
    fn use_tree(&mut self, source: &Source, mut at: usize, prefix: &[String], is_reexport: bool) -> usize {
        let mut path = prefix.to_vec();
        let (start, line) = (at, source.tokens[at].line);
        loop {
            match source.at(at) {
                ":" => at += 1,
                "{" => {
                    while !matches!(source.at(at), "}" | "") {
                        at = self.use_tree(source, at + 1, &path, is_reexport);
                    }
                    return at + 1;
                }
                "," | ";" | "}" | "as" | "" => break,
                name => {
                    path.push(name.to_owned());
                    at += 1;
                }
            }
        }
        // `use a::{self}` names the module itself.
        path.pop_if(|last| *last == "self" && !prefix.is_empty());
        let mut name = path.last().cloned().unwrap_or_default();
        if source.at(at) == "as" {
            name = source.at(at + 1).to_owned();
            at += 2;
        }
        path.pop_if(|last| *last == "*");
        if at > start {
            self.uses.push(Use { name, path, is_reexport, line });
        }
        at
    }

    /// Adds a path that begins at an index. Returns the index after it.
    fn reference(&mut self, source: &Source, start: usize) -> usize {
        let before = |back: usize| start.checked_sub(back).map_or("", |at| source.at(at));
        let mut path = vec![source.at(start).to_owned()];
        let mut at = start + 1;
        while source.has_path_separator(at) && is_name(source.at(at + 2)) {
            path.push(source.at(at + 2).to_owned());
            at += 3;
        }
        let is_type = path[0].starts_with(|first: char| first.is_ascii_uppercase());
        let is_path = path.len() > 1 || is_type || source.at(at) == "(";
        let is_relative = before(1) == "." || (before(1) == ":" && before(2) == ":");
        if is_path && !is_relative {
            self.references.push((path, source.tokens[start].line));
        }
        at
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

/// The modules of all crates by the folder of their children.
struct Modules<'a>(BTreeMap<&'a str, &'a Module>);

/// Meaning of a name.
enum Target<'a> {
    Module(&'a Module),
    /// An item that the module defines.
    Item(&'a Module),
}

impl<'a> Modules<'a> {
    fn child(&self, module: &Module, name: &str) -> Option<&'a Module> {
        self.0.get(format!("{}/{name}", module.folder).as_str()).copied()
    }

    fn parent(&self, module: &Module) -> Option<&'a Module> {
        self.0.get(module.folder.rsplit_once('/')?.0).copied()
    }

    /// Resolves a path in a module. `None` if it is a local name or belongs to another crate.
    fn resolve(&self, from: &'a Module, path: &[String], depth: usize) -> Option<Target<'a>> {
        let (first, mut rest) = path.split_first()?;
        let root = || Some(&from.folder[..from.folder.find("/src")? + "/src".len()]);
        let mut current = match first.as_str() {
            "crate" => Target::Module(self.0.get(root()?)?),
            "self" if !rest.is_empty() => Target::Module(from),
            "super" => Target::Module(self.parent(from)?),
            name => self.lookup(from, name, depth)?,
        };
        while let (Target::Module(module), Some((name, after))) = (&current, rest.split_first()) {
            current = match name.as_str() {
                "super" => Target::Module(self.parent(module)?),
                // A name that is not found comes from a macro or is a method.
                name => self.lookup(module, name, depth).unwrap_or(Target::Item(module)),
            };
            rest = after;
        }
        Some(current)
    }

    /// Resolves a name in a module.
    fn lookup(&self, module: &'a Module, name: &str, depth: usize) -> Option<Target<'a>> {
        if let Some(child) = self.child(module, name) {
            return Some(Target::Module(child));
        }
        if module.items.contains(name) {
            return Some(Target::Item(module));
        }
        if depth > DEPTH_MAX {
            return None;
        }
        if let Some(found) = module.uses.iter().find(|one| one.name == name) {
            // `use fio;` names a crate, not itself.
            let is_itself = found.path.len() == 1 && found.path[0] == name;
            return if is_itself { None } else { self.resolve(module, &found.path, depth + 1) };
        }
        module.uses.iter().filter(|one| one.name == "*").find_map(|glob| {
            let Target::Module(from) = self.resolve(module, &glob.path, depth + 1)? else { return None };
            if std::ptr::eq(from, module) { None } else { self.lookup(from, name, depth + 1) }
        })
    }

    /// Imports between files, each with its first line.
    fn imports(&self) -> DiGraphMap<&'a str, usize> {
        let mut graph = DiGraphMap::new();
        for module in self.0.values() {
            let uses = module.uses.iter().filter(|one| !one.is_reexport && one.name != "*");
            let references = module.references.iter().map(|(path, line)| (path, *line));
            for (path, line) in uses.map(|one| (&one.path, one.line)).chain(references) {
                if let Some(Target::Item(to)) = self.resolve(module, path, 0)
                    && to.path != module.path
                    && !graph.contains_edge(module.path.as_str(), to.path.as_str())
                {
                    graph.add_edge(module.path.as_str(), to.path.as_str(), line);
                }
            }
        }
        graph
    }
}

/// Returns a finding for each import of a cycle of more than two files.
pub fn check(modules: &[Module]) -> Vec<Finding> {
    let code = modules.iter().filter(|module| module.folder.contains("/src"));
    // In a folder with `lib.rs` and `main.rs`, `crate` is the library.
    let graph = Modules(code.rev().map(|module| (module.folder.as_str(), module)).collect()).imports();
    let mut found = Vec::new();
    for cycle in tarjan_scc(&graph).into_iter().filter(|cycle| cycle.len() > FILES_MAX) {
        for (from, to, line) in graph.all_edges().filter(|(from, to, _)| cycle.contains(from) && cycle.contains(to)) {
            let what = format!(
                "part of an import cycle of {} files: it imports {to}; move what they share to a file that imports none of them",
                cycle.len()
            );
            found.push(Finding::new(from, *line, what));
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(files: &[(&str, &str)]) -> Vec<Module> {
        let path = |name: &str| format!("crates/x/src/{name}");
        files.iter().map(|(name, text)| Module::of(&Source::parse(&path(name), text).unwrap())).collect()
    }

    fn imports(files: &[(&str, &str)]) -> Vec<String> {
        let modules = modules(files);
        let graph = Modules(modules.iter().map(|module| (module.folder.as_str(), module)).collect()).imports();
        let short = |path: &str| path.trim_start_matches("crates/x/src/").to_owned();
        let mut all: Vec<_> =
            graph.all_edges().map(|(from, to, line)| format!("{}:{line} {}", short(from), short(to))).collect();
        all.sort();
        all
    }

    #[test]
    fn paths_lead_to_the_defining_file() {
        let files = [
            ("main.rs", "mod a;\nmod b;\nmod c;\nfn main() {\n    a::f();\n}\n"),
            ("a.rs", "use crate::b::{self as other, *};\npub fn f() {\n    other::g();\n    h();\n}\n"),
            ("b/mod.rs", "mod d;\npub use crate::c::h;\npub use d::D;\npub fn g() {}\n"),
            ("b/d.rs", "pub struct D;\n"),
            ("c.rs", "use crate::b::D;\npub fn h() {\n    println!(\"{}\", super::a::f());\n}\n"),
        ];
        let right = ["a.rs:3 b/mod.rs", "a.rs:4 c.rs", "c.rs:1 b/d.rs", "c.rs:3 a.rs", "main.rs:5 a.rs"];
        assert_eq!(imports(&files), right);
    }

    #[test]
    fn declarations_reexports_tests_and_other_crates_are_no_imports() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\npub use a::A;\nuse std::fmt;\nuse a_crate::b;\n"),
            ("a.rs", "pub(super) struct A;\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n"),
            ("b.rs", "use crate::a::{self, A};\npub struct B;\n"),
        ];
        assert_eq!(imports(&files), ["b.rs:1 a.rs"]);
    }

    #[test]
    fn a_cycle_of_three_files_fails_and_one_of_two_passes() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
            ("a.rs", "use crate::b::B;\npub struct A;\n"),
            ("b.rs", "pub struct B;\nuse super::c::C;\n"),
            ("c.rs", "pub struct C;\nfn f(a: crate::a::A) {}\n"),
        ];
        let lines: Vec<String> = check(&modules(&files)).iter().map(Finding::line).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(
            lines[0],
            "crates/x/src/a.rs:1: part of an import cycle of 3 files: it imports crates/x/src/b.rs; \
             move what they share to a file that imports none of them"
        );
        let two =
            [("lib.rs", "mod a;\nuse a::A;\npub struct B(A);\n"), ("a.rs", "pub struct A;\nfn f(b: crate::B) {}\n")];
        assert_eq!(check(&modules(&two)), []);
    }
}
