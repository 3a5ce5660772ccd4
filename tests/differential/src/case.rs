//! A case: the jobs of one command line.

use std::fmt;

/// In a case, the name of the loop device. Each program has a device of its own.
pub const DEVICE: &str = "DEVICE";

/// The jobs of one command line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Case {
    /// Files that exist before the run, with their sizes in KiB.
    pub existing: Vec<(String, u64)>,
    pub jobs: Vec<Job>,
}

/// A job and its options, without its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    pub name: String,
    pub options: Vec<Setting>,
}

/// An option with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    pub name: String,
    /// `None` if the option has no value, as in `--thread`.
    pub value: Option<String>,
}

impl Case {
    /// Parses what [`fmt::Display`] prints. Values have no blanks. Options before the first name belong to a job `a`.
    pub fn parse(text: &str) -> Case {
        let existing = text.split_whitespace().take_while(|word| !word.starts_with("--"));
        let size = |word: &str| {
            let (name, kib) = word.split_once('=')?;
            Some((name.to_owned(), kib.strip_suffix('k')?.parse().ok()?))
        };
        let existing = existing.filter_map(size).collect();
        let mut jobs: Vec<Job> = Vec::new();
        for word in text.split_whitespace().filter_map(|word| word.strip_prefix("--")) {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word, None),
            };
            match (name, value) {
                ("name", Some(name)) => jobs.push(Job { name, options: Vec::new() }),
                (name, value) => {
                    if jobs.is_empty() {
                        jobs.push(Job { name: "a".to_owned(), options: Vec::new() });
                    }
                    let options = &mut jobs.last_mut().expect("a job was added above").options;
                    options.push(Setting { name: name.to_owned(), value });
                }
            }
        }
        Case { existing, jobs }
    }

    /// Returns the arguments for a program whose loop device is `device`.
    pub fn arguments(&self, device: &str) -> Vec<String> {
        let name = |job: &Job| format!("--name={}", job.name);
        let options =
            |job: &Job| job.options.iter().map(|setting| setting.to_string().replace(DEVICE, device)).collect();
        let of_job =
            |job: &Job| -> Vec<String> { std::iter::once(name(job)).chain::<Vec<String>>(options(job)).collect() };
        self.jobs.iter().flat_map(of_job).collect()
    }

    pub fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.jobs.iter().flat_map(|job| &job.options)
    }

    pub fn uses_device(&self) -> bool {
        self.settings().any(|setting| setting.value.as_deref().is_some_and(|value| value.contains(DEVICE)))
    }

    /// Returns whether a job fulfils a condition.
    pub fn any(&self, condition: impl Fn(&Job) -> bool) -> bool {
        self.jobs.iter().any(condition)
    }

    /// Returns whether any job has the option, with any value.
    pub fn has(&self, name: &str) -> bool {
        self.any(|job| job.has(name))
    }

    /// Returns whether any job has the option with this value.
    pub fn has_value(&self, name: &str, value: &str) -> bool {
        self.jobs.iter().any(|job| job.value(name) == Some(value))
    }
}

