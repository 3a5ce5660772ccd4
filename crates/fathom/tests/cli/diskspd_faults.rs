//! Faults in a run of `fathom diskspd`: the figures until then are reported at once, with the reason and the correct
//! exit code.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::stage::{
    self, Loop, MIB, Mount, Outcome, Scratch, Throttle, Zram, command, needs, outcome, signal, system,
    wait_for_blocked_thread, wait_for_open_file, wait_for_silence, wait_for_work, wait_until,
};

/// The flag of Linux for `open`, on all its architectures that fathom supports.
const O_NONBLOCK: i32 = 0o4000;
const NOT_MEASURED: &str = "The test was interrupted before the measurements began.";

fn diskspd(directory: &Path, line: &str) -> Command {
    command(directory, "diskspd", line)
}

fn run(directory: &Path, line: &str) -> Outcome {
    outcome(diskspd(directory, line).spawn().unwrap())
}

/// Runs a shell script. In it the program is `$0` and its arguments are `$@`.
fn shell(directory: &Path, script: &str, line: &str) -> Outcome {
    let mut command = Command::new("bash");
    command.args(["-c", script, env!("CARGO_BIN_EXE_fathom"), "diskspd"]).args(line.split_whitespace());
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    outcome(command.spawn().unwrap())
}

/// Checks an error: it has the expected texts, DiskSpd's terms and no errno.
fn failed(ended: &Outcome, code: i32, message: &[&str]) {
    ended.ended_with(code);
    let errors: String = ended.stderr.split_inclusive('\n').filter(|line| line.starts_with("error: ")).collect();
    for what in message {
        assert!(errors.contains(what), "no `{what}` in:\n{}", ended.stderr);
    }
    let foreign = ["fio:", "os error", "ioengine", "iodepth", "openfiles", "direct=", "init_io_u"];
    assert!(foreign.iter().all(|word| !ended.stderr.contains(word)), "{}", ended.stderr);
}

/// Returns the I/Os of the first table of the text report. `None` without results.
fn counted(report: &str) -> Option<u64> {
    let totals = report.split("Total IO").nth(1)?;
    let line = totals.lines().find(|line| line.starts_with("total:")).unwrap();
    Some(line.split('|').nth(1).unwrap().trim().parse().unwrap())
}

fn ios(report: &str) -> u64 {
    counted(report).unwrap_or_else(|| panic!("no results:\n{report}"))
}

/// Returns a check for more than `ios` I/Os and a time above 0.
fn has_more_than(ios: u64) -> impl Fn(&Outcome) -> bool {
    move |ended| counted(&ended.stdout) > Some(ios) && seconds(&ended.stdout) > 0.0
}

fn seconds(report: &str) -> f64 {
    let time = report.split("actual test time:").nth(1).unwrap_or_else(|| panic!("no results:\n{report}"));
    time.split('s').next().unwrap().trim().parse().unwrap()
}

/// Checks that the measured time is not longer than the run.
fn assert_within(report: &str, since: Instant) {
    let passed_s = since.elapsed().as_secs_f64();
    assert!(counted(report).is_none() || seconds(report) < passed_s, "in {passed_s} s: {report}");
}

