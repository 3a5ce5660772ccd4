//! `--trigger-file`, `--trigger-timeout` and `--trigger`: end the jobs on an event and run a command.

#![expect(clippy::disallowed_methods, reason = "as in fio, the file of --trigger-file is removed, whatever it is")]

use std::fs;
use std::time::Instant;

use ::fio::parse::settings::TriggerSettings;

use crate::output::stderr_line;

pub struct Trigger<'a> {
    settings: &'a TriggerSettings,
    started: Instant,
    has_fired: bool,
}

impl<'a> Trigger<'a> {
    /// The time of `--trigger-timeout` starts now.
    pub fn new(settings: &'a TriggerSettings) -> Self {
        Trigger { settings, started: Instant::now(), has_fired: false }
    }

    /// Returns true if the event has happened since the last call. The file of the event is removed.
    pub fn fires(&mut self) -> bool {
        if self.has_fired {
            return false;
        }
        let is_over = self.settings.timeout.is_some_and(|timeout| self.started.elapsed() >= timeout);
        let is_there = self.settings.file.as_ref().is_some_and(|file| {
            let exists = fs::metadata(file).is_ok();
            if exists && let Err(error) = fs::remove_file(file) {
                let (file, reason) = (units::markup::one_line(file), units::errno::reason(&error));
                stderr_line!("fio: failed to unlink {file}: {reason}");
            }
            exists
        });
        self.has_fired = is_over || is_there;
        self.has_fired
    }

    /// Runs the command if the event has happened.
    pub fn run_command(&self) {
        let Some(command) = self.settings.command.as_ref().filter(|command| self.has_fired && !command.is_empty())
        else {
            return;
        };
        if let Err(error) = os::process::shell(command).status() {
            let (command, reason) = (units::markup::one_line(command), units::errno::reason(&error));
            stderr_line!("fio: failed executing {command} trigger: {reason}");
        }
    }
}
