//! The named events of a run: those it waits for and those it sets.

use std::io;
use std::process::ExitCode;

use diskspd::parse::Events;
use os::event::Event;
use units::diagnostic::Diagnostic;
use units::errno::reason;

use super::FAILED;
use crate::findings::show_plain as show;
use crate::output::print_and_flush;
use crate::run;

/// Held for as long as the run goes on, so that others find them.
pub struct Signals {
    /// Set when measuring begins, and when it has ended.
    started: Option<Event>,
    finished: Option<Event>,
    /// Waited for before threads start.
    start: Option<Event>,
}

impl Signals {
    /// Makes the events, so that others can set them or wait for them, and begins to listen for the one that stops.
    pub fn open(names: &Events) -> io::Result<Self> {
        let make = |name: &Option<String>| name.as_deref().map(Event::create).transpose();
        if let Some(stop) = make(&names.stop)? {
            std::thread::spawn(move || {
                if stop.wait(|| false).unwrap_or(false) {
                    run::stop();
                }
            });
        }
        Ok(Signals { started: make(&names.started)?, finished: make(&names.finished)?, start: make(&names.start)? })
    }

    pub fn may_start(&self) -> bool {
        self.start.as_ref().is_none_or(|event| event.is_set().unwrap_or(true))
    }

    pub fn measuring_began(&self) {
        set(&self.started);
    }

    pub fn measuring_ended(&self) {
        set(&self.finished);
    }
}

fn set(event: &Option<Event>) {
    if let Some(Err(error)) = event.as_ref().map(Event::set) {
        show(&[Diagnostic::warning(format!("an event can't be set: {}", reason(&error)))]);
    }
}

/// Sets an event that another run has made, and leaves: as with DiskSpd the exit code is that of a failure, anyway.
pub fn signal(name: &str) -> ExitCode {
    let set = Event::open(name).and_then(|event| match event {
        Some(event) => event.set(),
        None => Err(io::Error::other("nobody waits for it: no run that goes on has such an event")),
    });
    match set {
        Ok(()) => drop(print_and_flush(&format!("Set event '{name}'\nExiting\n"))),
        Err(error) => show(&[Diagnostic::error(format!("event '{name}': {}", reason(&error)))]),
    }
    ExitCode::from(FAILED)
}