#[test]
fn errors_before_the_run_have_target_and_help() {
    let scratch = Scratch::new("diskspd-errors");
    scratch.filled("f", MIB);
    scratch.filled("small", 1000);
    scratch.filled("empty", 0);
    std::fs::create_dir(scratch.file("folder")).unwrap();
    std::fs::write(scratch.file("bad.xml"), "<Profile>\n<TimeSpan>\n").unwrap();
    let cases: [(i32, &str, &[&str]); 24] = [
        (1, "missing", &["missing: No such file or directory", "-c<size>"]),
        (1, "-t4 -o8 -r f missing", &["missing: No such file"]),
        (1, "-c1M none/f", &["none/f: cannot be created", "directory must exist"]),
        (1, "-c1M f/f", &["f/f: cannot be created: Not a directory"]),
        (1, "folder", &["folder: the target is a directory", "use a file"]),
        (1, "small", &["small: a block of 65536 bytes", "1000", "larger target"]),
        (1, "empty", &["empty: the target is empty", "-c<size>"]),
        (1, "-B2M f", &["f: the part to use begins at 2097152", "begin lower"]),
        (1, "-B1M f", &["f: the part to use begins at 1048576"]),
        (1, "-b2M f", &["f: a block of 2097152", "1048576"]),
        (1, "-B512K -f768K -b512K f", &["f: a block of 524288"]),
        (1, "-t20 -T64K f", &["f: this thread begins", "fewer threads"]),
        (1, "-b1000 -Sh f", &["f: unbuffered I/O requires multiples of", "block size is 1000", "leave out -Su"]),
        (1, "-b4K -r1000 -Su f", &["f: ", "alignment is 1000"]),
        (1, "-b4K -B1000 -Su f", &["f: ", "base offset is 1000"]),
        (1, "-w100 -Z1M,none f", &["none: the write data", "-Z<size>,<file>"]),
        (1, "-w100 -Z1M,folder f", &["folder: the write data cannot be read: Is a directory"]),
        (1, "-w100 -Z900T f", &["the memory of this machine or control group"]),
        (1, "-b512K -o60000 -t100 f", &["3000000 MiB", "-o"]),
        (3, "-Xnone.xml", &["none.xml can't be read: No such file or directory"]),
        (3, "-Xfolder", &["folder can't be read: Is a directory"]),
        (3, "-Xbad.xml", &["not well-formed"]),
        (3, "-Rxml=none/r f", &["-Rxml=none/r: No such file or directory"]),
        (3, "-Rtext=folder f", &["folder: this is a directory"]),
    ];
    for (code, line, message) in cases {
        let line = if line.starts_with("-X") { line.to_owned() } else { format!("-d1 -W0 {line}") };
        let ended = run(scratch.path(), &line);
        failed(&ended, code, message);
        assert_eq!(ended.stdout.contains(NOT_MEASURED), code == 1, "{line}: {}", ended.stdout);
        assert_eq!(ended.stdout.is_empty(), code == 3, "{line}: {}", ended.stdout);
        assert!(!ended.stdout.contains("cpu count:\t\t0"), "{line}: {}", ended.stdout);
    }
    assert_eq!(scratch.names(), ["bad.xml", "empty", "f", "folder", "small"]);
}

/// Truncates the file every 5 ms until the run ends. A write can extend the file again, and only a read fails at its end.
fn outcome_while_truncating(child: Child, path: &Path) -> Outcome {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let process = PathBuf::from(format!("/proc/{}", child.id()));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while process.exists() {
                file.set_len(MIB).unwrap();
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        outcome(child)
    })
}

#[test]
fn shrinking_or_removed_target_reports_the_figures_until_then() {
    for how in ["-o1", "-o8", "-o8 -Sh", "-Sm", "-t3 -w30", "-F2 -O4 -L -D100"] {
        let scratch = Scratch::new("diskspd-shrinks");
        let line = format!("-d600 -W0 -r -b64K {how} -Rxml=report.xml f");
        let (path, since) = (scratch.filled("f", 16 * MIB), Instant::now());
        let child = diskspd(scratch.path(), &line).spawn().unwrap();
        wait_for_work(&child, 50);
        let ended = outcome_while_truncating(child, &path);
        assert_within(&ended.stdout, since);
        failed(&ended, 1, &["f: read "]);
        assert!(has_more_than(10)(&ended), "{how}: {}", ended.stdout);
        assert!(ended.stdout.contains("The test failed: f: read "), "{how}: {}", ended.stdout);
        let xml = std::fs::read_to_string(scratch.file("report.xml")).unwrap();
        assert!(xml.contains("<Error>The test failed: f: read ") && xml.contains("<IOCount>"), "{how}: {xml}");
    }
    let scratch = Scratch::new("diskspd-removed");
    let (path, since) = (scratch.filled("f", MIB), Instant::now());
    let child = diskspd(scratch.path(), "-d1 -W0 -r -b4K -w20 f").spawn().unwrap();
    wait_for_open_file(&child, &path);
    wait_for_work(&child, 5);
    std::fs::remove_file(path).unwrap();
    let ended = outcome(child);
    assert_within(&ended.ended_with(0).stdout, since);
    assert!(seconds(&ended.stdout) >= 0.9, "{}", ended.stdout);
}