impl Job {
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|setting| setting.name == name)
    }

    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// Returns the value of an option.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|setting| setting.name == name)?.value.as_deref()
    }

    pub fn is(&self, name: &str, value: &str) -> bool {
        self.value(name) == Some(value)
    }

    /// Returns whether a switch is on: the option has no value, or one other than 0.
    pub fn is_on(&self, name: &str) -> bool {
        self.has(name) && !self.is(name, "0")
    }

    pub fn remove(&mut self, name: &str) {
        self.options.retain(|setting| setting.name != name);
    }

    /// Sets an option, in its place if the job has it.
    pub fn set(&mut self, name: &str, value: &str) {
        let value = Some(value.to_owned());
        match self.options.iter_mut().find(|setting| setting.name == name) {
            Some(setting) => setting.value = value,
            None => self.options.push(Setting { name: name.to_owned(), value }),
        }
    }

    /// Returns the pattern without the argument of the sequencer. `readwrite` is `rw`.
    pub fn pattern(&self) -> &str {
        self.value("rw").map_or("read", |value| value.split(':').next().unwrap_or(value))
    }

    pub fn is_random(&self) -> bool {
        self.pattern().starts_with("rand")
    }

    pub fn trims(&self) -> bool {
        self.pattern().contains("trim")
    }

    pub fn writes(&self) -> bool {
        self.pattern().contains("write") || self.pattern().ends_with("rw")
    }

    pub fn reads(&self) -> bool {
        self.pattern().ends_with("read") || self.pattern().ends_with("rw")
    }

    /// Returns true if the job has more than one direction.
    pub fn is_mixed(&self) -> bool {
        self.pattern().ends_with("rw") || self.pattern().ends_with("trimwrite")
    }

    /// Returns true if blocks of several sizes, directions or alignments share a file.
    pub fn has_several_sizes(&self) -> bool {
        self.has_any(&["bssplit", "bsrange", "blockalign"]) || self.value("bs").is_some_and(|sizes| sizes.contains(','))
    }

    /// Returns true if the I/Os of a file cannot end exactly with the region of the file: its size is no multiple of the block, or
    /// the pattern leaves holes.
    pub fn has_part_blocks(&self) -> bool {
        let named = self.value("filename").map_or(1, |names| names.split(':').count() as u64);
        let files = self.value("nrfiles").and_then(bytes).unwrap_or(named);
        let size = self.value("size").and_then(bytes).map(|size| size / files);
        let size = size.or_else(|| self.value("filesize").and_then(bytes));
        let mut blocks = self.value("bs").unwrap_or("4k").split(',').filter_map(bytes);
        let are_whole = blocks.all(|block| size.is_some_and(|size| size.is_multiple_of(block)));
        let has_holes = self.value("rw").is_some_and(|pattern| pattern.contains(':'));
        !are_whole || has_holes || self.has_any(&["bssplit", "bsrange"])
    }

    /// Returns true if positions are drawn from a skewed distribution.
    pub fn is_skewed(&self) -> bool {
        let skewed = ["zipf", "pareto", "normal"];
        self.value("random_distribution").is_some_and(|value| skewed.iter().any(|name| value.starts_with(name)))
    }

    /// Returns true if the job verifies, and can write a block twice in a pass or between two verifications.
    pub fn verifies_overwrites(&self) -> bool {
        let repeats = [
            "norandommap",
            "percentage_random",
            "random_distribution",
            "blockalign",
            "bs_unaligned",
            "bssplit",
            "bsrange",
            "io_size",
            "loops",
            "numjobs",
            "random_generator",
            "verify_backlog",
            "experimental_verify",
            "time_based",
            "zonemode",
            "file_service_type",
        ];
        let goes_back = self.value("rw").is_some_and(|rw| rw.contains(':'));
        self.has("verify") && self.writes() && (goes_back || self.has_any(&repeats))
    }

    /// Returns true if a file can be empty when it is opened.
    pub fn is_created_on_open(&self) -> bool {
        self.is_on("create_on_open") || self.is_on("unlink_each_loop")
    }

    /// Returns true if the engine has a queue.
    pub fn is_asynchronous(&self) -> bool {
        ["libaio", "io_uring", "posixaio"].contains(&self.engine())
    }

    pub fn engine(&self) -> &str {
        self.value("ioengine").unwrap_or("psync")
    }

    pub fn is_on_device(&self) -> bool {
        self.value("filename").is_some_and(|names| names.contains(DEVICE))
    }
}

/// Returns the bytes of a size such as `64k`.
fn bytes(text: &str) -> Option<u64> {
    let (digits, factor) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix('m').map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    digits.parse().ok().filter(|&number: &u64| number > 0)?.checked_mul(factor)
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.existing.iter().try_for_each(|(name, kib)| write!(f, "{name}={kib}k "))?;
        for (at, job) in self.jobs.iter().enumerate() {
            let blank = if at == 0 { "" } else { " " };
            write!(f, "{blank}--name={}", job.name)?;
            job.options.iter().try_for_each(|setting| write!(f, " {setting}"))?;
        }
        Ok(())
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "--{}={value}", self.name),
            None => write!(f, "--{}", self.name),
        }
    }
}
