//! Runs of the binary.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::schemas::check_output;
use crate::{HANGS, binary, can_use_realtime_priority};

/// Result of a run of the binary.
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Asserts that the run ended with code 0.
    pub fn assert_success(self) -> Self {
        self.ended_with(0);
        self
    }

    /// Returns the JSON document on standard output.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON document: {error}:\n{}\n{}", self.stdout, self.stderr))
    }

    /// Asserts that the run ended with a code and did not panic.
    pub fn ended_with(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    pub fn complained_of(&self, what: &str) -> &Self {
        assert!(self.stderr.contains(what), "nothing of `{what}` in:\n{}", self.stderr);
        self
    }
}

/// Returns a command with a process group of its own. A job that fails before its process has started makes fio send SIGTERM to
/// its whole group, which the tests must not be part of.
pub fn in_own_group(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.process_group(0);
    command
}

/// Returns `fathom fio` with arguments that are separated by spaces, ready to be started.
pub fn fathom(directory: &Path, arguments: &str) -> Command {
    command(directory, "fio", arguments)
}

/// Returns `fathom diskspd` with arguments in the same way.
pub fn diskspd(directory: &Path, arguments: &str) -> Command {
    command(directory, "diskspd", arguments)
}

/// Returns a command of fathom in the same way. It uses a separate history.
pub fn command(directory: &Path, word: &str, arguments: &str) -> Command {
    let mut command = Command::new(binary());
    command.arg(word).args(arguments.split_whitespace()).current_dir(directory).env_remove("RUST_BACKTRACE");
    command.env("XDG_DATA_HOME", data_home());
    match word {
        "fio" | "diskspd" => command.env("FATHOM_NO_HISTORY", "1"),
        _ => command.env_remove("FATHOM_NO_HISTORY"),
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the command with real-time priority, if permitted: other load would change the figures of the run.
pub fn with_realtime_priority(command: Command) -> Command {
    if !can_use_realtime_priority() {
        return command;
    }
    let mut first = Command::new("chrt");
    first.args(["-r", "10"]);
    wrapped(first, &command)
}

/// Returns the command with the default action of SIGHUP: `nohup` makes the tests, and what they start, ignore it.
pub fn with_default_hangup(command: &Command) -> Command {
    let mut first = Command::new("env");
    first.arg("--default-signal=HUP");
    wrapped(first, command)
}

/// Returns `first` with a command as its last arguments, in the directory and environment of the command.
pub(crate) fn wrapped(mut first: Command, command: &Command) -> Command {
    first.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => first.env(name, value),
            None => first.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        first.current_dir(directory);
    }
    first.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    first
}

/// Runs `fathom fio` to its end.
pub fn run(directory: &Path, arguments: &str) -> Outcome {
    outcome(fathom(directory, arguments).spawn().unwrap())
}

/// Waits for the end of a run. JSON on standard output is checked against its schema.
///
/// # Panics
///
/// Panics if the run hangs, or if JSON does not fit its schema. Kills a run that hangs and shows its output.
pub fn outcome(child: Child) -> Outcome {
    let id = child.id();
    let (ended, waiting) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let hangs = waiting.recv_timeout(HANGS).is_err();
        if hangs {
            drop(Command::new("kill").arg("-KILL").arg(id.to_string()).output());
        }
        hangs
    });
    let output = child.wait_with_output().unwrap();
    let _ = ended.send(());
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!watch.join().unwrap(), "the run hangs:\n{stdout}\n{stderr}");
    check_output(&stdout);
    Outcome { code: output.status.code(), stdout: stdout.into_owned(), stderr: stderr.into_owned() }
}

/// Returns a folder for the history, in cargo's folder for temporary files of tests.
fn data_home() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(3).expect("tests are in target/PROFILE/deps").join("tmp/data-home")
}
