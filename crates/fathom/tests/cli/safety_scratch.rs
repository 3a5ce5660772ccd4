//! The folder of `fathom assess` and `fathom knee` takes nothing of other users and nothing that fathom did not make.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::stage::{Outcome, Scratch, command, needs, outcome, run_folder, wait_until};

const OLD_NAME: &str = "fathom-assess.tmp";
/// A folder name as fathom makes them.
const NAME: &str = ".fathom-assess-0123456789abcdef";
const SHORT: &str = "--short --size 8M --runtime 1 --test read-latency";

fn run(directory: &Path, arguments: &str) -> Outcome {
    let mut command = command(directory, "assess", arguments);
    outcome(command.env("XDG_STATE_HOME", directory.join("state")).spawn().unwrap())
}

/// Returns a folder where every user can make and rename files.
fn shared(scratch: &Scratch) -> std::path::PathBuf {
    let shared = scratch.file("shared");
    std::fs::create_dir(&shared).unwrap();
    for path in [scratch.path(), &shared] {
        std::fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
    }
    shared
}

/// Runs a shell command as another user.
fn other_user(command: &str) -> Option<String> {
    needs(&format!("setpriv --reuid=65534 --regid=65534 --clear-groups sh -c '{command}'"))
}

#[test]
fn links_and_folders_of_another_user_are_not_followed_and_remain() {
    let scratch = Scratch::new("scratch-planted");
    let shared = shared(&scratch);
    let (file, folder) = (scratch.filled("precious", 4096), scratch.file("victim"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("data"), "precious").unwrap();
    let is_whole = || std::fs::read(&file).unwrap().len() == 4096 && folder.join("data").exists();
    let (at, forged) = (shared.display(), format!("mkdir {0}/{NAME}; chmod 700 {0}/{NAME}", shared.display()));
    let marker = format!("printf \"0123456789abcdef\\n\\ndata\\n\" >{at}/{NAME}/run; echo >{at}/{NAME}/data");
    for planted in [
        format!("mkdir {at}/{OLD_NAME}; ln -s {} {at}/{OLD_NAME}/lock", file.display()),
        format!("ln -s {} {at}/{OLD_NAME}", folder.display()),
        format!("ln -s {} {at}/{NAME}", folder.display()),
        format!("{forged}; ln -s {} {at}/{NAME}/run", file.display()),
        format!("{forged}; {marker}"),
    ] {
        let Some(_) = other_user(&planted) else { return };
        let before = tree(&shared);
        run(scratch.path(), &format!("shared {SHORT}")).ended_with(0);
        assert!(is_whole(), "{planted}");
        assert_eq!(tree(&shared), before, "{planted}");
        std::fs::read_dir(&shared).unwrap().for_each(|entry| remove(&entry.unwrap().path()));
    }
}

fn tree(folder: &Path) -> String {
    needs(&format!("find {} | sort", folder.display())).unwrap()
}

fn remove(path: &Path) {
    let is_folder = path.symlink_metadata().unwrap().is_dir();
    if is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
}

#[test]
fn folder_of_a_run_is_private_and_has_another_name_in_each_run() {
    let scratch = Scratch::new("scratch-private");
    let shared = shared(&scratch);
    let mut names = Vec::new();
    for line in
        ["assess shared --size 16M --runtime 60 --test write-latency", "knee shared --yes --size 16M --runtime 60s"]
    {
        let (program, arguments) = line.split_once(' ').unwrap();
        let mut command = command(scratch.path(), program, arguments);
        let mut child = command.env("XDG_STATE_HOME", scratch.file("state")).spawn().unwrap();
        wait_until("its files are created", || {
            run_folder(&shared).is_some_and(|folder| folder.join("data").exists() && folder.join("run").exists())
        });
        let folder = run_folder(&shared).unwrap();
        let mode = folder.metadata().unwrap().permissions().mode();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(mode & 0o777, 0o700);
        run(scratch.path(), &format!("shared {SHORT}")).ended_with(0);
        assert_eq!(run_folder(&shared), None, "the next run removes the folder of a killed run");
        names.push(folder);
    }
    assert_ne!(names[0], names[1]);
}

#[test]
fn names_that_fathom_did_not_make_are_not_removed() {
    let scratch = Scratch::new("scratch-unknown");
    let own = |name: &str| {
        std::fs::create_dir(scratch.file(name)).unwrap();
        std::fs::set_permissions(scratch.file(name), Permissions::from_mode(0o700)).unwrap();
        std::fs::write(scratch.file(name).join("thesis"), "precious").unwrap();
        scratch.file(name)
    };
    let (old, unmarked) = (own(OLD_NAME), own(NAME));
    run(scratch.path(), SHORT).ended_with(0).complained_of(&format!("{NAME} remains"));
    assert!(old.join("thesis").exists() && unmarked.join("thesis").exists());
    // The marker of a killed run.
    std::fs::write(unmarked.join("run"), "0123456789abcdef\n\ndata\n").unwrap();
    std::fs::write(unmarked.join("data"), "").unwrap();
    run(scratch.path(), SHORT).ended_with(0).complained_of("fathom did not make thesis in it");
    assert!(unmarked.join("thesis").exists());
    std::fs::remove_file(unmarked.join("thesis")).unwrap();
    run(scratch.path(), SHORT).ended_with(0);
    assert!(!unmarked.exists(), "only names of the run were left");
}
