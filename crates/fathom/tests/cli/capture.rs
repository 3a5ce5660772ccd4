//! `fathom capture`: known jobs on devices of the test are captured, and the figures are those of the jobs.

use std::path::Path;
use std::process::Child;
use std::time::Duration;

use capture::{Changes, Device, End, Facts, Head, Layer, Writer};
use serde_json::Value;

use crate::stage::{
    Loop, MIB, Mount, Outcome, Scratch, Throttle, Zram, command, fathom, interrupted, needs, outcome, run, signal,
    skipped, wait_until,
};

/// Starts a capture, and waits until it traces. `None`: this machine cannot trace, and the test is skipped.
pub fn started(scratch: &Scratch, target: &str, file: &str, options: &str) -> Option<Child> {
    let has_head = || std::fs::metadata(scratch.file(file)).is_ok_and(|file| file.len() > 0);
    let mut child = command(scratch.path(), "capture", &format!("{target} -o {file} {options}")).spawn().unwrap();
    wait_until("the capture has started", || has_head() || child.try_wait().unwrap().is_some());
    if has_head() {
        return Some(child);
    }
    let ended = outcome(child);
    assert!(ended.code == Some(2) && ended.stderr.lines().count() == 1, "{}", ended.stderr);
    skipped(&ended.stderr);
    None
}

/// Returns the figures of a file.
pub fn figures(scratch: &Scratch, file: &str) -> Value {
    shown(scratch.path(), &format!("{file} --format json")).assert_success().json()
}

fn shown(folder: &Path, arguments: &str) -> Outcome {
    outcome(command(folder, "capture", &format!("show {arguments}")).spawn().unwrap())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Asserts that a count is at least `least`, and not much above: the system may read a device that is closed.
fn is_count(found: &Value, least: u64) {
    let found = found.as_u64().unwrap();
    assert!((least..=least + least / 100 + 64).contains(&found), "{found} instead of {least}");
}

#[test]
fn a_mix_of_random_ios_on_a_device_without_a_queue_has_its_parameters() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("capture-mix");
    let Some(child) = started(&scratch, &zram.device, "c", "") else { return };
    let job = "--name=a --rw=randrw --bs=4k --rate_iops=700,300 --time_based --runtime=3 --direct=1 --iodepth=4";
    let job = run(scratch.path(), &format!("{job} --filename={} --ioengine=libaio --output-format=json", zram.device));
    let job = &job.assert_success().json()["jobs"][0];
    interrupted(child, &["INT"]).assert_success();
    let found = figures(&scratch, "c");
    for (direction, job) in [(&found["read"], &job["read"]), (&found["write"], &job["write"])] {
        is_count(&direction["ios"], job["total_ios"].as_u64().unwrap());
        assert_eq!(direction["sizes"][0]["bytes"], 4096);
        assert!(number(&direction["sizes"][0]["ios_share"]) > 0.95, "{direction:#}");
        assert!(number(&direction["sequential_share"]) < 0.05, "{direction:#}");
        // The device is a part of what the job sees.
        let (device_ns, job_ns) = (number(&direction["latency"]["mean_ns"]), number(&job["lat_ns"]["mean"]));
        assert!(device_ns > 0.0 && device_ns < job_ns, "{device_ns} of {job_ns}");
        assert!(direction["waits"].is_null());
    }
    // The 3 s of the job are in 4 s of the capture, or in more on a busy machine.
    let ios = number(&found["read"]["ios"]) + number(&found["write"]["ios"]);
    let seconds = number(&job["job_runtime"]) / 1e3 + 2.0;
    assert!(number(&found["arrivals"]["peak_ios_per_s"]) >= ios / seconds, "{:#}", found["arrivals"]);
    assert_eq!((&found["capture"]["layer"], &found["losses"]["lost_events"]), (&Value::from("bios"), &Value::from(0)));
    assert_eq!(found["programs"], Value::Array(Vec::new()), "names only with --names");
}

