//! Random jobs.

use fastrand::Rng;

use crate::case::{Case, DEVICE, Job, Setting};
use crate::rules;
use crate::weights::{self, Weighted};

/// Names of jobs.
const NAMES: [&str; 3] = ["a", "b", "c"];
/// Most options of a job. Of more, some are removed at random.
const OPTIONS_MAX: usize = 16;

/// Share of cases in which the first file of the first job exists before the run.
const EXISTING_PERCENT: u8 = 8;
/// Sizes of such files, KiB.
const EXISTING_KIB: [u64; 5] = [10, 100, 256, 300, 2048];

/// Returns the first file of a job, with a size. A device or a folder has none.
fn existing(job: &Job, random: &mut Rng) -> Vec<(String, u64)> {
    if job.has("directory") || job.has("filename_format") || job.is_on_device() || job.engine() == "null" {
        return Vec::new();
    }
    let first = job.value("filename").and_then(|names| names.split(':').next()).map(str::to_owned);
    let name = first.unwrap_or_else(|| format!("{}.0.0", job.name));
    vec![(name, EXISTING_KIB[random.usize(0..EXISTING_KIB.len())])]
}

/// Makes the cases of a seed.
pub struct Generator {
    options: Vec<Weighted>,
    seed: u64,
    /// Whether jobs can use a loop device.
    pub has_device: bool,
}

impl Generator {
    pub fn new(seed: u64, has_device: bool) -> Generator {
        Generator { options: weights::all(), seed, has_device }
    }

    /// Returns a generator of cases without some options.
    pub fn without(mut self, names: &[String]) -> Generator {
        self.options.retain(|option| names.iter().all(|name| name != option.name));
        self
    }

    /// Returns a case of the seed. It depends on nothing else.
    pub fn case(&self, number: u64) -> Case {
        let mut random = Rng::with_seed(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
        let count = [1, 1, 1, 1, 1, 1, 2, 2, 3][random.usize(0..9)];
        let jobs = NAMES[..count].iter().map(|name| self.job(name, &mut random)).collect();
        let mut case = Case { existing: Vec::new(), jobs };
        rules::separate(&mut case);
        if random.u8(0..100) < EXISTING_PERCENT {
            case.existing = existing(&case.jobs[0], &mut random);
        }
        case
    }

    fn job(&self, name: &str, random: &mut Rng) -> Job {
        let mut job = Job { name: name.to_owned(), options: Vec::new() };
        for option in &self.options {
            if option.name == "rw" || option.name == "ioengine" || option.occurs(random) {
                let value = option.value(random).map(str::to_owned);
                job.options.push(Setting { name: option.name.to_owned(), value });
            }
        }
        if !self.has_device && (job.trims() || job.is_on_device()) {
            job.remove("filename");
            job.set("rw", "randrw");
        }
        while job.options.len() > OPTIONS_MAX {
            // The first two are the pattern and the engine.
            job.options.remove(random.usize(2..job.options.len()));
        }
        rules::apply(&mut job);
        debug_assert!(self.has_device || !job.is_on_device(), "{DEVICE} without a device");
        job
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_has_the_same_cases_on_every_machine() {
        let generator = Generator::new(1, true);
        assert_eq!(generator.case(7), generator.case(7));
        assert_ne!(generator.case(7), generator.case(8));
        assert_eq!(Case::parse(&generator.case(7).to_string()), generator.case(7));
    }
}
