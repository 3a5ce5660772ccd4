//! Texts of version 1.
//!
//! Version 1 has errors as fio prints them: some start with `fio: `, and the system's texts have their numbers, as in
//! `No space left on device (os error 28)`. Version 2 has neither. This is the only place that edits a text to get there.

use crate::{ErrorKind, Message, MessageKind, Record};

/// Brings the texts of a record of version 1 into the form of version 2.
pub fn upgrade(record: &mut Record) {
    for error in record.workers.iter_mut().filter_map(|worker| worker.error.as_mut()) {
        if let ErrorKind::Text { message, .. } = &mut *error.kind {
            *message = without_numbers(message.strip_prefix("fio: ").unwrap_or(message));
        }
    }
    for message in &mut record.messages {
        if let Message::Info(MessageKind::Text(text)) | Message::Warning(MessageKind::Text(text)) = message {
            *text = without_numbers(text);
        }
    }
}

/// Removes each ` (os error N)`.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain += part.split_once(')').map_or("", |(_, rest)| rest);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_numbers_are_removed() {
        assert_eq!(without_numbers("a: no ring (Too many (os error 24)); b (os error 5)"), "a: no ring (Too many); b");
        assert_eq!(without_numbers("nothing (else)"), "nothing (else)");
    }
}