/// Returns the rates of a job file with reads and writes.
fn rates(job: &str) -> [f64; 2] {
    let mut rates = job.lines().filter_map(|line| line.strip_prefix("rate_iops=")?.parse().ok());
    [(); 2].map(|()| rates.next().unwrap_or_else(|| panic!("{job}")))
}

#[test]
fn the_job_of_a_capture_makes_the_same_load_again() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("capture-job");
    // Returns the figures of the capture of a job, and the jobs of its own report.
    let captured = |file: &str, run_job: &dyn Fn() -> Outcome| {
        let child = started(&scratch, &zram.device, file, "")?;
        let jobs = run_job().assert_success().json()["jobs"].as_array().unwrap().clone();
        interrupted(child, &["INT"]).assert_success();
        Some((figures(&scratch, file), jobs))
    };
    let load = "--name=a --bssplit=4k/70:16k/30 --rate_iops=400,100 --rw=randrw --percentage_random=50,100";
    let load = format!("{load} --filename={} --time_based --runtime=4 --direct=1 --ioengine=psync", zram.device);
    let load = format!("{load} --output-format=json");
    let Some((first, first_jobs)) = captured("first", &|| run(scratch.path(), &load)) else { return };
    let model = outcome(command(scratch.path(), "capture", "job first").spawn().unwrap()).assert_success().stdout;
    std::fs::write(scratch.file("model.fio"), model.replace("runtime=60", "runtime=4")).unwrap();
    let model_run = || {
        let mut job = fathom(scratch.path(), "model.fio --output-format=json");
        outcome(job.env("TARGET", &zram.device).spawn().unwrap())
    };
    let (second, second_jobs) = captured("second", &model_run).unwrap();
    for (direction, rate, of_model) in [("read", 400.0, rates(&model)[0]), ("write", 100.0, rates(&model)[1])] {
        for (found, jobs) in [(&first[direction], &first_jobs), (&second[direction], &second_jobs)] {
            // A busy machine does fewer than the rate allows. Random arrivals vary by the root of their number.
            let ios: u64 = jobs.iter().map(|job| job[direction]["total_ios"].as_u64().unwrap()).sum();
            let most = 4.0 * rate + 4.0 * f64::sqrt(4.0 * rate);
            assert!(ios > 0 && ios as f64 <= most, "{direction}: {ios}, {model}");
            is_count(&found["ios"], ios);
            assert_eq!(found["sizes"][0]["bytes"], 4096);
        }
        let captured = number(&first[direction]["ios_per_s"]);
        assert!((of_model - captured).abs() <= 0.5, "{direction}: {captured} per second, {model}");
        // Four standard deviations of draws with a chance of 0.7.
        let by_chance = 4.0 * (0.7 * 0.3 / number(&first[direction]["ios"])).sqrt();
        let shares = [&first, &second].map(|of| number(&of[direction]["sizes"][0]["ios_share"]));
        assert!((shares[0] - 0.7).abs() < by_chance, "{direction}: {shares:?}");
        let by_chance = by_chance + 4.0 * (0.7 * 0.3 / number(&second[direction]["ios"])).sqrt();
        assert!((shares[1] - shares[0]).abs() < by_chance, "{direction}: {shares:?}, {model}");
        let sequential = [&first, &second].map(|of| number(&of[direction]["sequential_share"]));
        assert!((sequential[0] - sequential[1]).abs() < 0.1, "{direction}: {sequential:?}, {model}");
    }
}

