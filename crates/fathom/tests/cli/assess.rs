//! `fathom assess` end to end: measurements, files left, rejected command lines, stop and resume.

use std::path::Path;
use std::process::Command;

use crate::stage::{self, Loop, MIB, Mount, Outcome, Scratch, Zram, command, outcome, run_folder, signal, wait_until};
use serde_json::Value;

/// Returns the command, with its state in `directory`.
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

/// Checks verdict and exit code of figures without expectations. They depend on whether temporary files are in memory.
fn measured(outcome: &Outcome) {
    let has_direct_io = !["no-direct-io", "in-memory"].iter().any(|id| outcome.stdout.contains(id));
    if !has_direct_io {
        crate::stage::skipped("temporary files lie where there is no direct I/O: figures are not looked at");
    }
    outcome.ended_with(if has_direct_io { 0 } else { 4 });
}

#[test]
fn default_target_is_the_current_directory_and_no_files_remain() {
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
fn first_screen_has_an_answer_without_an_expectation() {
    let scratch = Scratch::new("assess-answer");
    let outcome = run(scratch.path(), "--short --size 16M --test read-iops --test read-latency");
    measured(&outcome);
    assert!(outcome.stdout.lines().count() <= 24, "{}", outcome.stdout);
    assert!(outcome.stdout.matches("MEASURED").count() <= 1, "{}", outcome.stdout);
    // Of a long path, the command has a line of its own.
    assert!(outcome.stdout.contains("for a verdict, for example:"), "{}", outcome.stdout);
    let command = format!("fathom assess {} --", scratch.path().display());
    assert!(outcome.stdout.contains(&command), "{}", outcome.stdout);
}

#[test]
fn requirement_without_a_fitting_test_names_the_suite_that_has_one() {
    // A command that is longer than the terminal is wide stays one line, so that it can be copied.
    let scratch = Scratch::new("assess-unmeasured-in-a-folder-with-a-name-that-needs-its-own-line");
    let outcome = run(scratch.path(), "--short --size 16M --test read-latency --for etcd");
    if outcome.stdout.contains("INVALID") {
        return crate::stage::skipped("temporary files lie where there is no direct I/O: figures are not looked at");
    }
    outcome.ended_with(3);
    assert!(outcome.stdout.contains("INCONCLUSIVE: etcd: no test measured fsync.p99<=10ms"), "{}", outcome.stdout);
    let command = format!("fathom assess {} --suite etcd --for etcd", scratch.path().display());
    assert!(outcome.stdout.lines().any(|line| line == command), "{}", outcome.stdout);
}

#[test]
fn applications_choose_the_tests_that_judge_them() {
    let scratch = Scratch::new("assess-for");
    let outcome = run(scratch.path(), "--short --for etcd --for k3s --format json");
    assert!(
        outcome.stderr.contains("etcd on ") && outcome.stderr.contains(": 1 test, 2 s (up to three times as long"),
        "{}",
        outcome.stderr
    );
    let lines = ["etcd is judged by wal (fsync.p99<=10ms, write.iops>=50)", "k3s is judged by wal (fsync.p99<10ms)"];
    assert!(lines.iter().all(|line| outcome.stderr.contains(line)), "{}", outcome.stderr);
    let document = outcome.json();
    let tests = document["tests"].as_array().unwrap();
    assert_eq!((tests.len(), tests[0]["judgements"].as_array().unwrap().len()), (1, 3), "{document}");
}

#[test]
fn stopped_assessment_reports_its_figures_and_can_be_resumed() {
    let scratch = Scratch::new("assess-stop");
    let line = "--short --size 16M --test read-latency --test write-latency --test fsync --format json";
    let child = assess(scratch.path(), line).stderr(std::process::Stdio::null()).spawn().unwrap();
    let state = scratch.file("state/fathom/assess");
    // The state is saved after the first test.
    wait_until("a test is done", || std::fs::read_dir(&state).map_or(0, Iterator::count) > 0);
    signal(&child, "INT");
    let stopped = outcome(child);
    stopped.ended_with(130);
    let partial = stopped.json();
    assert_eq!(partial["stopped"], true);
    let verdicts = tests(&partial).into_iter().map(|test| test["verdict"].as_str().unwrap());
    assert!(
        verdicts.clone().all(|verdict| ["MEASURED", "SKIPPED", "INVALID"].contains(&verdict)),
        "{:?}",
        verdicts.collect::<Vec<_>>()
    );
    assert!(!tests(&partial).is_empty() && tests(&partial).len() <= 3);
    assert_eq!(scratch.names(), ["state"], "its files are removed");
    let saved: Vec<_> = std::fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(saved.len(), 1);
    harness::check_output(&std::fs::read_to_string(&saved[0]).unwrap());

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
    assert_eq!(std::fs::read_dir(&state).unwrap().count(), 0, "no state remains to resume");
}

#[test]
fn own_test_file_is_distinguished_from_user_files() {
    let scratch = Scratch::new("assess-new");
    let line = "new --yes --short --size 8M --test write-latency --format json";
    let mut killed = assess(scratch.path(), "new --yes --size 8M --test write-latency --runtime 60")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let made = || run_folder(scratch.path()).map(|folder| folder.join("file"));
    let length = || std::fs::metadata(made()?).ok().map(|file| file.len());
    wait_until("a file is created", || length().is_some_and(|bytes| bytes > 0));
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(length().is_some(), "it was killed during the run");

    let assessment = run(scratch.path(), line).json();
    assert_eq!(tests(&assessment)[0]["error"], Value::Null);
    assert_eq!(scratch.names(), ["state"], "its files are removed");
    let both =
        "nocache=one readcache=other --yes --suite azure --short --size 8M --test max-combined-iops --format json";
    measured(&run(scratch.path(), both));
    assert_eq!(scratch.names(), ["state"], "its files are removed");
    run(scratch.path(), &format!("{line} --keep-files")).complained_of("the tests' files are in");
    assert_eq!(scratch.names(), ["new", "state"]);
    run(scratch.path(), line).ended_with(2).complained_of("--overwrite new");
}

#[test]
fn existing_file_is_only_read_without_consent() {
    let scratch = Scratch::new("assess-file");
    let file = scratch.filled("precious", 8 * MIB);
    let before = std::fs::read(&file).unwrap();
    let line = "precious --short --runtime 1 --format json --test read-latency --test write-latency";
    let careful = run(scratch.path(), line);
    let assessment = careful.json();
    let error = |name: &str| tests(&assessment).into_iter().find(|test| test["name"] == name).unwrap()["error"].clone();
    assert_eq!(error("read-latency"), Value::Null);
    assert_eq!(error("write-latency")["kind"], "not-overwritable", "{assessment}");
    assert_eq!(error("write-latency")["data"]["path"], "precious", "{assessment}");
    assert!(before == std::fs::read(&file).unwrap(), "the file was changed");

    run(scratch.path(), "precious --short --test write-latency").ended_with(2).complained_of("--overwrite precious");
    run(scratch.path(), "precious --short --overwrite other").ended_with(2).complained_of("is not the target");
    assert!(before == std::fs::read(&file).unwrap(), "the file was changed");

    let agreed = run(scratch.path(), "precious --short --test write-latency --overwrite ./precious --format json");
    assert_eq!(tests(&agreed.json())[0]["error"], Value::Null);
    let after = std::fs::read(&file).unwrap();
    assert!(after.len() == before.len() && after != before, "the file keeps its length");
}

#[test]
fn only_a_file_with_unwritten_blocks_is_reported_as_not_filled() {
    let scratch = Scratch::new("assess-written");
    scratch.filled("written", 8 * MIB);
    let file = scratch.filled("sparse", 4 * MIB);
    std::fs::File::options().write(true).open(&file).unwrap().set_len(8 * MIB).unwrap();
    let kinds = |name: &str| -> Vec<String> {
        let line = format!("{name} --short --runtime 1 --test read-latency --format json");
        let assessment = run(scratch.path(), &line).json();
        assert_eq!(assessment["preparation"][0]["outcome"], "left_out", "{assessment}");
        let findings = tests(&assessment)[0]["findings"].as_array().unwrap().clone();
        findings.iter().map(|finding| finding["kind"].as_str().unwrap().to_owned()).collect()
    };
    let sparse = kinds("sparse");
    if !sparse.iter().any(|kind| kind == "unwritten") {
        return stage::skipped("the file system of temporary files does not report unwritten blocks");
    }
    assert!(sparse.iter().any(|kind| kind == "no-fill"), "{sparse:?}");
    let written = kinds("written");
    assert!(!written.iter().any(|kind| ["no-fill", "unwritten"].contains(&kind.as_str())), "{written:?}");
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
fn invalid_arguments_are_rejected_before_any_run() {
    let scratch = Scratch::new("assess-arguments");
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
fn the_error_of_an_invalid_request_is_printed_once_and_last() {
    let scratch = Scratch::new("assess-errors");
    let suite = |name: &str, job: &str| {
        let head = "name = \"mine\"\ntitle = \"t\"\nsource = \"s\"\ndate = \"2026\"\nsize = \"1M\"\n";
        let text = format!("{head}[[test]]\nname = \"x\"\ntitle = \"t\"\njob = {{ {job} }}\n");
        std::fs::write(scratch.file(name), text).unwrap();
    };
    suite("value.toml", "rw = \"raed\"");
    suite("syntax.toml", "rw = ");
    std::fs::create_dir(scratch.file("unused")).unwrap();
    let requests = [
        "--suite value.toml",
        "--suite syntax.toml",
        "--suite none.toml",
        "--suite quikc",
        "--require speed<3",
        "--expect azure:nope",
        "--for nothing",
        "--nosuch",
        "--test speed",
        "--size nothing",
        "nowhere/file",
        // A note about a target comes first.
        "--suite azure --test max-read-iops readcache=. nocache=unused --save nowhere/a.json --short --size 8M",
    ];
    for request in requests {
        let outcome = run(scratch.path(), request);
        outcome.ended_with(2);
        assert_eq!(outcome.stdout, "", "{request}");
        let (before, error) = outcome.stderr.split_once("error: ").unwrap_or_else(|| panic!("{request}"));
        assert!(before.is_empty() || before.ends_with('\n'), "{request}:\n{}", outcome.stderr);
        let others = ["error:", "\nwarning:", "\nnote:"];
        assert!(!others.iter().any(|other| error.contains(other)), "{request}:\n{}", outcome.stderr);
    }
}

#[test]
fn user_suite_is_found_by_name() {
    let scratch = Scratch::new("assess-own");
    let text = "name = \"mine\"\ntitle = \"t\"\nsource = \"me\"\ndate = \"2026\"\nsize = \"4M\"\n\
                [[test]]\nname = \"only\"\ntitle = \"reads\"\n\
                job = { rw = \"read\", bs = \"64k\", runtime = 1, direct = 1, ioengine = \"psync\" }\n";
    std::fs::create_dir_all(scratch.file("config/fathom/suites")).unwrap();
    std::fs::write(scratch.file("config/fathom/suites/mine.toml"), text).unwrap();
    let outcome = run(scratch.path(), "new-file --yes --suite mine --save kept.json");
    assert!(outcome.stdout.contains("only"), "{}\n{}", outcome.stdout, outcome.stderr);
    let kept: Value = serde_json::from_slice(&std::fs::read(scratch.file("kept.json")).unwrap()).unwrap();
    assert_eq!(names(&kept), ["only"]);
    assert!(!scratch.file("new-file").exists(), "the file that it created is removed");
}

#[test]
fn snia_rounds_run_until_steady_state() {
    let scratch = Scratch::new("assess-snia");
    let Some(zram) = Zram::new(64) else { return };
    // The complete short form takes minutes on a busy machine.
    let suite = include_str!("../../../../data/suites/snia-iops.toml");
    let fewer = suite
        .replace(
            "short_vary = { rwmixread = [100, 65, 0], bs = [\"128k\", \"4k\"] }",
            "short_vary = { rwmixread = [100, 0] }",
        )
        .replace("rounds = {", "rounds = { most = 7,")
        .replace("at = { rwmixread = 0, bs = \"4k\" }", "at = { rwmixread = 0 }")
        // The rate leaves CPU time to other tests.
        .replace("iodepth = 32, numjobs = 4", "iodepth = 32, numjobs = 4, bs = \"4k\", rate_iops = 500");
    std::fs::write(scratch.file("fewer.toml"), fewer).unwrap();
    let line = format!("{0} --suite fewer.toml --short --size 32M --purge --overwrite {0} --format json", zram.device);
    let assessment = run(scratch.path(), &line).json();
    let steps: Vec<_> = assessment["preparation"].as_array().unwrap().iter().map(|step| &step["step"]).collect();
    assert_eq!(steps, ["purge", "fill"]);
    assert_eq!(assessment["preparation"][1]["bytes"], 64 * MIB, "32 MiB are written twice");
    let test = tests(&assessment)[0];
    let (rounds, values) = (test["rounds"].as_array().unwrap(), test["steady"][0]["values"].as_array().unwrap());
    assert_eq!(rounds.len(), values.len() * 2, "each round is two runs");
    assert!(values.len() >= 5);
    let at = |round: &Value| round["at"][0][1].as_str().unwrap().to_owned();
    assert_eq!([0, 1, 2, 3].map(|nth: usize| at(&rounds[nth])), ["100", "0", "100", "0"]);
    assert!(values.len() == 7 || !test["steady"][0]["from_round"].is_null(), "{}", test["steady"]);
}

/// Whether SNIA's rule holds for five rounds: all within 20 % of their mean, and the ends of the straight line through them within 10 %.
fn is_steady(rounds: &[f64]) -> bool {
    let mean = rounds.iter().sum::<f64>() / 5.0;
    let [least, most] = [f64::min, f64::max].map(|of| rounds.iter().copied().reduce(of).unwrap());
    let slope = rounds.iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0]).map(|(value, at)| value * at).sum::<f64>() / 10.0;
    most - least <= 0.2 * mean && (4.0 * slope).abs() <= 0.1 * mean
}

#[test]
fn any_test_can_run_until_steady_state() {
    let scratch = Scratch::new("assess-steady");
    let suite = "name = \"s\"\ntitle = \"t\"\nsource = \"s\"\ndate = \"2026\"\nsize = \"1M\"\n\
                 [[test]]\nname = \"held\"\ntitle = \"t\"\naim = \"disk_iops\"\n\
                 job = { rw = \"randread\", bs = \"4k\", rate_iops = 200, time_based = 1, runtime = 1, ioengine = \"psync\" }\n";
    std::fs::write(scratch.file("s.toml"), suite).unwrap();
    let assessment = run(scratch.path(), "--suite s.toml --until-steady snia --format json").json();
    let test = tests(&assessment)[0];
    let steady = &test["steady"][0];
    assert_eq!((steady["rule"].as_str(), steady["metric"].as_str().is_some()), (Some("snia"), true), "{test}");
    let rounds = test["rounds"].as_array().unwrap();
    let values: Vec<f64> = steady["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    assert_eq!(values.len(), rounds.len(), "{steady}");
    for (round, value) in rounds.iter().zip(&values) {
        let reads = &round["record"]["workers"][0]["stats"]["ddirs"][0];
        let ios_per_s = reads["ios"].as_f64().unwrap() * 1e9 / reads["runtime_ns"].as_f64().unwrap();
        assert!((value / ios_per_s - 1.0).abs() < 1e-6, "{value} in {steady}, {ios_per_s} measured");
    }
    // On a busy machine the rate may never be steady: the rounds end after 25.
    let first = values.windows(5).position(is_steady);
    assert_eq!(steady["from_round"].as_u64(), first.map(|first| first as u64), "{steady}");
    assert_eq!(rounds.len(), first.map_or(25, |first| first + 5), "{steady}");
    run(scratch.path(), "--until-steady often").ended_with(2).complained_of("snia or cloud");
}

#[test]
fn caches_are_warmed_and_missing_warming_is_found() {
    let scratch = Scratch::new("assess-warm");
    let line = "--suite azure --short --size 32M --runtime 1 --test max-read-iops --format json";
    let warmed = run(scratch.path(), line).json();
    let steps = warmed["preparation"].as_array().unwrap();
    assert_eq!((steps[0]["step"].as_str(), steps[1]["step"].as_str()), (Some("fill"), Some("warm")));
    assert!(["done", "not_needed"].contains(&steps[1]["outcome"].as_str().unwrap()), "{}", steps[1]);
    assert!(steps[1]["bytes"].as_u64().unwrap() >= 64 * MIB, "read fewer than two times: {}", steps[1]);

    let cold = run(scratch.path(), &format!("{line} --no-prepare")).json();
    assert_eq!(cold["preparation"][1]["outcome"], "left_out");
    let findings = tests(&cold)[0]["findings"].as_array().unwrap();
    let has = |kind: &str| findings.iter().any(|finding| finding["kind"] == kind);
    assert!(has("no-warm") && !has("no-fill"), "the layout wrote the files: {findings:?}");
    run(scratch.path(), &format!("{line} --purge --overwrite ."))
        .ended_with(2)
        .complained_of("a target is not a device");
}

#[test]
fn suites_with_diskspd_arguments_run() {
    let scratch = Scratch::new("assess-diskspd");
    let line = "--suite sql-server --short --size 16M --test log --test vm-fleet-sql --format json";
    let assessment = run(scratch.path(), line).json();
    assert_eq!(names(&assessment), ["log", "vm-fleet-sql"]);
    for test in tests(&assessment) {
        assert_eq!(test["error"], Value::Null, "{test}");
    }
    assert!(tests(&assessment)[0]["job"].as_str().unwrap().starts_with("diskspd -d2 "), "{assessment}");
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
    let [a, b] = ["a", "b"].map(|name| scratch.file(name).display().to_string());
    let expected =
        [("nocache", &a), ("readcache", &b)].map(|(name, path)| (Value::from(name), Value::from(path.as_str())));
    assert_eq!([volume(0), volume(1)].map(|(name, path)| (name.clone(), path.clone())), expected);
    assert_eq!(assessment["target"]["path"], format!("nocache={a} readcache={b}"));
    let steps = assessment["preparation"].as_array().unwrap().iter();
    let steps: Vec<String> =
        steps.map(|step| [&step["step"], &step["target"]].map(|text| text.as_str().unwrap()).join(" ")).collect();
    let expected = [("fill nocache", &a), ("fill readcache", &b), ("warm readcache", &b)];
    assert_eq!(steps, expected.map(|(step, path)| format!("{step}={path}")));
    let job = tests(&assessment)[0]["job"].as_str().unwrap();
    let (reader, writer) = job.split_once("[writer1]").unwrap();
    assert!(reader.contains("/b/.fathom-assess-") && writer.contains("/a/.fathom-assess-"), "{job}");
    assert!(
        ["a", "b"].iter().all(|name| std::fs::read_dir(scratch.file(name)).unwrap().count() == 0),
        "files are left"
    );

    let refused = |arguments: &str, message: &str| {
        run(scratch.path(), &format!("{arguments} {line}")).ended_with(2).complained_of(message);
    };
    refused("nocache=a", "readcache=TARGET is missing");
    refused("nocache=a readcahce=b", "readcache=TARGET  a disk with a read-only host cache");
    refused("nocache=a b", "b has no name");
    refused("nocache=a readcache=b --expect log=azure:P30", "has no volume log");
    let one = run(scratch.path(), &format!("nocache=a readcache=b {line} --test max-write-iops"));
    one.complained_of(&format!("readcache={b} is not used by any of these tests"));
    assert_eq!(one.json()["target"]["path"], format!("nocache={a}"));
}

#[test]
fn consent_to_overwrite_applies_only_to_its_target() {
    let scratch = Scratch::new("assess-consent");
    let (kept, lost) = (scratch.filled("kept", 16 * MIB), scratch.filled("lost", 16 * MIB));
    let before = std::fs::read(&kept).unwrap();
    let line = "--suite azure --short --runtime 1 --format json";
    let outcome = run(scratch.path(), &format!("nocache=lost readcache=kept {line} --overwrite lost"));
    let assessment = outcome.json();
    assert!(tests(&assessment).iter().all(|test| test["error"].is_null()), "{}", outcome.stderr);
    assert!(before == std::fs::read(&kept).unwrap(), "only reads were permitted");
    assert!(before != std::fs::read(&lost).unwrap());

    let swapped = run(scratch.path(), &format!("nocache=kept readcache=lost {line} --overwrite lost"));
    let swapped = swapped.json();
    let refused = tests(&swapped).into_iter().filter(|test| !test["error"].is_null());
    let refused: Vec<&str> = refused.map(|test| test["name"].as_str().unwrap()).collect();
    assert_eq!(refused, ["max-write-iops", "max-combined-iops", "max-combined-throughput"]);
    assert!(before == std::fs::read(&kept).unwrap(), "no consent was given");
    let other = format!("nocache=lost readcache=kept {line} --overwrite lost --overwrite other");
    run(scratch.path(), &other).ended_with(2).complained_of("other is not the target");

    // A command line that creates its file writes, although its I/O reads.
    let anew = "kept --suite azure-diskspd --literal --test max-read-iops";
    let anew = run(scratch.path(), &format!("{anew} --runtime 1"));
    anew.ended_with(2).complained_of("--overwrite kept").complained_of("--runtime does not apply to max-read-iops");
    assert!(before == std::fs::read(&kept).unwrap(), "the file was replaced");
}

#[test]
fn invalid_expectations_are_refused_before_anything_runs() {
    let scratch = Scratch::new("verdict-args");
    let refused = |args: &str, expected: &str| {
        let outcome = run(scratch.path(), &format!("--short {args}"));
        outcome.ended_with(2).complained_of(expected);
    };
    refused("--expect azure:P33", "did you mean P3");
    refused("--expect aws:gp2", "gp2 needs size");
    refused("--require read.iosp>=5", "unknown metric");
    refused("--require missing.toml", "missing.toml");
    refused("--require nocache:read.iops>=5", "the suite quick has no volume nocache");
    refused("--suite azure --require nocahce:write.iops>=5", "nocache=TARGET");
    refused("--for ectd", "did you mean etcd?");
    assert!(scratch.names().is_empty(), "{:?}", scratch.names());
}
