//! `fathom suite`: lists and explains suites.

use std::path::Path;

use crate::stage::{Outcome, Scratch, command, outcome};

fn suite(directory: &Path, arguments: &str) -> Outcome {
    let mut command = command(directory, "suite", arguments);
    command.env("XDG_CONFIG_HOME", directory.join("config"));
    outcome(command.spawn().unwrap())
}

#[test]
fn every_suite_of_the_list_is_explained_in_every_form() {
    let scratch = Scratch::new("suites");
    let list = suite(scratch.path(), "list");
    list.ended_with(0);
    let names: Vec<&str> = list.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 24 && names.contains(&"quick"), "{names:?}");
    for name in names {
        for form in ["", "--literal", "--short --jobs"] {
            let shown = suite(scratch.path(), &format!("show {name} {form}"));
            shown.ended_with(0);
            assert!(shown.stdout.contains("What it does to the target") && shown.stdout.contains("source: "), "{name}");
            assert!(shown.stdout.lines().all(|line| form.contains("jobs") || line.chars().count() <= 100), "{name}");
        }
    }
}

#[test]
fn suite_explains_its_writes_duration_and_traps() {
    let scratch = Scratch::new("suites-arguments");
    let azure = suite(scratch.path(), "show azure").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in ["a file of 30 GiB for each job", "120 GiB in all", "36.5 min", "35 minutes", "Here it runs as meant"] {
        assert!(azure.contains(word), "{word}: {azure}");
    }
    let literal = suite(scratch.path(), "show azure --literal --jobs").stdout;
    assert!(literal.contains("literally") && !literal.contains("time_based=1"), "{literal}");
    let etcd = suite(scratch.path(), "show etcd --literal").stdout;
    assert!(etcd.contains("22 MiB in all") && etcd.contains("until the I/O of the tests is done"), "{etcd}");
    let etcd = suite(scratch.path(), "show etcd").stdout;
    assert!(etcd.contains("256 MiB in all") && etcd.contains("Duration: 10 s,"), "{etcd}");
    assert!(suite(scratch.path(), "show snia-iops").stdout.contains("4.67 h at least"));
}

#[test]
fn a_user_suite_that_cannot_be_read_is_not_replaced_by_the_built_in_one() {
    let scratch = Scratch::new("suites-unreadable");
    let folder = scratch.file("config/fathom/suites");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("quick.toml")).unwrap();
    suite(scratch.path(), "show quick").ended_with(2).complained_of("suites/quick.toml: ");
    // A file in place of the folder, so that the super-user cannot read it either.
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "").unwrap();
    for arguments in ["list", "show quick", "show no-such-suite"] {
        suite(scratch.path(), arguments).ended_with(2).complained_of("config/fathom/suites");
    }
}

#[test]
fn user_suites_are_listed_with_their_errors() {
    let scratch = Scratch::new("suites-own");
    let folder = scratch.file("config/fathom/suites");
    std::fs::create_dir_all(&folder).unwrap();
    let text = "name = \"quick\"\ntitle = \"mine\"\nsource = \"me\"\ndate = \"2026\"\n[[test]]\nname = \"a\"\ntitle = \"t\"\n\
                job = { rw = \"read\", size = \"1m\" }\n";
    std::fs::write(folder.join("quick.toml"), text).unwrap();
    let list = suite(scratch.path(), "list");
    assert_eq!(list.stdout.lines().filter(|line| line.starts_with("quick ")).count(), 1, "{}", list.stdout);
    assert!(list.stdout.contains("mine ("), "one's own goes before: {}", list.stdout);

    std::fs::write(folder.join("wrong.toml"), text.replace("rw =", "rww =")).unwrap();
    suite(scratch.path(), "show wrong").ended_with(2).complained_of("wrong.toml:8:9");
    std::fs::write(folder.join("wrong.toml"), text.replace("size =", "filename =")).unwrap();
    suite(scratch.path(), "show wrong").ended_with(2).complained_of("a suite cannot set `filename`");
    std::fs::write(folder.join("wrong.toml"), text.replace("2026", "lately")).unwrap();
    suite(scratch.path(), "show wrong").ended_with(2).complained_of("wrong.toml:4:8");
    std::fs::write(folder.join("worse.toml"), "name = 1\n").unwrap();
    suite(scratch.path(), "list").ended_with(2).complained_of("worse.toml:1:8");
    suite(scratch.path(), "show").ended_with(2).complained_of("<NAME>");
}