#[test]
fn failing_device_reports_the_figures_until_then() {
    let scratch = Scratch::new("diskspd-eio");
    let Some(device) = Loop::new(&scratch, 16, "") else { return };
    for how in ["-o1 -Sh -w0", "-o8 -Su -w0", "-o8 -t2 -Sh -w0 -Rxml"] {
        let line = format!("-d600 -W0 -r -b64K {how} {}", device.device);
        std::fs::write(&device.image, vec![1; 16 << 20]).unwrap();
        let child = diskspd(scratch.path(), &line).spawn().unwrap();
        wait_for_work(&child, 50);
        device.truncate(1);
        let ended = outcome(child);
        failed(&ended, 1, &[&device.device, "failed: Input/output error"]);
        if how.contains("xml") {
            assert!(ended.stdout.contains("<Error>") && ended.stdout.contains("<IOCount>"), "{}", ended.stdout);
        } else {
            assert!(ios(&ended.stdout) > 10, "{how}");
        }
    }
}

#[test]
fn full_file_system_is_reported_and_leaves_no_partial_file() {
    let scratch = Scratch::new("diskspd-full");
    let full = scratch.file("full");
    let Some(_mount) = Mount::tmpfs(8, &full) else { return };
    failed(&run(&full, "-d1 -W0 -c16M new"), 1, &["new: cannot be created: No space left on device", "smaller -c"]);
    assert!(!full.join("new").exists());
    std::fs::write(full.join("old"), vec![9; 1 << 20]).unwrap();
    failed(
        &run(&full, "-d1 -W0 -c16M old"),
        1,
        &["old: cannot be created: 16777216 bytes are needed, 8388608 are free", "was kept"],
    );
    assert_eq!(std::fs::read(full.join("old")).unwrap(), vec![9; 1 << 20]);
    std::fs::OpenOptions::new().write(true).open(full.join("old")).unwrap().set_len(64 * MIB).unwrap();
    for how in ["-o1", "-o4", "-t2"] {
        let ended = run(&full, &format!("-d30 -W0 -w100 -b64K -si {how} old").replace("-si -o1", "-s -o1"));
        failed(&ended, 1, &["old: write of 65536 bytes at ", "failed: No space left on device"]);
        assert!((64..=128).contains(&ios(&ended.stdout)), "{how}: {}", ended.stdout);
        std::fs::OpenOptions::new().write(true).open(full.join("old")).unwrap().set_len(0).unwrap();
        std::fs::OpenOptions::new().write(true).open(full.join("old")).unwrap().set_len(64 * MIB).unwrap();
    }
}

#[test]
fn report_without_space_is_reported_and_others_are_complete() {
    let scratch = Scratch::new("diskspd-report");
    let full = scratch.file("full");
    let Some(_mount) = Mount::tmpfs(4, &full) else { return };
    for report in ["-Rrecord=full/r", "-Rtext=full/r", "-Rxml=full/r"] {
        let ended = run(scratch.path(), &format!("-d1 -W0 -b4K -c4M {report} full/f"));
        failed(&ended, 1, &["a report can't be written: ", "full/r: No space left on device"]);
        assert!(ios(&ended.stdout) > 0);
        assert_eq!(std::fs::read_dir(&full).unwrap().count(), 1, "a partial file remains");
    }
    scratch.filled("f", MIB);
    let ended = run(scratch.path(), "-d1 -W0 -Rxml=/dev/full f");
    failed(&ended, 1, &["/dev/full: No space left on device"]);
    assert!(ios(&ended.stdout) > 0);
}

