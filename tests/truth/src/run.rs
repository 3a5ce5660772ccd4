//! Runs of the binary.
//!
//! They run before all else on the machine where that is allowed (`chrt`): what is tested is whether the figures are
//! right, not how long a busy machine lets a program wait for a processor.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::priority::may_go_first;
use crate::{binary, system};

/// A run that takes longer hangs.
const HANGS: Duration = Duration::from_secs(240);

/// What a run of the binary came to.
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Asserts that the run ended well.
    pub fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// The JSON document that was printed.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON document: {error}:\n{}\n{}", self.stdout, self.stderr))
    }
}

/// Runs `fathom fio`, with arguments that are separated by spaces, to its end.
pub fn fio(directory: &Path, arguments: &str) -> Outcome {
    outcome(command(directory, "fio", arguments).spawn().unwrap())
}

/// Runs `fathom diskspd` likewise.
pub fn diskspd(directory: &Path, arguments: &str) -> Outcome {
    outcome(command(directory, "diskspd", arguments).spawn().unwrap())
}

/// One of the binary's commands, ready to be started.
pub fn command(directory: &Path, word: &str, arguments: &str) -> Command {
    let mut command = first(binary::path());
    command.arg(word).args(arguments.split_whitespace()).current_dir(directory);
    command
}

/// A program that goes before all others but takes turns with its like, ready to be started, with pipes to what it prints.
pub fn first(program: &Path) -> Command {
    let mut command = Command::new(if may_go_first() { Path::new("chrt") } else { program });
    if may_go_first() {
        command.args(["-r", "10"]).arg(program);
    }
    command
        .env_remove("RUST_BACKTRACE")
        .env("FATHOM_NO_HISTORY", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Waits for the end; a child that hangs is killed and told of.
pub fn outcome(child: Child) -> Outcome {
    let id = child.id();
    let (ended, waiting) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let hangs = waiting.recv_timeout(HANGS) == Err(std::sync::mpsc::RecvTimeoutError::Timeout);
        if hangs {
            drop(system(&format!("kill -KILL {id}")));
        }
        hangs
    });
    let output = child.wait_with_output().unwrap();
    drop(ended);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!watch.join().unwrap(), "the run hangs:\n{stdout}\n{stderr}");
    Outcome { code: output.status.code(), stdout: stdout.into_owned(), stderr: stderr.into_owned() }
}
