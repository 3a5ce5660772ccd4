//! Errors that end workers.

use serde::{Deserialize, Serialize};

/// Why a worker ended early.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunError {
    pub errno: i32,
    /// The call that failed, as fio names it in `func=`.
    pub func: String,
    /// What happened, where, and what to do.
    pub message: String,
}

impl RunError {
    /// Returns the message without error numbers and without the program's name.
    pub fn plain(&self) -> String {
        plain(&self.message)
    }
}

/// A message as people know errors: by the system's words for them without its numbers, and without the name of the
/// program that some begin with, which reports of fio's put before it anyway.
pub fn plain(message: &str) -> String {
    let message = message.strip_prefix("fio: ").unwrap_or(message);
    let mut parts = message.split(" (os error ");
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
    fn plain_messages_keep_all_but_the_numbers() {
        assert_eq!(plain("a: no ring (Too many (os error 24)); b (os error 5)"), "a: no ring (Too many); b");
        assert_eq!(plain("fio: a: b (os error 17)"), "a: b");
        assert_eq!(plain("nothing (else)"), "nothing (else)");
    }
}
