//! `-y`: named events between processes.

use units::diagnostic::Diagnostic;

use super::arguments::Switch;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Events {
    /// The run waits for this event before it starts (`-yr`).
    pub start: Option<String>,
    /// Stops the run (`-yp`).
    pub stop: Option<String>,
    /// Signalled when measuring starts (`-ys`).
    pub started: Option<String>,
    /// Signalled when measuring ends (`-yf`).
    pub finished: Option<String>,
    /// Signalled at once, without a run (`-ye`).
    pub signal: Option<String>,
}

impl Events {
    /// Parses `-y`.
    ///
    /// # Errors
    /// Returns an error for an unknown form or a missing event name.
    pub fn read(&mut self, switch: &Switch) -> Result<(), Diagnostic> {
        let event = match switch.value.chars().next() {
            Some('r') => &mut self.start,
            Some('p') => &mut self.stop,
            Some('s') => &mut self.started,
            Some('f') => &mut self.finished,
            Some('e') => &mut self.signal,
            _ => return Err(switch.error("-y is -yr, -ys, -yf, -yp or -ye", "not one of them")),
        };
        let name = &switch.value[1..];
        if name.is_empty() {
            return Err(switch.error("an event needs a name", "expected a name"));
        }
        *event = Some(name.to_owned());
        Ok(())
    }
}
