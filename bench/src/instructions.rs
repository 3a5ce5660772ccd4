//! Instructions for an I/O, counted by valgrind's callgrind: figures that the machine's other load doesn't touch.
//!
//! A job of the `null` engine is run at two lengths, the worker's thread alone is counted, and what the longer run took
//! more is divided by its further I/Os, so that the start is not in it. The same is done with options that the plain job
//! doesn't have. Instructions are told by the source files they came from, inlined ones too: files that are an option's
//! own must not appear in a job without it.

pub mod callgrind;
mod jobs;

use std::collections::BTreeMap;
use std::path::Path;

use callgrind::Counted;
pub use jobs::{JOBS, Job, OWN_FILES};

/// Both lengths, in I/Os. The histogram's pages and the map of blocks are long there in the shorter one.
const LENGTHS: [u64; 2] = [20_000, 40_000];
/// What is counted as nothing: valgrind slows the clock's use down, which now and then ends a batch earlier.
const NOTHING: f64 = 0.05;
/// What looking whether there is an option may cost, where the looking is not in the loop's own file: a rate is looked for
/// before an I/O is made and after.
const LOOK_MAX: f64 = 3.0;

/// Instructions for one I/O.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForAnIo {
    pub total: f64,
    /// By source file, as the compiler names it.
    pub files: BTreeMap<String, f64>,
}

impl ForAnIo {
    fn between(short: &Counted, long: &Counted, ios: u64) -> Self {
        let ios = ios as f64;
        let more = |file: &str, count: u64| count as f64 - short.files.get(file).copied().unwrap_or(0) as f64;
        let files = long.files.iter().map(|(file, count)| (file.clone(), more(file, *count) / ios));
        ForAnIo {
            total: (long.total as f64 - short.total as f64) / ios,
            files: files.filter(|(_, count)| count.abs() >= NOTHING).collect(),
        }
    }

    /// Instructions in files whose names hold `part`.
    pub fn in_files(&self, part: &str) -> f64 {
        self.files
            .iter()
            .filter(|(file, _)| file.contains(part))
            .map(|(_, count)| count)
            .fold(0.0, |sum, count| sum + count)
    }
}

/// Counts one job.
pub fn of(fathom: &Path, job: &Job, scratch: &Path) -> Result<ForAnIo, String> {
    let [short, long] = LENGTHS.map(|ios| callgrind::count(fathom, &jobs::words(job, ios), scratch));
    Ok(ForAnIo::between(&short?, &long?, LENGTHS[1] - LENGTHS[0]))
}

/// Counts all jobs and tells what each option costs; an error where an option costs a job that doesn't have it.
pub fn report(fathom: &Path, scratch: &Path) -> Result<(), String> {
    let plain = of(fathom, &JOBS[0], scratch)?;
    println!("instructions for an I/O of the null engine, on the worker's thread (callgrind)\n");
    println!("  {:<22} {:>8} {:>8}  options", "job", "in all", "more");
    println!("  {:<22} {:>8.1} {:>8}  {}", JOBS[0].name, plain.total, "", JOBS[0].options.join(" "));
    for job in &JOBS[1..] {
        let counted = of(fathom, job, scratch)?;
        let more = counted.total - plain.total;
        println!("  {:<22} {:>8.1} {more:>+8.1}  {}", job.name, counted.total, job.options.join(" "));
    }
    println!("\nthe plain job, by source file (inlined code counts for its own file)\n");
    let mut files: Vec<(&String, &f64)> = plain.files.iter().collect();
    files.sort_by(|left, right| right.1.total_cmp(left.1));
    for (file, count) in files {
        println!("  {count:>8.1}  {}", shortened(file));
    }
    println!(
        "\nfiles that are an option's own, in the plain job, which has none of them: at most {LOOK_MAX} for a look\n"
    );
    let mut costs = Vec::new();
    for (option, part) in OWN_FILES {
        let count = plain.in_files(part);
        println!("  {count:>8.1}  {option}: {part}");
        costs.extend((count > LOOK_MAX + NOTHING).then_some(option));
    }
    if costs.is_empty() {
        return Ok(());
    }
    Err(format!("a job that doesn't use them pays for: {}", costs.join(", ")))
}

/// A file's path from its crate on.
fn shortened(file: &str) -> &str {
    let known = ["/crates/", "/library/", "/registry/src/"];
    known.iter().find_map(|folder| file.find(folder).map(|at| &file[at + 1..])).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(total: u64, files: &[(&str, u64)]) -> Counted {
        Counted { total, files: files.iter().map(|(file, count)| (file.to_string(), *count)).collect() }
    }

    #[test]
    fn what_both_lengths_have_is_not_the_ios() {
        let short = counted(1_100, &[("/x/crates/a.rs", 700), ("start.rs", 400)]);
        let long = counted(1_900, &[("/x/crates/a.rs", 1_300), ("start.rs", 400), ("late.rs", 200)]);
        let found = ForAnIo::between(&short, &long, 100);
        assert_eq!(found.total, 8.0);
        let files = [("/x/crates/a.rs".to_string(), 6.0), ("late.rs".to_string(), 2.0)];
        assert_eq!(found.files, files.into());
        assert_eq!((found.in_files("crates/"), found.in_files("start")), (6.0, 0.0));
        assert_eq!(shortened("/x/crates/a.rs"), "crates/a.rs");
    }

    #[test]
    fn files_of_options_are_there_and_the_first_job_is_the_plain_one() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (option, part) in OWN_FILES {
            assert!(root.join(part).exists(), "{option}: {part}");
        }
        assert!(JOBS[0].options.is_empty());
    }
}
