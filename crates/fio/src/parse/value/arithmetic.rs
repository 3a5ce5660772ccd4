//! Arithmetic in parentheses: `(4*1k)`, `(2^10+512)`, `(1.5g)`, `(10s+500ms)`.

use super::problem::Problem;

/// The value of an expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Evaluated {
    pub value: f64,
    /// The expression contains a unit, so the option's default unit does not apply.
    pub has_unit: bool,
    /// End of the expression in the text.
    pub end: usize,
}

/// Limit of nested operators. It bounds the depth of the recursion.
const DEPTH_MAX: usize = 64;

/// Evaluates the expression at the start of `text`. The unit `m` is minutes if `is_time`, else mebi.
///
/// # Errors
///
/// Fails if the expression is invalid, divides by zero or exceeds the range of `f64`.
pub fn evaluate(text: &str, is_time: bool) -> Result<Evaluated, Problem> {
    let mut evaluator = Evaluator { text, at: 0, is_time, has_unit: false, depth: 0 };
    let number = evaluator.sum()?;
    evaluator.skip_blanks();
    let end = evaluator.at;
    let rest = &text[end..];
    if !(rest.is_empty() || rest.starts_with([':', ',', '#'])) {
        return Err(evaluator.unexpected("expected an operator or the end"));
    }
    if !number.value.is_finite() {
        return Err(Problem::error(0..end, "the result is not a number", "out of range"));
    }
    Ok(Evaluated { value: number.value, has_unit: evaluator.has_unit, end })
}

#[derive(Clone, Copy)]
struct Operand {
    value: f64,
    /// Exact value, unless `is_float`.
    whole: i128,
    is_float: bool,
}

impl Operand {
    fn whole(whole: i128) -> Operand {
        Operand { value: whole as f64, whole, is_float: false }
    }

    fn float(value: f64) -> Operand {
        Operand { value, whole: value as i128, is_float: true }
    }

    fn combine(self, other: Operand, whole: fn(i128, i128) -> Option<i128>, float: fn(f64, f64) -> f64) -> Operand {
        if self.is_float || other.is_float {
            return Operand::float(float(self.value, other.value));
        }
        match whole(self.whole, other.whole) {
            Some(result) => Operand::whole(result),
            None => Operand::float(float(self.value, other.value)),
        }
    }
}

struct Evaluator<'a> {
    text: &'a str,
    at: usize,
    is_time: bool,
    has_unit: bool,
    depth: usize,
}