#[test]
fn closed_standard_output_is_accepted_and_a_full_one_is_an_error() {
    let scratch = Scratch::new("diskspd-streams");
    scratch.filled("f", MIB);
    let line = "-d1 -W0 -r -v -P f";
    let ended = shell(scratch.path(), r#""$0" "$@" >/dev/full"#, line);
    ended.ended_with(1).complained_of("standard output can't be written: No space left on device");
    assert!(ios(&ended.stderr) > 0, "the report is missing");
    for (script, code) in [
        (r#""$0" "$@" | head -1; exit ${PIPESTATUS[0]}"#, 0),
        (r#""$0" "$@" 2>&1 >/dev/null | true; exit ${PIPESTATUS[0]}"#, 0),
        (r#""$0" "$@" 2>/dev/full"#, 0),
        (r#""$0" "$@" 2>&-"#, 0),
        (r#""$0" "$@" missing 2>/dev/full"#, 1),
        (r#""$0" "$@" -? 2>/dev/full"#, 3),
    ] {
        let ended = shell(scratch.path(), script, line);
        assert_eq!(ended.code, Some(code), "{script}: {}\n{}", ended.stdout, ended.stderr);
    }
    shell(scratch.path(), r#""$0" diskspd -? >/dev/full"#, "").ended_with(1);
    let ended = shell(scratch.path(), r#""$0" diskspd -? | true; exit ${PIPESTATUS[0]}"#, "");
    ended.ended_with(0);
}

/// Returns the command that runs the binary as another user.
fn as_another(scratch: &Scratch) -> Option<String> {
    let as_another = "setpriv --reuid=65534 --clear-groups";
    system(&format!("chmod 777 {}", scratch.path().display()))?;
    system(&format!("{as_another} {} --version", env!("CARGO_BIN_EXE_fathom")))?;
    Some(as_another.to_owned())
}

#[test]
fn missing_permissions_are_reported() {
    let scratch = Scratch::new("diskspd-denied");
    scratch.filled("f", MIB);
    std::fs::create_dir(scratch.file("closed")).unwrap();
    std::fs::write(scratch.file("closed/f"), vec![1; 65_536]).unwrap();
    system(&format!(
        "cd {} && chmod 700 closed && chmod 644 f && touch secret && chmod 600 secret",
        scratch.path().display()
    ));
    let Some(another) = as_another(&scratch) else { return };
    for (line, message) in [
        ("-w100 f", &["f: Permission denied"][..]),
        ("-w100 -Sm f", &["f: Permission denied"]),
        ("closed/f", &["closed/f: Permission denied"]),
        ("-c1M closed/f", &["closed/f: cannot be created: Permission denied"]),
        ("-w100 -Z4K,secret -b4K -c64K new", &["secret: the write data cannot be read: Permission denied"]),
    ] {
        let ended = shell(scratch.path(), &format!(r#"exec {another} "$0" "$@""#), &format!("-d1 -W0 {line}"));
        failed(&ended, 1, message);
    }
    assert_eq!(std::fs::read(scratch.file("f")).unwrap(), vec![0x5a; 1 << 20]);
    shell(scratch.path(), &format!(r#"exec {another} "$0" "$@""#), "-d1 -W0 f").ended_with(0);
    let ended = shell(scratch.path(), &format!(r#"exec {another} "$0" "$@""#), "-Xsecret");
    failed(&ended, 3, &["secret can't be read: Permission denied"]);
    // With this limit on the user's threads, none of them measures.
    let script = format!(r#"ulimit -u 30; exec {another} "$0" "$@""#);
    let ended = shell(scratch.path(), &script, "-d600 -W0 -t1000 -o1 -b4K -r f");
    failed(&ended, 1, &["f: a thread cannot be created", "-t, -F"]);
    assert!(ended.stdout.contains(NOT_MEASURED), "{}", ended.stdout);
}

#[test]
fn process_limits_are_reported_before_any_measurement() {
    let scratch = Scratch::new("diskspd-limits");
    scratch.filled("f", MIB);
    for (limit, line, message) in [
        ("ulimit -n 64", "-t200 -o1", "f: Too many open files; all threads share one limit"),
        ("ulimit -n 64", "-t200 -o8", "Too many open files"),
        ("ulimit -v 3000000", "-b512K -o8000", "the limit of the address space (ulimit -v) is 2929 MiB"),
        ("ulimit -v 3000000", "-w100 -Z2G", "the limit of the address space (ulimit -v) is 2929 MiB"),
        ("ulimit -d 200000", "-b512K -o8000", "the data size limit (ulimit -d) is 195 MiB"),
        ("ulimit -d 200000", "-w100 -Z120M", "the data size limit (ulimit -d) is 195 MiB"),
    ] {
        let ended =
            shell(scratch.path(), &format!(r#"{limit}; exec "$0" "$@""#), &format!("-d600 -W0 -b4K -r {line} f"));
        failed(&ended, 1, &[message]);
        assert!(ended.stdout.contains(NOT_MEASURED), "{limit}: {}", ended.stdout);
    }
    let many = run(scratch.path(), "-d1 -W0 -b4K -r -t1000 f");
    if many.stderr.contains("RLIMIT_MEMLOCK") {
        return crate::stage::skipped(&many.stderr);
    }
    many.ended_with(0);
    if std::fs::read_to_string("/proc/sys/vm/nr_hugepages").is_ok_and(|pages| pages.trim() == "0") {
        failed(&run(scratch.path(), "-d1 -W0 -l f"), 1, &["no huge pages for", "vm.nr_hugepages", "leave -l out"]);
    }
}

#[test]
fn libaio_is_used_without_io_uring_and_reported() {
    let scratch = Scratch::new("diskspd-rings");
    scratch.filled("f", MIB);
    let without = r#"exec strace -f -qq -o trace -e trace=io_uring_setup,io_setup -e inject=io_uring_setup:error=EPERM "$0" "$@""#;
    if system("strace -qq -e inject=io_uring_setup:error=EPERM true").is_none() {
        return;
    }
    let ended = shell(scratch.path(), without, "-Rfindings=always -d1 -W0 -o8 -r f");
    ended.ended_with(0).complained_of("io_uring for this process: libaio is used");
    assert!(ios(&ended.stdout) > 0);
    assert!(std::fs::read_to_string(scratch.file("trace")).unwrap().contains("io_setup(8"));
    // A thread with one outstanding I/O needs neither.
    let ended = shell(scratch.path(), without, "-Rfindings=always -d1 -W0 -o1 -r f");
    assert!(!ended.ended_with(0).stderr.contains("io_uring"), "{}", ended.stderr);
    failed(&shell(scratch.path(), without, "-d1 -W0 -u f"), 1, &["-u (IoRing): the kernel does not allow io_uring"]);
}

/// Starts a run, sends signals 100 ms apart as soon as `is_time` returns, and returns its outcome.
fn interrupted(scratch: &Scratch, line: &str, is_time: impl Fn(&Child), signals: &[&str]) -> Outcome {
    let since = Instant::now();
    let child = stage::with_default_hangup(&diskspd(scratch.path(), line)).spawn().unwrap();
    is_time(&child);
    let ended = stage::interrupted(child, signals);
    assert_within(&ended.stdout, since);
    ended.ended_with(0);
    assert!(!ended.stderr.contains("error: "), "{line}: {}", ended.stderr);
    ended
}

fn is_not_measured(ended: &Outcome) -> bool {
    ended.stdout.contains(NOT_MEASURED)
}

#[test]
fn signal_ends_a_run_at_any_stage_and_a_second_has_no_effect() {
    let scratch = Scratch::new("diskspd-signals");
    scratch.filled("f", MIB);
    let works = |child: &Child| wait_for_work(child, 20);
    for signals in [&["INT"][..], &["TERM"], &["HUP"], &["INT", "INT"], &["TERM", "INT", "TERM"]] {
        let ended = interrupted(&scratch, "-d600 -W0 -r -b4K -L -D100 f", works, signals);
        assert!(has_more_than(10)(&ended), "{}", ended.stdout);
        let ended = interrupted(&scratch, "-d600 -W600 -r -b4K f", works, signals);
        assert!(is_not_measured(&ended), "{}", ended.stdout);
    }
}

#[test]
fn signal_ends_file_creation_and_removes_the_file() {
    let scratch = Scratch::new("diskspd-making");
    let Some(device) = Zram::new(16 << 10) else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    let Some(_mount) = Mount::new(&device.device, &scratch.file("mnt")) else { return };
    for signals in [&["INT"][..], &["TERM", "TERM"]] {
        for line in ["-d1 -W0 -c12G mnt/new", "-d1 -W0 -c12G -Sh -Z mnt/new"] {
            let is_created = |_: &Child| wait_until("the file", || scratch.file("mnt/new").exists());
            let ended = interrupted(&scratch, line, is_created, signals);
            assert!(is_not_measured(&ended) && !scratch.file("mnt/new").exists(), "{}", ended.stdout);
        }
    }
}

#[test]
fn waits_end_when_the_run_stops() {
    let scratch = Scratch::new("diskspd-waits");
    scratch.filled("f", MIB);
    for wait in
        ["-g8", "-g2i -o1", "-i1 -j600000", "-i1 -j600000 -o1", "-t500 -o1 -g2i", "-F3 -O8 -w50", "-Sm -w100 -Nv"]
    {
        let line = format!("-d600 -W0 -r -b4K {wait} f");
        let works = |child: &Child| wait_for_work(child, if wait.starts_with("-t500") { 5000 } else { 16 });
        let ended = interrupted(&scratch, &line, works, &["INT"]);
        assert!(has_more_than(0)(&ended), "{wait}: {}", ended.stdout);
    }
    let line = format!("-d600 -W0 -yrfathom-{} f", std::process::id());
    let ended = interrupted(&scratch, &line, |_| (), &["INT"]);
    assert!(is_not_measured(&ended), "{}", ended.stdout);
    let span = "<TimeSpan><Duration>600</Duration><Warmup>0</Warmup><Targets><Target><Path>f</Path></Target></Targets></TimeSpan>";
    std::fs::write(scratch.file("p.xml"), format!("<Profile><TimeSpans>{span}{span}</TimeSpans></Profile>")).unwrap();
    let ended = interrupted(&scratch, "-Xp.xml", |child| wait_for_work(child, 20), &["TERM"]);
    let spans: Vec<&str> = ended.stdout.split("Results for timespan ").skip(1).collect();
    assert_eq!((spans.len(), ios(spans[0]) > 10, spans[1].contains(NOT_MEASURED)), (2, true, true), "{}", ended.stdout);
    system(&format!("mkfifo {}", scratch.file("pipe").display())).unwrap();
    let child = diskspd(scratch.path(), "-d1 -W0 -w100 -Z1M,pipe f").spawn().unwrap();
    // The run waits for data in the pipe from when it opens it. Until then it cannot be opened for writing.
    let mut pipe = OpenOptions::new();
    pipe.write(true).custom_flags(O_NONBLOCK);
    let mut writer = None;
    wait_until("the pipe is open", || {
        writer = pipe.open(scratch.file("pipe")).ok();
        writer.is_some()
    });
    // A pipe takes 64 KiB: after more than that the run is reading, and waits for the rest of its 1 MiB.
    let (mut writer, mut written) = (writer.unwrap(), 0);
    wait_until("the run reads the pipe", || {
        written += writer.write(&[0; 16 << 10]).unwrap_or(0);
        written >= 256 << 10
    });
    let ended = stage::interrupted(child, &["INT"]);
    failed(&ended, 1, &["did not stop"]);
}

/// Outcome of a run that is interrupted while its device does not respond.
struct Stuck {
    ended: Outcome,
    /// Content of standard output and of `report.xml` before the device responds again.
    text: String,
    xml: String,
}

impl Stuck {
    /// Interrupts the run, and makes the device respond after the reports are written: the kernel ends the process only
    /// then.
    fn interrupt(scratch: &Scratch, mut child: Child, throttle: &Throttle) -> Self {
        signal(&child, "INT");
        let xml = || std::fs::read_to_string(scratch.file("report.xml")).unwrap_or_default();
        wait_until("a report", || xml().ends_with("</Results>") || child.try_wait().unwrap().is_some());
        let text = std::fs::read_to_string(scratch.file("report")).unwrap();
        throttle.bytes_per_s(0);
        let xml = xml();
        drop(child.stdout.take());
        Stuck { ended: outcome(child), text, xml }
    }
}

/// Starts a run with standard output in the file `report`.
fn with_report(scratch: &Scratch, mut command: Command) -> Child {
    let report = std::fs::File::create(scratch.file("report")).unwrap();
    drop(std::fs::remove_file(scratch.file("report.xml")));
    command.stdout(report).spawn().unwrap()
}

#[test]
fn unresponsive_device_does_not_delay_the_reports() {
    let Some(device) = Zram::new(64) else { return };
    let Some(throttle) = Throttle::new(&device) else { return };
    let says_why = |stuck: &Stuck| {
        let messages = ["stuck in the kernel", "did not complete: the device does not respond"];
        messages.iter().any(|message| stuck.ended.stderr.contains(message))
    };
    for how in ["-o1", "-o8", "-t3 -o2 -w0", "-o8 -u", "-W600"] {
        let scratch = Scratch::new("diskspd-stuck");
        scratch.filled("f", MIB);
        let line = format!("-d600 -W0 -r -b4K -w50 -Sh -L {how} -Rxml=report.xml {} f", device.device);
        let since = Instant::now();
        let child = with_report(&scratch, diskspd(scratch.path(), &line));
        throttle.add_process(child.id());
        let before = device.ios();
        wait_until("I/Os of the device", || device.ios() > before + 200);
        wait_for_work(&child, 20);
        throttle.bytes_per_s(1);
        wait_for_silence(&device);
        let stuck = Stuck::interrupt(&scratch, child, &throttle);
        assert_within(&stuck.text, since);
        let is_measured = |stuck: &Stuck| counted(&stuck.text) > Some(100) && seconds(&stuck.text) > 0.1;
        failed(&stuck.ended, 1, &[&device.device]);
        assert!(says_why(&stuck), "{how}: {}", stuck.ended.stderr);
        let Stuck { text, xml, .. } = &stuck;
        if how == "-W600" {
            assert!(text.contains(NOT_MEASURED) && xml.contains("interrupted before"), "{text}");
            continue;
        }
        assert!(is_measured(&stuck), "{how}: {text}");
        assert!(text.contains("The test failed: ") && xml.contains("<IOCount>"), "{how}: {text}");
    }
}

#[test]
fn unresponsive_device_at_the_start_does_not_block_the_end() {
    let Some(device) = Zram::new(64) else { return };
    let Some(throttle) = Throttle::new(&device) else { return };
    let scratch = Scratch::new("diskspd-silent");
    let line = format!("-d1 -W0 -w100 -Sh -Rxml=report.xml {}", device.device);
    let why = format!("the check of {} is stuck in the kernel", device.device);
    throttle.bytes_per_s(1);
    // Blocks cached by the check of the device must not answer the reads.
    system(&format!("blockdev --flushbufs {}", device.device));
    // The process joins the group before it starts: the test covers the first access to the device.
    let script = format!(r#"echo $$ > {}/cgroup.procs && exec "$0" "$@""#, throttle.group);
    let mut command = Command::new("bash");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_fathom"), "diskspd"]).args(line.split_whitespace());
    command.current_dir(scratch.path()).stderr(Stdio::piped());
    let child = with_report(&scratch, command);
    wait_for_blocked_thread(&child);
    let stuck = Stuck::interrupt(&scratch, child, &throttle);
    failed(&stuck.ended, 1, &[&why]);
    assert!(stuck.text.contains(NOT_MEASURED), "{}", stuck.text);
}

#[test]
fn blocked_file_creation_does_not_delay_the_report() {
    let scratch = Scratch::new("diskspd-stuck-making");
    let Some(device) = Zram::new(16 << 10) else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    let Some(throttle) = Throttle::new(&device) else { return };
    let Some(_mount) = Mount::new(&device.device, &scratch.file("mnt")) else { return };
    let why = "did not stop: creating or reading a file is stuck in the kernel";
    let child = with_report(&scratch, diskspd(scratch.path(), "-d1 -W0 -c12G -Rxml=report.xml mnt/new"));
    throttle.add_process(child.id());
    wait_until("the file", || scratch.file("mnt/new").exists());
    throttle.bytes_per_s(1);
    wait_for_blocked_thread(&child);
    let stuck = Stuck::interrupt(&scratch, child, &throttle);
    failed(&stuck.ended, 1, &[why]);
    assert!(stuck.text.contains(NOT_MEASURED), "{}", stuck.text);
}
