//! `fathom assess` from end to end: what it measures, leaves, refuses, and how it is stopped and gone on with.

use std::path::Path;
use std::process::Command;

use crate::stage::{self, Loop, MIB, Mount, Outcome, Scratch, Zram, command, outcome, signal, wait_until};
use serde_json::Value;

/// A line of the command, with its state kept in `directory`.
fn assess(directory: &Path, arguments: &str) -> Command {
    let mut command = command(directory, "assess", arguments);
    command.env("XDG_STATE_HOME", directory.join("state")).env("XDG_CONFIG_HOME", directory.join("config"));
    command
}

fn run(directory: &Path, arguments: &str) -> Outcome {
    outcome(assess(directory, arguments).spawn().unwrap())
}

fn tests(assessment: &Value) -> Vec<&Value> {
    assessment["tests"].as_array().unwrap().iter().collect()
}

fn names(assessment: &Value) -> Vec<&str> {
    tests(assessment).iter().map(|test| test["name"].as_str().unwrap()).collect()
}

/// Verdict and exit code that figures without expectations have: temporary files may lie in memory.
fn measured(outcome: &Outcome) {
    let has_direct_io = !["no-direct-io", "in-memory"].iter().any(|id| outcome.stdout.contains(id));
    if !has_direct_io {
        crate::stage::skipped("temporary files lie where there is no direct I/O: figures are not looked at");
    }
    outcome.ended_with(if has_direct_io { 0 } else { 4 });
}

#[test]
fn with_no_words_it_measures_the_current_directory_and_leaves_nothing() {
    let scratch = Scratch::new("assess-quick");
    let outcome = run(scratch.path(), "--short --size 32M --format json --tag one");
    measured(&outcome);
    let assessment = outcome.json();
    assert_eq!(assessment["schema"], "fathom.assessment/1");
    assert_eq!((assessment["suite"].as_str(), assessment["tags"][0].as_str()), (Some("quick"), Some("one")));
    assert_eq!(names(&assessment)[..2], ["write-bandwidth", "read-bandwidth"]);
    for test in tests(&assessment) {
        assert_eq!(test["error"], Value::Null, "{test}");
        let workers = test["rounds"][0]["record"]["workers"].as_array().unwrap();
        let ios = |worker: &Value| {
            worker["stats"]["ddirs"].as_array().unwrap().iter().map(|d| d["ios"].as_u64().unwrap()).sum::<u64>()
        };
        assert!(workers.iter().map(ios).sum::<u64>() > 0, "{test}");
    }
    assert_eq!(assessment["preparation"][0]["step"], "fill");
    assert_eq!(assessment["preparation"][0]["bytes"], 32 * MIB);
    assert_eq!(assessment["target"]["kind"], "directory");
    assert!(scratch.names().iter().all(|name| name == "state"), "{:?}", scratch.names());
}

#[test]
fn what_is_stopped_reports_what_was_measured_and_is_gone_on_with() {
    let scratch = Scratch::new("assess-stop");
    let line = "--short --size 16M --test read-latency --test write-latency --test fsync --format json";
    let child = assess(scratch.path(), line).stderr(std::process::Stdio::null()).spawn().unwrap();
    let state = scratch.file("state/fathom/assess");
    // One test is done as soon as its state is kept.
    wait_until("a test is done", || std::fs::read_dir(&state).map_or(0, Iterator::count) > 0);
    signal(&child, "INT");
    let stopped = outcome(child);
    stopped.ended_with(130);
    let partial = stopped.json();
    assert_eq!(partial["stopped"], true);
    assert!(!tests(&partial).is_empty() && tests(&partial).len() <= 3);
    assert_eq!(scratch.names(), ["state"], "its files are gone");

    run(scratch.path(), &format!("{} --resume", line.replace("16M", "8M")))
        .ended_with(2)
        .complained_of("had --size 16 MiB");
    let first = tests(&partial)[0]["rounds"][0]["record"]["started_unix_ms"].clone();
    let whole = run(scratch.path(), &format!("{line} --resume"));
    whole.complained_of("completed before");
    let whole = whole.json();
    assert_eq!(names(&whole), ["write-latency", "read-latency", "fsync"]);
    assert_eq!(tests(&whole)[0]["rounds"][0]["record"]["started_unix_ms"], first, "it was not repeated");
    assert_eq!(whole["stopped"], false);
    assert_eq!(std::fs::read_dir(&state).unwrap().count(), 0, "there is nothing left to go on with");
}

