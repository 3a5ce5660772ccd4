//! DiskSpd command lines: exit codes, and the stream of each message.

use crate::stage;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

use serde_json::Value;

/// Different by design, see docs/diskspd-differences.md.
const EXCEPTIONS: [&str; 4] = ["or524", "or561", "or587", "or623"];

fn diskspd(arguments: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fathom")).arg("diskspd").args(arguments).output().unwrap()
}

fn arguments(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Returns the cases that do not start a run.
fn cases() -> Vec<(Value, Vec<String>)> {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../../../corpus/diskspd/cases.json")).unwrap();
    let line = |case: Value| {
        let mut line: Vec<String> =
            case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().to_owned()).collect();
        let of_a_run = case["source"].as_str().unwrap().ends_with("as given");
        let prints = line.iter().any(|arg| arg.starts_with("-Rp"));
        if !prints && !of_a_run && !line.is_empty() && !line.iter().any(|arg| arg == "-?") {
            line.insert(0, "-Rpxml".to_owned());
        }
        (case, line)
    };
    let cpus = std::thread::available_parallelism().unwrap().get();
    let applies = |case: &Value| {
        let id = case["id"].as_str().unwrap();
        // This case needs a CPU number that does not exist.
        !EXCEPTIONS.contains(&id) && (id != "rn830" || cpus < 10)
    };
    cases.into_iter().filter(applies).map(line).collect()
}

#[test]
fn rejected_command_lines_exit_with_3_and_report_on_standard_error() {
    let mut wrong = Vec::new();
    for (case, line) in cases() {
        let output = diskspd(&line);
        let code = output.status.code().unwrap();
        let usage = output.stdout.starts_with(b"usage:");
        let streams = match code {
            0 => !output.stdout.is_empty() && (case["warnings"].is_null() || !output.stderr.is_empty()),
            3 if line.is_empty() => usage && output.stderr.is_empty(),
            3 => output.stdout.is_empty() && !output.stderr.is_empty(),
            _ => true,
        };
        if i64::from(code) != case["exit_code"] || !streams {
            let printed = String::from_utf8_lossy(&output.stderr).into_owned();
            wrong.push(format!("{} {line:?} ends with {code}: {printed}", case["id"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn windows_target_names_are_rejected_with_a_list_of_disks() {
    for target in ["#0", "c:"] {
        let output = diskspd(&arguments(&format!("-d1 {target}")));
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(3) && output.stdout.is_empty(), "{printed}");
        assert!(
            printed.contains(target) && printed.contains("write the path of a device. This machine has "),
            "{printed}"
        );
    }
}

#[test]
fn default_seed_without_a_number_is_the_uptime() {
    let seed = || {
        let report = String::from_utf8(diskspd(&arguments("-z -Rp t")).stdout).unwrap();
        let line = report.lines().find_map(|line| line.trim().strip_prefix("random seed: ")).unwrap();
        line.parse::<u32>().unwrap()
    };
    let first = seed();
    std::thread::sleep(std::time::Duration::from_millis(5));
    let passed_ms = seed().wrapping_sub(first);
    assert!((5..60_000).contains(&passed_ms), "{first} and {passed_ms} on");
}

#[test]
fn program_called_diskspd_is_diskspd() {
    let scratch = stage::Scratch::new("diskspd-name");
    let link = scratch.file("diskspd");
    symlink(env!("CARGO_BIN_EXE_fathom"), &link).unwrap();
    let usage = Command::new(&link).arg("-?").output().unwrap();
    assert!(usage.status.success() && usage.stdout.starts_with(b"usage: diskspd"));
    let renamed = Command::new(env!("CARGO_BIN_EXE_fathom")).arg0("/usr/bin/diskspd").output().unwrap();
    assert!(renamed.status.code() == Some(3) && renamed.stdout == usage.stdout && renamed.stderr.is_empty());
}

#[test]
fn errors_in_a_profile_file_have_a_position() {
    let scratch = stage::Scratch::new("diskspd-profile");
    let profile = scratch.file("p.xml");
    let text =
        "<Profile><TimeSpans><TimeSpan>\n<Targets><Target><Path>a</Path><ThinkTime>5</ThinkTime></Target></Targets>";
    std::fs::write(&profile, format!("{text}</TimeSpan></TimeSpans></Profile>")).unwrap();
    let output = diskspd(&[format!("-X{}", profile.display()), "-Rp".to_owned()]);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{printed}");
    assert!(printed.contains("p.xml:2:") && printed.contains("-i (I/Os per burst)"), "{printed}");
}

/// Command lines from the web, some of them for other programs.
const FROM_THE_WEB: &str = include_str!("../../../../corpus/diskspd/commands.txt");
/// Options of the old port to Linux, or of no program.
const NOT_DISKSPDS: [&str; 6] = ["-Ss", "-Sd", "-Zs", "-Zrs", "-1", "-ftestfile.dat"];

/// Changes a command line to a small existing file and a time of 0.
fn here_and_now(scratch: &stage::Scratch, line: &str) -> Vec<String> {
    let number = |word: &str| word.as_bytes().get(2).is_some_and(u8::is_ascii_digit);
    let word = |word: &str| match word.get(..2) {
        Some("-c") => "-c4M".to_owned(),
        Some("-B") => "-B1M".to_owned(),
        Some(option @ ("-d" | "-W" | "-C")) if number(word) => format!("{option}0"),
        _ if word.starts_with('-') => word.to_owned(),
        _ => {
            let name = word.replace(['\\', '/', ':'], "_");
            scratch.filled(&name, 4 * stage::MIB);
            name
        }
    };
    let times = ["-W0", "-d0"].map(str::to_owned);
    times.into_iter().chain(line.split_whitespace().skip(1).map(word)).collect()
}

#[test]
fn command_lines_from_the_web_run_or_are_rejected_as_by_diskspd() {
    let scratch = stage::Scratch::new("diskspd-web");
    let lines = FROM_THE_WEB.lines().filter(|line| line.starts_with("diskspd"));
    let mut count = 0;
    for line in lines {
        let arguments = here_and_now(&scratch, line);
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        let output = command.arg("diskspd").args(&arguments).current_dir(scratch.path()).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr);
        // Before Linux 5.12 the rings of all processes of a user share 8 MiB.
        if printed.contains("RLIMIT_MEMLOCK") {
            return stage::skipped(&printed);
        }
        // An option after the targets is an error.
        let last_is_an_option = arguments.last().unwrap().starts_with('-');
        if last_is_an_option || arguments.iter().any(|word| NOT_DISKSPDS.contains(&word.as_str())) {
            assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{line}: {printed}");
            assert!(printed.contains("error: "), "{line}: {printed}");
        } else {
            assert_eq!(output.status.code(), Some(0), "{line}: {printed}");
            let report = String::from_utf8(output.stdout).unwrap();
            assert!(report.contains("actual test time:") || report.contains("<TestTimeSeconds>"), "{line}: {report}");
        }
        count += 1;
    }
    assert_eq!(count, 54);
}
