//! The keys of the full-screen view, and what they set.

use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};

/// What the keys have set.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    pub is_frozen: bool,
    /// Bandwidth in MB/s instead of MiB/s.
    pub is_decimal: bool,
    /// 0 shows all jobs together, 1 the first job.
    pub selected: usize,
    /// Number of jobs.
    pub jobs: usize,
}

/// What a key requests of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Stop,
    Suspend,
}

impl Controls {
    /// Handles an event of the terminal.
    pub fn handle(&mut self, event: &Event) -> Option<Action> {
        let Event::Key(key) = event else { return None };
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let choices = self.jobs + 1;
        match (key.code, key.modifiers.contains(KeyModifiers::CONTROL)) {
            (KeyCode::Char('q'), false) | (KeyCode::Char('c'), true) => return Some(Action::Stop),
            (KeyCode::Char('z'), true) => return Some(Action::Suspend),
            (KeyCode::Char(' '), _) => self.is_frozen = !self.is_frozen,
            (KeyCode::Char('u'), false) => self.is_decimal = !self.is_decimal,
            (KeyCode::Tab | KeyCode::Down | KeyCode::Right, _) => self.selected = (self.selected + 1) % choices,
            (KeyCode::BackTab | KeyCode::Up | KeyCode::Left, _) => {
                self.selected = (self.selected + choices - 1) % choices;
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::KeyEvent;

    use super::*;

    fn press(controls: &mut Controls, code: KeyCode, modifiers: KeyModifiers) -> Option<Action> {
        controls.handle(&Event::Key(KeyEvent::new(code, modifiers)))
    }

    #[test]
    fn keys_stop_freeze_and_choose() {
        let mut controls = Controls { jobs: 2, ..Controls::default() };
        let none = KeyModifiers::NONE;
        assert_eq!(press(&mut controls, KeyCode::Char('q'), none), Some(Action::Stop));
        assert_eq!(press(&mut controls, KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Action::Stop));
        assert_eq!(press(&mut controls, KeyCode::Char('c'), none), None);
        assert_eq!(press(&mut controls, KeyCode::Char(' '), none), None);
        assert_eq!(press(&mut controls, KeyCode::Char('u'), none), None);
        assert!(controls.is_frozen && controls.is_decimal);
        let mut selected = Vec::new();
        for code in [KeyCode::Tab, KeyCode::Down, KeyCode::Tab, KeyCode::Up] {
            press(&mut controls, code, none);
            selected.push(controls.selected);
        }
        assert_eq!(selected, [1, 2, 0, 2]);
    }
}