impl Evaluator<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    fn take(&mut self, symbols: &[char]) -> Option<char> {
        self.skip_blanks();
        let symbol = self.rest().chars().next().filter(|c| symbols.contains(c))?;
        self.at += symbol.len_utf8();
        Some(symbol)
    }

    fn unexpected(&self, expected: &str) -> Problem {
        let what = match self.rest().chars().next() {
            Some(c) => format!("unexpected `{c}`"),
            None => "the expression is incomplete".to_owned(),
        };
        Problem::error(self.at..self.text.len(), what, expected)
    }

    fn sum(&mut self) -> Result<Operand, Problem> {
        let mut left = self.product()?;
        while let Some(symbol) = self.take(&['+', '-']) {
            let right = self.product()?;
            left = match symbol {
                '+' => left.combine(right, i128::checked_add, |a, b| a + b),
                _ => left.combine(right, i128::checked_sub, |a, b| a - b),
            };
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Operand, Problem> {
        let mut left = self.power()?;
        loop {
            self.skip_blanks();
            let start = self.at;
            let Some(symbol) = self.take(&['*', '/', '%']) else { return Ok(left) };
            let right = self.power()?;
            let is_zero = if right.is_float { right.value.abs() < 1e-20 } else { right.whole == 0 };
            if symbol != '*' && is_zero {
                return Err(Problem::error(start..self.at, "division by zero", "expected another divisor"));
            }
            left = match symbol {
                '*' => left.combine(right, i128::checked_mul, |a, b| a * b),
                '/' => left.combine(right, i128::checked_div, |a, b| a / b),
                _ if left.is_float || right.is_float => {
                    return Err(Problem::error(start..self.at, "`%` needs whole numbers", "a fraction"));
                }
                _ => left.combine(right, i128::checked_rem, |a, b| a % b),
            };
        }
    }

    fn power(&mut self) -> Result<Operand, Problem> {
        let base = self.signed()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        self.enter()?;
        let exponent = self.power()?;
        self.depth -= 1;
        let whole = |a: i128, b: i128| u32::try_from(b).ok().and_then(|b| a.checked_pow(b));
        Ok(base.combine(exponent, whole, f64::powf))
    }

    fn signed(&mut self) -> Result<Operand, Problem> {
        if self.take(&['-']).is_none() {
            return self.with_units();
        }
        self.enter()?;
        let operand = self.signed()?;
        self.depth -= 1;
        Ok(Operand::whole(0).combine(operand, i128::checked_sub, |a, b| a - b))
    }

    fn enter(&mut self) -> Result<(), Problem> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Problem::error(self.at..self.text.len(), "nested too deeply", "too many levels"));
        }
        Ok(())
    }

    fn with_units(&mut self) -> Result<Operand, Problem> {
        let mut operand = self.operand()?;
        while let Some(unit) = self.unit() {
            self.has_unit = true;
            operand = operand.combine(Operand::whole(unit), i128::checked_mul, |a, b| a * b);
        }
        Ok(operand)
    }

    fn operand(&mut self) -> Result<Operand, Problem> {
        if self.take(&['(']).is_some() {
            self.enter()?;
            let inner = self.sum()?;
            self.depth -= 1;
            if self.take(&[')']).is_none() {
                return Err(self.unexpected("expected `)`"));
            }
            return Ok(inner);
        }
        self.skip_blanks();
        let rest = self.rest();
        if let Some(digits) = rest.strip_prefix("0x") {
            let count = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
            let value = i128::from_str_radix(&digits[..count], 16);
            let value = value.map_err(|_| self.unexpected("expected hexadecimal digits"))?;
            self.at += 2 + count;
            return Ok(Operand::whole(value));
        }
        let count = number_length(rest);
        let number = &rest[..count];
        let operand = match (number.parse::<i128>(), number.parse::<f64>()) {
            (Ok(whole), _) if whole < 1 << 100 => Operand::whole(whole),
            (_, Ok(value)) => Operand::float(value),
            _ => return Err(self.unexpected("expected a number or `(`")),
        };
        self.at += count;
        Ok(operand)
    }

    fn unit(&mut self) -> Option<i128> {
        self.skip_blanks();
        let lower = self.rest().get(..self.rest().len().min(3)).unwrap_or(self.rest()).to_ascii_lowercase();
        let minute_or_mebi = if self.is_time { 60_000_000 } else { 1 << 20 };
        let units: [(&str, i128); 21] = [
            ("kib", 1000),
            ("mib", 1_000_000),
            ("gib", 1_000_000_000),
            ("tib", 1_000_000_000_000),
            ("pib", 1_000_000_000_000_000),
            ("kb", 1 << 10),
            ("mb", 1 << 20),
            ("gb", 1 << 30),
            ("tb", 1 << 40),
            ("pb", 1 << 50),
            ("us", 1),
            ("ms", 1000),
            ("k", 1 << 10),
            ("m", minute_or_mebi),
            ("g", 1 << 30),
            ("t", 1 << 40),
            ("p", 1 << 50),
            ("s", 1_000_000),
            ("h", 3_600_000_000),
            ("d", 86_400_000_000),
            ("b", 1),
        ];
        let (name, factor) = units.into_iter().find(|(name, _)| lower.starts_with(name))?;
        self.at += name.len();
        Some(factor)
    }
}

