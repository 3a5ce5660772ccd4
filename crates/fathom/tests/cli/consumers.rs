//! Requirements of programs that run fio and parse its output: versions, field positions, key paths, text of lines.
//!
//! `docs/fio-tools.md` lists the tested programs. Each expectation comes from at least one of them.

use crate::stage::{Scratch, fathom, outcome, signal};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output};

use serde_json::Value;

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");
/// One second of I/O on a file, which is enough for bandwidth samples.
const TIMED: &str = "--filename=data --size=1m --bs=4k --ioengine=psync --time_based --runtime=1";
const SHORT: &str = "--filename=data --size=1m --bs=4k --ioengine=psync";

/// Runs in a scratch folder.
trait Runs {
    /// Runs `fio` with arguments, as a program that finds it in the path does.
    fn fio(&self, arguments: &str) -> Output;
    fn stdout(&self, arguments: &str) -> String;
    fn json(&self, arguments: &str) -> Value;
}

impl Runs for Scratch {
    fn fio(&self, arguments: &str) -> Output {
        let link = self.file("fio");
        if !link.exists() {
            std::os::unix::fs::symlink(FATHOM, &link).unwrap();
        }
        Command::new(link).current_dir(self.path()).args(arguments.split(' ')).output().unwrap()
    }

    fn stdout(&self, arguments: &str) -> String {
        let output = self.fio(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.stdout(arguments)).unwrap()
    }
}

#[test]
fn version_can_be_parsed_by_prefix_cut_and_split() {
    let version = Scratch::new("version").stdout("--version");
    assert_eq!(version.lines().count(), 1);
    assert!(version.contains("fio-3"));
    let cut = &version[4..].split('-').next().unwrap();
    let numbers: Vec<u32> = cut.split('.').map(|number| number.parse().unwrap()).collect();
    assert!(numbers >= vec![3, 33], "{numbers:?}");
    assert_eq!(version.split('-').nth(1).unwrap().split('.').next(), Some("3"));
}

#[test]
fn feature_queries_print_to_standard_output() {
    let scratch = Scratch::new("abilities");
    assert!(scratch.stdout("--help").contains("json+"));
    assert!(scratch.stdout("--cmdhelp=zonemode").contains("zbd"));
    assert!(scratch.stdout("--cmdhelp=invalidate").lines().any(|line| line.trim() == "default: 1"));
    let engines = scratch.stdout("--enghelp");
    assert!(engines.starts_with("Available IO engines:\n"));
    for engine in ["io_uring", "libaio", "posixaio", "pvsync2"] {
        assert!(engines.lines().any(|line| line.trim() == engine), "{engine}");
    }
    assert!(scratch.stdout("--enghelp=libaio").contains("userspace_reap"));
    assert!(scratch.fio("--parse-only --terse-version=4").status.success());
    assert!(!scratch.fio("--enghelp=nosuch").status.success());
}

#[test]
fn a_job_file_is_shown_as_the_options_of_its_jobs() {
    let scratch = Scratch::new("showcmd");
    std::fs::write(scratch.file("j.fio"), "[global]\nsize=1m\n[a]\nrw=randread\nnumjobs=3\n").unwrap();
    let shown = scratch.stdout("--showcmd j.fio");
    assert!(shown.split(" --").any(|word| word.trim() == "numjobs=3"), "{shown}");
    assert!(shown.starts_with("fio --"));
}

#[test]
fn terse_fields_have_fios_positions() {
    let scratch = Scratch::new("terse");
    for (version, fields) in [(2, 161), (3, 121), (4, 162), (5, 180)] {
        let arguments = format!("--minimal --terse-version={version} --name=job {TIMED} --rw=randrw --disk_util=0");
        let text = scratch.stdout(&arguments);
        assert_eq!(text.lines().count(), 1, "{text}");
        let line: Vec<&str> = text.trim_end().split(';').collect();
        assert_eq!(line[0], version.to_string());
        // Version 5 has more samples, so the writes have another position. Version 2 lacks fio's version.
        let (first, name) = if version == 2 { (4, 1) } else { (5, 2) };
        assert_eq!(line[name], "job");
        assert!(version == 2 || line[1].starts_with("fio-3."), "{}", line[1]);
        let number = |at: usize| line[at].parse::<f64>().unwrap_or_else(|_| panic!("{at} in {text}"));
        let writes = if version == 5 { first + 47 } else { first + 41 };
        for direction in [first, writes] {
            let [kib, rate, iops, ms] = [0, 1, 2, 3].map(|at| number(direction + at));
            assert!(kib > 0.0 && ms >= 1000.0, "{text}");
            assert!((rate - kib * 1000.0 / ms).abs() <= rate / 100.0 && (rate / 4.0 - iops).abs() <= 2.0, "{text}");
            let clat = &line[direction + 8..direction + 12];
            assert!(clat[0].parse::<f64>().unwrap() <= clat[2].parse().unwrap(), "{clat:?}");
            assert!(line[direction + 12].starts_with("1.000000%="));
            assert!(line[direction + 23].starts_with("95.000000%="), "{}", line[direction + 23]);
        }
        assert_eq!(line.len(), fields, "version {version}: {text}");
    }
}

