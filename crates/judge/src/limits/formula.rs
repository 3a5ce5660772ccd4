//! Formulas of the limits catalogue: `min(1800 + 50 * size, 50000)`.
//!
//! A formula has numbers, names, `+ - * /`, comparisons (1 if true, else 0), `min`, `max` and `if(condition, then,
//! else)`. It has no value if a name that it needs has none.

use std::ops::Range;

/// Deepest nesting of brackets. Published formulas have two levels.
const DEPTH_MAX: usize = 40;

#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    root: Node,
}

#[derive(Clone, PartialEq, Debug)]
enum Node {
    Number(f64),
    Name(String),
    Negated(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Less,
    AtMost,
    More,
    AtLeast,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Function {
    Min,
    Max,
    If,
}

/// An error in a formula, and its place in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    pub message: String,
    pub at: Range<usize>,
}

impl Formula {
    pub fn parse(text: &str) -> Result<Formula, Wrong> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let root = parser.expression(0)?;
        match parser.peek() {
            None => Ok(Formula { root }),
            Some(token) => Err(parser.wrong("expected an operator before this", token)),
        }
    }

    /// Returns the value; `None` if a needed name has no value, or the result is not a number.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        self.root.value(of).filter(|value| value.is_finite())
    }

    /// Returns every name in the formula.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.collect(&mut names);
        names
    }
}

impl Node {
    fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        Some(match self {
            Node::Number(number) => *number,
            Node::Name(name) => of(name)?,
            Node::Negated(node) => -node.value(of)?,
            Node::Binary(operator, left, right) => operator.apply(left.value(of)?, right.value(of)?),
            Node::Call(Function::If, args) => {
                let taken = if args.first()?.value(of)? != 0.0 { args.get(1)? } else { args.get(2)? };
                taken.value(of)?
            }
            Node::Call(function, args) => {
                let values = args.iter().map(|arg| arg.value(of)).collect::<Option<Vec<f64>>>()?;
                let pick = if *function == Function::Min { f64::min } else { f64::max };
                values.into_iter().reduce(pick)?
            }
        })
    }

    fn collect<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Node::Number(_) => {}
            Node::Name(name) => names.push(name),
            Node::Negated(node) => node.collect(names),
            Node::Binary(_, left, right) => {
                left.collect(names);
                right.collect(names);
            }
            Node::Call(_, args) => args.iter().for_each(|arg| arg.collect(names)),
        }
    }
}

