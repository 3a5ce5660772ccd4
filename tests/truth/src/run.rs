//! Runs of the binary.
//!
//! They run before all else on the machine where that is allowed (`chrt`): what is tested is whether the figures are
//! right, not how long a busy machine lets a program wait for a processor.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::{binary, system};

/// A run that takes longer hangs.
const HANGS: Duration = Duration::from_secs(60);

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

/// One of the program's commands, ready to be started; it gives itself to the caller by pipes.
pub fn command(directory: &Path, word: &str, arguments: &str) -> Command {
    let mut command = if may_go_first() {
        let mut command = Command::new("chrt");
        command.args(["-f", "10"]).arg(binary::path());
        command
    } else {
        Command::new(binary::path())
    };
    command.arg(word).args(arguments.split_whitespace()).current_dir(directory).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
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

/// Whether processes may be given real-time priority.
pub fn may_go_first() -> bool {
    static MAY: OnceLock<bool> = OnceLock::new();
    *MAY.get_or_init(|| system("chrt -f 10 true").is_ok())
}
