//! Mistyped targets, new files, and targets in memory.

use std::path::Path;

use crate::stage::{self, Mount, Outcome, Scratch, Zram, binary, command, needs, outcome, shell};
use serde_json::Value;

fn run(directory: &Path, word: &str, arguments: &str) -> Outcome {
    let mut command = command(directory, word, arguments);
    command.env("XDG_STATE_HOME", directory.join("state")).env("XDG_CONFIG_HOME", directory.join("config"));
    outcome(command.spawn().unwrap())
}

/// Returns the name of a device with a size.
fn device() -> Option<String> {
    let size = |name: &str| std::fs::read_to_string(format!("/sys/class/block/{name}/size")).unwrap_or_default();
    let names = std::fs::read_dir("/sys/class/block").ok()?.flatten().map(|entry| entry.file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    let mut names = names.filter(|name| !["", "0"].contains(&size(name).trim()) && !name.starts_with("zram"));
    // Other tests make and remove loop devices.
    let found = names.find(|name| !name.starts_with("loop"));
    if found.is_none() {
        stage::skipped("the machine has no block device");
    }
    found
}

#[test]
fn a_missing_device_is_an_error_that_lists_the_devices() {
    let Some(device) = device() else { return };
    let scratch = Scratch::new("targets-device");
    let wrong = format!("/dev/{device}x9");
    let line = "--name=a --size=1m --rw=read";
    let commands = [
        ("assess", format!("{wrong} --yes")),
        ("assess", format!("nocache={wrong} readcache=. --suite azure --yes")),
        ("knee", format!("{wrong} --yes")),
        ("sweep", format!("--yes bs=4k,8k fio {line} --filename={wrong}")),
        ("sweep", format!("--yes b=4k,8k diskspd -c1M -d1 {wrong}")),
        ("run", format!("--yes --repeat 2 fio {line} --filename={wrong}")),
    ];
    for (word, arguments) in commands {
        let outcome = run(scratch.path(), word, &arguments);
        outcome.ended_with(2).complained_of(&format!("error: {wrong} does not exist: there is no such device"));
        outcome
            .complained_of("help: did you mean /dev/")
            .complained_of("help: the block devices of this machine:\n  /dev/");
        assert!(!Path::new(&wrong).exists(), "{word} created {wrong}");
    }
    assert!(scratch.names().is_empty(), "{:?}", scratch.names());
}

#[test]
fn devices_that_cannot_be_listed_are_not_missing() {
    let Some(_) = needs("unshare -m mount -t tmpfs none /sys") else { return };
    let scratch = Scratch::new("targets-no-sysfs");
    let line = format!("mount -t tmpfs none /sys && exec {} assess /dev/no-such-disk --yes", binary().display());
    let message = shell(&format!("cd {} && unshare -m sh -c '{line}'", scratch.path().display())).unwrap_err();
    assert!(message.contains("note: the block devices of this machine are not known: "), "{message}");
}

#[test]
fn a_new_file_needs_consent_and_is_named_with_its_device() {
    let scratch = Scratch::new("targets-new");
    let missing = scratch.file("typo").display().to_string();
    for word in ["assess", "knee"] {
        let refused = run(scratch.path(), word, "typo");
        refused.ended_with(2).complained_of(&format!("error: {missing} does not exist: would create a file on "));
        refused.complained_of(", mounted at /").complained_of("help: add --yes to create it");
    }
    let Some(_mount) = Mount::tmpfs(32, &scratch.file("mnt")) else { return };
    let place = format!("would create a file on none (tmpfs, in memory, mounted at {})", scratch.file("mnt").display());
    run(scratch.path(), "assess", "mnt/typo").ended_with(2).complained_of(&place);
    assert_eq!(scratch.names(), ["mnt"]);
    let agreed = run(scratch.path(), "assess", "typo --yes --short --size 1M --test read-latency --format json");
    assert_eq!(agreed.json()["target"]["path"], missing);
}

#[test]
fn files_that_a_line_names_are_created_with_a_note() {
    let scratch = Scratch::new("targets-line");
    let line = "--name=a --size=1m --rw=read --ioengine=psync --filename=new";
    let noted = "note: new does not exist: it is created on ";
    run(scratch.path(), "run", &format!("--repeat 1 fio {line}")).ended_with(0).complained_of(noted);
    let again = run(scratch.path(), "sweep", &format!("bs=4k,8k fio {line}"));
    assert!(!again.ended_with(0).stderr.contains("does not exist"), "{}", again.stderr);
    // The command before each run makes the target.
    let prepared = "--repeat 1 --prepare true fio --name=a --size=1m --rw=read --ioengine=psync --filename=other";
    assert!(!run(scratch.path(), "run", prepared).stderr.contains("does not exist"));
}

/// Returns the findings of the first test.
fn kinds(assessment: &Value) -> Vec<(String, String)> {
    let findings = assessment["tests"][0]["findings"].as_array().unwrap();
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap().to_owned();
    findings.iter().map(|finding| (text(finding, "kind"), text(finding, "severity"))).collect()
}

#[test]
fn memory_is_no_disk_unless_its_device_is_named() {
    let scratch = Scratch::new("targets-memory");
    let Some(zram) = Zram::new(64) else { return };
    let line = "--short --size 16M --runtime 1 --test write-latency";
    let in_memory = |severity: &str| ("in-memory".to_owned(), severity.to_owned());

    let named = format!("{0} --overwrite {0} {line}", zram.device);
    let card = run(scratch.path(), "assess", &named);
    card.ended_with(0);
    assert!(card.stdout.contains(&format!("quick on {} (memory): 1 test", zram.device)), "{}", card.stdout);
    let outcome = run(scratch.path(), "assess", &format!("{named} --format json --report page.html"));
    outcome.ended_with(0);
    let assessment = outcome.json();
    assert_eq!((&assessment["verdict"], &assessment["target"]["in_memory"]), (&"MEASURED".into(), &true.into()));
    assert!(kinds(&assessment).contains(&in_memory("info")), "{:?}", kinds(&assessment));
    assert!(outcome.stdout.contains("compare the figures only with those of memory"), "{}", outcome.stdout);
    let page = std::fs::read_to_string(scratch.file("page.html")).unwrap();
    assert!(page.contains(&format!("{} (memory)", zram.device)), "the page has the label");

    let invalid = |target: &str| {
        let outcome = run(scratch.path(), "assess", &format!("{target} {line} --yes --format json"));
        outcome.ended_with(4);
        assert!(kinds(&outcome.json()).contains(&in_memory("invalid")), "{target}");
    };
    let Some(_) = needs(&format!("mke2fs -q -t ext4 {}", zram.device)) else { return };
    let Some(_mount) = Mount::new(&zram.device, &scratch.file("disk")) else { return };
    invalid("disk");
    let Some(_tmpfs) = Mount::tmpfs(64, &scratch.file("tmpfs")) else { return };
    invalid("tmpfs");
}

#[test]
fn deeply_nested_folders_are_listed_on_the_small_stack_of_a_worker() {
    let scratch = Scratch::new("targets-deep");
    let lowest = scratch.file("top").join("d/".repeat(1950));
    std::fs::create_dir_all(&lowest).unwrap();
    std::fs::write(lowest.join("f"), [1; 8]).unwrap();
    std::fs::write(scratch.file("top/f"), [1; 8]).unwrap();
    let line = "--name=a --opendir=top --create_serialize=0 --rw=read --bs=8";
    let outcome = stage::run(scratch.path(), &format!("--output-format=json {line}")).assert_success();
    assert_eq!(outcome.json()["jobs"][0]["read"]["total_ios"], 2);
}

#[test]
fn opening_files_reads_nothing_into_the_page_cache() {
    let scratch = Scratch::new("targets-cold");
    let folder = scratch.path().display().to_string();
    let files = "--name=a --directory=. --nrfiles=20 --filesize=64k --size=1280k --rw=randread --bs=4k";
    stage::run(scratch.path(), &format!("{files} --create_only=1")).assert_success();
    let cached = || {
        let found = needs(&format!("sync -f {folder} && fincore -b -n -o RES {folder}/a.0.*"))?;
        let bytes = found.split_whitespace().map(|file| file.parse::<u64>().unwrap()).sum::<u64>();
        Some(bytes)
    };
    for engine in ["sync", "psync", "pvsync2", "libaio", "posixaio", "mmap", "io_uring"] {
        // All files are opened. Opening drops their pages, and one block of one file is read.
        stage::run(scratch.path(), &format!("{files} --ioengine={engine} --number_ios=1")).assert_success();
        let Some(bytes) = cached() else { return };
        if bytes == 1280 << 10 {
            return stage::skipped("this file system keeps its pages");
        }
        assert_eq!(bytes, 4096, "{engine}");
    }
}