impl Operator {
    const ALL: [(&'static str, Operator, u8); 8] = [
        ("<=", Operator::AtMost, 1),
        (">=", Operator::AtLeast, 1),
        ("<", Operator::Less, 1),
        (">", Operator::More, 1),
        ("+", Operator::Add, 2),
        ("-", Operator::Subtract, 2),
        ("*", Operator::Multiply, 3),
        ("/", Operator::Divide, 3),
    ];

    fn apply(self, left: f64, right: f64) -> f64 {
        let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
        match self {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            Operator::Less => truth(left < right),
            Operator::AtMost => truth(left <= right),
            Operator::More => truth(left > right),
            Operator::AtLeast => truth(left >= right),
        }
    }
}

/// Parses by precedence climbing.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn wrong(&self, message: impl Into<String>, at: Range<usize>) -> Wrong {
        Wrong { message: message.into(), at }
    }

    fn skip_spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Returns the place of the next character.
    fn peek(&mut self) -> Option<Range<usize>> {
        self.skip_spaces();
        self.text[self.at..].chars().next().map(|c| self.at..self.at + c.len_utf8())
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_spaces();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn operator(&mut self, binding_min: u8) -> Option<(Operator, u8)> {
        self.skip_spaces();
        let rest = &self.text[self.at..];
        let (token, operator, binding) = Operator::ALL.into_iter().find(|(token, ..)| rest.starts_with(token))?;
        (binding > binding_min).then(|| {
            self.at += token.len();
            (operator, binding)
        })
    }

    fn expression(&mut self, binding_min: u8) -> Result<Node, Wrong> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.wrong("the formula is nested too deep", self.at..self.text.len()));
        }
        let mut left = self.term()?;
        while let Some((operator, binding)) = self.operator(binding_min) {
            let right = self.expression(binding)?;
            left = Node::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn term(&mut self) -> Result<Node, Wrong> {
        if self.eat("(") {
            let inner = self.expression(0)?;
            return self.close().map(|()| inner);
        }
        if self.eat("-") {
            return Ok(Node::Negated(Box::new(self.expression(2)?)));
        }
        let Some(first) = self.peek() else {
            return Err(self.wrong("expected a number or a name after this", self.at..self.at));
        };
        let rest = &self.text[self.at..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        let place = self.at..self.at + word.len();
        self.at = place.end;
        if word.is_empty() {
            return Err(self.wrong("expected a number, a name or a bracket", first));
        }
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let number = word.parse().map_err(|_| self.wrong("not a number", place))?;
            return Ok(Node::Number(number));
        }
        if !self.eat("(") {
            return Ok(Node::Name(word.to_owned()));
        }
        let function = match word {
            "min" => Function::Min,
            "max" => Function::Max,
            "if" => Function::If,
            _ => return Err(self.wrong("unknown function; expected min, max or if", place)),
        };
        let args = self.args()?;
        if function == Function::If && args.len() != 3 {
            return Err(self.wrong("if takes a condition and two values", place));
        }
        Ok(Node::Call(function, args))
    }

    fn args(&mut self) -> Result<Vec<Node>, Wrong> {
        let mut args = vec![self.expression(0)?];
        while self.eat(",") {
            args.push(self.expression(0)?);
        }
        self.close().map(|()| args)
    }

    fn close(&mut self) -> Result<(), Wrong> {
        if self.eat(")") {
            return Ok(());
        }
        let at = self.peek().unwrap_or(self.at..self.at);
        Err(self.wrong("expected a closing bracket", at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<f64> {
        let of = |name: &str| match name {
            "size" => Some(500.0),
            "iops" => Some(6000.0),
            _ => None,
        };
        Formula::parse(text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}")).value(&of)
    }

    #[test]
    fn operators_have_the_usual_precedence() {
        assert_eq!(value("1 + 2 * 3 - 4 / 2"), Some(5.0));
        assert_eq!(value("10 - 4 - 3"), Some(3.0));
        assert_eq!(value("-2 * 3 + 1"), Some(-5.0));
        assert_eq!(value("(1 + 2) * 3"), Some(9.0));
        assert_eq!(value("1 + 1 <= 2"), Some(1.0));
        assert_eq!(value("2 * 3 > 6"), Some(0.0));
    }

    #[test]
    fn published_formulas_come_out() {
        assert_eq!(value("min(1800 + 50 * size, 50000)"), Some(26_800.0));
        assert_eq!(value("max(100, min(16000, 3 * size))"), Some(1500.0));
        assert_eq!(value("if(size <= 170, 128, 250)"), Some(250.0));
        assert_eq!(value("if(iops <= 32000, min(iops, 500), missing)"), Some(500.0));
    }

    #[test]
    fn an_unknown_name_makes_the_value_unknown() {
        assert_eq!(value("min(missing, 3)"), None);
        assert_eq!(value("1 / 0"), None);
        assert_eq!(value("if(missing, 1, 2)"), None);
    }

    #[test]
    fn errors_have_their_place() {
        let wrong = |text: &str| Formula::parse(text).expect_err(text);
        assert_eq!(wrong("1 + ").at, 4..4);
        assert_eq!(wrong("1 2").at, 2..3);
        assert_eq!(wrong("sqrt(2)").at, 0..4);
        assert_eq!(wrong("(1 + 2").at, 6..6);
        assert_eq!(wrong("1 + ü").at, 4..6);
        assert_eq!(wrong("1.2.3").at, 0..5);
        assert!(wrong("if(1, 2)").message.contains("two values"));
        assert!(wrong(&"(".repeat(10_000)).message.contains("too deep"));
        assert!(wrong(&"-".repeat(10_000)).message.contains("too deep"));
    }

    #[test]
    fn parentheses_nest_to_the_greatest_depth() {
        let nested = |depth: usize| format!("{}7{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(value(&nested(DEPTH_MAX - 1)), Some(7.0));
        let wrong = Formula::parse(&nested(DEPTH_MAX)).expect_err("one too many");
        assert!(wrong.message.contains("too deep"), "{wrong:?}");
    }
}
