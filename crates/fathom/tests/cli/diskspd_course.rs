//! Phases of a run with DiskSpd's options: interrupts in each of them, events, hints to the kernel, names in reports.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::stage::{Outcome, Scratch, outcome, signal};

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");
const INTERRUPTED: &str = "The test was interrupted before the measurements began. No results are displayed.";

fn start(directory: &Path, line: &str) -> Child {
    let mut command = Command::new(FATHOM);
    command.arg("diskspd").args(line.split_whitespace()).current_dir(directory).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn run(directory: &Path, line: &str) -> Outcome {
    outcome(start(directory, line))
}

/// A run with `-v`, whose log is followed.
struct Logged {
    child: Child,
    log: BufReader<ChildStdout>,
    stdout: String,
}

impl Logged {
    fn start(directory: &Path, line: &str) -> Self {
        let mut child = start(directory, &format!("-v {line}"));
        let log = BufReader::new(child.stdout.take().unwrap());
        Logged { child, log, stdout: String::new() }
    }

    /// Goes on when the log says the text.
    fn until(mut self, text: &str) -> Self {
        while !self.stdout.contains(text) {
            assert!(self.log.read_line(&mut self.stdout).unwrap() > 0, "nothing of `{text}` in {}", self.stdout);
        }
        self
    }

    fn interrupt(self) -> Outcome {
        signal(&self.child, "INT");
        self.end()
    }

    fn end(mut self) -> Outcome {
        self.log.read_to_string(&mut self.stdout).unwrap();
        Outcome { stdout: self.stdout, ..outcome(self.child) }
    }
}

/// Bytes and I/Os of the first table's total.
fn total(report: &str) -> [u64; 2] {
    let line = report.lines().find_map(|line| line.strip_prefix("total:")).unwrap_or_else(|| panic!("{report}"));
    let mut cells = line.split('|').map(|cell| cell.trim().parse().unwrap());
    [cells.next().unwrap(), cells.next().unwrap()]
}

#[test]
fn an_interrupt_ends_a_run_wherever_it_is() {
    let scratch = Scratch::new("course-interrupt");
    scratch.filled("t.dat", 1 << 20);
    let at = |text, line| {
        let ran = Logged::start(scratch.path(), line).until(text).interrupt();
        ran.ended_with(0);
        ran.stdout
    };
    let created = at("preparing time span 1", "-c1G -W600 -d600 new.dat");
    assert!(created.contains(INTERRUPTED), "{created}");
    let whole = |found: std::fs::Metadata| found.len() == 1 << 30;
    assert!(std::fs::metadata(scratch.file("new.dat")).map_or(true, whole), "half a file is no file");
    for line in ["-W600 -d600 t.dat", "-W600 -d600 -o1 -g1i t.dat", "-W600 -d600 -i1 -j600000 t.dat"] {
        let warm_up = at("warming up", line);
        assert!(warm_up.contains(INTERRUPTED), "{warm_up}");
    }
    let measured = at("measuring", "-W0 -d600 t.dat");
    assert!(!measured.contains(INTERRUPTED) && !measured.contains("actual test time:\t600"), "{measured}");
    total(&measured);
    let cool_down = at("cooling down", "-W0 -d1 -C600 t.dat");
    assert!(cool_down.contains("actual test time:\t1.00s") && total(&cool_down)[1] > 0, "{cool_down}");
}

#[test]
fn an_interrupt_leaves_the_time_spans_behind_it_without_results() {
    let scratch = Scratch::new("course-spans");
    scratch.filled("t.dat", 1 << 20);
    let span = |warm_up| {
        format!(
            "<TimeSpan><Duration>1</Duration><Warmup>{warm_up}</Warmup><Targets><Target><Path>t.dat</Path></Target>\
             </Targets></TimeSpan>"
        )
    };
    let profile = |first| format!("<Profile><TimeSpans>{}{}{}</TimeSpans></Profile>", span(first), span(60), span(60));
    std::fs::write(scratch.file("none.xml"), profile(60)).unwrap();
    std::fs::write(scratch.file("one.xml"), profile(0)).unwrap();
    let none = Logged::start(scratch.path(), "-Xnone.xml").until("warming up").interrupt();
    none.ended_with(0);
    assert_eq!(none.stdout.matches(INTERRUPTED).count(), 3, "{}", none.stdout);
    assert!(none.stdout.contains("total test time:\t0.00s"), "{}", none.stdout);
    let one = Logged::start(scratch.path(), "-Xone.xml").until("preparing time span 2").interrupt();
    one.ended_with(0);
    assert_eq!(one.stdout.matches(INTERRUPTED).count(), 2, "{}", one.stdout);
    assert!(one.stdout.contains("total test time:\t1.00s"), "{}", one.stdout);
}

#[test]
fn events_are_set_when_measuring_begins_and_ends() {
    let scratch = Scratch::new("course-events");
    scratch.filled("t.dat", 1 << 20);
    let event = |name| format!("fathom-test-{name}-{}", std::process::id());
    let (begun, ended) = (event("begun"), event("ended"));
    let logged = |line: &str| Logged::start(scratch.path(), &format!("{line} -b4K -g200i t.dat"));
    let at_begin = logged(&format!("-yr{begun} -W0 -d1")).until("preparing");
    let at_end = logged(&format!("-yr{ended} -W0 -d1")).until("preparing");
    // Both wait before the one that sets the events is there to set them.
    let main = logged(&format!("-ys{begun} -yf{ended} -W1 -d5 -C1"));
    let [main, at_begin, at_end] = [main, at_begin, at_end].map(|run| run.end().stdout);
    let time = |log: &str, text: &str| {
        let line = log.lines().find(|line| line.ends_with(text)).unwrap_or_else(|| panic!("{text}: {log}"));
        line.split(": ").next().unwrap().to_owned()
    };
    assert!(time(&at_begin, "measuring") >= time(&main, ": measuring"), "{main}{at_begin}");
    assert!(time(&at_end, "measuring") >= time(&main, "cooling down"), "{main}{at_end}");
    // The log has whole seconds.
    assert!(time(&at_begin, "measuring") <= time(&at_end, "measuring"), "{at_begin}{at_end}");
}

#[test]
fn hints_reach_the_kernel_for_the_part_that_is_used() {
    let scratch = Scratch::new("course-hints");
    scratch.filled("t.dat", 1 << 20);
    for (option, advice) in [("-fr", "POSIX_FADV_RANDOM"), ("-fs", "POSIX_FADV_SEQUENTIAL")] {
        let trace = scratch.file("trace");
        let mut command = Command::new("strace");
        command.args(["-f", "-e", "trace=fadvise64", "-o"]).arg(&trace).args([FATHOM, "diskspd", option]);
        let ran = command.args(["-B64K", "-g10i", "-d0", "-W0", "t.dat"]).current_dir(scratch.path()).output();
        let Ok(ran) = ran else {
            crate::stage::skipped("no strace to watch system calls with");
            return;
        };
        assert!(ran.status.success());
        let calls = std::fs::read_to_string(&trace).unwrap();
        assert!(calls.contains(&format!("65536, 983040, {advice}) = 0")), "{calls}");
    }
    let both = run(scratch.path(), "-Rfindings=always -frs -d0 -W0 t.dat");
    both.ended_with(0).complained_of("exclude each other");
}

#[test]
fn names_of_any_kind_make_sound_reports() {
    let scratch = Scratch::new("course-names");
    for name in ["a b", "a&b", "it's \"q\" <x>", "]]>", " begins", "ends ", "tab\there", "new\nline", "%s", "é"] {
        scratch.filled(name, 1 << 16);
        let text = ["diskspd", "-d0", "-W0", "-L", "-D", "-Rxml", "-Rtext=text", name];
        let output = Command::new(FATHOM).args(text).current_dir(scratch.path()).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let xml = String::from_utf8(output.stdout).unwrap();
        std::fs::write(scratch.file("p.xml"), profile_of(&xml)).unwrap();
        // Who reads the profile out of the results gets the same target.
        let again = run(scratch.path(), "-Rpxml -Xp.xml");
        assert_eq!(again.ended_with(0).stdout.trim(), profile_of(&xml).trim(), "{name}");
        let text = std::fs::read_to_string(scratch.file("text")).unwrap();
        let printed = name.replace('\t', "\\t").replace('\n', "\\n");
        assert!(text.contains(&format!("path: '{printed}'")), "{text}");
    }
    let no_text = std::ffi::OsStr::from_bytes(b"\xff.dat");
    let refused =
        Command::new(FATHOM).args(["diskspd", "-d0", "-W0", "-c1M"]).arg(no_text).current_dir(scratch.path()).output();
    let refused = refused.unwrap();
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(3), 0));
    assert!(!scratch.file("\u{fffd}.dat").exists(), "another file was made");
}

