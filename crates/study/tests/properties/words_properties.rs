//! No text makes an axis panic.

use proptest::prelude::*;
use study::Axis;

const PIECES: [&str; 18] = [
    "bs",
    "-",
    "--",
    "=",
    ",",
    ";",
    "..",
    "4k",
    "64K",
    "0",
    "1",
    "9999999999999999999",
    "MiB",
    "B",
    ".5",
    "é",
    " ",
    "<",
];

/// Pieces of valid text reach deeper than random characters.
fn word() -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned), 1 => any::<String>()];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_word_is_an_axis_or_a_message(word in word()) {
        match Axis::parse(&word) {
            Ok(axis) => prop_assert!(!axis.option.is_empty() && !axis.values.is_empty()),
            Err(diagnostic) => prop_assert!(!diagnostic.to_string().is_empty()),
        }
    }
}