#[test]
fn a_file_of_its_own_is_never_taken_for_somebodys() {
    let scratch = Scratch::new("assess-new");
    let line = "new --short --size 8M --test write-latency --format json";
    let mut killed = assess(scratch.path(), "new --size 8M --test write-latency --runtime 60")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let made = scratch.file("new.fathom-assess.tmp/file");
    wait_until("a file is made", || std::fs::metadata(&made).map_or(0, |file| file.len()) > 0);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(made.exists(), "it was killed at work");

    let assessment = run(scratch.path(), line).json();
    assert_eq!(tests(&assessment)[0]["error"], Value::Null);
    assert_eq!(scratch.names(), ["state"], "its files are gone");
    let both = "nocache=one readcache=other --suite azure --short --size 8M --test max-combined-iops --format json";
    measured(&run(scratch.path(), both));
    assert_eq!(scratch.names(), ["state"], "its files are gone");
    run(scratch.path(), &format!("{line} --keep-files")).complained_of("the tests' files are in");
    assert_eq!(scratch.names(), ["new", "state"]);
    run(scratch.path(), line).ended_with(2).complained_of("--overwrite new");
}

#[test]
fn a_file_that_was_there_is_only_read_unless_its_loss_is_agreed_to() {
    let scratch = Scratch::new("assess-file");
    let file = scratch.filled("precious", 8 * MIB);
    let before = std::fs::read(&file).unwrap();
    let line = "precious --short --runtime 1 --format json --test read-latency --test write-latency";
    let careful = run(scratch.path(), line);
    let assessment = careful.json();
    let error = |name: &str| tests(&assessment).into_iter().find(|test| test["name"] == name).unwrap()["error"].clone();
    assert_eq!(error("read-latency"), Value::Null);
    assert!(error("write-latency").as_str().unwrap().contains("--overwrite precious"), "{assessment}");
    assert!(before == std::fs::read(&file).unwrap(), "the file was changed");

    run(scratch.path(), "precious --short --test write-latency").ended_with(2).complained_of("--overwrite precious");
    run(scratch.path(), "precious --short --overwrite other").ended_with(2).complained_of("isn't the target");
    assert!(before == std::fs::read(&file).unwrap(), "the file was changed");

    let agreed = run(scratch.path(), "precious --short --test write-latency --overwrite ./precious --format json");
    assert_eq!(tests(&agreed.json())[0]["error"], Value::Null);
    let after = std::fs::read(&file).unwrap();
    assert!(after.len() == before.len() && after != before, "it keeps its length and stays");
}

#[test]
fn a_device_in_use_is_not_written_to() {
    let scratch = Scratch::new("assess-used");
    let Some(device) = Loop::new(&scratch, 64, "") else { return };
    let Some(_) = stage::needs(&format!("mkfs.ext4 -q {} || mke2fs -q {0}", device.device)) else { return };
    let Some(_mount) = Mount::new(&device.device, &scratch.file("mnt")) else { return };
    let refused = run(scratch.path(), &format!("{0} --short --overwrite {0}", device.device));
    refused.ended_with(2).complained_of("mounted on");
}

#[test]
fn words_that_lead_nowhere_are_told_before_anything_is_run() {
    let scratch = Scratch::new("assess-words");
    run(scratch.path(), "--suite quikc").ended_with(2).complained_of("did you mean quick");
    run(scratch.path(), "--test speed").ended_with(2).complained_of("write-bandwidth");
    run(scratch.path(), "nowhere/file").ended_with(2).complained_of("nowhere/file");
    run(scratch.path(), "/dev/null").ended_with(2).complained_of("neither a directory");
    run(scratch.path(), "--save nowhere/a.json").ended_with(2).complained_of("--save nowhere/a.json");
    std::fs::write(scratch.file("mine.toml"), "name = \"mine\"\ntitle = 4\n").unwrap();
    run(scratch.path(), "--suite mine.toml").ended_with(2).complained_of("mine.toml:2:9");
    assert!(scratch.names().iter().all(|name| name == "mine.toml"), "{:?}", scratch.names());
}

#[test]
fn a_suite_of_ones_own_is_found_by_its_name() {
    let scratch = Scratch::new("assess-own");
    let text = "name = \"mine\"\ntitle = \"t\"\nsource = \"me\"\ndate = \"2026\"\nsize = \"4M\"\n\
                [[test]]\nname = \"only\"\ntitle = \"reads\"\n\
                job = { rw = \"read\", bs = \"64k\", runtime = 1, direct = 1, ioengine = \"psync\" }\n";
    std::fs::create_dir_all(scratch.file("config/fathom/suites")).unwrap();
    std::fs::write(scratch.file("config/fathom/suites/mine.toml"), text).unwrap();
    let outcome = run(scratch.path(), "new-file --suite mine --save kept.json");
    assert!(outcome.stdout.contains("only"), "{}\n{}", outcome.stdout, outcome.stderr);
    let kept: Value = serde_json::from_slice(&std::fs::read(scratch.file("kept.json")).unwrap()).unwrap();
    assert_eq!(names(&kept), ["only"]);
    assert!(!scratch.file("new-file").exists(), "the file that it made is gone");
}

