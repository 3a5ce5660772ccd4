//! Options of `cargo xtask fuzz`.

use std::path::PathBuf;

/// What to fuzz, and for how long.
pub struct Options {
    /// Time of each target.
    pub seconds: u64,
    /// Longest time for one input, in seconds. It includes waits for a CPU: a machine that is busy needs more.
    pub timeout_s: u64,
    /// Fuzzers at once.
    pub jobs: usize,
    /// The folder of corpora, counts, findings and the build.
    pub folder: PathBuf,
    /// Whether to replace the inputs in `corpus/fuzz`.
    pub pack: bool,
    /// Whether the session is short: it starts without inputs of earlier ones, ends a fuzzer with its first finding, and uses
    /// the packages that the tests are built with, which have no optimisation.
    pub is_short: bool,
    /// Empty for all targets.
    pub targets: Vec<String>,
}

impl Options {
    /// The fuzzers of `cargo xtask ci`, with time for an input on a slow machine that does other work.
    pub fn of_ci() -> Options {
        let folder = "target/fuzz-ci".into();
        Options { seconds: 8, timeout_s: 600, jobs: 4, folder, pack: false, is_short: true, targets: Vec::new() }
    }

    /// Parses the arguments after `fuzz`.
    ///
    /// # Errors
    ///
    /// An option is unknown or has no valid value.
    pub fn parse(args: &[&str]) -> Result<Options, String> {
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut options = Options {
            seconds: 600,
            timeout_s: 5,
            jobs: cpus,
            folder: "target/fuzz".into(),
            pack: false,
            is_short: false,
            targets: Vec::new(),
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().copied().ok_or_else(|| format!("{arg} has no value"));
            let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{arg} {text}: expected a number"));
            match *arg {
                "--seconds" => options.seconds = number(value()?)?,
                "--minutes" => options.seconds = number(value()?)?.saturating_mul(60),
                "--timeout" => options.timeout_s = number(value()?)?,
                "--jobs" => options.jobs = number(value()?)?.clamp(1, 1024) as usize,
                "--folder" => options.folder = value()?.into(),
                "--pack" => options.pack = true,
                _ if arg.starts_with('-') => return Err(format!("unknown option {arg}")),
                target => options.targets.push(target.to_owned()),
            }
        }
        Ok(options)
    }
}