#[test]
fn status_lines_are_terse_lines_and_nothing_else() {
    let scratch = Scratch::new("status");
    let arguments = format!(
        "--name=a {TIMED} --runtime=600 --rw=randread --rate_iops=500 --status-interval=1 --eta=never \
         --output-format=terse --terse-version=3 --group_reporting --numjobs=2"
    );
    let mut child = fathom(scratch.path(), &arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while text.lines().count() < 2 {
        assert!(lines.read_line(&mut text).unwrap() > 0, "{text}");
    }
    signal(&child, "INT");
    lines.read_to_string(&mut text).unwrap();
    outcome(child).ended_with(128);
    assert!(text.lines().all(|line| line.starts_with("3;fio-3.") && line.split(';').count() >= 121), "{text}");
}

#[test]
fn reports_without_latencies_have_rates_and_their_samples() {
    let scratch = Scratch::new("reduced");
    let arguments = format!("--name=a {TIMED} --rw=randread --gtod_reduce=1");
    let read = &scratch.json(&format!("{arguments} --output-format=json"))["jobs"][0]["read"];
    for key in ["bw", "iops", "bw_min", "bw_mean", "iops_min", "iops_mean"] {
        assert!(read[key].as_f64().unwrap() > 0.0, "{key}: {read}");
    }
    // One in 500 ms. On a busy machine a sample can be of the whole second.
    assert!(
        ["bw_samples", "iops_samples"].iter().all(|key| [Some(1), Some(2)].contains(&read[key].as_u64())),
        "{read}"
    );
    let text = scratch.stdout(&arguments);
    let line = |start: &str| text.lines().find(|line| line.trim_start().starts_with(start)).unwrap().to_owned();
    assert!(line("read: IOPS=").contains(", BW="));
    assert!(line("bw (").contains("avg=") && line("iops ").contains("avg="));
}

#[test]
fn idle_prof_adds_cpu_idle_times() {
    let scratch = Scratch::new("idle");
    let arguments = format!("--idle-prof=percpu --name=a {TIMED} --rw=randread");
    let idle = &scratch.json(&format!("{arguments} --output-format=json"))["cpu_idleness"];
    for key in ["system", "cpu-0"] {
        assert!((0.0..=100.0).contains(&idle[key].as_f64().unwrap()), "{idle}");
    }
    let text = scratch.stdout(&arguments);
    assert!(text.contains("\nCPU idleness:\n  system: ") && text.contains("\n  percpu: "), "{text}");
}

#[test]
fn json_has_the_most_common_keys() {
    let scratch = Scratch::new("json");
    let report = scratch.json(&format!("--output-format=json --name=a --bs=4k {TIMED} --rw=randrw --numjobs=2"));
    assert!(report["fio version"].as_str().unwrap().starts_with("fio-3."));
    assert!(report["timestamp"].is_u64() && report["timestamp_ms"].is_u64() && report["time"].is_string());
    let job = &report["jobs"][0];
    assert_eq!((&job["jobname"], &job["groupid"], &job["error"]), (&"a".into(), &0.into(), &0.into()));
    assert_eq!(job["job options"]["bs"], "4k");
    for direction in ["read", "write", "trim"] {
        let ddir = &job[direction];
        for whole in ["io_bytes", "io_kbytes", "bw_bytes", "bw", "runtime", "total_ios", "short_ios", "drop_ios"] {
            assert!(ddir[whole].is_u64(), "{whole}: {ddir}");
        }
        for whole in ["bw_min", "bw_max", "bw_samples", "iops_min", "iops_max", "iops_samples"] {
            assert!(ddir[whole].is_u64(), "{whole}: {ddir}");
        }
        for float in ["iops", "bw_agg", "bw_mean", "bw_dev", "iops_mean", "iops_stddev"] {
            assert!(ddir[float].is_f64(), "{float}: {ddir}");
        }
        for kind in ["slat_ns", "clat_ns", "lat_ns"] {
            assert!(ddir[kind]["min"].is_u64() && ddir[kind]["max"].is_u64() && ddir[kind]["N"].is_u64());
            assert!(ddir[kind]["mean"].is_f64() && ddir[kind]["stddev"].is_f64());
        }
    }
    for percentile in ["1.000000", "50.000000", "95.000000", "99.000000", "99.900000", "99.990000"] {
        assert!(job["read"]["clat_ns"]["percentile"][percentile].is_u64(), "{percentile}");
    }
    assert!(job["usr_cpu"].is_f64() && job["sys_cpu"].is_f64() && job["ctx"].is_u64() && job["elapsed"].is_u64());
    assert!(job["iodepth_level"][">=64"].is_f64() && job["latency_ms"][">=2000"].is_f64());
    assert!(job["latency_ns"]["1000"].is_f64() && job["latency_us"]["500"].is_f64());
    assert!(report["disk_util"].is_array());
}

#[test]
fn bins_of_json_plus_add_up_to_the_ios() {
    let scratch = Scratch::new("bins");
    let report = scratch.json(&format!("--output-format=json+ --name=a {SHORT} --rw=randread"));
    let clat = &report["jobs"][0]["read"]["clat_ns"];
    let bins = clat["bins"].as_object().unwrap();
    assert!(bins.keys().all(|bin| bin.parse::<u64>().is_ok()));
    assert_eq!(bins.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 256);
    assert_eq!(clat["N"], 256);
}

#[test]
fn json_can_be_extracted_from_several_formats() {
    let scratch = Scratch::new("several");
    for formats in ["normal,json", "json,normal"] {
        let text = scratch.stdout(&format!("--output-format={formats} --name=a {SHORT} --rw=read"));
        let begin = text.lines().position(|line| line == "{").unwrap();
        let end = text.lines().position(|line| line == "}").unwrap();
        let json: String = text.lines().skip(begin).take(end - begin + 1).map(|line| format!("{line}\n")).collect();
        let report: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(report["jobs"][0]["read"]["io_bytes"], 1 << 20);
        let rest: Vec<&str> = text.lines().take(begin).chain(text.lines().skip(end + 1)).collect();
        assert!(rest.iter().any(|line| line.trim_start().starts_with("READ: bw=")), "{text}");
        assert!(!rest.iter().any(|line| line.contains('{')), "{text}");
    }
}

#[test]
fn normal_report_has_the_positions_that_line_tools_parse() {
    let scratch = Scratch::new("normal");
    let text = scratch.stdout(&format!("--name=a {TIMED} --rw=randrw --group_reporting --numjobs=2"));
    let value = |line: &str, key: &str| {
        let found = text.lines().find(|candidate| candidate.trim_start().starts_with(line));
        let found = found.unwrap_or_else(|| panic!("no line {line} in {text}"));
        let after = found.split(key).nth(1).unwrap_or_else(|| panic!("no {key} in {found}"));
        after.chars().take_while(|c| !matches!(c, ',' | ' ' | ')' | '%')).collect::<String>()
    };
    for direction in ["read:", "write:"] {
        let iops = value(direction, "IOPS=");
        assert!(iops.chars().all(|c| c.is_ascii_digit() || ".kM".contains(c)), "{iops}");
        assert!(value(direction, "BW=").ends_with("iB/s"));
    }
    assert!(value("lat (", "avg=").parse::<f64>().is_ok() && !value("clat (", "max=").is_empty());
    assert!(value("cpu", "usr=").parse::<f64>().is_ok() && value("cpu", "sys=").parse::<f64>().is_ok());
    let group: Vec<&str> =
        text.lines().find(|line| line.trim_start().starts_with("READ:")).unwrap().split(' ').collect();
    assert!(group[3].is_empty() || group[3].starts_with("READ:"), "{group:?}");
    assert!(text.lines().any(|line| line.starts_with("Run status group 0 (all jobs):")));
    assert!(text.lines().any(|line| line.contains("(groupid=0, jobs=2): err= 0: pid=")));
}

#[test]
fn errors_do_not_appear_on_standard_output() {
    let scratch = Scratch::new("errors");
    let arguments = "--output-format=json --name=a --filename=absent --allow_file_create=0 --size=1m --rw=read";
    let output = scratch.fio(arguments);
    assert!(!output.status.success() && !output.stderr.is_empty());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.is_empty() || serde_json::from_str::<Value>(&text).is_ok(), "{text}");
}

#[test]
fn standard_error_is_empty_with_machine_readable_reports() {
    let scratch = Scratch::new("silence");
    for format in ["json", "json+", "terse"] {
        std::fs::remove_file(scratch.file("data")).unwrap_or_default();
        let output =
            scratch.fio(&format!("--output-format={format} --name=a {SHORT} --rw=randread --exec_prerun=true"));
        assert!(output.status.success());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}");
    }
    std::fs::remove_file(scratch.file("data")).unwrap();
    assert!(
        scratch.stdout(&format!("--name=a {SHORT} --rw=randread")).contains("a: Laying out IO file (1 file / 1MiB)\n")
    );
}

#[test]
fn rejected_plan_is_a_complete_document_with_errors() {
    let scratch = Scratch::new("refused");
    std::fs::create_dir_all(scratch.file("folder")).unwrap();
    let output = scratch.fio("--name=a --filename=folder --rw=write --bs=4k --size=4k --output-format=json");
    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let job = &document["jobs"][0];
    assert_ne!(job["error"], 0);
    assert!(job["error_messages"].as_str().unwrap().contains("folder"), "{job}");
}
