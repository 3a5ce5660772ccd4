//! The named events of a run (`-y`): those it waits for and those it sets.

use std::io;
use std::thread::Builder;

use diskspd::parse::Events;
use os::event::Event;
use units::diagnostic::Diagnostic;
use units::errno::reason;

use crate::exit::diskspd::FAILED;
use crate::findings::print_diagnostics;
use crate::output::write_stdout;
use crate::signals;

/// The events exist while the run is active, so that other programs find them.
pub struct NamedEvents {
    /// Set when the measured time begins.
    started: Option<Event>,
    /// Set when the measured time ends.
    finished: Option<Event>,
    /// The threads start when this event is set.
    start: Option<Event>,
}

impl NamedEvents {
    /// Creates the events and starts to wait for the one that stops the run.
    ///
    /// # Errors
    /// An event or a thread cannot be created.
    pub fn open(names: &Events) -> io::Result<Self> {
        let make = |name: &Option<String>| name.as_deref().map(Event::create).transpose();
        if let Some(stop) = make(&names.stop)? {
            Builder::new().spawn(move || {
                if stop.wait(|| false).unwrap_or(false) {
                    signals::finish();
                }
            })?;
        }
        Ok(NamedEvents { started: make(&names.started)?, finished: make(&names.finished)?, start: make(&names.start)? })
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
        print_diagnostics(&[Diagnostic::warning(format!("an event can't be set: {}", reason(&error)))]);
    }
}

/// Sets an event of another run. As with DiskSpd the exit code is always that of a failure.
pub fn signal(name: &str) -> u8 {
    let set = Event::open(name).and_then(|event| match event {
        Some(event) => event.set(),
        None => Err(io::Error::other("no active run has this event")),
    });
    match set {
        Ok(()) => drop(write_stdout(&format!("Set event '{name}'\nExiting\n"))),
        Err(error) => print_diagnostics(&[Diagnostic::error(format!("event '{name}': {}", reason(&error)))]),
    }
    FAILED
}
