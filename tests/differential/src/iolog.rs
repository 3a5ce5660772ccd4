//! Logs of I/Os, as both programs write them with `write_iolog`.

use std::collections::BTreeMap;
use std::fmt;

/// Lines of a log without their times.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IoLog {
    /// Reads, writes, trims and syncs.
    pub ios: Vec<LoggedIo>,
}

/// An I/O in a log.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LoggedIo {
    pub file: String,
    pub action: String,
    /// Offset and bytes. `None` for syncs: fio writes those of another I/O.
    pub range: Option<(u64, u64)>,
}

impl IoLog {
    pub fn parse(text: &str) -> IoLog {
        let mut log = IoLog::default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [_, file, action, rest @ ..] = fields.as_slice() else { continue };
            let number = |at: usize| rest.get(at).and_then(|field: &&str| field.parse().ok()).unwrap_or_default();
            match *action {
                "read" | "write" | "trim" => log.add(file, action, Some((number(0), number(1)))),
                "sync" | "datasync" => log.add(file, action, None),
                _ => {}
            }
        }
        log
    }

    fn add(&mut self, file: &str, action: &str, range: Option<(u64, u64)>) {
        self.ios.push(LoggedIo { file: file.to_owned(), action: action.to_owned(), range });
    }

    /// Returns the I/Os and bytes of each file and action.
    pub fn sums(&self) -> BTreeMap<(String, String), (u64, u64)> {
        let mut sums = BTreeMap::new();
        for io in &self.ios {
            let (ios, bytes): &mut (u64, u64) = sums.entry((io.file.clone(), io.action.clone())).or_default();
            *ios += 1;
            *bytes += io.range.map_or(0, |(_, bytes)| bytes);
        }
        sums
    }
}

impl fmt::Display for LoggedIo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.file, self.action)?;
        match self.range {
            Some((offset, bytes)) => write!(f, " {offset} {bytes}"),
            None => Ok(()),
        }
    }
}
