//! How far a figure may change: `write.iops<-5%`.

use assessment::{METRIC_EXAMPLES, Metric};

use super::Line;

/// What must not come true.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    pub metric: Metric,
    /// The change is less than the share; else more.
    below: bool,
    share: f64,
    pub words: String,
}

impl Bound {
    /// Several with commas between them.
    pub fn parse_all(words: &str) -> Result<Vec<Bound>, String> {
        words.split(',').map(|word| Bound::parse(word.trim())).collect()
    }

    fn parse(word: &str) -> Result<Bound, String> {
        let at = word.find(['<', '>']).ok_or_else(|| format!("`{word}`: expected its like, write.iops<-5%"))?;
        let (name, change) = (word[..at].trim(), word[at + 1..].trim());
        let metric = Metric::parse(name).ok_or_else(|| format!("`{name}` is not a metric: {METRIC_EXAMPLES}"))?;
        let percent = change.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        let percent = percent.filter(|percent| percent.is_finite());
        let share = percent.ok_or_else(|| format!("`{change}`: expected a change in percent, such as -5%"))? / 100.0;
        Ok(Bound { metric, below: word[at..].starts_with('<'), share, words: word.to_owned() })
    }

    /// The difference is shown, and beyond.
    pub fn is_broken_by(&self, line: &Line) -> bool {
        let beyond = if self.below { line.difference < self.share } else { line.difference > self.share };
        line.kind == self.metric && line.shown && beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_with_their_sign_and_wrong_ones_refused() {
        let read = Bound::parse_all("write.iops<-5%, read.clat.p99 > 10 %").expect("bounds");
        assert_eq!(
            read.iter().map(|bound| (bound.below, bound.share)).collect::<Vec<_>>(),
            [(true, -0.05), (false, 0.1)]
        );
        for word in ["", "write.iops", "write.iops<", "write.iops<5", "size<5%", "write.iops<nan%", "iops<=5%"] {
            assert!(Bound::parse_all(word).is_err(), "{word}");
        }
    }
}
