//! The keys of the full-screen view, and what they set.

/// A key of the view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Stop,
    Suspend,
    Freeze,
    Unit,
    Next,
    Previous,
}

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
    pub fn handle(&mut self, key: Key) -> Option<Action> {
        let choices = self.jobs + 1;
        match key {
            Key::Stop => return Some(Action::Stop),
            Key::Suspend => return Some(Action::Suspend),
            Key::Freeze => self.is_frozen = !self.is_frozen,
            Key::Unit => self.is_decimal = !self.is_decimal,
            Key::Next => self.selected = (self.selected + 1) % choices,
            Key::Previous => self.selected = (self.selected + choices - 1) % choices,
        }
        None
    }
}

/// Returns the keys in the bytes of a terminal in raw mode. Other keys and unknown escape sequences are ignored.
pub fn keys(mut bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while let Some((first, rest)) = bytes.split_first() {
        let (key, rest) = match *first {
            0x1b => escape_sequence(rest),
            b'q' | 0x03 => (Some(Key::Stop), rest),
            0x1a => (Some(Key::Suspend), rest),
            b' ' => (Some(Key::Freeze), rest),
            b'u' => (Some(Key::Unit), rest),
            b'\t' => (Some(Key::Next), rest),
            _ => (None, rest),
        };
        keys.extend(key);
        bytes = rest;
    }
    keys
}

/// Returns the key of an escape sequence (ECMA-48: CSI, SS3), and the bytes after it.
fn escape_sequence(bytes: &[u8]) -> (Option<Key>, &[u8]) {
    let Some((b'[' | b'O', rest)) = bytes.split_first() else { return (None, bytes) };
    let parameters = rest.iter().take_while(|byte| (0x20..0x40).contains(*byte)).count();
    let Some((last, rest)) = rest[parameters..].split_first() else { return (None, &[]) };
    let key = match last {
        b'B' | b'C' => Some(Key::Next),
        b'A' | b'D' | b'Z' => Some(Key::Previous),
        _ => None,
    };
    (key, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stop_freeze_and_choose() {
        let mut controls = Controls { jobs: 2, ..Controls::default() };
        assert_eq!(controls.handle(Key::Stop), Some(Action::Stop));
        assert_eq!(controls.handle(Key::Suspend), Some(Action::Suspend));
        assert_eq!((controls.handle(Key::Freeze), controls.handle(Key::Unit)), (None, None));
        assert!(controls.is_frozen && controls.is_decimal);
        let mut selected = Vec::new();
        for key in [Key::Next, Key::Next, Key::Next, Key::Previous] {
            controls.handle(key);
            selected.push(controls.selected);
        }
        assert_eq!(selected, [1, 2, 0, 2]);
    }

    #[test]
    fn bytes_of_a_terminal_are_keys() {
        assert_eq!(keys(b"q\x03\x1a u\t"), [Key::Stop, Key::Stop, Key::Suspend, Key::Freeze, Key::Unit, Key::Next]);
        assert_eq!(
            keys(b"\x1b[A\x1bOB\x1b[1;5C\x1b[D\x1b[Z"),
            [Key::Previous, Key::Next, Key::Next, Key::Previous, Key::Previous]
        );
        // An escape key, a function key, a cut sequence, and text.
        for ignored in ["\x1b", "\x1b[15~", "\x1b[1;", "xyz\u{e9}"] {
            assert_eq!(keys(ignored.as_bytes()), [], "{ignored:?}");
        }
    }
}
