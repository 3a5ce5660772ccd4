//! Words that all commands with several runs have.

use std::time::Duration;

pub fn repeats(word: &str) -> Result<usize, String> {
    word.parse().ok().filter(|times| *times > 0).ok_or_else(|| "expected a number of runs, at least 1".into())
}

pub fn seconds(word: &str) -> Result<Duration, String> {
    let seconds = word.strip_suffix('s').unwrap_or(word).parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "expected seconds".into())
}
