//! Whole numbers of variable length: seven bits per byte, the lowest first. The highest bit means that another byte follows.

use std::io::{self, Read};

/// Most bytes of a number.
const BYTES_MAX: u32 = 10;

/// Appends a number.
pub fn put(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Appends a difference of two numbers modulo 2^64, small ones of both signs in few bytes.
pub fn put_difference(to: &mut Vec<u8>, number: u64, from: u64) {
    let difference = number.wrapping_sub(from) as i64;
    put(to, ((difference << 1) ^ (difference >> 63)) as u64);
}

/// Reads a number.
///
/// # Errors
/// The input ends, or the number is longer than 64 bits.
pub fn get(from: &mut impl Read) -> io::Result<u64> {
    let mut number = 0u64;
    for nth in 0..BYTES_MAX {
        let mut byte = [0];
        from.read_exact(&mut byte)?;
        let bits = u64::from(byte[0] & 0x7f);
        if nth + 1 == BYTES_MAX && byte[0] > 1 {
            break;
        }
        number |= bits << (7 * nth);
        if byte[0] < 0x80 {
            return Ok(number);
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "a number is too long"))
}

/// Reads what [`put_difference`] wrote.
///
/// # Errors
/// As [`get`].
pub fn get_difference(from: &mut impl Read, base: u64) -> io::Result<u64> {
    let coded = get(from)?;
    let difference = (coded >> 1) as i64 ^ -((coded & 1) as i64);
    Ok(base.wrapping_add(difference as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_differences_come_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            assert_eq!(get(&mut bytes.as_slice()).unwrap(), number);
            for base in [0, 5, 1 << 63, u64::MAX] {
                let mut bytes = Vec::new();
                put_difference(&mut bytes, number, base);
                assert_eq!(get_difference(&mut bytes.as_slice(), base).unwrap(), number);
            }
        }
    }

    #[test]
    fn a_number_that_is_too_long_or_cut_is_an_error() {
        assert!(get(&mut [0xff; 11].as_slice()).is_err());
        assert!(get(&mut [0x80, 0x80].as_slice()).is_err());
        let two_to_the_64 = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2];
        assert!(get(&mut two_to_the_64.as_slice()).is_err());
    }
}
