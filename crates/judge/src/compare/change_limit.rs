//! Limits of a change: `write.iops<-5%`.

use assessment::{By, ComparedFigure, METRIC_EXAMPLES, Metric, Undecided};

use super::ratio::repeats_for;

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
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnreadableLimit {
    /// No `<` or `>`.
    #[error("`{0}`: expected a limit such as write.iops<-5%")]
    NoBound(String),
    #[error("`{0}` is not a metric: {METRIC_EXAMPLES}")]
    NotAMetric(String),
    /// No percentage after the bound.
    #[error("`{0}`: expected a change in percent, such as -5%")]
    NotAChange(String),
}

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

    /// Compares a figure of the limit's metric with the limit. `confidence` is that of its interval.
    ///
    /// A limit is met if the whole interval meets it, or if a change of its size would be detectable and is not shown. A limit of 0
    /// has no size, and a limit on the other side of 0 requires a change: there the whole interval decides.
    pub fn outcome(&self, line: &ComparedFigure, confidence: f64) -> ChangeOutcome {
        let Some(variation) = line.variation else {
            let is_mixed = line.by == By::NotRepeats;
            return ChangeOutcome::Undecided(if is_mixed {
                Undecided::NotRepeats
            } else {
                Undecided::VariationUnknown
            });
        };
        let is_beyond = |change: f64| if self.below { change < self.share } else { change > self.share };
        let ends = line.interval.map(|(low, high)| [low - 1.0, high - 1.0].map(is_beyond));
        let requires_change = self.share != 0.0 && self.below == (self.share > 0.0);
        let is_exceeded = match requires_change {
            true => ends == Some([true; 2]),
            false => line.shown && is_beyond(line.difference()),
        };
        let needs_interval = requires_change || self.share == 0.0;
        let is_detectable = |least: f64| !needs_interval && least <= self.share.abs();
        match is_exceeded {
            true => ChangeOutcome::Exceeded,
            false if ends == Some([false; 2]) || line.detectable.is_some_and(is_detectable) => ChangeOutcome::Met,
            false => {
                let size = if needs_interval { line.difference() - self.share } else { self.share };
                let repeats = repeats_for(self.metric, size.abs(), variation, confidence);
                ChangeOutcome::Undecided(Undecided::NotDetectable { detectable: line.detectable, repeats })
            }
        }
    }
}

/// A figure compared with a limit of a change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ChangeOutcome {
    Met,
    Exceeded,
    Undecided(Undecided),
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

    fn line(ratio: f64, shown: bool, interval: Option<(f64, f64)>, detectable: Option<f64>) -> ComparedFigure {
        ComparedFigure {
            test: "run".to_owned(),
            metric: Metric::IOPS,
            unit: String::new(),
            side: 1,
            first: 1.0,
            second: ratio,
            runs: (5, 5),
            ratio,
            interval,
            p: Some(0.01),
            detectable,
            variation: Some(0.1),
            by: By::Repeats,
            history: Vec::new(),
            shown,
        }
    }

    fn outcome(limit: &str, line: &ComparedFigure) -> ChangeOutcome {
        ChangeLimit::parse_all(limit).expect("a limit")[0].outcome(line, 0.95)
    }

    #[test]
    fn a_limit_is_broken_by_a_larger_change_that_is_shown() {
        use ChangeOutcome::{Exceeded, Met};
        let of = |limit, ratio: f64| outcome(limit, &line(ratio, true, Some((ratio * 0.99, ratio * 1.01)), Some(0.02)));
        assert_eq!([0.25, 0.5, 0.75].map(|ratio| of("iops<-50%", ratio)), [Exceeded, Met, Met]);
        assert_eq!([1.0, 1.25, 1.5].map(|ratio| of("iops>25%", ratio)), [Met, Met, Exceeded]);
        let unshown = line(0.45, false, Some((0.2, 1.1)), Some(0.4));
        assert_eq!(outcome("iops<-50%", &unshown), Met, "a loss of 50 % would have been shown");
        assert_eq!(outcome("iops<-50%", &line(0.01, true, None, None)), Exceeded, "by an unknown factor");
    }

    #[test]
    fn a_limit_that_could_not_be_detected_is_undecided_and_says_what_decides() {
        let repeats = repeats_for(Metric::IOPS, 0.1, 0.1, 0.95);
        assert!(repeats.is_some_and(|runs| runs > 5));
        let undecided = |detectable| ChangeOutcome::Undecided(Undecided::NotDetectable { detectable, repeats });
        let lossy = line(0.85, false, Some((0.6, 1.2)), Some(0.77));
        assert_eq!(outcome("iops<-10%", &lossy), undecided(Some(0.77)));
        assert_eq!(outcome("iops<-10%", &line(0.85, false, None, None)), undecided(None), "too wide");
        // The whole interval meets the limit.
        let better = line(1.3, false, Some((0.95, 1.8)), Some(0.77));
        assert_eq!(outcome("iops<-10%", &better), ChangeOutcome::Met);
        let zero = |low, high| outcome("iops<0%", &line(0.99, false, Some((low, high)), Some(0.02)));
        assert_eq!(zero(1.0, 1.02), ChangeOutcome::Met, "the whole interval");
        assert!(matches!(zero(0.98, 1.0), ChangeOutcome::Undecided(Undecided::NotDetectable { .. })));
        let unknown = ComparedFigure { variation: None, p: None, ..lossy };
        assert_eq!(outcome("iops<-10%", &unknown), ChangeOutcome::Undecided(Undecided::VariationUnknown));
        let mixed = ComparedFigure { by: By::NotRepeats, ..unknown };
        assert_eq!(outcome("iops<-10%", &mixed), ChangeOutcome::Undecided(Undecided::NotRepeats));
    }

    #[test]
    fn a_required_change_is_decided_by_the_whole_interval() {
        let of = |low, high| outcome("iops<5%", &line(1.0, false, Some((low, high)), Some(0.01)));
        assert_eq!([of(0.99, 1.01), of(1.06, 1.08)], [ChangeOutcome::Exceeded, ChangeOutcome::Met]);
        assert!(matches!(of(1.02, 1.08), ChangeOutcome::Undecided(Undecided::NotDetectable { .. })));
    }
}
