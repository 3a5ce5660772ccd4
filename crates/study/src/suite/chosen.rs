//! A suite of tests that are chosen from other suites.

use std::collections::BTreeSet;

use super::{Files, MeantFor, Suite, Test};

/// Tests of one suite.
pub struct Choice {
    pub suite: Suite,
    /// Names of its tests.
    pub tests: Vec<String>,
}

impl Suite {
    /// Returns a suite of the chosen tests; `None` without a choice. Its files have the largest size of the suites.
    pub fn of_choices(choices: Vec<Choice>) -> Option<Suite> {
        let chosen = choices.into_iter().map(|Choice { suite, tests }| {
            let is_chosen = |test: &Test| tests.contains(&test.name);
            Suite { tests: suite.tests.into_iter().filter(is_chosen).collect(), ..suite }
        });
        chosen.reduce(Suite::joined)
    }

    /// Returns the smallest size of its files.
    fn least(&self) -> Option<u64> {
        self.least_size_bytes.or(self.size_bytes)
    }

    fn joined(self, other: Suite) -> Suite {
        let mut seen = BTreeSet::new();
        let least_size_bytes = self.least().max(other.least());
        let volumes = self.volumes.into_iter().chain(other.volumes);
        Suite {
            name: format!("{}+{}", self.name, other.name),
            title: format!("{}; {}", self.title, other.title),
            source: format!("{}; {}", self.source, other.source),
            date: self.date.max(other.date),
            about: None,
            target: MeantFor::File,
            files: Files::One,
            size_bytes: self.size_bytes.max(other.size_bytes),
            least_size_bytes,
            file_size_bytes: self.file_size_bytes.max(other.file_size_bytes),
            // The tests of a suite without a size have their own.
            short_size_bytes: match (self.size_bytes, other.size_bytes) {
                (None, Some(_)) => other.short_size_bytes,
                (Some(_), None) => self.short_size_bytes,
                _ => self.short_size_bytes.max(other.short_size_bytes),
            },
            fill: if self.size_bytes >= other.size_bytes { self.fill } else { other.fill },
            volumes: volumes.filter(|volume| seen.insert(volume.name.clone())).collect(),
            tests: self.tests.into_iter().chain(other.tests).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{FillWay, Form, Place, Site, Sites, SuiteParams, built_in};

    fn choice(suite: &str, tests: &[&str]) -> Choice {
        let suite = built_in(suite).unwrap();
        Choice { suite, tests: tests.iter().map(|test| (*test).to_owned()).collect() }
    }

    #[test]
    fn chosen_tests_keep_the_options_of_their_suites() {
        let one = Suite::of_choices(vec![choice("etcd", &["wal"])]).unwrap();
        assert_eq!((one.name.as_str(), one.tests.len()), ("etcd", 1));
        let all = [choice("quick", &["read-iops"]), choice("etcd", &["wal"]), choice("sap-hana", &["log-write"])];
        let all = Suite::of_choices(all.into()).unwrap();
        let names: Vec<&str> = all.tests.iter().map(|test| test.name.as_str()).collect();
        assert_eq!(
            (all.name.as_str(), names.as_slice()),
            ("quick+etcd+sap-hana", &["read-iops", "wal", "log-write"][..])
        );
        assert_eq!((all.size_bytes, all.short_size_bytes, all.volumes.len()), (Some(8 << 30), 256 << 20, 2));
        let params = SuiteParams {
            form: Form::AsMeant,
            short: false,
            is_resized: false,
            sites: Sites::one(Site::new(Place::Directory("/d".into()), None)),
            fill: FillWay::Suite,
            runtime_s: None,
        };
        let text = |nth: usize| all.job(&all.tests[nth], &Vec::new(), &params).text();
        assert!(
            text(0).contains("runtime=9\n") && text(1).contains("runtime=10\n") && text(2).contains("runtime=60\n")
        );
        assert!(Suite::of_choices(Vec::new()).is_none());
    }
}