/// Returns the length of the number at the start of `text`: digits, an optional fraction, an optional exponent.
fn number_length(text: &str) -> usize {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut length = digits(text);
    if let Some(fraction) = text[length..].strip_prefix('.')
        && digits(fraction) > 0
    {
        length += 1 + digits(fraction);
    }
    if let Some(exponent) = text[length..].strip_prefix(['e', 'E'])
        && length > 0
    {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits(unsigned) > 0 {
            length += 1 + (exponent.len() - unsigned.len()) + digits(unsigned);
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(text: &str) -> Option<f64> {
        evaluate(text, false).ok().map(|evaluated| evaluated.value)
    }

    #[test]
    fn operators_have_the_usual_precedence() {
        assert_eq!(bytes("(1+2*3)"), Some(7.0));
        assert_eq!(bytes("((1+2)*3)"), Some(9.0));
        assert_eq!(bytes("(2^3^2)"), Some(512.0));
        assert_eq!(bytes("(7/2)"), Some(3.0));
        assert_eq!(bytes("(7%4)"), Some(3.0));
        assert_eq!(bytes("(17%4)"), Some(1.0));
        assert_eq!(bytes("(-4+10)"), Some(6.0));
        assert_eq!(bytes("( 4 * 1k )"), Some(4096.0));
        assert_eq!(bytes("(-(-1.5k))"), Some(1536.0));
    }

    #[test]
    fn the_largest_numbers_can_be_negated() {
        assert_eq!(bytes("(-(0-2^126-2^126))"), Some(2f64.powi(127)));
        assert_eq!(bytes("(-(0-1e40))"), Some(1e40));
    }

    #[test]
    fn fractions_can_have_units() {
        assert_eq!(bytes("(1.5g)"), Some(1.5 * f64::from(1 << 30)));
        assert_eq!(bytes("(0x10*1m)"), Some(f64::from(16 << 20)));
        assert_eq!(bytes("(1kib)"), Some(1000.0));
        assert_eq!(bytes("(2+2)k"), Some(4096.0));
        assert_eq!(evaluate("(1m)", true).map(|c| (c.value, c.has_unit)), Ok((60e6, true)));
        assert_eq!(evaluate("(1*2)", true).map(|c| (c.value, c.has_unit)), Ok((2.0, false)));
    }

    #[test]
    fn units_are_those_of_fio() {
        let units = ["k", "m", "g", "t", "p"];
        for (power, unit) in (1..).zip(units) {
            let (binary, decimal) = (1024f64.powi(power), 1000f64.powi(power));
            for (name, factor) in
                [(unit.to_owned(), binary), (format!("{unit}b"), binary), (format!("{unit}ib"), decimal)]
            {
                assert_eq!(bytes(&format!("(3{name})")), Some(3.0 * factor), "{name}");
                assert_eq!(bytes(&format!("(3{})", name.to_uppercase())), Some(3.0 * factor), "{name}");
            }
        }
        assert_eq!(bytes("(3b)"), Some(3.0));
        for (unit, us) in [("us", 1.0), ("ms", 1e3), ("s", 1e6), ("m", 60e6), ("h", 3600e6), ("d", 86_400e6)] {
            assert_eq!(evaluate(&format!("(3{unit})"), true).map(|time| time.value), Ok(3.0 * us), "{unit}");
        }
    }

    /// A random expression, its value, and whether all operators apply to whole numbers of 64 bits.
    fn expression() -> impl Strategy<Value = (String, i64)> {
        let leaf = (0i64..1000, 0usize..4).prop_map(|(number, form)| match form {
            0 => (format!("{number}"), number),
            1 => (format!("0x{number:x}"), number),
            2 => (format!(" {number} k"), number * 1024),
            _ => (format!("-{number}"), -number),
        });
        leaf.prop_recursive(4, 16, 2, |inner| {
            (inner.clone(), inner, 0usize..5).prop_map(|((one, a), (other, b), operator)| {
                // Each operand is in parentheses of its own, and small enough for the next product.
                let (a, b) = (a % 100_000, b % 100_000);
                let [one, other] = [(one, a), (other, b)].map(|(text, _)| format!("(({text}) % 100000)"));
                match operator {
                    0 => (format!("{one} + {other}"), a + b),
                    1 => (format!("{one}-{other}"), a - b),
                    2 => (format!("{one}*{other}"), a * b),
                    3 if b != 0 => (format!("{one}/{other}"), a / b),
                    4 if b != 0 => (format!("{one} % {other}"), a % b),
                    _ => (format!("-{one}"), -a),
                }
            })
        })
    }

    proptest! {
        #[test]
        fn expressions_have_the_value_of_rust((text, value) in expression()) {
            let found = evaluate(&format!("({text})"), false);
            prop_assert_eq!(found.map(|found| found.value), Ok(value as f64), "{}", text);
        }
    }

    #[test]
    fn operators_without_parentheses_follow_their_rank() {
        assert_eq!(bytes("(2-3-4)"), Some(-5.0));
        assert_eq!(bytes("(64/4/2)"), Some(8.0));
        assert_eq!(bytes("(100%7*2)"), Some(4.0));
        assert_eq!(bytes("(2+2^3*5-1)"), Some(41.0));
        assert_eq!(bytes("(-2^2)"), Some(4.0), "the sign belongs to the number, as in fio");
        assert_eq!(bytes("(2^-1)"), Some(0.5));
        assert_eq!(bytes("(1.5+1.5)"), Some(3.0));
        assert_eq!(bytes("(7.5/2)"), Some(3.75));
        assert_eq!(bytes("(2^100*2^100)"), Some(2f64.powi(200)));
        assert_eq!(bytes("(1e3+1.5e1)"), Some(1015.0));
        assert_eq!(bytes("(1e+2+1E-1)"), Some(100.1));
        assert_eq!(bytes("(1/1e-21)"), None, "too small a divisor");
        assert_eq!(bytes("(1/0.5)"), Some(2.0));
    }

    #[test]
    fn errors_mark_what_is_wrong() {
        let problem = |text: &str| evaluate(text, false).map_err(|problem| (problem.range, problem.message));
        let of = |range, message: &str| Err((range, message.to_owned()));
        assert_eq!(problem("(1+)"), of(3..4, "unexpected `)`"));
        assert_eq!(problem("(1"), of(2..2, "the expression is incomplete"));
        assert_eq!(problem("(4/ 0)"), of(2..5, "division by zero"));
        assert_eq!(problem("(5%1.5)"), of(2..6, "`%` needs whole numbers"));
        assert_eq!(problem("(9e999)"), of(0..7, "the result is not a number"));
        assert_eq!(problem("(1)x"), of(3..4, "unexpected `x`"));
        let ends = ["(1):5", "(1) ,5", "(1)#", "(2)"].map(|text| evaluate(text, false).map(|found| found.end));
        assert_eq!(ends, [Ok(3), Ok(4), Ok(3), Ok(3)]);
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested = |levels: usize| bytes(&format!("{}1{}", "(".repeat(levels), ")".repeat(levels)));
        assert_eq!([nested(DEPTH_MAX), nested(DEPTH_MAX + 1)], [Some(1.0), None]);
        let negated = |signs: usize| bytes(&format!("({}1)", "-".repeat(signs)));
        assert_eq!([negated(DEPTH_MAX - 1), negated(DEPTH_MAX)], [Some(-1.0), None]);
        let powers = |count: usize| bytes(&format!("(1{})", "^1".repeat(count)));
        assert_eq!([powers(DEPTH_MAX - 1), powers(DEPTH_MAX)], [Some(1.0), None]);
        // Levels that have ended do not count.
        assert_eq!(bytes(&format!("(0{})", "+(1)+-1+2^1".repeat(DEPTH_MAX))), Some(2.0 * DEPTH_MAX as f64));
    }

    #[test]
    fn invalid_expressions_are_rejected() {
        for text in ["(", "()", "(1", "(1+)", "(1/0)", "(1%0)", "(2.5%2)", "(x)", "(1 2)", "(9e999)"] {
            assert_eq!(bytes(text), None, "{text}");
        }
        assert_eq!(bytes(&"(".repeat(100_000)), None);
        assert_eq!(bytes(&"(-".repeat(100_000)), None);
        assert_eq!(bytes(&format!("({}1)", "-".repeat(100_000))), None);
        assert_eq!(bytes(&format!("(1{}", "^1".repeat(100_000))), None);
    }
}
