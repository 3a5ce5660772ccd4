//! A terminal with a shell command in it, and what its screen shows.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

/// A terminal. The command is killed when it is dropped.
pub struct Terminal {
    pty: Arc<Pty>,
    screen: Arc<Mutex<vt100::Parser>>,
    reader: Option<JoinHandle<()>>,
    shell: Child,
}

/// The end of the command.
pub struct Ended {
    /// Text on the screen.
    pub screen: String,
    /// A program left the alternate screen on.
    pub is_alternate: bool,
    pub is_cursor_hidden: bool,
}

impl Terminal {
    /// Runs a shell command. `fathom` is the binary in it.
    pub fn run(directory: &Path, (rows, columns): (u16, u16), line: &str) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        // Ctrl-C goes to all processes of the terminal. The shell prints the exit code after it.
        let script = format!("trap : INT; fathom() {{ \"$FATHOM_BINARY\" \"$@\"; }}; {line}");
        // A shell cannot undo the ignored SIGHUP of `nohup`.
        let command = Command::new("env")
            .args(["--default-signal=HUP", "sh", "-c", &script])
            .current_dir(directory)
            .env("TERM", "xterm-256color");
        let command = command.env("FATHOM_BINARY", harness::binary()).env("LC_ALL", "C.UTF-8");
        let shell = command.env("FATHOM_NO_HISTORY", "1").env_remove("NO_COLOR").spawn(pts).unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 1000)));
        let pty = Arc::new(pty);
        let (of_reader, shown) = (Arc::clone(&pty), Arc::clone(&screen));
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The read fails once no process has the terminal open.
            while let Ok(count) = (&*of_reader).read(&mut bytes) {
                if count == 0 {
                    break;
                }
                shown.lock().unwrap().process(&bytes[..count]);
            }
        });
        Terminal { pty, screen, reader: Some(reader), shell }
    }

    /// Returns the text on the screen.
    pub fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Returns whether the alternate screen is shown.
    pub fn is_alternate(&self) -> bool {
        self.screen.lock().unwrap().screen().alternate_screen()
    }

    /// Waits until the screen shows a text.
    pub fn wait_for(&self, what: &str) {
        self.wait_until(what, |text| text.contains(what));
    }

    /// Waits until the text on the screen fulfils a condition.
    pub fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let mut last = String::new();
        let shown = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            harness::wait_until(what, || {
                last = self.text();
                is_so(&last) || harness::has_ended(&self.shell)
            });
        }));
        assert!(shown.is_ok() && is_so(&last), "no {what} on:\n{last}");
    }

    /// Types a text.
    pub fn type_keys(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    pub fn resize(&self, (rows, columns): (u16, u16)) {
        self.screen.lock().unwrap().screen_mut().set_size(rows, columns);
        self.pty.resize(Size::new(rows, columns)).unwrap();
    }

    /// Returns the process number of the binary, the shell's child.
    pub fn binary(&self) -> u32 {
        let path = format!("/proc/{0}/task/{0}/children", self.shell.id());
        let children = std::fs::read_to_string(path).unwrap();
        children.split_whitespace().last().unwrap().parse().unwrap()
    }

    /// Sends a signal to the binary.
    pub fn signal(&self, name: &str) {
        harness::shell(&format!("kill -{name} {}", self.binary())).unwrap();
    }

    /// Waits for the end of the shell and returns the final screen.
    pub fn end(mut self) -> Ended {
        let mut last = None;
        harness::wait_until("the end of the command", || {
            last = self.shell.try_wait().unwrap();
            last.is_some()
        });
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        let parser = self.screen.lock().unwrap();
        let screen = parser.screen();
        Ended {
            screen: screen.contents(),
            is_alternate: screen.alternate_screen(),
            is_cursor_hidden: screen.hide_cursor(),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The binary gets SIGHUP when the shell, which leads the session, ends.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
