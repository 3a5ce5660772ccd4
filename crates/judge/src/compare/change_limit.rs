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
        let texts = ["write.iops", "size<5%", "bw<5"].map(|text| ChangeLimit::parse_all(text).unwrap_err().to_string());
        assert_eq!(texts[0], "`write.iops`: expected a limit such as write.iops<-5%");
        assert!(texts[1].starts_with("`size` is not a metric: read.iops"), "{}", texts[1]);
        assert_eq!(texts[2], "`5`: expected a change in percent, such as -5%");
    }

    fn line(metric: &str, ratio: f64, shown: bool, detectable: Option<f64>) -> ComparedFigure {
        ComparedFigure {
            test: "run".to_owned(),
            metric: Metric::parse(metric).expect("a metric"),
            unit: String::new(),
            side: 1,
            first: 1.0,
            second: ratio,
            runs: (5, 5),
            ratio,
            interval: None,
            p: Some(0.01),
            detectable,
            by: assessment::By::Repeats,
            history: Vec::new(),
            shown,
        }
    }

    #[test]
    fn a_limit_is_broken_by_a_larger_change_that_is_shown() {
        let limits = ChangeLimit::parse_all("iops<-50%,iops>25%").expect("limits");
        let broken = |limit: &ChangeLimit, ratio| limit.is_broken_by(&line("iops", ratio, true, None));
        assert_eq!([0.25, 0.5, 0.75].map(|ratio| broken(&limits[0], ratio)), [true, false, false]);
        assert_eq!([1.0, 1.25, 1.5].map(|ratio| broken(&limits[1], ratio)), [false, false, true]);
        assert!(!limits[0].is_broken_by(&line("iops", 0.25, false, None)), "not shown");
        assert!(!limits[0].is_broken_by(&line("bw", 0.25, true, None)), "another metric");
    }

    #[test]
    fn a_limit_is_too_small_below_the_detectable_change() {
        let limit = &ChangeLimit::parse_all("iops<-50%").expect("a limit")[0];
        let is_below = |metric: &str, detectable| limit.is_below_detectable(&line(metric, 1.0, false, detectable));
        assert_eq!([Some(0.5), Some(0.51), None].map(|least| is_below("iops", least)), [false, true, false]);
        assert!(!is_below("bw", Some(0.9)));
    }
}
