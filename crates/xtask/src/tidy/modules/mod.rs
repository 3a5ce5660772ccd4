//! Modules of each crate, and the files to which the paths in each file lead.
//!
//! A path leads to the file that defines its item: re-exports are followed. A declaration (`mod a;`) and a re-export
//! (`pub use`) are not imports. Code that is compiled only for tests is left out.

mod facts;

use std::collections::{BTreeMap, BTreeSet};

pub use facts::FileImports;
use facts::{Facts, Reexport};

#[cfg(test)]
use super::source::Source;

/// Maximum length of a chain of re-exports.
const DEPTH_MAX: usize = 16;
/// All names of a module.
const ALL: &str = "*";

/// An import of one file by another of its crate.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Import {
    pub from: String,
    pub to: String,
    /// First line of `from` that leads to `to`.
    pub line: usize,
}

/// The module trees of all crates.
pub struct Crates {
    modules: Vec<Module>,
    files: BTreeMap<String, FileImports>,
    test_files: BTreeSet<String>,
    /// Modules and the names in them that other crates can use; `*` for all that are `pub`.
    public_items: BTreeSet<(usize, String)>,
}

/// A module in its tree.
struct Module {
    file: String,
    /// Index in the file's list.
    facts: usize,
    parent: Option<usize>,
    root: usize,
    children: BTreeMap<String, usize>,
    is_public: bool,
}

/// Meaning of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Module(usize),
    /// An item that the module defines.
    Item(usize),
}

impl Crates {
    /// Builds the trees from the roots `src/lib.rs` and `src/main.rs` of each crate.
    pub fn new(files: Vec<FileImports>) -> Crates {
        let files = files.into_iter().map(|file| (file.path.clone(), file)).collect();
        let mut crates =
            Crates { modules: Vec::new(), files, test_files: BTreeSet::new(), public_items: BTreeSet::new() };
        let is_root = |path: &&String| path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs");
        let roots: Vec<String> = crates.files.keys().filter(is_root).cloned().collect();
        for file in roots {
            let root = crates.modules.len();
            crates.add(Module { file, facts: 0, parent: None, root, children: BTreeMap::new(), is_public: true });
            crates.publish(root);
        }
        crates
    }

    /// Adds a module and those below it.
    fn add(&mut self, module: Module) -> usize {
        let index = self.modules.len();
        let (file, root) = (module.file.clone(), module.root);
        let at = module.facts;
        self.modules.push(module);
        let child = |file: String, facts: usize, is_public: bool| Module {
            file,
            facts,
            parent: Some(index),
            root,
            children: BTreeMap::new(),
            is_public,
        };
        let mut children = Vec::new();
        let own = &self.files[&file];
        let facts = &own.modules[at];
        let depth = facts.inner.len();
        for (at, other) in own.modules.iter().enumerate() {
            if other.inner.len() == depth + 1 && other.inner.starts_with(&facts.inner) {
                children.push((other.inner[depth].clone(), child(file.clone(), at, other.is_public)));
            }
        }
        let folder = folder_of(&file, &facts.inner);
        for declared in &facts.declared {
            let name = &declared.name;
            let places = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")];
            let Some(place) = places.into_iter().find(|place| self.files.contains_key(place)) else { continue };
            if declared.is_test {
                let below = format!("{folder}/{name}/");
                let of_test = self.files.keys().filter(|file| **file == place || file.starts_with(&below)).cloned();
                self.test_files.extend(of_test);
            } else {
                children.push((name.clone(), child(place, 0, declared.is_public)));
            }
        }
        for (name, module) in children {
            let child = self.add(module);
            self.modules[index].children.insert(name, child);
        }
        index
    }

    /// Records the items of a public module that other crates can name.
    fn publish(&mut self, module: usize) {
        if !self.public_items.insert((module, ALL.to_owned())) {
            return;
        }
        let children = self.modules[module].children.values().copied();
        let mut modules: Vec<usize> = children.filter(|child| self.modules[*child].is_public).collect();
        let mut items = Vec::new();
        for one in self.facts(module).uses.iter().filter(|one| one.reexport == Some(Reexport::Public)) {
            match self.resolve(module, &one.path, 0) {
                Some(Target::Module(other)) => modules.push(other),
                Some(Target::Item(other)) => items.extend(one.path.last().map(|name| (other, name.clone()))),
                None => {}
            }
        }
        self.public_items.extend(items);
        for other in modules {
            self.publish(other);
        }
    }

    /// Returns whether other crates can name a `pub` item of a module.
    pub fn is_public(&self, file: &str, inner: &[String], item: &str) -> bool {
        let modules = self.modules.iter().enumerate();
        let mut places = modules.filter(|(index, module)| module.file == file && self.facts(*index).inner == inner);
        places.any(|(index, _)| [ALL, item].iter().any(|name| self.public_items.contains(&(index, (*name).to_owned()))))
    }

    /// Returns whether a file is compiled only for tests.
    pub fn is_test_file(&self, path: &str) -> bool {
        self.test_files.contains(path)
    }

    /// Returns the imports between files of a crate, each pair of files once.
    pub fn imports(&self) -> Vec<Import> {
        let mut found: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (index, module) in self.modules.iter().enumerate() {
            let facts = self.facts(index);
            let uses = facts
                .uses
                .iter()
                .filter(|one| one.reexport.is_none() && one.name != ALL)
                .map(|one| (&one.path, one.line));
            let references = facts.references.iter().map(|reference| (&reference.path, reference.line));
            for (path, line) in uses.chain(references) {
                let Some(Target::Item(to)) = self.resolve(index, path, 0) else { continue };
                let to = self.modules[to].file.as_str();
                if to != module.file {
                    let first = found.entry((&module.file, to)).or_insert(line);
                    *first = line.min(*first);
                }
            }
        }
        let import =
            |((from, to), line): ((&str, &str), usize)| Import { from: from.to_owned(), to: to.to_owned(), line };
        found.into_iter().map(import).collect()
    }

