//! Instructions per I/O, counted with valgrind's callgrind. The counts do not depend on the machine's load.
//!
//! A job with the null engine runs with two numbers of I/Os. Only the worker's thread counts. The difference of the
//! instructions divided by the difference of the I/Os leaves out the start. The same is measured with one more option per
//! job. Instructions belong to the source file that they come from, also when inlined: files of an option must not appear
//! in a job without it.

pub mod budgets;
pub mod callgrind;
pub mod classes;
mod jobs;

use std::collections::BTreeMap;
use std::path::Path;

use callgrind::InstructionCounts;
use classes::Class;
use jobs::FILE;
pub use jobs::{JOBS, Job, OPTION_FILES};

/// Instructions per I/O below which a file is left out. valgrind slows the clock down, so that now and then a batch ends
/// earlier in one of the two runs.
const NEGLIGIBLE: f64 = 0.05;
/// Instructions per I/O that the checks for an absent option may take in the option's own files. For a rate there are two
/// checks: before an I/O is prepared and after it.
const CHECK_MAX: f64 = 3.0;

/// Instructions per I/O.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstructionsPerIo {
    pub total: f64,
    /// By source file, with the path of the debug information.
    pub files: BTreeMap<String, f64>,
    pub classes: BTreeMap<Class, f64>,
}

impl InstructionsPerIo {
    fn between(short: &InstructionCounts, long: &InstructionCounts, ios: u64) -> Self {
        let per_io = |long: u64, short: Option<&u64>| (long as f64 - short.copied().unwrap_or(0) as f64) / ios as f64;
        let files = long.files.iter().map(|(file, count)| (file.clone(), per_io(*count, short.files.get(file))));
        let classes = long.classes.iter().map(|(class, count)| (*class, per_io(*count, short.classes.get(class))));
        InstructionsPerIo {
            total: per_io(long.total, Some(&short.total)),
            files: files.filter(|(_, count)| count.abs() >= NEGLIGIBLE).collect(),
            classes: classes.collect(),
        }
    }

    /// Returns the instructions in files whose paths contain `part`.
    pub fn in_files(&self, part: &str) -> f64 {
        self.files
            .iter()
            .filter(|(file, _)| file.contains(part))
            .map(|(_, count)| count)
            .fold(0.0, |sum, count| sum + count)
    }
}

/// Counts the instructions of one job. On a busy machine one run in seven needs up to 4 % more, so that with `tries` above one
/// the run with fewest instructions counts, for either number of I/Os.
///
/// # Errors
///
/// A run failed, or the file for it cannot be written.
pub fn count_job(fathom: &Path, job: &Job, tries: u32, scratch: &Path) -> Result<InstructionsPerIo, String> {
    std::fs::write(scratch.join(FILE.0), vec![1; FILE.1]).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let fewest = |ios| {
        let mut fewest = callgrind::count(fathom, &jobs::args(job, ios), scratch)?;
        for _ in 1..tries {
            let counted = callgrind::count(fathom, &jobs::args(job, ios), scratch)?;
            fewest = if counted.total < fewest.total { counted } else { fewest };
        }
        Ok::<_, String>(fewest)
    };
    let [few, many] = job.ios;
    Ok(InstructionsPerIo::between(&fewest(few)?, &fewest(many)?, many - few))
}

/// Counts all jobs and prints the cost of each option.
///
/// # Errors
///
/// callgrind failed, or an option costs instructions in a job without it.
pub fn report(fathom: &Path, scratch: &Path) -> Result<(), String> {
    println!("instructions per I/O of the null engine on the worker's thread (callgrind)\n");
    println!("  {:<27} {:>8} {:>8}  options", "job", "total", "added");
    let mut jobs: Vec<InstructionsPerIo> = Vec::new();
    for job in &JOBS {
        let counted = count_job(fathom, job, 1, scratch)?;
        let added = jobs.first().map_or(String::new(), |plain| format!("{:+.1}", counted.total - plain.total));
        println!("  {:<27} {:>8.1} {added:>8}  {}", job.name, counted.total, job.options.join(" "));
        jobs.push(counted);
    }
    let (plain, depth_1) = (&jobs[0], &jobs[1]);
    println!("\n  {:<10} {:>8} {:>8}", "class", JOBS[0].name, JOBS[1].name);
    for (class, title) in classes::TITLES {
        let [plain, depth_1] = [plain, depth_1].map(|job| job.classes.get(&class).copied().unwrap_or_default());
        println!("  {title:<10} {plain:>8.1} {depth_1:>8.1}");
    }
    println!("\nthe plain job by source file (inlined code belongs to its own file)\n");
    let mut files: Vec<(&String, &f64)> = plain.files.iter().collect();
    files.sort_by(|left, right| right.1.total_cmp(left.1));
    for (file, count) in files {
        println!("  {count:>8.1}  {}", shortened(file));
    }
    check_options(plain)
}

/// Prints the instructions in the source files of options that the plain job does not have.
fn check_options(plain: &InstructionsPerIo) -> Result<(), String> {
    println!("\nsource files of options, in the plain job without these options: at most {CHECK_MAX} for checks\n");
    let mut costs = Vec::new();
    for (option, part) in OPTION_FILES {
        let count = plain.in_files(part);
        println!("  {count:>8.1}  {option}: {part}");
        costs.extend((count > CHECK_MAX + NEGLIGIBLE).then_some(option));
    }
    if costs.is_empty() {
        return Ok(());
    }
    Err(format!("options that cost instructions in a job without them: {}", costs.join(", ")))
}

/// Returns the path from the crate on.
fn shortened(file: &str) -> &str {
    let known = ["/crates/", "/library/", "/registry/src/"];
    known.iter().find_map(|folder| file.find(folder).map(|at| &file[at + 1..])).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(total: u64, files: &[(&str, u64)]) -> InstructionCounts {
        let files = files.iter().map(|(file, count)| (file.to_string(), *count)).collect();
        InstructionCounts { total, files, classes: [(Class::Draw, total)].into() }
    }

    #[test]
    fn instructions_of_the_start_are_left_out() {
        let short = counted(1_100, &[("/x/crates/a.rs", 700), ("start.rs", 400)]);
        let long = counted(1_900, &[("/x/crates/a.rs", 1_300), ("start.rs", 400), ("late.rs", 200)]);
        let found = InstructionsPerIo::between(&short, &long, 100);
        assert_eq!((found.total, &found.classes), (8.0, &[(Class::Draw, 8.0)].into()));
        let files = [("/x/crates/a.rs".to_string(), 6.0), ("late.rs".to_string(), 2.0)];
        assert_eq!(found.files, files.into());
        assert_eq!((found.in_files("crates/"), found.in_files("start")), (6.0, 0.0));
        assert_eq!(shortened("/x/crates/a.rs"), "crates/a.rs");
    }

    #[test]
    fn option_files_exist_and_the_first_job_is_the_plain_one() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (option, part) in OPTION_FILES {
            assert!(root.join(part).exists(), "{option}: {part}");
        }
        assert!(JOBS[0].options.is_empty());
    }
}
