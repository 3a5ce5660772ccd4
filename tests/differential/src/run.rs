//! Runs a program on a case, in a folder of its own.

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::observe::{End, Observation};
use crate::place::{DEVICE_NAME, Place, has_iolog};
use crate::trace;

/// fio's message if its jobs did not start within 5 s. No I/O was done.
const NOT_STARTED: &str = "job startup hung";
/// Starts of a program before that failure is returned.
const STARTS: usize = 3;
/// CPU time of a process. Processes of fio that its end leaves behind can run forever.
const CPU_SECONDS: u32 = 20;
/// Without it, fio calibrates its CPU clock at each start. This takes longer than most cases.
const CLOCK: &str = "--clocksource=clock_gettime";
/// Time between two looks at a running program.
const TICK: Duration = Duration::from_millis(2);

/// A program that understands fio's command lines.
#[derive(Clone, Debug)]
pub struct Program {
    pub path: PathBuf,
    /// Arguments before those of the case.
    pub arguments: &'static [&'static str],
    /// Whether its system calls are traced.
    pub is_traced: bool,
}

impl Program {
    /// Returns fathom with the dialect of fio.
    pub fn fathom(path: &Path) -> Program {
        Program { path: path.to_path_buf(), arguments: &["fio"], is_traced: false }
    }
}

/// Runs the program on the case to its end.
///
/// # Errors
///
/// The folder or the program cannot be used.
pub fn run(program: &Program, case: &Case, place: &Place, timeout: Duration) -> std::io::Result<Observation> {
    let run_once = || {
        place.prepare(case)?;
        let end = start(program, &with_iologs(case), place, timeout)?;
        Ok::<_, std::io::Error>(Observation::new(end, case, place))
    };
    let mut observation = run_once()?;
    for _ in 1..STARTS {
        if !observation.messages.contains(NOT_STARTED) {
            break;
        }
        observation = run_once()?;
    }
    Ok(observation)
}

/// Starts the program in a place as it is, and waits for its end.
///
/// # Errors
///
/// The folder or the program cannot be used.
pub fn start(program: &Program, case: &Case, place: &Place, timeout: Duration) -> std::io::Result<End> {
    let mut command = Command::new("prlimit");
    command.arg(format!("--cpu={CPU_SECONDS}"));
    if program.is_traced {
        command.args(trace::command(place));
    }
    command.arg(&program.path).args(program.arguments).args([CLOCK, "--output-format=json", "--output=../report"]);
    command.args(case.arguments(DEVICE_NAME)).current_dir(place.work());
    command.env("FATHOM_NO_HISTORY", "1").env_remove("RUST_BACKTRACE").process_group(0);
    let output = File::create(place.folder.join("messages"))?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    wait(command.spawn()?, timeout)
}

fn with_iologs(case: &Case) -> Case {
    let mut case = case.clone();
    for at in 0..case.jobs.len() {
        if has_iolog(&case, at) {
            let path = format!("../iolog.{}", case.jobs[at].name);
            case.jobs[at].set("write_iolog", &path);
        }
    }
    case
}

/// Waits for the end of a program. Kills it and its children after the timeout.
fn wait(mut child: Child, timeout: Duration) -> std::io::Result<End> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match (status.code(), status.signal()) {
                (Some(code), _) => End::Exit(code),
                (None, signal) => End::Signal(signal.unwrap_or_default()),
            });
        }
        if begin.elapsed() > timeout {
            kill(child.id());
            child.wait()?;
            return Ok(End::Timeout);
        }
        std::thread::sleep(TICK);
    }
}

/// Kills a process and its descendants. fio's jobs are in sessions of their own.
fn kill(id: u32) {
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    // A stopped parent starts no more children.
    signal(id, "STOP");
    children.split_whitespace().filter_map(|child| child.parse().ok()).for_each(kill);
    signal(id, "KILL");
}

fn signal(id: u32, name: &str) {
    let _ = Command::new("kill").args([&format!("-{name}"), &id.to_string()]).stderr(Stdio::null()).status();
}
