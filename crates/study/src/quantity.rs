//! Numbers with a unit's letters behind them, as both dialects write sizes and times.

/// Letters that stand for powers of 1024, in their order.
const SIZE_LETTERS: [char; 5] = ['k', 'm', 'g', 't', 'p'];

/// A whole number and what follows it.
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

    /// Which power of 1024 a size's unit is.
    fn power(&self) -> Option<u32> {
        power(self.unit)
    }
}

/// `None` for units that are none of a size. A `b` alone is bytes to the one and blocks to the other dialect.
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

/// `4k..64k` as the values 4k, 8k, … 64k; a text that is no range as itself. Else why the range is none that doubles.
pub fn doubled(text: &str) -> Result<Vec<String>, String> {
    let Some((first, last)) = text.split_once("..") else { return Ok(vec![text.to_owned()]) };
    // A path such as `../file` is no range.
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if !is_number(first) || !is_number(last) {
        return Ok(vec![text.to_owned()]);
    }
    let ends = Quantity::parse(first).zip(Quantity::parse(last));
    let (first, last) = ends.ok_or("its ends are not whole numbers with a unit")?;
    if first.number == 0 {
        return Err("twice 0 is 0".into());
    }
    if first.unit.eq_ignore_ascii_case(last.unit) {
        return Ok(powers(first.number, last.number)?.map(|number| format!("{number}{}", first.unit)).collect());
    }
    let sizes = first.power().zip(last.power()).ok_or("its ends have units that don't go together")?;
    let bytes = |quantity: Quantity, power: u32| quantity.number.checked_mul(1024u64.checked_pow(power)?);
    let ends = bytes(first, sizes.0).zip(bytes(last, sizes.1)).ok_or("its end is too large")?;
    Ok(powers(ends.0, ends.1)?.map(|bytes| written(bytes, last.unit)).collect())
}

/// Doubles the first until it is the last.
fn powers(first: u64, last: u64) -> Result<impl Iterator<Item = u64>, String> {
    let numbers = move || std::iter::successors(Some(first), |number| number.checked_mul(2));
    if !numbers().any(|number| number == last) {
        return Err("doubling the first value never gives the last".into());
    }
    Ok(numbers().take_while(move |number| *number <= last))
}

/// Bytes with the largest unit that leaves a whole number and is none above `like`, in the manner of `like`.
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
