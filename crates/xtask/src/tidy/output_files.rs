//! Every file that the program writes passes the output guard, and every target the held targets. Other code creates, replaces and
//! removes no files and folders.

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
    "crates/targets/src/outputs/folders.rs",
    "crates/fathom/src/atomic_file.rs",
    "crates/fathom/src/temporary_file.rs",
    "crates/built_in/build.rs",
    "crates/report/build.rs",
];
/// Files that may remove a file by its path, and not create one.
const REMOVERS: [&str; 2] = [
    // The file of `--trigger-file`. As in fio, it is removed when it appears, whatever it is.
    "crates/fathom/src/commands/fio/trigger.rs",
    // The file for `--resume`, in the folder of the user. It is written through the guard.
    "crates/fathom/src/commands/assess/resume.rs",
];
/// Items of the standard library and of libc that create, replace or change files: module or type, and name.
const CREATORS: [(&str, &str); 38] = [
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
    ("fs", "soft_link"),
    ("fs", "symlink"),
    ("fs", "symlink_file"),
    ("fs", "symlink_dir"),
    ("fs", "chown"),
    ("fs", "lchown"),
    ("DirBuilder", "new"),
    ("libc", "open"),
    ("libc", "openat"),
    ("libc", "creat"),
    ("libc", "mkdir"),
    ("libc", "mkdirat"),
    ("libc", "mkfifo"),
    ("libc", "mknod"),
    ("libc", "mknodat"),
    ("libc", "rename"),
    ("libc", "renameat"),
    ("libc", "renameat2"),
    ("libc", "link"),
    ("libc", "linkat"),
    ("libc", "symlink"),
    ("libc", "symlinkat"),
    ("libc", "truncate"),
    ("libc", "chmod"),
    ("libc", "chown"),
    ("libc", "lchown"),
    ("libc", "fchownat"),
];
/// Those that remove names.
const REMOVALS: [(&str, &str); 7] = [
    ("fs", "remove_file"),
    ("fs", "remove_dir"),
    ("fs", "remove_dir_all"),
    ("libc", "unlink"),
    ("libc", "unlinkat"),
    ("libc", "rmdir"),
    ("libc", "remove"),
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
        let item = (owner_name.as_str(), name.as_str());
        let what = if CREATORS.contains(&item) {
            "creates or replaces files or folders: use targets::OutputGuard, for a target targets::HeldTargets"
        } else if REMOVALS.contains(&item) && !REMOVERS.contains(&self.source.path.as_str()) {
            "removes files or folders: use targets::HeldTargets for a target, os::file::Folder for a file of the program"
        } else {
            return;
        };
        self.found.push(Finding::new(&self.source.path, line_of(owner.span()), format!("{owner_name}::{name} {what}")));
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
        assert_eq!(lines("crates/targets/src/outputs/folders.rs", text), [0; 0]);
        assert_eq!(lines("crates/os/src/a.rs", text), [1, 3, 4]);
        let calls = "fn f() {\n    std::fs::create_dir_all(a);\n    DirBuilder::new();\n    libc::openat(a, b, c);\n    libc::mkdirat(a);\n}\n";
        assert_eq!(lines("crates/os/src/linux/cgroup.rs", calls), [2, 3, 4, 5]);
    }

    #[test]
    fn removals_and_links_fail_outside_the_guard() {
        let text = "use std::fs;\nfn f() {\n    fs::remove_file(a);\n    std::fs::remove_dir_all(a);\n    std::os::unix::fs::symlink(a, b);\n    unsafe { libc::unlinkat(a, b, 0) };\n}\n";
        assert_eq!(lines("crates/engine/src/a.rs", text), [3, 4, 5, 6]);
        assert_eq!(lines("crates/os/src/linux/file/folder.rs", text), [0; 0]);
        // A file that may remove must not create.
        assert_eq!(lines(REMOVERS[0], "fn f() { fs::remove_file(a); }"), [0; 0]);
        assert_eq!(lines(REMOVERS[0], "fn f() { fs::write(a, b); }"), [1]);
    }

    #[test]
    fn reads_and_targets_pass() {
        let text = "use os::file::OpenOptions;\nfn f() { std::fs::read(a); File::open(a); OpenOptions::new(); }\n";
        assert_eq!(lines("crates/engine/src/a.rs", text), [0; 0]);
    }
}
