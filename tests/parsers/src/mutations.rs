//! Inputs made from seeds by their structure: parts are repeated, exchanged, moved and removed, and values become unusual
//! ones. A fuzzer changes bytes, and rarely keeps a document valid.

use std::ops::Range;

use fastrand::Rng;

/// Longest input.
const BYTES_MAX: usize = 1 << 20;
/// Changes of an input.
const CHANGES_MAX: usize = 4;
/// One input in this number is made long.
const LONG_EACH: u32 = 200;

/// Values of another type, at the border of a type, or with a meaning for a terminal, a path or a structure.
const UNUSUAL: [&str; 32] = [
    "",
    "0",
    "-1",
    "-0",
    "nan",
    "inf",
    "1e308",
    "1e-320",
    "1e999",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999",
    "0x",
    "0x7fffffffffffffff",
    "1k1k",
    "100%",
    "true",
    "null",
    "\u{1b}]0;x\u{7}",
    "\u{202e}",
    "\u{0}",
    "../../..",
    "/",
    "\"",
    "{",
    "[[",
    ":::",
    "$A",
    "%",
];

/// Returns a changed input.
pub fn mutated(inputs: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    let mut input = any(inputs, random).to_vec();
    for _ in 0..random.usize(1..=CHANGES_MAX) {
        change(&mut input, inputs, random);
    }
    if random.u32(0..LONG_EACH) == 0 {
        repeat(&mut input, random);
    }
    input.truncate(BYTES_MAX);
    input
}

fn any<'a>(inputs: &'a [Vec<u8>], random: &mut Rng) -> &'a [u8] {
    inputs.get(random.usize(0..inputs.len().max(1))).map_or(&[], Vec::as_slice)
}

fn change(input: &mut Vec<u8>, inputs: &[Vec<u8>], random: &mut Rng) {
    let token = token(input, random);
    let other = any(inputs, random);
    match random.u8(0..8) {
        0 | 1 => replace(input, token, UNUSUAL[random.usize(0..UNUSUAL.len())].as_bytes()),
        2 => replace(input, token, &other[self::token(other, random)]),
        3 => replace(input, part(input, random), &[]),
        4 => replace(input, token.start..token.start, &other[part(other, random)]),
        5 => input.truncate(token.start),
        6 => {
            let moved = input[token.clone()].to_vec();
            replace(input, token, &[]);
            let to = self::token(input, random).start;
            replace(input, to..to, &moved);
        }
        _ => input[token].iter_mut().for_each(|byte| *byte = random.u8(..)),
    }
}

fn replace(input: &mut Vec<u8>, range: Range<usize>, by: &[u8]) {
    drop(input.splice(range, by.iter().copied()));
}

/// Repeats a part until the input is long.
fn repeat(input: &mut Vec<u8>, random: &mut Rng) {
    let range = part(input, random);
    let repeated = input[range.clone()].to_vec();
    let times = random.usize(0..BYTES_MAX) / repeated.len().max(1);
    let many = repeated.repeat(times.min(BYTES_MAX));
    replace(input, range, &many);
}

/// Returns the range of a word, a number, or a single other byte.
fn token(input: &[u8], random: &mut Rng) -> Range<usize> {
    let at = random.usize(0..input.len().max(1)).min(input.len());
    let is_word = |at: usize| input.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_.+-".contains(byte));
    if !is_word(at) {
        return at..(at + 1).min(input.len());
    }
    let start = (0..at).rev().take_while(|&before| is_word(before)).last().unwrap_or(at);
    start..(at..).find(|&after| !is_word(after)).unwrap_or(input.len())
}

/// Returns the range of several tokens.
fn part(input: &[u8], random: &mut Rng) -> Range<usize> {
    let (one, other) = (token(input, random), token(input, random));
    one.start.min(other.start)..one.end.max(other.end)
}
