//! Words that all commands with several runs have.

pub fn repeats(word: &str) -> Result<usize, String> {
    word.parse().ok().filter(|times| *times > 0).ok_or_else(|| "expected a number of runs, at least 1".into())
}
