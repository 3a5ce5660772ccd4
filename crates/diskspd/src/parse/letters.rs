//! The parser function of each option letter.

use units::diagnostic::Diagnostic;

use super::arguments::Switch;
use super::number::{size, whole_size};
use super::settings::Settings;
use super::{access, affinity, caching, kernel_logger, load};
use crate::options;
use crate::profile::BufferSeparation;

/// Exclusive maximum of the block size.
const BLOCK_MAX: u64 = u32::MAX as u64;
/// Default completions per dot (`-P`).
const DOT_COMPLETIONS: u32 = 65536;

impl Settings<'_> {
    /// Returns whether the option is parsed in the first pass. Sizes in blocks depend on the block size.
    pub fn is_first(letter: char) -> bool {
        "bCdWRvXz:".contains(letter)
    }

    pub fn read_first(&mut self, switch: &Switch) -> Result<(), Diagnostic> {
        match switch.letter {
            'b' => self.block_size(switch)?,
            'C' => self.first.overrides.cooldown_s = Some(self.seconds(switch)?),
            'd' => self.first.overrides.duration_s = Some(self.seconds(switch)?),
            'W' => self.first.overrides.warmup_s = Some(self.seconds(switch)?),
            'R' => self.first.reports.read(switch)?,
            'v' => match switch.value {
                "" => self.first.overrides.verbose = true,
                "s" => self.first.overrides.verbose_stats = true,
                _ => return Err(switch.error_from(0, "-v has only the form -vs", "expected s or nothing")),
            },
            'X' => {
                if switch.value.is_empty() {
                    return Err(switch.missing("a file with a profile"));
                }
                if self.first.profile.is_some() {
                    return Err(switch.error("-X is given twice", "the second one"));
                }
                self.first.profile = Some((switch.value.to_owned(), switch.span.clone()));
            }
            'z' => self.first.overrides.rand_seed = Some(self.seed(switch)?),
            ':' => self.first.overrides.experiment_flags = Some(self.count(switch, 0)?.cast_unsigned()),
            letter => return Err(unknown(switch, letter)),
        }
        Ok(())
    }

    pub fn read(&mut self, switch: &Switch) -> Result<(), Diagnostic> {
        match switch.letter {
            'a' => affinity::read(switch, &mut self.span, self.env)?,
            'B' => self.access.base(switch, &mut self.target, &mut self.warnings)?,
            'c' => self.target.file_size = Some(whole_size(switch, self.target.block_size)?),
            'D' => {
                self.span.calculate_iops_std_dev = true;
                let interval = if switch.value.is_empty() { 0 } else { self.count(switch, 0)? };
                self.span.io_bucket_ms = u32::try_from(interval).ok().filter(|&ms| ms > 0).unwrap_or(1000);
            }
            'e' => kernel_logger::read(switch, self.etw.get_or_insert_default())?,
            'f' => self.access.bound_or_hints(switch, &mut self.target, &mut self.warnings)?,
            'F' => self.span.thread_count = self.positive(switch, "threads")?,
            'g' => self.target.throughput = self.rate(switch)?,
            'h' => {
                self.no_value(switch);
                self.caching.no_caches(switch)?;
            }
            'i' => self.target.burst_size = Some(self.positive(switch, "I/Os")?),
            'I' => {
                let priority = self.positive(switch, "a priority from 1 to 3")?;
                if priority > 3 {
                    return Err(switch.error_from(
                        0,
                        "-I must be 1 (very low), 2 (low) or 3 (normal)",
                        "not one of them",
                    ));
                }
                self.target.io_priority = priority;
            }
            'j' => self.target.think_time_ms = Some(self.positive(switch, "milliseconds")?),
            'l' => self.target.use_large_pages = self.no_value(switch),
            'L' => self.span.measure_latency = self.no_value(switch),
            'n' => self.span.disable_affinity = self.no_value(switch),
            'N' => self.target.flush = Some(caching::flush(switch)?),
            'o' if switch.value.starts_with('c') => self.span.completion_depth = Some(self.completion_depth(switch)?),
            'o' => self.target.request_count = self.depth(switch)?,
            'O' => self.span.request_count = self.depth(switch)?,
            'p' => self.target.parallel_async_io = self.no_value(switch),
            'P' => {
                let dots = if switch.value.is_empty() { 0 } else { self.count(switch, 0)? };
                self.progress = u32::try_from(dots).ok().filter(|&dots| dots > 0).unwrap_or(DOT_COMPLETIONS);
            }
            'r' => self.access.random(switch, &mut self.target, &mut self.warnings)?,
            's' => self.access.sequential(switch, self.target.block_size)?,
            'S' => self.caching.read(switch)?,
            't' => self.target.threads_per_file = self.positive(switch, "threads")?,
            'T' => self.target.thread_stride = access::thread_stride(switch, self.target.block_size)?,
            'u' => self.span.io_ring = Some(load::ring(switch)?),
            'w' => self.target.write_ratio = self.write_ratio(switch)?,
            'x' => self.span.completion_routines = self.no_value(switch),
            'y' => self.events.read(switch)?,
            'Z' => self.write_content(switch)?,
            letter => return Err(unknown(switch, letter)),
        }
        Ok(())
    }

    fn seconds(&mut self, switch: &Switch) -> Result<u32, Diagnostic> {
        if switch.value.is_empty() {
            let warning = Diagnostic::warning(format!("-{} without a number is 0 seconds", switch.letter));
            let warning = warning.at(&switch.span, "expected a number");
            let next = switch.next.filter(|next| next.starts_with(|c: char| c.is_ascii_digit()));
            self.warnings.push(match next {
                Some(next) => {
                    warning.help(format!("`{next}` is a target. For the value, write -{}{next}", switch.letter))
                }
                None => warning,
            });
            return Ok(0);
        }
        let seconds = self.count(switch, 0)?;
        u32::try_from(seconds)
            .map_err(|_| switch.error_from(0, format!("-{} can't be negative", switch.letter), "expected seconds"))
    }

    fn block_size(&mut self, switch: &Switch) -> Result<(), Diagnostic> {
        if let Some(separation) = switch.value.strip_prefix('s') {
            self.span.buffer_separation = Some(match separation {
                "n" => BufferSeparation::SystemDefault,
                "p" => BufferSeparation::PdeCacheLine,
                _ => return Err(switch.error_from(1, "-bs must be n or p", "expected -bsn or -bsp")),
            });
            return Ok(());
        }
        let bytes = whole_size(switch, self.target.block_size)?;
        match u32::try_from(bytes) {
            Ok(0) => Err(switch.error_from(0, "the block size must be at least 1", "expected at least 1")),
            Ok(block) if bytes < BLOCK_MAX => {
                self.target.block_size = block;
                Ok(())
            }
            _ => Err(switch.error_from(0, "the block size must be below 4G - 1 bytes", "too large")),
        }
    }

    /// Parses an integer. Negative numbers wrap: -1 is the largest seed.
    fn seed(&self, switch: &Switch) -> Result<u32, Diagnostic> {
        if switch.value.is_empty() {
            return Ok(self.env.uptime_ms());
        }
        match switch.value.trim_start().parse::<i64>() {
            Ok(seed) => u32::try_from(seed).or_else(|_| i32::try_from(seed).map(i32::cast_unsigned)).ok(),
            Err(_) => None,
        }
        .ok_or_else(|| switch.error_from(0, "-z must be an integer of 32 bits", "invalid number"))
    }

    fn write_content(&mut self, switch: &Switch) -> Result<(), Diagnostic> {
        match switch.value {
            "" => self.zero = true,
            "r" => self.span.random_write_data = true,
            value => {
                let end = value.find(',').unwrap_or(value.len());
                let bytes = size(switch, 0, end, self.target.block_size).map_err(|error| match value {
                    "s" => error.help("DiskSpd's old port to Linux wrote 0, 1, … 255 with -Zs: leave it out"),
                    "z" => error.help("DiskSpd's old port to Linux wrote zeros with -Zz: write -Z"),
                    _ => error,
                })?;
                if bytes == 0 {
                    return Err(switch.error_from(0, "the buffer size must be at least 1", "expected a size"));
                }
                let file = value.get(end + 1..).filter(|file| !file.is_empty()).map(str::to_owned);
                self.source = Some((bytes, file));
            }
        }
        Ok(())
    }
}

fn unknown(switch: &Switch, letter: char) -> Diagnostic {
    let error = switch.error(format!("there is no option -{letter}"), "not known");
    let other = if letter.is_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
    let shown = |letter: char| options::option(letter).filter(|_| letter != '-').map(|option| &option.forms[0]);
    match shown(other) {
        _ if letter == '-' => error.help("DiskSpd's options are a dash and a letter; -? lists them"),
        Some(form) if other != letter => {
            error.help(format!("a similar option is {} ({}); -? lists all options", form.grammar, form.meaning))
        }
        _ => error.help("-? lists the options"),
    }
}