#[test]
fn snias_rounds_are_made_on_a_small_device_until_they_are_steady() {
    let scratch = Scratch::new("assess-snia");
    let Some(zram) = Zram::new(64) else { return };
    // The whole short form takes minutes where the machine is busy.
    let suite = include_str!("../../../../data/suites/snia-iops.toml");
    let fewer = suite
        .replace(
            "short_vary = { rwmixread = [100, 65, 0], bs = [\"128k\", \"4k\"] }",
            "short_vary = { rwmixread = [100, 0] }",
        )
        .replace("rounds = {", "rounds = { most = 7,")
        .replace("at = { rwmixread = 0, bs = \"4k\" }", "at = { rwmixread = 0 }")
        .replace("iodepth = 32, numjobs = 4", "iodepth = 32, numjobs = 4, bs = \"4k\"");
    std::fs::write(scratch.file("fewer.toml"), fewer).unwrap();
    let line = format!("{0} --suite fewer.toml --short --size 32M --purge --overwrite {0} --format json", zram.device);
    let assessment = run(scratch.path(), &line).json();
    let steps: Vec<_> = assessment["preparation"].as_array().unwrap().iter().map(|step| &step["step"]).collect();
    assert_eq!(steps, ["purge", "fill"]);
    assert_eq!(assessment["preparation"][1]["bytes"], 64 * MIB, "32 MiB are written twice");
    let test = tests(&assessment)[0];
    let (rounds, values) = (test["rounds"].as_array().unwrap(), test["steady"]["values"].as_array().unwrap());
    assert_eq!(rounds.len(), values.len() * 2, "each round is two runs");
    assert!(values.len() >= 5);
    let at = |round: &Value| round["at"][0][1].as_str().unwrap().to_owned();
    assert_eq!([0, 1, 2, 3].map(|nth: usize| at(&rounds[nth])), ["100", "0", "100", "0"]);
    assert!(values.len() == 7 || !test["steady"]["from_round"].is_null(), "{}", test["steady"]);
}

#[test]
fn any_test_can_be_repeated_until_it_is_steady() {
    let scratch = Scratch::new("assess-steady");
    let suite = "name = \"s\"\ntitle = \"t\"\nsource = \"s\"\ndate = \"2026\"\nsize = \"1M\"\n\
                 [[test]]\nname = \"held\"\ntitle = \"t\"\naim = \"disk_iops\"\n\
                 job = { rw = \"randread\", bs = \"4k\", rate_iops = 200, time_based = 1, runtime = 1, ioengine = \"psync\" }\n";
    std::fs::write(scratch.file("s.toml"), suite).unwrap();
    let assessment = run(scratch.path(), "--suite s.toml --until-steady snia --format json").json();
    let test = tests(&assessment)[0];
    let steady = &test["steady"];
    assert_eq!((steady["rule"].as_str(), steady["metric"].as_str().is_some()), (Some("snia"), true), "{test}");
    assert!(test["rounds"].as_array().unwrap().len() >= 5 && !steady["from_round"].is_null(), "{steady}");
    run(scratch.path(), "--until-steady often").ended_with(2).complained_of("snia or cloud");
}

