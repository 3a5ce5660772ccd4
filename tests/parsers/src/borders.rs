//! Inputs with numbers at the borders of types.

use std::collections::BTreeSet;

/// Numbers at the borders of the types of 32 and 64 bits.
pub const BORDERS: [i128; 10] =
    [0, -1, 1 << 31, -(1 << 31), (1 << 32) - 1, 1 << 32, -(1 << 32), (1 << 63) - 1, 1 << 63, -(1 << 63)];

/// Bytes before a number that identify its place.
const CONTEXT_BYTES: usize = 24;

/// Returns each input with each of its numbers replaced by each border. A number is omitted if one at a place of the same
/// kind was replaced already: the bytes before it are the same, except for their digits.
pub fn with_borders(inputs: &[Vec<u8>]) -> impl Iterator<Item = Vec<u8>> {
    let mut seen = BTreeSet::new();
    let places = inputs.iter().flat_map(|input| numbers(input).map(move |number| (input, number)));
    let first: Vec<_> = places.filter(|(input, (start, _))| seen.insert(context(&input[..*start]))).collect();
    first.into_iter().flat_map(|(input, (start, end))| {
        BORDERS.map(|border| [&input[..start], border.to_string().as_bytes(), &input[end..]].concat())
    })
}

/// Returns the ranges of the numbers in a text.
fn numbers(input: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let is_digit = |at: usize| input.get(at).is_some_and(u8::is_ascii_digit);
    let starts = (0..input.len()).filter(move |&at| is_digit(at) && (at == 0 || !is_digit(at - 1)));
    starts.map(move |start| (start, (start..).find(|&at| !is_digit(at)).unwrap_or(input.len())))
}

fn context(before: &[u8]) -> Vec<u8> {
    before.iter().rev().copied().filter(|byte| !byte.is_ascii_digit()).take(CONTEXT_BYTES).collect()
}
