//! Numbers with unit letters, as both dialects write sizes and times.

/// Letters of the powers of 1024, in rising order.
const SIZE_LETTERS: [char; 5] = ['k', 'm', 'g', 't', 'p'];

/// Splits a number from its unit.
#[derive(Clone, Copy)]
struct Quantity<'a> {
    number: u64,
    unit: &'a str,
}

impl<'a> Quantity<'a> {
    fn parse(text: &'a str) -> Option<Quantity<'a>> {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let number = number.parse().ok()?;
        unit.chars().all(|c| c.is_ascii_alphabetic()).then_some(Quantity { number, unit })
    }

    /// Returns the power of 1024 of a size's unit.
    fn power(&self) -> Option<u32> {
        power(self.unit)
    }
}

/// Returns the power; `None` for a unit that is not one of a size. A `b` alone means bytes in one dialect and blocks in
/// the other.
fn power(unit: &str) -> Option<u32> {
    let unit = unit.to_ascii_lowercase();
    let (letter, tail) = unit.split_at_checked(1).unwrap_or_default();
    let at = SIZE_LETTERS.iter().position(|known| letter.starts_with(*known));
    match (unit.is_empty(), at) {
        (true, _) => Some(0),
        (false, Some(at)) if ["", "b", "i", "ib"].contains(&tail) => Some(at as u32 + 1),
        _ => None,
    }
}

/// Why a text is not a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RangeError {
    /// An end is not a whole number with a unit.
    #[error("its ends are not whole numbers with a unit")]
    NotQuantities,
    /// The range starts at 0.
    #[error("it starts at 0")]
    StartsAtZero,
    /// The units of the ends differ, and one of them is not a unit of sizes.
    #[error("the units of its ends differ")]
    UnitsDiffer,
    /// An end exceeds the largest number.
    #[error("its end is too large")]
    TooLarge,
    /// Doubling the first value does not lead to the last one.
    #[error("doubling the first value does not lead to the last one")]
    NotDoubling,
}

/// Expands `4k..64k` to the values 4k, 8k, ..., 64k. A text that is not a range is the only value.
///
/// # Errors
///
/// The text is a range whose values do not double.
pub fn doubled(text: &str) -> Result<Vec<String>, RangeError> {
    let Some((first, last)) = text.split_once("..") else { return Ok(vec![text.to_owned()]) };
    // A path such as `../file` is not a range.
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if !is_number(first) || !is_number(last) {
        return Ok(vec![text.to_owned()]);
    }
    let ends = Quantity::parse(first).zip(Quantity::parse(last));
    let (first, last) = ends.ok_or(RangeError::NotQuantities)?;
    if first.number == 0 {
        return Err(RangeError::StartsAtZero);
    }
    if first.unit.eq_ignore_ascii_case(last.unit) {
        return Ok(powers(first.number, last.number)?.map(|number| format!("{number}{}", first.unit)).collect());
    }
    let sizes = first.power().zip(last.power()).ok_or(RangeError::UnitsDiffer)?;
    let bytes = |quantity: Quantity, power: u32| quantity.number.checked_mul(1024u64.checked_pow(power)?);
    let ends = bytes(first, sizes.0).zip(bytes(last, sizes.1)).ok_or(RangeError::TooLarge)?;
    Ok(powers(ends.0, ends.1)?.map(|bytes| written(bytes, last.unit)).collect())
}

/// Doubles the first value up to the last.
fn powers(first: u64, last: u64) -> Result<impl Iterator<Item = u64>, RangeError> {
    let numbers = move || std::iter::successors(Some(first), |number| number.checked_mul(2));
    if !numbers().any(|number| number == last) {
        return Err(RangeError::NotDoubling);
    }
    Ok(numbers().take_while(move |number| *number <= last))
}

/// Formats bytes with the largest unit that leaves a whole number and does not exceed that of `like`, in its notation.
fn written(bytes: u64, like: &str) -> String {
    let letters = like.chars().next().is_some_and(char::is_uppercase);
    let most = power(like).unwrap_or(0);
    let power = (0..=most).rev().find(|power| bytes.is_multiple_of(1 << (10 * power))).unwrap_or(0);
    let number = bytes >> (10 * power);
    let Some(at) = power.checked_sub(1) else { return number.to_string() };
    let letter = SIZE_LETTERS[at as usize];
    let letter = if letters { letter.to_ascii_uppercase() } else { letter };
    format!("{number}{letter}{}", &like[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> String {
        doubled(text).map_or_else(|why| format!("! {why}"), |values| values.join(" "))
    }

    #[test]
    fn a_range_doubles_in_the_unit_that_it_is_written_in() {
        assert_eq!(range("4k..32k"), "4k 8k 16k 32k");
        assert_eq!(range("1..8"), "1 2 4 8");
        assert_eq!(range("30s..120s"), "30s 60s 120s");
        assert_eq!(range("64k..64k"), "64k");
    }

    #[test]
    fn a_range_over_units_goes_up_with_them() {
        assert_eq!(range("256K..2M"), "256K 512K 1M 2M");
        assert_eq!(range("512..4k"), "512 1k 2k 4k");
        assert_eq!(range("512KiB..1MiB"), "512KiB 1MiB");
        assert_eq!(range("2048..4k"), "2k 4k");
    }

    #[test]
    fn what_never_gets_there_is_refused() {
        for text in
            ["4k..100k", "8k..4k", "0..8", "1..18446744073709551615", "1s..2k", "4..99999999999t", "1.5..3", "4..64B"]
        {
            assert!(range(text).starts_with('!'), "{text}: {}", range(text));
        }
    }

    #[test]
    fn a_text_with_dots_may_be_no_range() {
        assert_eq!(range("../a..b"), "../a..b");
        assert_eq!(range("libaio"), "libaio");
    }
}
