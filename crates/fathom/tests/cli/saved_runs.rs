//! Saved records are complete or absent, and `fathom show` prints what the run printed.

use crate::stage::{self, MIB, Mount, Outcome, Scratch, interrupted, outcome, run, wait_for_work};
use std::path::Path;
use std::process::{Command, Stdio};

/// Jobs on an existing file, so that there is no message about layout.
const JOBS: &str = "--filename=f --size=1m --bs=4k --time_based --runtime=1 --ioengine=psync --name=reads --rw=randread \
                    --numjobs=2 --group_reporting --name=mixed --rw=randrw --stonewall --lat_percentiles=1";

fn show(directory: &Path, arguments: &str) -> Outcome {
    fathom(directory, "show", arguments)
}

fn diskspd(directory: &Path, arguments: &str) -> Outcome {
    fathom(directory, "diskspd", arguments)
}

fn fathom(directory: &Path, command_word: &str, arguments: &str) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.arg(command_word).args(arguments.split_whitespace()).current_dir(directory).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    outcome(command.spawn().unwrap())
}

fn text(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap()
}

/// Returns a folder with the record `r` of a short run.
fn with_record() -> Scratch {
    let scratch = Scratch::new("saved");
    scratch.filled("f", MIB);
    run(scratch.path(), "--record=r --name=a --filename=f --size=1m --rw=randread --bs=4k").ended_with(0);
    scratch
}

#[test]
fn shown_record_equals_the_output_of_the_run() {
    for (reported, shown) in [
        ("normal", "fio"),
        ("terse --terse-version=4", "fio-terse --terse-version=4"),
        ("json", "fio-json"),
        ("json+", "fio-json+"),
    ] {
        let scratch = Scratch::new("saved");
        scratch.filled("f", MIB);
        let directory = scratch.path();
        let findings = if reported == "normal" { "always" } else { "auto" };
        let ran = run(directory, &format!("--record=r --findings={findings} {JOBS} --output-format={reported}"));
        ran.ended_with(0);
        let first = show(directory, &format!("r --format={shown}"));
        assert_eq!(ran.stdout, first.ended_with(0).stdout, "{reported}");
        assert_eq!(first.stderr, if reported == "normal" { ran.stderr.as_str() } else { "" }, "{reported}");
        let second = show(directory, &format!("--format {shown} --output out r"));
        assert_eq!(second.ended_with(0).stdout, "");
        assert_eq!(text(directory, "out"), ran.stdout);
    }
}

#[test]
fn messages_of_the_run_are_shown() {
    let scratch = Scratch::new("saved");
    let ran = run(scratch.path(), "--record=r --name=a --size=1m --rw=read --bs=4k");
    assert!(ran.ended_with(0).stdout.contains("a: Laying out IO file"), "{}", ran.stdout);
    assert_eq!(show(scratch.path(), "r").ended_with(0).stdout, ran.stdout);
}

#[test]
fn arguments_and_job_files_are_in_the_record() {
    let scratch = with_record();
    std::fs::write(scratch.file("b.fio"), "[b]\nfilename=f\nsize=1m\nrw=read\n").unwrap();
    run(scratch.path(), "b.fio --record r").ended_with(0);
    let record: serde_json::Value = serde_json::from_str(&text(scratch.path(), "r")).unwrap();
    assert_eq!(record["schema"], "fathom.record/1");
    assert_eq!(record["command_line"], "fio b.fio --record r");
    let origin = &record["plan"]["origin"]["fio"];
    assert_eq!(origin["words"], serde_json::json!(["b.fio", "--record", "r"]));
    assert_eq!(origin["job_files"][0]["text"], "[b]\nfilename=f\nsize=1m\nrw=read\n");
}

#[test]
fn interrupted_run_saves_its_record() {
    let scratch = Scratch::new("saved");
    scratch.filled("f", MIB);
    let job =
        "--record=r --name=a --filename=f --size=1m --rw=randread --time_based --runtime=600 --output-format=json";
    let child = stage::fathom(scratch.path(), job).spawn().unwrap();
    wait_for_work(&child, 20);
    let ran = interrupted(child, &["INT"]);
    ran.ended_with(128);
    assert_eq!(show(scratch.path(), "r --format=fio-json").ended_with(0).stdout, ran.stdout);
    assert_eq!(scratch.names(), ["f", "r"]);
}

