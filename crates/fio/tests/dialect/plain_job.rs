//! A job without options is lowered to the default worker of the plan, with a file named after the job. Words become modes.

use std::sync::Arc;

use fio::lower::{FixedMachine, Machine, lower};
use fio::parse::JobLog;
use fio::parse::env::FixedEnv;
use fio::{Request, parse};
use iolog::Summary;
use plan::{Echo, Fallocate, PerDdir, Targets, VerifyMethod, Worker};

#[test]
fn a_plain_job_is_the_default_worker() {
    let Ok(Request::Run(invocation)) = parse(&["--name=job".to_owned()], &FixedEnv::default()) else { panic!("a job") };
    let plan = lower(&invocation, &FixedMachine { cpus: 1 });
    let lowered = &plan.workers[0];
    let mut expected = Worker {
        name: "job".into(),
        echo: Arc::new(Echo { options: lowered.echo.options.clone(), ..Echo::default() }),
        ..Worker::default()
    };
    expected.job_mut().unwrap().targets =
        Targets { paths: vec!["job.0.0".into()], generated: true, ..Targets::default() };
    // fio's defaults of options that have no effect in this job.
    (
        expected.job_mut().unwrap().rate.cycle_ms,
        expected.job_mut().unwrap().think.blocks,
        expected.measure.logs.per_job,
    ) = (1000, 1, true);
    // Files for reads are laid out.
    expected.job_mut().unwrap().targets.create.overwrite = true;
    assert_eq!(format!("{lowered:#?}"), format!("{expected:#?}"));
}

/// The worker of a job with an option.
fn with(option: &str) -> Worker {
    let line = ["--name=job".to_owned(), format!("--{option}")];
    let Ok(Request::Run(invocation)) = parse(&line, &FixedEnv::default()) else { panic!("{option}") };
    lower(&invocation, &FixedMachine { cpus: 1 }).workers.remove(0)
}

#[test]
fn each_word_of_fallocate_is_its_mode() {
    for (word, mode) in [
        ("none", Fallocate::None),
        ("posix", Fallocate::Posix),
        ("keep", Fallocate::Keep),
        ("truncate", Fallocate::Truncate),
        ("native", Fallocate::Native),
    ] {
        assert_eq!(with(&format!("fallocate={word}")).job().unwrap().load.targets.create.fallocate, mode, "{word}");
    }
}

#[test]
fn each_word_of_verify_is_its_method() {
    for (word, method) in [
        ("md5", VerifyMethod::Md5),
        ("crc64", VerifyMethod::Crc64),
        ("crc32", VerifyMethod::Crc32),
        ("crc32c", VerifyMethod::Crc32c),
        ("crc32c-intel", VerifyMethod::Crc32c),
        ("crc16", VerifyMethod::Crc16),
        ("crc7", VerifyMethod::Crc7),
        ("sha1", VerifyMethod::Sha1),
        ("sha256", VerifyMethod::Sha256),
        ("sha512", VerifyMethod::Sha512),
        ("sha3-224", VerifyMethod::Sha3_224),
        ("sha3-256", VerifyMethod::Sha3_256),
        ("sha3-384", VerifyMethod::Sha3_384),
        ("sha3-512", VerifyMethod::Sha3_512),
        ("xxhash", VerifyMethod::Xxhash),
        ("meta", VerifyMethod::Header),
        ("pattern", VerifyMethod::Pattern),
        ("pattern_hdr", VerifyMethod::PatternWithHeader),
        ("null", VerifyMethod::Null),
    ] {
        assert_eq!(
            with(&format!("verify={word}")).job().unwrap().load.verify.as_ref().map(|verify| verify.method),
            Some(method),
            "{word}"
        );
    }
    let of_pattern = with("verify_pattern=0xff").job().unwrap().load.verify.as_ref().map(|verify| verify.method);
    assert_eq!(of_pattern, Some(VerifyMethod::PatternWithHeader));
}

/// A machine on which `/dev/zero` is the only special file.
struct WithDevice;

impl Machine for WithDevice {
    fn exists(&self, path: &str) -> bool {
        self.is_special_file(path)
    }

    fn is_special_file(&self, path: &str) -> bool {
        path == "/dev/zero"
    }

    fn online_cpus(&self) -> Vec<u32> {
        vec![0]
    }
}

#[test]
fn a_device_with_the_name_of_a_job_is_its_target() {
    let targets = |line: &[&str]| {
        let line: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        let Ok(Request::Run(invocation)) = parse(&line, &FixedEnv::default()) else { panic!("{line:?}") };
        let targets = std::mem::take(&mut lower(&invocation, &WithDevice).workers[0].job_mut().unwrap().targets);
        (targets.paths, targets.generated)
    };
    assert_eq!(targets(&["--name=/dev/zero"]), (vec!["/dev/zero".to_owned()], false));
    let files = ["/dev/zero.0.0", "/dev/zero.0.1"].map(str::to_owned).to_vec();
    assert_eq!(targets(&["--name=/dev/zero", "--nrfiles=2"]), (files, true));
}

/// The worker of a job that replays a log.
fn replaying(options: &[&str], summary: Summary) -> Worker {
    let line: Vec<String> = ["--name=job"].iter().chain(options).map(|&word| word.to_owned()).collect();
    let Ok(Request::Run(mut invocation)) = parse(&line, &FixedEnv::default()) else { panic!("{options:?}") };
    invocation.jobs[0].logs = vec![JobLog { path: "log".into(), summary, targets: vec!["sda".into()] }];
    lower(&invocation, &FixedMachine { cpus: 1 }).workers.remove(0)
}

#[test]
fn a_job_has_the_directions_of_its_log() {
    let directions = |ios: [u64; 3]| {
        let pattern = replaying(&["--rw=randwrite"], Summary { ios: PerDdir(ios), ..Summary::default() })
            .job()
            .unwrap()
            .load
            .access
            .pattern;
        ([pattern.reads, pattern.writes, pattern.trims], pattern.random)
    };
    assert_eq!(directions([1, 0, 0]), ([true, false, false], false));
    assert_eq!(directions([0, 1, 0]), ([false, true, false], false));
    assert_eq!(directions([0, 0, 1]), ([false, false, true], false));
    assert_eq!(directions([2, 1, 3]), ([true, true, true], false));
    // A log without I/Os.
    assert_eq!(directions([0; 3]), ([true, false, false], false));
}

#[test]
fn a_job_without_iodepth_has_the_depth_of_its_log() {
    let depth = |options: &[&str]| {
        let worker = replaying(options, Summary { depth: Some(16), ..Summary::default() });
        assert_eq!(worker.job().unwrap().load.targets.paths, ["sda"]);
        (worker.depth(), worker.batches.low)
    };
    assert_eq!(depth(&["--ioengine=libaio"]), (16, None));
    assert_eq!(depth(&["--ioengine=libaio", "--iodepth=4"]), (4, None));
    assert_eq!(depth(&["--ioengine=psync"]), (1, None));
}
