//! A folder for one case, with a separate history and state.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use harness::{Outcome, Scratch, binary, outcome, shell};

/// A folder with everything that the commands of a case read and write.
pub struct Sandbox {
    pub scratch: Scratch,
}

impl Sandbox {
    pub fn new(name: &str) -> Self {
        Sandbox { scratch: Scratch::new(name) }
    }

    /// Returns a folder with the same files. Mounts are not copied.
    pub fn copy(&self) -> Self {
        self.copy_within(&std::env::temp_dir())
    }

    /// Returns a folder with the same files in another one.
    pub fn copy_within(&self, parent: &Path) -> Self {
        let copy = Sandbox { scratch: Scratch::within(parent, "copy") };
        let (from, to) = (self.scratch.path().display(), copy.scratch.path().display());
        shell(&format!("cp -rx {from}/. {to}")).unwrap();
        copy
    }

    /// Returns fathom with arguments that are separated by spaces. fio reports as JSON. The output goes to files, as a
    /// process that is stuck in the kernel keeps a pipe open.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(binary());
        self.prepare(&mut command);
        add_arguments(&mut command, line);
        command
    }

    /// Returns fathom as [`Sandbox::command`], below a script in a mount namespace of its own.
    pub fn below(&self, script: &str, line: &str) -> Command {
        let mut command = Command::new("unshare");
        self.prepare(&mut command);
        command.args(["--mount", "bash", "-c", &format!("{script}\nexec \"$0\" \"$@\"")]).arg(binary());
        add_arguments(&mut command, line);
        command
    }

    /// Sets the folder, the environment and the output of a command.
    pub fn prepare(&self, command: &mut Command) {
        command.current_dir(self.scratch.path()).env_remove("RUST_BACKTRACE").env_remove("FATHOM_NO_HISTORY");
        for (variable, folder) in
            [("XDG_DATA_HOME", "data"), ("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config")]
        {
            command.env(variable, self.scratch.file(folder));
        }
        let output = |name: &str| Stdio::from(File::create(self.scratch.file(name)).unwrap());
        command.stdin(Stdio::null()).stdout(output("stdout")).stderr(output("stderr"));
    }

    pub fn spawn(&self, line: &str) -> Child {
        self.command(line).spawn().unwrap()
    }

    /// Starts fathom with the default action of SIGHUP: `nohup` makes the tests, and what they start, ignore it.
    pub fn spawn_with_default_hangup(&self, line: &str) -> Child {
        let mut command = Command::new("env");
        self.prepare(&mut command);
        command.arg("--default-signal=HUP").arg(binary());
        add_arguments(&mut command, line);
        command.spawn().unwrap()
    }

    /// Waits for the end of a process and returns its output.
    pub fn outcome(&self, child: Child) -> Outcome {
        self.output(outcome(child).code)
    }

    /// Returns the output of the last process, which ended with `code`.
    pub fn output(&self, code: Option<i32>) -> Outcome {
        let read = |name: &str| String::from_utf8_lossy(&std::fs::read(self.scratch.file(name)).unwrap()).into_owned();
        Outcome { code, stdout: read("stdout"), stderr: read("stderr") }
    }

    /// Returns what is wrong with the history and the folder after a command.
    pub fn problems(&self) -> Vec<String> {
        let mut left = temporary_names(self.scratch.path());
        left.extend(self.history_problem());
        left
    }

    /// Returns what is wrong with the history.
    pub fn history_problem(&self) -> Option<String> {
        let path = self.scratch.file("data/fathom/history.db");
        if !path.exists() {
            return None;
        }
        let check = |connection: rusqlite::Connection| {
            connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
        };
        match rusqlite::Connection::open(&path).and_then(check) {
            Ok(found) if found == "ok" => None,
            Ok(found) => Some(format!("the history is damaged: {found}")),
            Err(error) => Some(format!("the history cannot be read: {error}")),
        }
    }
}

fn add_arguments(command: &mut Command, line: &str) {
    command.args(line.split_whitespace());
    if line.starts_with("fio ") {
        command.arg("--output-format=json");
    }
}

/// Returns a problem for each temporary file or folder below a folder: their names begin with a dot.
fn temporary_names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let is_temporary = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let of_path = |path: PathBuf| match path.is_dir() && !path.is_symlink() {
        _ if is_temporary(&path) => vec![format!("{} was left behind", path.display())],
        true => temporary_names(&path),
        false => Vec::new(),
    };
    paths.flat_map(of_path).collect()
}
