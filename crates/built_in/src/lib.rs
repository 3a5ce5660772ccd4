//! The files of `data/` that are built into the program: limits, requirements, suites and schemas.
//!
//! It must not read a file: `build.rs` compresses them into the program.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

use std::io::Read;

use flate2::read::DeflateDecoder;

/// Paths in `data/` and deflated texts.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Returns the text of a file by its path in `data/`, such as `suites/quick.toml`; `None` if there is no such file.
pub fn text(path: &str) -> Option<String> {
    let (_, deflated) = FILES.iter().find(|(known, _)| *known == path)?;
    let mut text = String::new();
    DeflateDecoder::new(*deflated).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_those_of_the_repository() {
        for (path, _) in FILES {
            let file = format!("{}/../../data/{path}", env!("CARGO_MANIFEST_DIR"));
            assert_eq!(text(path), Some(std::fs::read_to_string(file).expect("a file")), "{path}");
        }
        assert_eq!(text("suites/none.toml"), None);
    }
}
