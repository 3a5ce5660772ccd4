//! Limits of a change: `write.iops<-5%`.

use std::fmt;

use assessment::{ComparedFigure, METRIC_EXAMPLES, Metric};

/// A change of a figure that fails a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangeLimit {
    pub metric: Metric,
    /// Changes below the share fail; else changes above it.
    below: bool,
    share: f64,
    /// As typed.
    pub text: String,
}

/// An error in the text of a limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnreadableLimit {
    /// No `<` or `>`.
    NoBound(String),
    NotAMetric(String),
    /// No percentage after the bound.
    NotAChange(String),
}

impl fmt::Display for UnreadableLimit {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnreadableLimit::NoBound(text) => write!(to, "`{text}`: expected a limit such as write.iops<-5%"),
            UnreadableLimit::NotAMetric(name) => write!(to, "`{name}` is not a metric: {METRIC_EXAMPLES}"),
            UnreadableLimit::NotAChange(text) => write!(to, "`{text}`: expected a change in percent, such as -5%"),
        }
    }
}

impl std::error::Error for UnreadableLimit {}

impl ChangeLimit {
    /// Parses limits separated by commas.
    ///
    /// # Errors
    ///
    /// One of them has no bound, no known metric or no percentage.
    pub fn parse_all(text: &str) -> Result<Vec<ChangeLimit>, UnreadableLimit> {
        text.split(',').map(|limit| ChangeLimit::parse(limit.trim())).collect()
    }

    fn parse(text: &str) -> Result<ChangeLimit, UnreadableLimit> {
        let at = text.find(['<', '>']).ok_or_else(|| UnreadableLimit::NoBound(text.to_owned()))?;
        let (name, change) = (text[..at].trim(), text[at + 1..].trim());
        let metric = Metric::parse(name).ok_or_else(|| UnreadableLimit::NotAMetric(name.to_owned()))?;
        let percent = change.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        let percent = percent.filter(|percent| percent.is_finite());
        let share = percent.ok_or_else(|| UnreadableLimit::NotAChange(change.to_owned()))? / 100.0;
        Ok(ChangeLimit { metric, below: text[at..].starts_with('<'), share, text: text.to_owned() })
    }

    /// Whether changes below the share fail; else changes above it.
    pub fn is_lower_bound(&self) -> bool {
        self.below
    }

    /// Returns the limit as a share of the first figure: -0.05.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Whether a difference is shown and exceeds the limit.
    pub fn is_broken_by(&self, line: &ComparedFigure) -> bool {
        let difference = line.difference();
        let beyond = if self.below { difference < self.share } else { difference > self.share };
        line.metric == self.metric && line.shown && beyond
    }

    /// Whether a change of the limit's size is smaller than what the comparison can show.
    pub fn is_below_detectable(&self, line: &ComparedFigure) -> bool {
        line.metric == self.metric && line.detectable.is_some_and(|least| least > self.share.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_with_their_sign_and_wrong_ones_refused() {
        let read = ChangeLimit::parse_all("write.iops<-5%, read.clat.p99 > 10 %").expect("limits");
        assert_eq!(
            read.iter().map(|bound| (bound.is_lower_bound(), bound.share())).collect::<Vec<_>>(),
            [(true, -0.05), (false, 0.1)]
        );
        for word in ["", "write.iops", "write.iops<", "write.iops<5", "size<5%", "write.iops<nan%", "iops<=5%"] {
            assert!(ChangeLimit::parse_all(word).is_err(), "{word}");
        }
    }
}