#[test]
fn failed_run_saves_its_record_with_the_error() {
    let scratch = with_record();
    for (job, code) in [
        ("--name=a --filename=/dev/full --size=64k --rw=write --ioengine=psync --output-format=json", 1),
        ("--name=a --filename=f --size=64k --rw=trim --output-format=json", 1),
    ] {
        let ran = run(scratch.path(), &format!("--record=r {job}"));
        ran.ended_with(code);
        let shown = show(scratch.path(), "r --format=fio-json");
        assert_eq!(shown.ended_with(0).stdout, ran.stdout, "{job}");
        let message = shown.json()["jobs"][0]["error_messages"].as_str().unwrap().to_owned();
        shown.complained_of(&message);
        ran.complained_of(&message);
    }
    let ran = run(scratch.path(), "--record=r --name=a --filename=/dev/full --size=64k --rw=write --ioengine=psync");
    let shown = show(scratch.path(), "r");
    assert_eq!(shown.ended_with(0).stdout, ran.ended_with(1).stdout);
    assert_eq!(shown.stderr, ran.stderr);
}

#[test]
fn unwritable_record_path_is_reported_before_the_run() {
    let scratch = Scratch::new("saved");
    scratch.filled("f", 65_536);
    std::os::unix::fs::symlink("f", scratch.file("link")).unwrap();
    for (place, complaint) in [
        ("none/r", "--record=none/r: No such file or directory"),
        (".", "this is a directory"),
        ("f", "this file would replace the target f"),
        ("./f", "this file would replace the target f"),
        ("link", "this file would replace the target f"),
        ("sub/../f", "--record=sub/../f"),
    ] {
        let ran = run(scratch.path(), &format!("--record={place} --name=a --filename=f --size=64k --rw=write"));
        ran.ended_with(1).complained_of(complaint);
        assert_eq!(ran.stdout, "");
        assert_eq!(std::fs::read(scratch.file("f")).unwrap(), vec![0x5a; 65_536], "{place}");
    }
    assert_eq!(scratch.names(), ["f", "link"]);
}

#[test]
fn devices_are_never_replaced_by_a_record() {
    let scratch = Scratch::new("saved");
    scratch.filled("f", MIB);
    let job = "--name=a --filename=f --size=1m --rw=read";
    run(scratch.path(), &format!("--record=/dev/null {job}")).ended_with(0);
    let full = run(scratch.path(), &format!("--record=/dev/full {job}"));
    full.ended_with(1).complained_of("the record can't be written: /dev/full: No space left on device");
    assert!(full.stdout.contains("Run status group 0"), "the report comes first");
    for device in ["/dev/null", "/dev/full"] {
        use std::os::unix::fs::FileTypeExt;
        assert!(std::fs::metadata(device).unwrap().file_type().is_char_device(), "{device}");
    }
}