#[test]
fn sequential_writes_and_flushes_on_a_device_with_a_queue_have_their_parameters() {
    let scratch = Scratch::new("capture-sequential");
    let Some(device) = Loop::new(&scratch, 64, "") else { return };
    let Some(child) = started(&scratch, &device.device, "c", "--names") else { return };
    let job = "--name=a --rw=write --bs=16k --size=32m --direct=1 --fsync=8 --ioengine=psync";
    let job = run(scratch.path(), &format!("{job} --filename={} --output-format=json", device.device));
    let job = &job.assert_success().json()["jobs"][0];
    interrupted(child, &["INT"]).assert_success();
    let found = figures(&scratch, "c");
    let write = &found["write"];
    is_count(&write["ios"], 2048);
    is_count(&write["bytes"], 32 * MIB);
    is_count(&found["flush"]["flushes"], job["sync"]["total_ios"].as_u64().unwrap());
    assert_eq!(write["sizes"][0]["bytes"], 16_384);
    assert!(number(&write["sequential_share"]) > 0.99, "{write:#}");
    let (device_ns, job_ns) = (number(&write["latency"]["mean_ns"]), number(&job["write"]["lat_ns"]["mean"]));
    assert!(device_ns > 0.0 && device_ns < job_ns, "{device_ns} of {job_ns}");
    assert!(write["waits"]["p99_ns"].is_u64());
    assert_eq!((&found["depth"]["p50"], &found["capture"]["layer"]), (&Value::from(1), &Value::from("requests")));
    assert_eq!(found["programs"][0]["name"], "a", "threads of jobs have the names of their jobs");
    assert_eq!(found["changes"]["unmatched"], 0);
    let card = shown(scratch.path(), "c").assert_success().stdout;
    assert!(
        card.contains("MEASURED") && card.contains("sizes of writes: 16 KiB 100 %") && card.contains("flushes: "),
        "{card}"
    );
}

#[test]
fn a_partition_has_its_own_ios_and_two_captures_do_not_disturb_each_other() {
    let scratch = Scratch::new("capture-partition");
    let Some(device) = Loop::new(&scratch, 64, "") else { return };
    if device.make_partitions().is_none() {
        return;
    }
    let target = |nth: u32| format!("{}p{nth}", device.device);
    let Some(first) = started(&scratch, &target(1), "first", "") else { return };
    let second = started(&scratch, &target(2), "second", "").unwrap();
    let job = "--name=a --rw=randwrite --bs=4k --size=1m --direct=1 --ioengine=psync";
    run(scratch.path(), &format!("{job} --filename={}", target(2))).assert_success();
    let [first, second] = [(first, "first"), (second, "second")].map(|(child, file)| {
        interrupted(child, &["INT"]).assert_success();
        figures(&scratch, file)
    });
    assert!(first["write"].is_null(), "{:#}", first["write"]);
    is_count(&second["write"]["ios"], 256);
    assert_eq!(second["capture"]["partition"]["first_sector"], 65536);
}