    fn facts(&self, module: usize) -> &Facts {
        let module = &self.modules[module];
        &self.files[&module.file].modules[module.facts]
    }

    /// Resolves a path in a module. `None` if it is a local name or belongs to another crate.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let mut current = match first.as_str() {
            "crate" | "$crate" => Target::Module(self.modules[from].root),
            "self" if !rest.is_empty() => Target::Module(from),
            "super" => Target::Module(self.modules[from].parent?),
            name => self.lookup(from, name, depth)?,
        };
        while let (Target::Module(module), Some((name, after))) = (current, rest.split_first()) {
            current = match name.as_str() {
                "super" => Target::Module(self.modules[module].parent?),
                // A name that is not found comes from a macro or is a method.
                name => self.lookup(module, name, depth).unwrap_or(Target::Item(module)),
            };
            rest = after;
        }
        Some(current)
    }

    /// Resolves a name in a module.
    fn lookup(&self, module: usize, name: &str, depth: usize) -> Option<Target> {
        if let Some(child) = self.modules[module].children.get(name) {
            return Some(Target::Module(*child));
        }
        let facts = self.facts(module);
        if facts.items.contains(name) {
            return Some(Target::Item(module));
        }
        if depth > DEPTH_MAX {
            return None;
        }
        if let Some(found) = facts.uses.iter().find(|one| one.name == name) {
            // `use fio;` names a crate, not itself.
            let is_itself = found.path.len() == 1 && found.path[0] == name;
            return if is_itself { None } else { self.resolve(module, &found.path, depth + 1) };
        }
        facts.uses.iter().filter(|one| one.name == ALL).find_map(|glob| {
            let Target::Module(from) = self.resolve(module, &glob.path, depth + 1)? else { return None };
            if from == module { None } else { self.lookup(from, name, depth + 1) }
        })
    }
}

/// Returns the folder with the files of a module's children.
fn folder_of(file: &str, inner: &[String]) -> String {
    let (folder, name) = file.rsplit_once('/').unwrap_or_default();
    let mut folder = folder.to_owned();
    if !matches!(name, "mod.rs" | "lib.rs" | "main.rs") {
        folder = format!("{folder}/{}", name.trim_end_matches(".rs"));
    }
    for name in inner {
        folder = format!("{folder}/{name}");
    }
    folder
}

/// Imports between the given files, for tests of rules.
#[cfg(test)]
pub fn crates_of(files: &[(&str, &str)]) -> Crates {
    Crates::new(files.iter().map(|(path, text)| FileImports::of(&Source::parse(path, text).unwrap())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(files: &[(&str, &str)]) -> Vec<(String, String, usize)> {
        let name = |path: &str| path.trim_start_matches("crates/x/src/").to_owned();
        crates_of(files).imports().iter().map(|import| (name(&import.from), name(&import.to), import.line)).collect()
    }

    fn import(from: &str, to: &str, line: usize) -> (String, String, usize) {
        (from.to_owned(), to.to_owned(), line)
    }

    #[test]
    fn a_path_leads_to_the_defining_file() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;\nmod b;\n"),
            ("crates/x/src/a.rs", "use crate::b::Thing;\nfn f(thing: Thing) {}\n"),
            ("crates/x/src/b/mod.rs", "mod inner;\npub use inner::Thing;\n"),
            ("crates/x/src/b/inner.rs", "pub struct Thing;\n"),
        ];
        assert_eq!(imports(&files), [import("a.rs", "b/inner.rs", 1)]);
    }

    #[test]
    fn names_of_modules_renames_globs_and_inline_paths_are_followed() {
        let files = [
            ("crates/x/src/main.rs", "mod a;\nmod b;\nmod c;\nfn main() {\n    a::f();\n}\n"),
            ("crates/x/src/a.rs", "use crate::b::{self as other, *};\npub fn f() {\n    other::g();\n    h();\n}\n"),
            ("crates/x/src/b.rs", "pub use crate::c::h;\npub fn g() {}\n"),
            ("crates/x/src/c.rs", "pub fn h() {\n    println!(\"{}\", super::a::f());\n}\n"),
        ];
        let expected = [
            import("a.rs", "b.rs", 3),
            import("a.rs", "c.rs", 4),
            import("c.rs", "a.rs", 2),
            import("main.rs", "a.rs", 5),
        ];
        assert_eq!(imports(&files), expected);
    }

    #[test]
    fn declarations_reexports_tests_and_other_crates_are_no_imports() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;\n#[cfg(test)]\nmod b;\npub use a::A;\nuse std::fmt;\nuse a_crate::b;\n"),
            ("crates/x/src/a.rs", "pub(super) struct A;\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n"),
            ("crates/x/src/b.rs", "use crate::a::A;\npub struct B;\n"),
        ];
        assert_eq!(imports(&files), []);
        let crates = crates_of(&files);
        assert!(crates.is_test_file("crates/x/src/b.rs") && !crates.is_test_file("crates/x/src/a.rs"));
    }

    #[test]
    fn a_child_may_use_its_parent_and_the_parent_its_child() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;\n"),
            ("crates/x/src/a/mod.rs", "mod b;\nuse b::f;\npub struct A;\npub fn g() {\n    f()\n}\n"),
            ("crates/x/src/a/b.rs", "use super::A;\npub fn f() {}\n"),
        ];
        assert_eq!(imports(&files), [import("a/b.rs", "a/mod.rs", 1), import("a/mod.rs", "a/b.rs", 2)]);
    }
}
