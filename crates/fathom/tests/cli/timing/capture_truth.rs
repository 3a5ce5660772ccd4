//! The model of a capture: known jobs run, a part of their time is captured, and the model has the parameters of the jobs. The bounds
//! are those of a busy machine.

use std::process::Child;

use serde_json::Value;

use crate::stage::{Loop, Scratch, Zram, command, fathom, interrupted, outcome, skipped, wait_until};

/// Captures of a job until its model is right.
const ATTEMPTS: u32 = 4;

/// A parameter of a job.
#[derive(Clone, Copy, Debug)]
enum Truth {
    /// I/Os per second of a direction, ± 15 %; on a busy machine those that the job itself reports.
    Rate(&'static str, f64),
    /// The share of a size in bytes, ± 0.08: the system reads a device after the job before has closed it.
    Size(&'static str, u64, f64),
    /// The share of sequential I/Os, ± 0.06.
    Sequential(&'static str, f64),
    /// The share of the I/Os in the hottest regions with at most a share of the space, ± 0.08.
    Hot(&'static str, f64, f64),
    /// No region is hotter than by chance.
    Even(&'static str),
    /// The dispersion in 100 ms.
    Dispersion(&'static str, f64, f64),
    /// The pauses between bursts in ms, ± 25 %, and the I/Os of a burst, ± 25 %.
    Bursts(&'static str, f64, f64),
    /// Writes per flush, ± 15 %.
    WritesPerFlush(f64),
}

use Truth::{Bursts, Dispersion, Even, Hot, Rate, Sequential, Size, WritesPerFlush};

/// Options of a job, and its parameters.
type Known = (&'static str, &'static [Truth]);

const MIXES: [Known; 5] = [
    ("--rw=randread --bs=4k --rate_iops=500", &[Rate("read", 500.0), Size("read", 4096, 1.0), Even("read")]),
    ("--rw=randwrite --bs=4k --rate_iops=400", &[Rate("write", 400.0), Sequential("write", 0.0), Even("write")]),
    ("--rw=randrw --bs=4k --rate_iops=700,300", &[Rate("read", 700.0), Rate("write", 300.0)]),
    ("--rw=randrw --bs=4k --rate_iops=100,600", &[Rate("read", 100.0), Rate("write", 600.0), Size("write", 4096, 1.0)]),
    ("--rw=rw --bs=8k --rate_iops=300,200", &[Rate("read", 300.0), Rate("write", 200.0), Size("read", 8192, 1.0)]),
];

const SIZES_AND_SKEW: [Known; 5] = [
    ("--rw=randread --bssplit=4k/70:16k/30 --rate_iops=700", &[Size("read", 4096, 0.7), Size("read", 16_384, 0.3)]),
    (
        "--rw=randwrite --bssplit=4k/50:8k/30:64k/20 --rate_iops=700 --norandommap",
        &[Size("write", 4096, 0.5), Size("write", 8192, 0.3), Size("write", 65_536, 0.2)],
    ),
    (
        "--rw=randrw --bs=4k,64k --rate_iops=400,200",
        &[Size("read", 4096, 1.0), Size("write", 65_536, 1.0), Rate("read", 400.0)],
    ),
    (
        "--rw=randread --bs=4k --rate_iops=900 --random_distribution=zoned:80/20:20/80",
        &[Hot("read", 0.2, 0.8), Sequential("read", 0.0)],
    ),
    // Blocks 1, 2 and 3 of 16,384 have 20.5, 8.9 and 5.5 %.
    ("--rw=randread --bs=4k --rate_iops=900 --random_distribution=zipf:1.2", &[Hot("read", 0.013, 0.36)]),
];

const STREAMS: [Known; 5] = [
    ("--rw=read --bs=16k --rate_iops=400", &[Sequential("read", 1.0), Rate("read", 400.0), Size("read", 16_384, 1.0)]),
    ("--rw=write --bs=64k --rate_iops=200", &[Sequential("write", 1.0), Rate("write", 200.0)]),
    (
        "--rw=read --bs=4k --rate_iops=100 --numjobs=4 --offset_increment=16m --size=16m",
        &[Sequential("read", 1.0), Rate("read", 400.0)],
    ),
    ("--rw=randread --percentage_random=50 --bs=4k --rate_iops=700", &[Sequential("read", 0.5)]),
    ("--rw=randwrite --percentage_random=20 --bs=4k --rate_iops=700", &[Sequential("write", 0.8)]),
];

const ARRIVALS: [Known; 5] = [
    ("--rw=randread --bs=4k --rate_iops=400", &[Dispersion("read", 0.0, 0.7), Rate("read", 400.0)]),
    (
        "--rw=randread --bs=4k --rate_iops=400 --rate_process=poisson",
        &[Dispersion("read", 0.35, 2.2), Rate("read", 400.0)],
    ),
    (
        "--rw=randrw --bs=4k --rate_iops=300,200 --rate_process=poisson",
        &[Dispersion("read", 0.35, 2.2), Dispersion("write", 0.35, 2.2)],
    ),
    (
        "--rw=randread --bs=4k --thinktime=300ms --thinktime_blocks=100",
        &[Bursts("read", 300.0, 100.0), Dispersion("read", 20.0, 100.0)],
    ),
    (
        "--rw=write --bs=8k --thinktime=250ms --thinktime_blocks=40",
        &[Bursts("write", 250.0, 40.0), Sequential("write", 1.0)],
    ),
];

/// A device without a write cache has no flushes: these run on a loop device, which does not reach a rate on a busy machine.
const FLUSHES: [Known; 2] = [
    ("--rw=randwrite --bs=4k --rate_iops=400 --fsync=4", &[WritesPerFlush(4.0), Sequential("write", 0.0)]),
    ("--rw=write --bs=16k --rate_iops=300 --fsync=16", &[WritesPerFlush(16.0), Sequential("write", 1.0)]),
];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Returns why a figure is not near the truth.
fn differs(what: &str, found: f64, truth: f64, by: f64) -> Option<String> {
    let is_near = (found - truth).abs() <= by;
    (!is_near).then(|| format!("{what}: {found} instead of {truth} ± {by}"))
}

fn share_of_size(direction: &Value, bytes: u64) -> f64 {
    let sizes = direction["sizes"].as_array().into_iter().flatten();
    sizes.filter(|size| size["bytes"] == bytes).map(|size| number(&size["ios_share"])).sum()
}

/// Returns the share of the I/Os in the largest hot part of at most a share of the space.
fn hot(direction: &Value, space: f64) -> f64 {
    let parts = direction["regions"]["hottest"].as_array().into_iter().flatten();
    let shares = parts.filter(|part| number(&part["space_share"]) <= space + 0.005);
    shares.map(|part| number(&part["ios_share"])).fold(f64::NAN, f64::max)
}

fn is_even(direction: &Value) -> bool {
    let parts = direction["regions"]["hottest"].as_array().into_iter().flatten();
    parts.into_iter().all(|part| number(&part["ios_share"]) <= number(&part["even_share"]) + 0.05)
}

/// Returns the I/Os per second of a direction by the report of the jobs.
fn reported_rate(report: &Value, name: &str) -> f64 {
    report["jobs"].as_array().into_iter().flatten().map(|job| number(&job[name]["iops"])).sum()
}

/// Returns what of a model is not the truth. `report` is that of the job.
fn wrong(model: &Value, report: &Value, truth: &Truth) -> Option<String> {
    match *truth {
        Rate(name, rate) => {
            let differs_from =
                |rate: f64| differs(&format!("rate of {name}"), number(&model[name]["ios_per_s"]), rate, rate * 0.15);
            differs_from(rate).filter(|_| differs_from(reported_rate(report, name)).is_some())
        }
        Size(name, bytes, share) => {
            differs(&format!("{bytes} B of {name}"), share_of_size(&model[name], bytes), share, 0.08)
        }
        Sequential(name, share) => {
            differs(&format!("sequential {name}"), number(&model[name]["sequential_share"]), share, 0.06)
        }
        Hot(name, space, share) => differs(&format!("hot {space} of {name}"), hot(&model[name], space), share, 0.08),
        Even(name) => (!is_even(&model[name])).then(|| format!("{name} has hot regions")),
        Dispersion(name, least, most) => {
            let found = number(&model[name]["burstiness"]["dispersion"]);
            (!(least..=most).contains(&found)).then(|| format!("dispersion of {name}: {found}, not {least} to {most}"))
        }
        Bursts(name, pause_ms, ios) => {
            let bursts = &model[name]["burstiness"]["bursts"];
            let of_burst = number(&model[name]["ios"]) / number(&bursts["bursts"]);
            let pause = differs("pause", number(&bursts["pause_ns"]) / 1e6, pause_ms, pause_ms * 0.25);
            pause.or_else(|| differs("I/Os of a burst", of_burst, ios, ios * 0.25))
        }
        WritesPerFlush(writes) => {
            let found = number(&model["write"]["ios"]) / number(&model["flush"]["flushes"]);
            differs("writes per flush", found, writes, writes * 0.15)
        }
    }
}

/// Captures 3 s of a job that runs. Returns the model and the report of the job. `None`: this machine cannot trace, and the test is
/// skipped.
fn captured(scratch: &Scratch, device: &str, job: Child, file: &str) -> Option<[Value; 2]> {
    let name = device.trim_start_matches("/dev/");
    let ios = || {
        let stat = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        let counters: Vec<u64> = stat.split_whitespace().map(|field| field.parse().unwrap()).collect();
        counters[0] + counters[4]
    };
    let before = ios();
    wait_until("the job runs", || ios() > before + 50);
    let mut capture = command(scratch.path(), "capture", &format!("{device} --for 3s --quiet -o {file}"));
    let ended = outcome(capture.spawn().unwrap());
    let report = interrupted(job, &["INT"]).json();
    if ended.code == Some(2) {
        skipped(&ended.stderr);
        return None;
    }
    ended.assert_success();
    let show = command(scratch.path(), "capture", &format!("show {file} --format json")).spawn();
    Some([outcome(show.unwrap()).assert_success().json(), report])
}

fn started(scratch: &Scratch, device: &str, options: &str) -> Child {
    let line = format!("--name=a --filename={device} --time_based --runtime=60 --direct=1 --ioengine=psync {options}");
    fathom(scratch.path(), &format!("{line} --output-format=json")).spawn().unwrap()
}

/// Captures until nothing is wrong, a few times at most: other programs disturb a run, and a wrong model is wrong each time.
fn best_of(mut attempt: impl FnMut() -> Option<Vec<String>>) -> Option<Vec<String>> {
    let mut wrongs = attempt()?;
    for _ in 1..ATTEMPTS {
        if wrongs.is_empty() {
            break;
        }
        println!("RETRIED: {}", wrongs.join("; "));
        wrongs = attempt()?;
    }
    Some(wrongs)
}

/// Runs jobs one after another. Each has its own capture.
fn check(device: &str, scratch: &Scratch, jobs: &[Known]) {
    let mut wrongs = Vec::new();
    for (options, truths) in jobs {
        let found = best_of(|| {
            let [model, report] = captured(scratch, device, started(scratch, device, options), "c")?;
            let wrong = |truth| Some(format!("{options}: {}", wrong(&model, &report, truth)?));
            Some(truths.iter().filter_map(wrong).collect())
        });
        let Some(found) = found else { return };
        wrongs.extend(found);
    }
    assert!(wrongs.is_empty(), "{wrongs:#?}");
}

fn check_on_zram(name: &str, jobs: &[Known]) {
    let Some(zram) = Zram::new(64) else { return };
    check(&zram.device, &Scratch::new(name), jobs);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn the_model_of_a_mix_has_its_rates() {
    check_on_zram("truth-mixes", &MIXES);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn the_model_has_the_sizes_and_the_hot_regions_of_a_job() {
    check_on_zram("truth-sizes", &SIZES_AND_SKEW);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn the_model_has_the_sequential_share_of_one_or_more_streams() {
    check_on_zram("truth-streams", &STREAMS);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn the_model_tells_even_and_random_arrivals_and_bursts_apart() {
    check_on_zram("truth-arrivals", &ARRIVALS);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn the_model_has_the_flushes_of_a_job() {
    let scratch = Scratch::new("truth-flushes");
    let Some(device) = Loop::new(&scratch, 64, "") else { return };
    check(&device.device, &scratch, &FLUSHES);
}

/// Returns what differs between the model of a job and that of its own job. `report` is that of the latter.
fn differences(first: &Value, second: &Value, report: &Value) -> Vec<String> {
    let of = |name: &str| {
        let (one, other) = (&first[name], &second[name]);
        if one.is_null() && other.is_null() {
            return Vec::new();
        }
        let rate = number(&one["ios_per_s"]);
        let mut all = Vec::new();
        // A device that flushes does not reach its rate on a busy machine.
        if first["flush"].is_null() {
            let differs_from =
                |rate: f64| differs(&format!("rate of {name}"), number(&other["ios_per_s"]), rate, rate * 0.2);
            all.push(differs_from(rate).filter(|_| differs_from(reported_rate(report, name)).is_some()));
        }
        for size in one["sizes"].as_array().into_iter().flatten() {
            let (bytes, share) = (size["bytes"].as_u64().unwrap(), number(&size["ios_share"]));
            all.push(differs(&format!("{bytes} B of {name}"), share_of_size(other, bytes), share, 0.08));
        }
        let sequential = [one, other].map(|of| number(&of["sequential_share"]));
        all.push(differs(&format!("sequential {name}"), sequential[1], sequential[0], 0.08));
        let hot = [one, other].map(|of| hot(of, 0.2));
        all.push(differs(&format!("hot fifth of {name}"), hot[1], hot[0], 0.12));
        all.into_iter().flatten().collect()
    };
    let mut all = [of("read"), of("write")].concat();
    if !first["flush"].is_null() {
        let per_flush = [first, second].map(|of| number(&of["write"]["ios"]) / number(&of["flush"]["flushes"]));
        all.extend(differs("writes per flush", per_flush[1], per_flush[0], per_flush[0] * 0.25));
    }
    all
}

/// Captures a job, then the job of its model, and compares both models.
fn check_again(device: &str, scratch: &Scratch, options: &str) -> Option<Vec<String>> {
    let [first, _] = captured(scratch, device, started(scratch, device, options), "first")?;
    let job = command(scratch.path(), "capture", "job first").spawn().unwrap();
    std::fs::write(scratch.file("model.fio"), outcome(job).assert_success().stdout.as_bytes()).unwrap();
    let again = fathom(scratch.path(), "model.fio --output-format=json").env("TARGET", device).spawn().unwrap();
    let [second, report] = captured(scratch, device, again, "second")?;
    Some(differences(&first, &second, &report).into_iter().map(|what| format!("{options}: {what}")).collect())
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn the_job_of_a_model_has_the_same_model() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("truth-again");
    let Some(device) = Loop::new(&scratch, 64, "") else { return };
    let jobs = [
        (&zram.device, "--rw=randrw --bs=4k --rate_iops=500,200 --rate_process=poisson"),
        (&zram.device, "--rw=randread --bssplit=4k/70:16k/30 --percentage_random=50 --rate_iops=500"),
        (&zram.device, "--rw=randwrite --bs=4k --rate_iops=700 --random_distribution=zoned:80/20:20/80"),
        (&device.device, "--rw=randwrite --bs=8k --rate_iops=300 --fsync=6"),
    ];
    let mut wrongs = Vec::new();
    for (device, options) in jobs {
        let Some(found) = best_of(|| check_again(device, &scratch, options)) else { return };
        wrongs.extend(found);
    }
    assert!(wrongs.is_empty(), "{wrongs:#?}");
}
