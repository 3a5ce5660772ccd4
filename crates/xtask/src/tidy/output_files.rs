//! Every file that the program writes passes the output guard, and every target the held targets. Other code creates and replaces
//! no files and folders.

use syn::visit::Visit;

use super::finding::Finding;
use super::source::{Source, line_of};

/// Crates that are not part of the program.
const OTHER_CRATES: [&str; 9] = [
    "xtask",
    "bench",
    "fuzz",
    "tests/harness",
    "tests/truth",
    "tests/faults",
    "tests/parsers",
    "tests/soak",
    "tests/differential",
];
/// The output guard and the files that pass it, the calls of the systems, and the build scripts.
const GUARD: [&str; 11] = [
    // Held folders, and the one call that opens files. The guard and the held targets use them.
    "crates/os/src/linux/file/folder.rs",
    "crates/os/src/linux/file/mod.rs",
    "crates/os/src/windows/file/folder.rs",
    // Named events, in a folder of the system. Links are not followed.
    "crates/os/src/linux/event.rs",
    // The scheduler of a disk, in sysfs.
    "crates/os/src/linux/device/disk.rs",
    // The folder of the history. SQLite makes the files, and their paths pass the guard.
    "crates/history/src/store.rs",
    "crates/engine/src/output_guard.rs",
    "crates/fathom/src/atomic_file.rs",
    "crates/fathom/src/temporary_file.rs",
    "crates/built_in/build.rs",
    "crates/report/build.rs",
];
/// Items of the standard library that create or replace files: module or type, and name.
const ITEMS: [(&str, &str); 22] = [
    ("File", "create"),
    ("File", "create_new"),
    ("File", "options"),
    ("fs", "OpenOptions"),
    ("fs", "write"),
    ("fs", "copy"),
    ("fs", "rename"),
    ("fs", "create_dir"),
    ("fs", "create_dir_all"),
    ("fs", "hard_link"),
    ("fs", "set_permissions"),
    ("fs", "symlink"),
    ("DirBuilder", "new"),
    ("libc", "open"),
    ("libc", "openat"),
    ("libc", "creat"),
    ("libc", "mkdir"),
    ("libc", "mkdirat"),
    ("libc", "mknod"),
    ("libc", "rename"),
    ("libc", "link"),
    ("libc", "symlink"),
];

/// Returns a finding for each use of such an item.
pub fn check(source: &Source) -> Vec<Finding> {
    if OTHER_CRATES.contains(&source.crate_name()) || GUARD.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let mut uses = Uses { source, found: Vec::new() };
    uses.visit_file(&source.syntax);
    uses.found
}

struct Uses<'a> {
    source: &'a Source,
    found: Vec<Finding>,
}

impl Uses<'_> {
    fn item(&mut self, owner: &syn::Ident, name: &syn::Ident) {
        let (owner_name, name) = (owner.to_string(), name.to_string());
        if ITEMS.contains(&(owner_name.as_str(), name.as_str())) {
            let what = format!(
                "{owner_name}::{name} creates files or folders: use engine::OutputGuard, for a target engine::HeldTargets"
            );
            self.found.push(Finding::new(&self.source.path, line_of(owner.span()), what));
        }
    }

    /// Visits the names that `owner` imports.
    fn import(&mut self, owner: &syn::Ident, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Name(name) => self.item(owner, &name.ident),
            syn::UseTree::Rename(name) => self.item(owner, &name.ident),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(owner, tree)),
            syn::UseTree::Path(_) | syn::UseTree::Glob(_) => {}
        }
    }
}

impl Visit<'_> for Uses<'_> {
    fn visit_path(&mut self, path: &syn::Path) {
        let mut names = path.segments.iter().map(|segment| &segment.ident).peekable();
        while let Some(owner) = names.next() {
            if let Some(name) = names.peek() {
                self.item(owner, name);
            }
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_use_path(&mut self, path: &syn::UsePath) {
        self.import(&path.ident, &path.tree);
        syn::visit::visit_use_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Source::parse(path, text).unwrap()).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn created_files_fail_outside_the_guard() {
        let text = "use std::fs::{File, OpenOptions};\nfn f() {\n    File::create(a);\n    std::fs::write(a, b);\n}\n";
        assert_eq!(lines("crates/engine/src/a.rs", text), [1, 3, 4]);
        assert_eq!(
            lines("crates/history/src/a.rs", "fn f() { std::fs::OpenOptions::new(); fs::rename(a, b); }"),
            [1, 1]
        );
        assert_eq!(lines("crates/engine/src/output_guard.rs", text), [0; 0]);
        assert_eq!(lines("crates/os/src/a.rs", text), [1, 3, 4]);
        let calls = "fn f() {\n    std::fs::create_dir_all(a);\n    DirBuilder::new();\n    libc::openat(a, b, c);\n    libc::mkdirat(a);\n}\n";
        assert_eq!(lines("crates/os/src/linux/cgroup.rs", calls), [2, 3, 4, 5]);
    }

    #[test]
    fn reads_and_targets_pass() {
        let text = "use os::file::OpenOptions;\nfn f() { std::fs::read(a); File::open(a); OpenOptions::new(); }\n";
        assert_eq!(lines("crates/engine/src/a.rs", text), [0; 0]);
    }
}
