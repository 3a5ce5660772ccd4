//! `fathom report --site`: a static site of saved runs.

use std::collections::BTreeSet;
use std::path::Path;

use crate::hostile_names::{HOSTILE, assert_visible};
use crate::stage::{Outcome, Scratch, command, outcome};
use serde_json::Value;

fn run(scratch: &Scratch, word: &str, arguments: &str) -> Outcome {
    let mut command = command(scratch.path(), word, arguments);
    command.env_remove("FATHOM_NO_HISTORY").env("XDG_DATA_HOME", scratch.file("data")).env("LC_ALL", "C.UTF-8");
    outcome(command.spawn().unwrap())
}

/// Adds a saved run of the repository to the history, on a target of a host.
fn add(scratch: &Scratch, file: &str, target: &str, host: &str, started_unix_ms: u64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let mut document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    document["machine"]["hostname"] = host.into();
    document["started_unix_ms"] = started_unix_ms.into();
    // A record has the target in its plan, and no tags.
    if document.get("target").is_some() {
        document["target"]["path"] = target.into();
        document["tags"] = vec![Value::from(target)].into();
    }
    std::fs::write(scratch.file("saved.json"), document.to_string()).unwrap();
    run(scratch, "history", "add saved.json").ended_with(0);
}

fn read(scratch: &Scratch, name: &str) -> String {
    std::fs::read_to_string(scratch.file("site").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the pages to which links lead from the first page. Checks that each link leads to a file of the folder.
fn reached(scratch: &Scratch) -> BTreeSet<String> {
    let mut reached = BTreeSet::from(["index.html".to_owned()]);
    let mut unread = vec!["index.html".to_owned()];
    while let Some(name) = unread.pop() {
        let page = read(scratch, &name);
        assert_visible(&name, &page);
        assert!(!page.contains(" src=") && !page.contains("@import") && !page.contains("url("), "{name}");
        for link in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            // Places of the page, values of charts, and sources of published limits.
            if ["#", "data:", "https://"].iter().any(|start| link.starts_with(start)) {
                continue;
            }
            assert!(!link.contains([':', '/']), "{name}: {link} is not a file of the folder");
            if reached.insert(link.to_owned()) {
                unread.push(link.to_owned());
            }
        }
    }
    reached
}

/// Returns the files of the site, without its list.
fn files(scratch: &Scratch) -> BTreeSet<String> {
    let names = std::fs::read_dir(scratch.file("site")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "fathom-site.txt").collect()
}

fn runs(pages: &BTreeSet<String>) -> Vec<&str> {
    pages.iter().filter_map(|page| page.strip_prefix("run-")?.strip_suffix(".html")).collect()
}

const QUICK: &str = "docs/samples/quick.json";

#[test]
fn a_site_has_each_saved_run_and_is_updated() {
    let scratch = Scratch::new("site");
    run(&scratch, "report", "--site site").ended_with(2).complained_of("the history is empty");
    for (file, target, started_unix_ms) in [
        (QUICK, "/mnt/fast", 1_790_000_000_000),
        (QUICK, "/mnt/fast", 1_780_000_000_000),
        (QUICK, "/mnt/slow", 1_780_000_000_000),
        ("corpus/assessments/1-knee.json", "/mnt/slow", 1_780_000_000_000),
        ("corpus/assessments/1-sweep.json", "/mnt/slow", 1_780_000_000_000),
        ("corpus/records/1-fio.json", "", 1_780_000_000_000),
    ] {
        add(&scratch, file, target, "db-1", started_unix_ms);
    }
    let made = run(&scratch, "report", "--site site");
    made.ended_with(0).complained_of("site: site/index.html, 13 pages");
    let pages = reached(&scratch);
    assert_eq!(pages, files(&scratch));
    assert_eq!(runs(&pages), ["1", "2", "3", "4", "5", "6"]);
    let page = read(&scratch, "runs-quick-db-1-_mnt_fast.html");
    let [newest, older] = ["run-1.html", "run-2.html"].map(|link| page.find(link).unwrap());
    assert!(newest < older, "the newest run is not the first");
    assert!(page.contains("<svg class=\"chart\"") && page.contains("read-latency read.iops"), "no trend: {page}");
    // The runs have no verdict: the page has the command that leads to one.
    assert!(page.contains("fathom assess /mnt/fast --expect LIMITS"), "{page}");
    assert!(!read(&scratch, "runs-knee-db-1-_mnt_slow.html").contains("--expect"), "a search takes no limits");
    let disks = read(&scratch, "disks.html");
    for part in ["/mnt/fast on db-1", "/mnt/slow on db-1", "read-latency", "(lower is better)", "<svg class=\"chart\""]
    {
        assert!(disks.contains(part), "{part}: {disks}");
    }
    let run_page = read(&scratch, "run-2.html");
    assert!(run_page.contains("href=\"runs-quick-db-1-_mnt_fast.html\""), "no link to all runs");

    // A file of the user stays, a deleted run has no page any more, and a new one has.
    std::fs::write(scratch.file("site/CNAME"), "disks.example").unwrap();
    run(&scratch, "delete", "3").ended_with(0);
    add(&scratch, QUICK, "/mnt/new", "db-2", 1_790_000_000_000);
    run(&scratch, "report", "--site site").ended_with(0);
    let mut pages = reached(&scratch);
    assert_eq!(runs(&pages), ["1", "2", "4", "5", "6", "7"]);
    pages.insert("CNAME".to_owned());
    assert_eq!(pages, files(&scratch));
    // The same history gives the same bytes.
    let before: Vec<String> = pages.iter().map(|name| read(&scratch, name)).collect();
    run(&scratch, "report", "--site site").ended_with(0);
    assert_eq!(before, pages.iter().map(|name| read(&scratch, name)).collect::<Vec<_>>());

    run(&scratch, "report", "--site site --suite quick --target /mnt/fast").ended_with(0);
    assert_eq!(runs(&reached(&scratch)), ["1", "2"]);
    run(&scratch, "report", "--site site --suite none").ended_with(2).complained_of("no saved run matches");
}

#[test]
fn a_folder_with_other_files_is_not_changed() {
    let scratch = Scratch::new("site-foreign");
    add(&scratch, QUICK, "/mnt/a", "db-1", 1_790_000_000_000);
    std::fs::create_dir(scratch.file("site")).unwrap();
    run(&scratch, "report", "--site site").ended_with(0);
    // A page that fathom did not make, in a folder with a site.
    let list = std::fs::read_to_string(scratch.file("site/fathom-site.txt")).unwrap();
    std::fs::write(scratch.file("site/fathom-site.txt"), list.replace("run-1.html\n", "../saved.json\n")).unwrap();
    let before = read(&scratch, "index.html");
    add(&scratch, QUICK, "/mnt/b", "db-1", 1_790_000_000_000);
    run(&scratch, "report", "--site site")
        .ended_with(2)
        .complained_of("site/run-1.html: fathom did not make this file");
    assert_eq!(read(&scratch, "index.html"), before);
    std::fs::remove_file(scratch.file("site/run-1.html")).unwrap();
    run(&scratch, "report", "--site site").ended_with(0);
    assert!(scratch.file("saved.json").exists(), "a name of the list led out of the folder");

    std::fs::create_dir(scratch.file("other")).unwrap();
    std::fs::write(scratch.file("other/index.html"), "mine").unwrap();
    run(&scratch, "report", "--site other").ended_with(2).complained_of("is not a site that fathom made");
    assert_eq!(std::fs::read(scratch.file("other/index.html")).unwrap(), b"mine");
    assert_eq!(std::fs::read_dir(scratch.file("other")).unwrap().count(), 1);
    run(&scratch, "report", "--site saved.json").ended_with(2).complained_of("saved.json");
    run(&scratch, "report", "").ended_with(2).complained_of("--site");
}

#[test]
fn names_from_outside_make_no_markup_and_no_path() {
    let scratch = Scratch::new("site-names");
    // Names that differ only in characters that are replaced in names of files.
    let targets = [HOSTILE, "/mnt/a b", "/mnt/a_b", "/MNT/A_B", "../../../up", &"long".repeat(100)];
    for target in targets {
        add(&scratch, QUICK, target, HOSTILE, 1_790_000_000_000);
    }
    run(&scratch, "report", "--site site").ended_with(0);
    let pages = reached(&scratch);
    assert_eq!(pages, files(&scratch));
    assert_eq!(runs(&pages).len(), targets.len());
    assert_eq!(pages.iter().filter(|page| page.starts_with("runs-")).count(), targets.len());
    assert!(pages.iter().all(|page| page.len() < 150), "{pages:?}");
    assert!(!scratch.file("up").exists());
}
