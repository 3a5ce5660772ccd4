//! `fathom sweep` on real files: a workload per value of its options, reported in every format.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::stage::{Outcome, Scratch, interrupted, outcome, wait_for_open_file, wait_until};
use serde_json::Value;

/// Size of the file for arguments with `FILE`.
const FILE_BYTES: u64 = 4 << 20;

fn sweep(directory: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.arg("sweep").args(line.split_whitespace()).current_dir(directory).env("LC_ALL", "C.UTF-8");
    command.env("FATHOM_NO_HISTORY", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(directory: &Path, line: &str) -> Outcome {
    outcome(sweep(directory, line).spawn().unwrap())
}

fn with_file(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.filled("test.dat", FILE_BYTES);
    scratch
}

const JOB: &str = "--name=job --filename=test.dat --rw=randread --size=4m --runtime=100ms --time_based";

#[test]
fn sweep_of_block_sizes_has_table_chart_and_sentence() {
    let scratch = with_file("sweep-sizes");
    let printed = run(scratch.path(), &format!("bs=4k..32k fio {JOB} --bs=512 --ioengine=io_uring --iodepth=4"));
    printed.ended_with(0);
    for point in ["4 runs, at most 400 ms", "1/4 bs=4k: ", "4/4 bs=32k: "] {
        printed.complained_of(point);
    }
    let text = &printed.stdout;
    // In us, or in ms if a time is longer.
    assert!(text.contains("service time (lat), ") && text.contains("bandwidth, MiB/s, over bs"), "{text}");
    assert!(text.contains('█') && text.contains("highest bandwidth "), "{text}");
    assert!(text.lines().skip(1).all(|line| line.chars().count() <= 80 || line.starts_with("highest")), "{text}");
}

#[test]
fn sweep_value_overrides_job_files_and_figures_agree() {
    let scratch = with_file("sweep-file");
    let jobs = "[global]\nfilename=test.dat\nsize=4m\nbs=64k\n[a]\nrw=read\n[b]\nstonewall\nrw=write\nbs=8k\n";
    std::fs::write(scratch.file("job.fio"), jobs).unwrap();
    let printed = run(scratch.path(), "--bs=4k,16k --format json --repeat 2 fio job.fio");
    let document = printed.ended_with(0).json();
    assert_eq!((&document["metric"], &document["runs_made"]), (&"bw".into(), &4.into()));
    let points = document["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    for (point, block) in points.iter().zip([4096.0, 16384.0]) {
        assert_eq!(point["runs"].as_array().unwrap().len(), 2);
        for run in point["runs"].as_array().unwrap() {
            for side in ["read", "write", "total"] {
                let figure = |name: &str| run[side][name].as_f64().unwrap();
                let size = figure("bytes_per_s") / figure("iops");
                assert!((size - block).abs() < 1.0, "{side} of {point}");
            }
        }
    }
    assert!(document["verdict"]["sentence"].as_str().unwrap().starts_with("highest bandwidth"));
}

#[test]
fn two_axes_have_all_combinations_and_reports_go_to_files() {
    let scratch = with_file("sweep-two");
    let forms = "--format csv --output out.csv --svg out.svg --report out.md --metric lat.p99 --order random --seed 3 --cooldown 0.01";
    let printed = run(scratch.path(), &format!("iodepth=1,4 numjobs=1,2 {forms} fio {JOB} --ioengine=libaio"));
    printed.ended_with(0).complained_of("lowest 99th percentile of latency ");
    assert_eq!(printed.stdout, "");
    let csv = std::fs::read_to_string(scratch.file("out.csv")).unwrap();
    let points: Vec<String> = csv.lines().map(|line| line.split(',').take(2).collect::<Vec<_>>().join(",")).collect();
    assert_eq!(points, ["iodepth,numjobs", "1,1", "1,2", "4,1", "4,2"]);
    let svg = std::fs::read_to_string(scratch.file("out.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>") && svg.contains("numjobs=2"), "{svg}");
    let page = std::fs::read_to_string(scratch.file("out.md")).unwrap();
    assert!(page.contains("| iodepth | numjobs 1 | numjobs 2 |"), "{page}");
    let markdown = run(scratch.path(), &format!("iodepth=1,4 --format markdown fio {JOB} --ioengine=libaio"));
    assert!(markdown.ended_with(0).stdout.contains("| ---: |"), "{}", markdown.stdout);
}

#[test]
fn errors_are_reported_by_the_dialect_before_any_run() {
    let scratch = Scratch::new("sweep-wrong");
    let refused = |line: &str, what: &str| {
        run(scratch.path(), line).ended_with(2).complained_of(what);
        assert!(scratch.names().is_empty(), "{line}: {:?}", scratch.names());
    };
    refused(&format!("bs=4k,16q,8q fio {JOB}"), "bs=16q");
    refused(&format!("iodepht=1,2 fio {JOB}"), "did you mean `iodepth`?");
    refused(&format!("size=4m,1k fio {JOB}"), "smaller than one block");
    refused(&format!("iodepth=1,8 fio {JOB}"), "`iodepth` has no effect");
    refused("bs=4k,8k fio missing.fio", "missing.fio");
    refused(&format!("bs=4k,8k --svg no/such.svg fio {JOB}"), "--svg no/such.svg: No such file or directory");
    refused(&format!("bs=4k,8k --metric lat.p99 fio {JOB} --gtod_reduce=1"), "does not measure latency");
}

#[test]
fn failed_point_is_a_row_and_others_are_measured() {
    let scratch = with_file("sweep-fails");
    std::fs::create_dir(scratch.file("folder")).unwrap();
    let printed = run(scratch.path(), &format!("filename=folder,test.dat fio {JOB}"));
    printed.ended_with(1).complained_of("1/2 filename=folder: failed: ");
    let row = printed.stdout.lines().find(|line| line.contains("folder  failed: ")).unwrap_or_default();
    assert!(!row.is_empty() && printed.stdout.contains("at filename=test.dat"), "{}", printed.stdout);
}

/// A common use: the block size for a database.
#[test]
fn diskspd_command_line_is_swept_and_cached_file_is_reported() {
    let scratch = Scratch::new("sweep-diskspd");
    let line = "diskspd.exe -b64k -d1 -W0 -t2 -o8 -g2000i -L -r -w40 -c2m test_io_64k.dat";
    let printed = run(scratch.path(), &format!("b=4K,16K..64K --save kept --svg chart.svg --report out.html {line}"));
    printed.ended_with(4).complained_of("2/4 b=16K: ");
    let text = printed.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for message in ["IOPS", "read write", "over b", "page cache", "INVALID: "] {
        assert!(text.contains(message), "nothing of {message} in:\n{}", printed.stdout);
    }
    let page = std::fs::read_to_string(scratch.file("out.html")).unwrap();
    for message in ["IOPS by block size", "b=16K", "INVALID", "fathom sweep b=4K,16K..64K"] {
        assert!(page.to_lowercase().contains(&message.to_lowercase()), "nothing of {message} in the page");
    }
    let kept = |name: &str| std::fs::read(scratch.file("kept").join(name)).unwrap();
    let document: Value = serde_json::from_slice(&kept("sweep.json")).unwrap();
    for (at, (name, block)) in [("001-b=4K.json", 4096), ("004-b=64K.json", 65536)].into_iter().enumerate() {
        let record = record::schema::read(&kept(name)).unwrap_or_else(|broken| panic!("{name}: {broken}"));
        let totals = record.totals();
        assert_eq!(totals.all.bytes, totals.all.ios * block);
        let share = totals.ddirs[1].ios as f64 / totals.all.ios as f64;
        // Four standard deviations of draws with a chance of 0.4, and the I/Os in flight at the end.
        let ios = totals.all.ios as f64;
        assert!((share - 0.4).abs() < 4.0 * (0.4 * 0.6 / ios).sqrt() + 16.0 / ios, "{share} of {ios} I/Os are writes");
        let iops = document["points"][at * 3]["median"]["total"]["iops"].as_f64().unwrap();
        let measured_s = record.phases[0].measured_ns as f64 / 1e9;
        assert!(
            (totals.all.ios as f64 / measured_s - iops).abs() < 1.0,
            "{name}: as in DiskSpd over the measured time"
        );
        assert_eq!(document["points"][at * 3]["median"]["cpu"]["of"], "machine");
    }
}

#[test]
fn diskspd_options_are_set_or_rejected() {
    let scratch = Scratch::new("sweep-switches");
    let refused = |line: &str, what: &str| {
        let printed = run(scratch.path(), line);
        printed.ended_with(2).complained_of(what);
        assert!(scratch.names().is_empty(), "{line}: {:?}", scratch.names());
        printed
    };
    refused("Q=1,2 diskspd -d1 -W0 -c1m x.dat", "no option -Q");
    let twice = refused("b=4K,16Q o=1,2 diskspd -d1 -W0 -c1m x.dat", "-b16Q");
    assert_eq!(twice.stderr.matches("error:").count(), 1, "{}", twice.stderr);
    refused("o=1,2 diskspd -ysbegun -d1 -W0 -c1m x.dat", "named events");
    let printed = run(scratch.path(), "w=0,100 --format csv diskspd -d1 -W0 -c1m -Rxml x.dat");
    // The file is in the page cache.
    printed.ended_with(4).complained_of("-R has no effect");
    let cells =
        |line: usize| printed.stdout.lines().nth(line).unwrap().split(',').map(str::to_owned).collect::<Vec<_>>();
    let at = |name: &str| cells(0).iter().position(|head| head == name).unwrap();
    assert_eq!((cells(1)[at("write_iops")].as_str(), cells(2)[at("read_iops")].as_str()), ("0.000", "0.000"));
}

#[test]
fn interrupt_ends_the_sweep_and_shows_finished_points() {
    let scratch = with_file("sweep-stopped");
    let line = "--yes runtime=300ms,600s,700s --save kept fio --name=job --filename=test.dat --rw=randread --size=4m --time_based";
    let child = sweep(scratch.path(), line).spawn().unwrap();
    wait_until("the first run is saved", || scratch.file("kept/001-runtime=300ms.json").exists());
    wait_for_open_file(&child, &scratch.file("test.dat"));
    let printed = interrupted(child, &["INT"]);
    printed.ended_with(130).complained_of("2/3 runtime=600s: interrupted");
    let text = &printed.stdout;
    assert!(text.contains("700s  not run") && text.contains("ended early, after 1 of 3 runs"), "{text}");
    assert!(text.contains("at runtime=300ms"), "{text}");
}

#[test]
fn records_of_all_runs_are_saved_on_request() {
    let scratch = with_file("sweep-saved");
    let printed = run(scratch.path(), &format!("bs=4k,8k --repeat 2 --save kept fio {JOB}"));
    printed.ended_with(0);
    let kept = |name: &str| std::fs::read(scratch.file("kept").join(name)).unwrap();
    let document: Value = serde_json::from_slice(&kept("sweep.json")).unwrap();
    let names = ["001-bs=4k.json", "001-bs=4k-2.json", "002-bs=8k.json", "002-bs=8k-2.json"];
    for (at, name) in names.into_iter().enumerate() {
        let record = record::schema::read(&kept(name)).unwrap_or_else(|broken| panic!("{name}: {broken}"));
        let iops = document["points"][at / 2]["runs"][at % 2]["total"]["iops"].as_f64().unwrap();
        assert!((record.totals().all.ios_per_s() - iops).abs() < 1e-6, "{name}");
    }
}

#[test]
fn a_job_file_from_standard_input_is_read_for_all_points() {
    let scratch = with_file("sweep-stdin");
    let jobs = std::fs::File::create(scratch.file("jobs")).and_then(|_| {
        std::fs::write(scratch.file("jobs"), "[a]\nfilename=test.dat\nsize=1m\n")?;
        std::fs::File::open(scratch.file("jobs"))
    });
    let mut command = sweep(scratch.path(), "bs=4k,8k --format json fio --eta=always -");
    let printed = outcome(command.stdin(jobs.unwrap()).spawn().unwrap());
    let document: Value = printed.ended_with(0).json();
    assert_eq!(document["points"].as_array().unwrap().len(), 2);
    printed.complained_of("--eta has no effect");
}

#[test]
fn a_terminal_without_unicode_gets_plain_characters() {
    let scratch = with_file("sweep-ascii");
    let mut command = sweep(scratch.path(), &format!("bs=4k,8k fio {JOB}"));
    let printed = outcome(command.env("LC_ALL", "C").spawn().unwrap());
    assert!(printed.ended_with(0).stdout.is_ascii() && printed.stdout.contains("###"), "{}", printed.stdout);
}