#[test]
fn a_killed_capture_leaves_nothing_after_the_next_one() {
    let scratch = Scratch::new("capture-killed");
    let Some(device) = Loop::new(&scratch, 8, "") else { return };
    let Some(mount) = Mount::new("-t tracefs none", &scratch.file("tracefs")) else { return };
    let Some(mut child) = started(&scratch, &device.device, "killed", "") else { return };
    let begin = format!("fathom-{}-", child.id());
    let instances = || {
        let names = std::fs::read_dir(mount.0.join("instances")).unwrap().flatten();
        names.filter(|entry| entry.file_name().to_string_lossy().starts_with(&begin)).count()
    };
    assert_eq!(instances(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let global = |file: &str| std::fs::read_to_string(mount.0.join(file)).unwrap();
    assert_eq!(global("set_event"), "", "the global trace has no events");
    let mut next = command(scratch.path(), "capture", &format!("{} --for 100ms -o next", device.device));
    outcome(next.spawn().unwrap()).assert_success();
    assert_eq!(instances(), 0);
    shown(scratch.path(), "killed").ended_with(2).complained_of("the capture file is incomplete");
    let figures = figures(&scratch, "next");
    assert!(number(&figures["duration_ns"]) >= 0.09e9, "{figures:#}");
    assert_eq!(figures["end"], "time");
}

#[test]
fn a_folder_is_captured_by_its_disk_and_ctrl_c_ends_a_limited_capture_with_its_code() {
    let scratch = Scratch::new("capture-folder");
    let Some(child) = started(&scratch, ".", "c", "--for 1h") else { return };
    signal(&child, "INT");
    let ended = outcome(child);
    ended
        .ended_with(130)
        .complained_of("`fathom capture show c` shows it again, `fathom assess TARGET --like c` replays it");
    assert!(ended.stdout.contains("MEASURED"), "{}", ended.stdout);
    ended.complained_of("writes of this file are in the capture");
    assert_eq!(figures(&scratch, "c")["end"], "signal");
}

#[test]
fn what_cannot_be_captured_is_refused_with_a_sentence() {
    let scratch = Scratch::new("capture-refused");
    let refused = |target: &str, why: &str| {
        let ended = outcome(command(scratch.path(), "capture", &format!("{target} -o c")).spawn().unwrap());
        ended.ended_with(2).complained_of(why);
        assert!(!scratch.file("c").exists());
    };
    refused("/proc", "/proc is on no block device");
    refused("missing", "missing: ");
    refused("/dev/none", "there is no such device");
    let name = scratch.path().display();
    let binary = crate::stage::binary();
    let as_another = "setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all";
    // The folder of the binary may be closed to other users.
    let line = format!(
        "chmod 777 {name}; cd {name}; exec 9<{0}; {as_another} /proc/self/fd/9 capture / -o c 2>&1 || true",
        binary.display()
    );
    let Some(message) = needs(&line) else { return };
    if message.contains("setpriv") || message.contains("on no block device") {
        return skipped(&message);
    }
    assert_eq!(message, "error: /: the block layer can be traced by root only (CAP_SYS_ADMIN)");
}

#[test]
fn a_capture_with_lost_events_decides_nothing_and_other_files_are_refused() {
    let scratch = Scratch::new("capture-lost");
    let write = |file: &str, lost_events| {
        let head = Head {
            fathom: "0.1.0".to_owned(),
            target: "/dev/x".into(),
            device: Device { name: "x\u{1b}[2J".into(), ..Device::default() },
            partition: None,
            layer: Layer::Bios,
            started_unix_ms: Some(0),
            utc_offset_s: 0,
            has_names: false,
            origin: capture::Origin::Capture,
        };
        let changes = Changes::default();
        let (end, programs, cpu_ns, left_out) = (End::Time, Vec::new(), 0, None);
        let facts = Facts {
            end,
            duration_ns: 1,
            events: 1000,
            lost_events,
            unreadable: 0,
            changes,
            cpu_ns,
            programs,
            left_out,
        };
        let bytes = Writer::new(Vec::new(), &head).unwrap().finish(&facts).unwrap();
        std::fs::write(scratch.file(file), bytes).unwrap();
    };
    write("whole", 1);
    write("lost", 10);
    let whole = shown(scratch.path(), "whole").assert_success();
    assert!(!whole.stdout.contains('\u{1b}'), "{}", whole.stdout);
    let lost = shown(scratch.path(), "lost");
    lost.ended_with(3);
    assert!(lost.stdout.contains("INCONCLUSIVE: 0.99 % of the events were lost"), "{}", lost.stdout);
    std::fs::write(scratch.file("other"), "{}\n").unwrap();
    shown(scratch.path(), "other").ended_with(2).complained_of("this is neither a file of `fathom capture` nor");
    std::fs::write(scratch.file("newer"), "fathom.capture/2\n{}\n").unwrap();
    shown(scratch.path(), "newer").ended_with(2).complained_of("fathom.capture/2");
    shown(scratch.path(), "missing").ended_with(2).complained_of("missing: ");
}

/// Captures a job of Poisson arrivals and flushes on a zram device. The capture goes on for a second: a run of its load that is
/// late by as much completes it.
fn captured_mix(scratch: &Scratch, zram: &Zram) -> Option<()> {
    let child = started(scratch, &zram.device, "c", "")?;
    let job =
        "--name=a --rw=randrw --bs=4k --rate_iops=140,60 --rate_process=poisson --time_based --runtime=3 --fsync=8";
    let job = format!("{job} --direct=1 --iodepth=4 --ioengine=libaio --filename={}", zram.device);
    run(scratch.path(), &job).assert_success();
    std::thread::sleep(Duration::from_secs(1));
    interrupted(child, &["INT"]).assert_success();
    Some(())
}

/// Runs a command with its temporary files in a folder of its own, which is empty at the end.
fn searched(scratch: &Scratch, word: &str, arguments: &str) -> Outcome {
    searched_in(None, scratch, word, arguments)
}

/// The same in a control group.
fn searched_in(group: Option<&Throttle>, scratch: &Scratch, word: &str, arguments: &str) -> Outcome {
    let temporary = scratch.file("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = command(scratch.path(), word, &format!("{arguments} --no-history --quiet"));
    command.env("TMPDIR", &temporary);
    let mut command = match group {
        Some(group) => group.confine(&command),
        None => command,
    };
    let ended = outcome(command.spawn().unwrap());
    let left: Vec<_> = std::fs::read_dir(&temporary).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    ended
}

fn assessed(scratch: &Scratch, arguments: &str) -> Outcome {
    searched(scratch, "assess", arguments)
}

#[test]
fn a_captured_load_is_held_several_times_within_a_high_bound_and_not_within_a_low_one() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("capture-like");
    if captured_mix(&scratch, &zram).is_none() {
        return;
    }
    let device = &zram.device;
    let on = |options: &str| assessed(&scratch, &format!("{device} --like c --overwrite {device} {options}"));
    let held = on("--p99 10s --report page.html --save saved.json --format json").assert_success().json();
    assert_eq!(held["verdict"], "PASS");
    let knee = &held["study"]["knee"];
    let captured = figures(&scratch, "c");
    let ios = captured["read"]["ios"].as_u64().unwrap() + captured["write"]["ios"].as_u64().unwrap();
    assert_eq!((&knee["like"]["ios"], &knee["like"]["fit"]), (&Value::from(ios), &Value::from("kept")));
    let rounds = held["tests"][0]["rounds"].as_array().unwrap();
    let first = &rounds[0]["record"]["workers"][0]["stats"]["ddirs"];
    for (direction, at) in [("read", 0), ("write", 1)] {
        assert_eq!(first[at]["ios"], captured[direction]["ios"], "at 1, all of its I/Os in the time of the capture");
        assert_eq!(first[at]["arrivals"]["due"], captured[direction]["ios"]);
    }
    let saved = std::fs::read_to_string(scratch.file("saved.json")).unwrap();
    assert!(!saved.contains("like.load"), "the log is temporary");
    let page = std::fs::read_to_string(scratch.file("page.html")).unwrap();
    assert!(page.contains("times this load"), "{page}");
    let again = outcome(command(scratch.path(), "show", "saved.json").spawn().unwrap()).assert_success().stdout;
    assert!(again.contains("times this load with p99 at most 10 s") && again.contains("multiple"), "{again}");
    // No disk answers in 1 ns, so that no late I/O is the reason. Another program on the disk may be.
    let missed = on("--p99 1ns --format json");
    let (missed, code) = (missed.json(), missed.code);
    let is_disturbed = missed["tests"][0]["findings"].to_string().contains("interrupted");
    let expected = if is_disturbed { ("INCONCLUSIVE", 3) } else { ("FAIL", 1) };
    assert_eq!(
        (missed["verdict"].as_str(), code),
        (Some(expected.0), Some(expected.1)),
        "{:#}",
        missed["tests"][0]["findings"]
    );
    assert!(missed["study"]["knee"]["result"]["sustained"].is_null());
}

#[test]
fn a_captured_load_goes_into_a_folder_of_its_own_and_is_fitted_to_a_smaller_target() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("capture-like-fit");
    if captured_mix(&scratch, &zram).is_none() {
        return;
    }
    let Some(small) = Loop::new(&scratch, 8, "") else { return };
    let fitted = assessed(&scratch, &format!("{0} --like c --overwrite {0} --p99 10s", small.device)).assert_success();
    assert!(fitted.stdout.contains("it is smaller than the parts with I/Os"), "{}", fitted.stdout);
    assert!(fitted.stdout.contains("holds"), "{}", fitted.stdout);
    let refused = assessed(&scratch, &format!("{} --like c", small.device));
    refused.ended_with(2).complained_of("may hold data, and the captured load writes");
    let folder = assessed(&scratch, ". --like c --p99 10s").assert_success();
    assert!(
        folder.stdout.contains("times this load") && folder.stdout.contains("offsets are unchanged"),
        "{}",
        folder.stdout
    );
    let left: Vec<_> = std::fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".fathom")), "{left:?}");
    assessed(&scratch, ". --like c --test x").ended_with(2).complained_of("--test");
    assessed(&scratch, ". --margin 2").ended_with(2).complained_of("--like");
}

