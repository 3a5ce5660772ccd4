//! `-y`: named events that other processes signal or wait for.

use units::diagnostic::Diagnostic;

use super::words::Switch;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Events {
    /// Waited for before the start (`-yr`).
    pub start: Option<String>,
    /// Ends the run (`-yp`).
    pub stop: Option<String>,
    /// Signalled when measuring starts (`-ys`).
    pub started: Option<String>,
    /// Signalled when measuring ends (`-yf`).
    pub finished: Option<String>,
    /// Signalled at once, and nothing else is done (`-ye`).
    pub signal: Option<String>,
}

impl Events {
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
            return Err(switch.error("an event has a name", "expected the name behind it"));
        }
        *event = Some(name.to_owned());
        Ok(())
    }
}