#[test]
fn a_report_that_finds_no_room_is_a_failure() {
    let scratch = Scratch::new("course-full");
    scratch.filled("t.dat", 1 << 20);
    for line in ["-d0 -W0 t.dat", "-Rp t.dat", "-Rsxml"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(FATHOM);
        command.arg("diskspd").args(line.split(' ')).current_dir(scratch.path()).stdout(full);
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && stderr.contains("No space left"), "{line}: {stderr}");
    }
}

#[test]
fn calls_that_do_the_io_themselves_wait_for_nothing() {
    let scratch = Scratch::new("course-waits");
    scratch.filled("t.dat", 1 << 20);
    let waits = |line: &str| {
        let report = run(scratch.path(), &format!("{line} -vs -b4K -d1 -W0 t.dat")).stdout;
        let row = report.lines().last().unwrap().to_owned();
        let cells: Vec<u64> = row.split(['|', '-', ' ']).filter_map(|cell| cell.parse().ok()).collect();
        assert_eq!(cells.len(), 13, "{row}");
        // Looks aside are counted by what they found.
        assert_eq!(cells[5..].iter().sum::<u64>(), cells[4], "{row}");
        [cells[1], cells[2], cells[3], cells[4]]
    };
    let [completion, throttle, sleep, aside] = waits("-o1");
    assert_eq!([completion, throttle, sleep, aside], [0; 4]);
    assert!(waits("-o1 -g20i")[2] > 0, "held back with nothing in flight");
    assert!(waits("-o8 -Su")[0] > 0);
}

/// The profile of a document of results, as one by itself.
fn profile_of(results: &str) -> String {
    let begin = results.find("  <Profile>\n").unwrap();
    let end = results.find("  </Profile>\n").unwrap() + "  </Profile>\n".len();
    let lines = results[begin..end].lines().map(|line| line.strip_prefix("  ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}