#[test]
fn caches_are_warmed_before_what_measures_them_and_what_was_left_out_is_found() {
    let scratch = Scratch::new("assess-warm");
    let line = "--suite azure --short --size 32M --runtime 1 --test max-read-iops --format json";
    let warmed = run(scratch.path(), line).json();
    let steps = warmed["preparation"].as_array().unwrap();
    assert_eq!((steps[0]["step"].as_str(), steps[1]["step"].as_str()), (Some("fill"), Some("warm")));
    assert!(["done", "not_needed"].contains(&steps[1]["outcome"].as_str().unwrap()), "{}", steps[1]);
    assert!(steps[1]["bytes"].as_u64().unwrap() >= 64 * MIB, "it was read twice at least: {}", steps[1]);

    let cold = run(scratch.path(), &format!("{line} --no-prepare")).json();
    assert_eq!(cold["preparation"][1]["outcome"], "left_out");
    let findings = tests(&cold)[0]["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["id"] == "no-fill"), "{findings:?}");
    run(scratch.path(), &format!("{line} --purge --overwrite .")).ended_with(2).complained_of("the target is none");
}

#[test]
fn suites_in_diskspds_words_run_too() {
    let scratch = Scratch::new("assess-diskspd");
    let line = "--suite sql-server --short --size 16M --test log --test vm-fleet-sql --format json";
    let assessment = run(scratch.path(), line).json();
    assert_eq!(names(&assessment), ["log", "vm-fleet-sql"]);
    for test in tests(&assessment) {
        assert_eq!(test["error"], Value::Null, "{test}");
    }
    assert!(tests(&assessment)[0]["job"].as_str().unwrap().starts_with("diskspd -d1 "), "{assessment}");
}

#[test]
fn each_volume_of_a_suite_has_a_target_of_its_own() {
    let scratch = Scratch::new("assess-volumes");
    ["a", "b"].iter().for_each(|name| std::fs::create_dir(scratch.file(name)).unwrap());
    let line = "--suite azure --short --size 32M --runtime 1 --format json";
    let outcome = run(scratch.path(), &format!("nocache=a readcache=b {line} --test max-combined-iops"));
    measured(&outcome);
    let assessment = outcome.json();
    let volume = |nth: usize| (&assessment["volumes"][nth]["name"], &assessment["volumes"][nth]["target"]["path"]);
    assert_eq!((volume(0), volume(1)), ((&"nocache".into(), &"a".into()), (&"readcache".into(), &"b".into())));
    assert_eq!(assessment["target"]["path"], "nocache=a readcache=b");
    let steps = assessment["preparation"].as_array().unwrap().iter();
    let steps: Vec<String> =
        steps.map(|step| [&step["step"], &step["target"]].map(|text| text.as_str().unwrap()).join(" ")).collect();
    assert_eq!(steps, ["fill nocache=a", "fill readcache=b", "warm readcache=b"]);
    let job = tests(&assessment)[0]["job"].as_str().unwrap();
    let (reader, writer) = job.split_once("[writer1]").unwrap();
    assert!(reader.contains("/b/fathom-assess.tmp\n") && writer.contains("/a/fathom-assess.tmp\n"), "{job}");
    assert!(
        ["a", "b"].iter().all(|name| std::fs::read_dir(scratch.file(name)).unwrap().count() == 0),
        "files are left"
    );

    let refused = |words: &str, said: &str| {
        run(scratch.path(), &format!("{words} {line}")).ended_with(2).complained_of(said);
    };
    refused("nocache=a", "readcache=TARGET is missing");
    refused("nocache=a readcahce=b", "readcache=TARGET  a disk with a read-only host cache");
    refused("nocache=a b", "b stands for all volumes");
    refused("nocache=a readcache=b --expect log=azure:P30", "has no volume log");
    let one = run(scratch.path(), &format!("nocache=a readcache=b {line} --test max-write-iops"));
    one.complained_of("readcache=b: none of these tests is for it");
    assert_eq!(one.json()["target"]["path"], "nocache=a");
}

#[test]
fn consent_to_overwrite_is_for_the_one_that_is_named() {
    let scratch = Scratch::new("assess-consent");
    let (kept, lost) = (scratch.filled("kept", 16 * MIB), scratch.filled("lost", 16 * MIB));
    let before = std::fs::read(&kept).unwrap();
    let line = "--suite azure --short --runtime 1 --format json";
    let outcome = run(scratch.path(), &format!("nocache=lost readcache=kept {line} --overwrite lost"));
    let assessment = outcome.json();
    assert!(tests(&assessment).iter().all(|test| test["error"].is_null()), "{}", outcome.stderr);
    assert!(before == std::fs::read(&kept).unwrap(), "it was only to be read");
    assert!(before != std::fs::read(&lost).unwrap());

    let swapped = run(scratch.path(), &format!("nocache=kept readcache=lost {line} --overwrite lost"));
    let swapped = swapped.json();
    let refused = tests(&swapped).into_iter().filter(|test| !test["error"].is_null());
    let refused: Vec<&str> = refused.map(|test| test["name"].as_str().unwrap()).collect();
    assert_eq!(refused, ["max-write-iops", "max-combined-iops", "max-combined-throughput"]);
    assert!(before == std::fs::read(&kept).unwrap(), "nobody agreed to that");
    let other = format!("nocache=lost readcache=kept {line} --overwrite lost --overwrite other");
    run(scratch.path(), &other).ended_with(2).complained_of("other isn't the target");

    // A line that makes its file anew writes, though its I/O reads.
    let anew = "kept --suite azure-diskspd --literal --test max-read-iops";
    let anew = run(scratch.path(), &format!("{anew} --runtime 1"));
    anew.ended_with(2).complained_of("--overwrite kept").complained_of("--runtime does not apply to max-read-iops");
    assert!(before == std::fs::read(&kept).unwrap(), "it was made anew");
}
