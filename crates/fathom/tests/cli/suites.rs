//! `fathom suite`: what there is, in plain words.

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
fn a_suite_says_what_it_writes_how_long_it_takes_and_what_its_traps_are() {
    let scratch = Scratch::new("suites-words");
    let azure = suite(scratch.path(), "show azure").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in
        ["a file of 30 GiB for each job", "120 GiB in all", "36.5 min", "35 minutes", "Here it is run as it was meant"]
    {
        assert!(azure.contains(word), "{word}: {azure}");
    }
    let literal = suite(scratch.path(), "show azure --literal --jobs").stdout;
    assert!(literal.contains("by its letter") && !literal.contains("time_based=1"), "{literal}");
    let etcd = suite(scratch.path(), "show etcd").stdout;
    assert!(etcd.contains("22 MiB in all") && etcd.contains("as long as the tests' work takes"), "{etcd}");
    assert!(suite(scratch.path(), "show snia-iops").stdout.contains("4.67 h at least"));
}

#[test]
fn ones_own_suites_are_listed_and_what_is_wrong_with_them_told() {
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
    suite(scratch.path(), "show wrong").ended_with(2).complained_of("`filename` is not a suite's to say");
    std::fs::write(folder.join("wrong.toml"), text.replace("2026", "lately")).unwrap();
    suite(scratch.path(), "show wrong").ended_with(2).complained_of("wrong.toml:4:8");
    std::fs::write(folder.join("worse.toml"), "name = 1\n").unwrap();
    suite(scratch.path(), "list").ended_with(2).complained_of("worse.toml:1:8");
    suite(scratch.path(), "show").ended_with(2).complained_of("<NAME>");
}