#[test]
fn record_without_space_keeps_the_previous_one() {
    let scratch = Scratch::new("saved");
    let Some(mount) = Mount::tmpfs(1, &scratch.file("small")) else { return };
    let before = run(&mount.0, "--record=r --name=a --ioengine=null --size=64k --rw=read --bs=4k");
    before.ended_with(0);
    let kept = text(&mount.0, "r");
    // The job fills the file system.
    let job = "--record=r --name=a --filename=f --size=2m --rw=write --bs=4k --fill_device=1 --ioengine=psync";
    let ran = run(&mount.0, job);
    ran.complained_of("the record can't be written");
    assert_ne!(ran.code, Some(0));
    assert!(ran.stdout.contains("Run status group 0"), "{}", ran.stdout);
    assert_eq!(text(&mount.0, "r"), kept);
    let names: Vec<_> = std::fs::read_dir(&mount.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn symbolic_link_to_a_record_is_kept() {
    let scratch = with_record();
    std::fs::create_dir(scratch.file("runs")).unwrap();
    std::os::unix::fs::symlink("runs/last", scratch.file("latest")).unwrap();
    std::fs::rename(scratch.file("r"), scratch.file("runs/last")).unwrap();
    let before = text(scratch.path(), "runs/last");
    run(scratch.path(), "--record=latest --name=a --filename=f --size=1m --rw=read").ended_with(0);
    assert!(scratch.file("latest").is_symlink());
    assert_ne!(text(scratch.path(), "runs/last"), before);
}

#[test]
fn several_records_are_shown_and_damaged_ones_reported() {
    let scratch = with_record();
    std::fs::write(scratch.file("broken"), &text(scratch.path(), "r")[..2000]).unwrap();
    std::fs::write(scratch.file("other"), "{\"schema\": \"fathom.record/3\"}").unwrap();
    let one = show(scratch.path(), "r --format=fio-terse");
    let all = show(scratch.path(), "r broken other none r --format=fio-terse");
    all.ended_with(2).complained_of("error: broken:").complained_of(": EOF while parsing");
    all.complained_of("error: other: the record has schema `fathom.record/3`; this fathom reads `fathom.record/1`");
    all.complained_of("error: none: No such file or directory");
    assert_eq!(all.stdout, one.stdout.repeat(2));
}

#[test]
fn wrong_arguments_are_errors_that_name_them() {
    let scratch = with_record();
    for (arguments, complaint) in [
        ("", "<FILE|ID>..."),
        ("r --format=pdf", "invalid value 'pdf'"),
        ("r --terse-version=9", "9 is not in 2..=5"),
        ("r --colour", "--colour"),
    ] {
        show(scratch.path(), arguments).ended_with(2).complained_of(complaint).complained_of("try '--help'");
    }
    assert!(show(scratch.path(), "--help").ended_with(0).stdout.contains("--format"));
}

#[test]
fn report_never_replaces_its_record() {
    let scratch = with_record();
    let kept = text(scratch.path(), "r");
    let shown = show(scratch.path(), "r --output=./r");
    shown.ended_with(2).complained_of("the report would replace the record");
    assert_eq!(text(scratch.path(), "r"), kept);
    let job = "--name=a --filename=f --size=1m --rw=read --record=new --output=./new";
    run(scratch.path(), job).ended_with(1).complained_of("--output and --record name the same file");
    let ran = diskspd(scratch.path(), "-d1 -W0 -Rrecord=new -Rxml=./new f");
    ran.ended_with(3).complained_of("the same file");
    assert_eq!(scratch.names(), ["f", "r"]);
    show(scratch.path(), "r --format=fio --output=/").ended_with(1).complained_of("this is a directory");
}

#[test]
fn fio_run_has_a_diskspd_report() {
    let scratch = with_record();
    let fio = show(scratch.path(), "r --format=fio-json");
    let reads = &fio.json()["jobs"][0]["read"];
    let diskspd = show(scratch.path(), "r --format=diskspd");
    let report = &diskspd.ended_with(0).stdout;
    let total = report.lines().find(|line| line.starts_with("total:")).unwrap_or_else(|| panic!("{report}"));
    let fields: Vec<&str> = total["total:".len()..].split('|').map(str::trim).collect();
    assert_eq!(fields[..2], [reads["io_bytes"].to_string(), reads["total_ios"].to_string()], "{report}");
    let xml = show(scratch.path(), "r --format=diskspd-xml");
    assert!(xml.ended_with(0).stdout.starts_with("<Results>\n"));
    assert!(xml.stdout.contains(&format!("<ReadCount>{}</ReadCount>", reads["total_ios"])), "{}", xml.stdout);
}

#[test]
fn parts_without_a_diskspd_table_are_reported() {
    let scratch = Scratch::new("saved");
    run(scratch.path(), "--record=r --name=a --ioengine=null --rw=trim --size=1m --bs=4k").ended_with(0);
    let shown = show(scratch.path(), "r --format=diskspd");
    shown.ended_with(0).complained_of("the 256 trims of this run are only in the figures of all I/Os");
}

/// Two targets, one of them only for half of the threads, over two short time spans.
const SPANS: &str = "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Cooldown>1</Cooldown>\
    <MeasureLatency>true</MeasureLatency><CalculateIopsStdDev>true</CalculateIopsStdDev>\
    <IoBucketDuration>200</IoBucketDuration><Targets><Target><Path>a</Path><BlockSize>4096</BlockSize>\
    <Random>4096</Random><RequestCount>4</RequestCount><WriteRatio>30</WriteRatio><ThreadsPerFile>2</ThreadsPerFile>\
    </Target><Target><Path>b</Path><BlockSize>8192</BlockSize><RequestCount>1</RequestCount>\
    <ThreadsPerFile>1</ThreadsPerFile></Target></Targets></TimeSpan><TimeSpan><Duration>1</Duration>\
    <Warmup>0</Warmup><Targets><Target><Path>a</Path><BlockSize>65536</BlockSize></Target></Targets></TimeSpan>\
    </TimeSpans></Profile>";

#[test]
fn diskspd_run_is_shown_as_printed_and_as_a_fio_report() {
    let scratch = Scratch::new("saved");
    scratch.filled("a", 2 * MIB);
    scratch.filled("b", 2 * MIB);
    std::fs::write(scratch.file("p.xml"), SPANS).unwrap();
    let directory = scratch.path();
    let ran = diskspd(directory, "-Xp.xml -Rrecord=r -Rxml=x -Rfindings=always");
    let shown = show(directory, "r");
    assert_eq!(shown.ended_with(0).stdout, ran.ended_with(0).stdout);
    assert!(ran.stderr.ends_with(&shown.stderr), "findings:\n{}\n{}", ran.stderr, shown.stderr);
    assert_eq!(show(directory, "r --format=diskspd-xml").ended_with(0).stdout, text(directory, "x"));

    let fio = show(directory, "r --format=fio-json");
    let jobs = fio.ended_with(0).json()["jobs"].as_array().unwrap().clone();
    assert_eq!(jobs.len(), 4, "a job for each thread");
    let totals: Vec<Vec<u64>> = ran.stdout.lines().filter(|line| line.starts_with("total:")).map(numbers).collect();
    for (span, jobs) in [&jobs[..3], &jobs[3..]].into_iter().enumerate() {
        let sum = |ddir: &str, field: &str| jobs.iter().map(|job| job[ddir][field].as_u64().unwrap()).sum::<u64>();
        for (nth, ddirs) in [&["read", "write"][..], &["read"], &["write"]].into_iter().enumerate() {
            let of = |field| ddirs.iter().map(|ddir| sum(ddir, field)).sum::<u64>();
            assert_eq!(totals[3 * span + nth][..2], [of("io_bytes"), of("total_ios")], "{ddirs:?} of span {span}");
        }
        assert!(jobs.iter().all(|job| job["groupid"] == span));
    }
    // The figures are those of the record. That they are right is tested on a simulated device, in the tests of `engine`.
    let record = record::schema::read(text(directory, "r").as_bytes()).unwrap();
    for (job, worker) in jobs.iter().zip(&record.workers) {
        let (read, stats) = (&job["read"], &worker.stats.ddirs[0]);
        assert_eq!(read["bw_samples"], stats.bandwidth_kib.count, "{read}");
        assert_eq!(read["runtime"], stats.runtime_ns / 1_000_000, "{read}");
        let is_shown = |key: &str, value: f64| (read[key].as_f64().unwrap() - value).abs() <= 1e-6;
        assert!(is_shown("iops_mean", stats.iops.mean) && is_shown("iops", stats.ios_per_s()), "{read} {stats:?}");
        let depths = job["iodepth_level"].as_object().unwrap().values().map(|share| share.as_f64().unwrap());
        let depths: Vec<f64> = depths.collect();
        let expected = if worker.stats.depth.total() > 0 { 100.0 } else { 0.0 };
        // fio prints smaller shares above 0 as 0.1.
        let rounded_up = 0.1 * depths.iter().filter(|share| **share == 0.1).count() as f64;
        let above = depths.iter().sum::<f64>() - expected;
        assert!((-1e-4..=rounded_up + 1e-4).contains(&above), "{job}");
    }
    let normal = show(directory, "r --format=fio").ended_with(0).stdout.clone();
    let head: Vec<&str> = normal.lines().take(6).collect();
    assert!(head[0].starts_with("thread 0: (g=0): rw=randrw, bs=(R) 4096B-4096B") && head[1] == "...", "{normal}");
    assert!(head[2].starts_with("thread 2: (g=0): rw=read, bs=(R) 8192B-8192B"), "{normal}");
    assert!(head[3].starts_with("thread 0: (g=1): rw=read, bs=(R) 64.0KiB-64.0KiB"), "{normal}");
    assert_eq!(head[5], "Starting 4 threads");
}

/// Returns the integers of a line, in order.
fn numbers(line: &str) -> Vec<u64> {
    line.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn interrupted_diskspd_run_saves_its_record() {
    for warm_up in ["-W0", "-W600"] {
        let scratch = Scratch::new("saved");
        scratch.filled("f", MIB);
        let reads = || -> u64 {
            let fio = show(scratch.path(), "r --format=fio-json").json();
            fio["jobs"][0]["read"]["total_ios"].as_u64().unwrap()
        };
        let line = format!("-d600 {warm_up} -L -D -Rrecord=r f");
        let child = stage::diskspd(scratch.path(), &line).spawn().unwrap();
        wait_for_work(&child, 20);
        let ran = interrupted(child, &["INT"]);
        let shown = show(scratch.path(), "r");
        assert_eq!(shown.ended_with(0).stdout, ran.ended_with(0).stdout, "{warm_up}");
        assert_eq!(reads() > 0, warm_up == "-W0", "only the measured time counts: {}", reads());
    }
}

#[test]
fn failed_diskspd_run_is_saved_with_its_messages() {
    let scratch = Scratch::new("saved");
    let ran = diskspd(scratch.path(), "-d1 -W0 -Rrecord=r none");
    let shown = show(scratch.path(), "r");
    assert_eq!(shown.ended_with(0).stdout, ran.ended_with(1).stdout);
    assert_eq!(shown.stderr, ran.stderr);
    assert_eq!(show(scratch.path(), "r --format=fio-json").json()["jobs"][0]["error"], 2);
}
