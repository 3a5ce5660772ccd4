//! How often options and values occur in the corpus of fio's command lines and job files.

use fastrand::Rng;

/// Jobs of the corpus.
const JOBS: u32 = 282;

/// An option with the values that jobs get.
pub struct Weighted {
    pub name: &'static str,
    /// Jobs of the corpus that have the option.
    jobs: u32,
    /// Values with the number of jobs that have them.
    values: Vec<(&'static str, u32)>,
}

/// Returns the options that a random job can have.
pub fn all() -> Vec<Weighted> {
    let lines = include_str!("weights.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(parse).collect()
}

fn parse(line: &'static str) -> Weighted {
    let mut fields = line.split_whitespace();
    let name = fields.next().unwrap_or_default();
    let jobs = fields.next().and_then(|jobs| jobs.parse().ok()).unwrap_or_else(|| panic!("weights.txt: {line}"));
    let weighted = |field: &'static str| match field.rsplit_once('*') {
        Some((value, weight)) => (value, weight.parse().unwrap_or_else(|_| panic!("weights.txt: {line}"))),
        None => (field, 0),
    };
    Weighted { name, jobs, values: fields.map(weighted).collect() }
}

impl Weighted {
    /// Decides whether a job has the option. Half as often as in the corpus, so that a difference has fewer options to
    /// come from, and at least in one of 40 jobs.
    pub fn occurs(&self, random: &mut Rng) -> bool {
        random.u32(0..2 * JOBS) < self.jobs + 13
    }

    /// Returns a value, or `None` for the option without a value.
    pub fn value(&self, random: &mut Rng) -> Option<&'static str> {
        let total = self.values.iter().map(|(_, weight)| weight + 1).sum();
        let mut at = random.u32(0..total);
        let chosen = self.values.iter().find(|(_, weight)| {
            let is_chosen = at <= *weight;
            at = at.wrapping_sub(weight + 1);
            is_chosen
        });
        chosen.map(|(value, _)| *value).filter(|value| *value != "-")
    }
}

#[cfg(test)]
mod tests {
    use fio::options::kind::{Keyword, Kind};
    use fio::options::{ENGINE_OPTIONS, core_option};

    use super::*;

    #[test]
    fn every_option_is_in_the_table_of_options() {
        for option in all() {
            let known =
                core_option(option.name).or_else(|| ENGINE_OPTIONS.iter().find(|known| known.is_named(option.name)));
            let known = known.unwrap_or_else(|| panic!("there is no option {}", option.name));
            let has_keywords = match known.kind {
                Kind::Keyword(keywords, _) => Some(keywords),
                _ => None,
            };
            for (value, _) in &option.values {
                let keyword = value.split(':').next().unwrap_or(value);
                let is_known = |keywords: &[Keyword]| keywords.iter().any(|known| known.name == keyword);
                assert!(has_keywords.is_none_or(is_known), "{} has no value {value}", option.name);
            }
        }
    }
}