/// Reads per second that a device passes.
const READS_MOST: u64 = 200;
/// Multiples of the captured load at which reads that wait for their turn on this device wait for 300 ms.
const MULTIPLES: std::ops::Range<f64> = 1.2..2.6;

#[test]
fn knee_finds_the_multiple_without_a_verdict() {
    let Some(zram) = Zram::new(64) else { return };
    let Some(throttle) = Throttle::new(&zram) else { return };
    let scratch = Scratch::new("capture-knee");
    if captured_mix(&scratch, &zram).is_none() {
        return;
    }
    // The reads of the capture, 140 per second, reach the limit of the device before the CPU is the limit.
    throttle.ios_per_s(READS_MOST);
    let options = "--p99 300ms --runtime 2s --format json --output knee.json";
    let line = format!("{0} --like c --overwrite {0} {options}", zram.device);
    let ended = searched_in(Some(&throttle), &scratch, "knee", &line);
    ended.complained_of("note: replays the busiest 2 s");
    let knee: Value = serde_json::from_slice(&std::fs::read(scratch.file("knee.json")).unwrap()).unwrap();
    let (found, sentence) = (&knee["found"], knee["sentence"].as_str().unwrap());
    let (held, missed) = (number(&found["held_multiple"]), number(&found["missed_multiple"]));
    assert!((MULTIPLES.contains(&held) && held < missed), "{knee:#}");
    assert!(sentence.contains(&format!("{held} times this load with p99 at most 300 ms")), "{sentence}");
    // Only evidence that something else was the limit makes a verdict, and that is INCONCLUSIVE.
    let disturbs = ["other-load", "interrupted", "tail-disturbed"];
    let findings = knee["findings"].as_array().unwrap();
    let is_disturbed = findings.iter().any(|finding| disturbs.iter().any(|kind| finding["kind"] == *kind));
    let is_open = is_disturbed || !found["load_generator"].is_null();
    ended.ended_with(if is_open { 3 } else { 0 });
    assert_eq!(sentence.contains("INCONCLUSIVE"), is_open, "{sentence}");
    let refused = searched(&scratch, "knee", &format!("{} --like c --rw=randread", zram.device));
    refused.ended_with(2).complained_of("--rw");
}

#[test]
fn a_capture_is_shown_as_a_page_with_its_rates_over_time() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("capture-page");
    if captured_mix(&scratch, &zram).is_none() {
        return;
    }
    shown(scratch.path(), "c -o page.html").assert_success();
    let page = std::fs::read_to_string(scratch.file("page.html")).unwrap();
    assert!(page.contains("IOPS over time") && page.contains("sizes of writes: 4 KiB 100 %"), "{page}");
    shown(scratch.path(), "c -o page.txt").ended_with(2).complained_of("NAME.html");
}
