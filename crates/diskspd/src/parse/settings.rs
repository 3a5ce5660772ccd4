//! The options of a command line that are parsed so far.

use units::diagnostic::{Diagnostic, Span};

use super::Messages;
use super::access::Access;
use super::arguments::Switch;
use super::caching::Caching;
use super::env::Env;
use super::events::Events;
use super::number::{Count, count};
use super::report::Reports;
use crate::profile::{Etw, Target, TimeSpan, WriteContent};
use crate::xml::Overrides;

/// Options of the first pass. All except the block size are allowed with a profile.
#[derive(Default)]
pub struct FirstPass {
    pub overrides: Overrides,
    pub reports: Reports,
    /// `-X` and its position.
    pub profile: Option<(String, Span)>,
}

pub struct Settings<'e> {
    pub env: &'e dyn Env,
    pub first: FirstPass,
    pub span: TimeSpan,
    pub target: Target,
    pub access: Access,
    pub caching: Caching,
    pub progress: u32,
    pub etw: Option<Etw>,
    pub events: Events,
    pub zero: bool,
    pub source: Option<(u64, Option<String>)>,
    /// Warnings that DiskSpd does not have.
    pub warnings: Vec<Diagnostic>,
}

impl<'e> Settings<'e> {
    pub fn new(env: &'e dyn Env) -> Settings<'e> {
        Settings {
            env,
            first: FirstPass::default(),
            span: TimeSpan::default(),
            target: Target::default(),
            access: Access::default(),
            caching: Caching::default(),
            progress: 0,
            etw: None,
            events: Events::default(),
            zero: false,
            source: None,
            warnings: Vec::new(),
        }
    }

    /// Returns the warnings so far.
    pub fn into_messages(self) -> Messages {
        Messages { warnings: Vec::new(), own_warnings: self.warnings, findings: self.first.reports.findings }
    }

    /// Parses the value from `start` on as a count.
    pub fn count(&mut self, switch: &Switch, start: usize) -> Result<i32, Diagnostic> {
        let Count { value, warning } = count(switch, start)?;
        self.warnings.extend(warning);
        Ok(value)
    }

    /// Parses a count of at least 1.
    pub fn positive(&mut self, switch: &Switch, what: &str) -> Result<u32, Diagnostic> {
        if switch.value.is_empty() {
            return Err(switch.missing(&format!("a number ({what})")));
        }
        let Count { value, warning } = count(switch, 0)?;
        match u32::try_from(value) {
            Ok(value) if value > 0 => {
                self.warnings.extend(warning);
                Ok(value)
            }
            _ => Err(switch.error_from(0, format!("-{} must be at least 1", switch.letter), "expected 1 or more")),
        }
    }

    /// Warns about ignored trailing text. Always returns true.
    pub fn no_value(&mut self, switch: &Switch) -> bool {
        if !switch.value.is_empty() {
            let warning = Diagnostic::warning(format!("`{}` is read as -{}", switch.argument, switch.letter));
            self.warnings.push(warning.at(&switch.value_span(0..switch.value.len()), "ignored"));
        }
        true
    }

    /// Checks combinations of options.
    pub fn finish(&mut self) {
        self.target.order = self.access.order(self.target.block_size);
        self.caching.apply(&mut self.target);
        if self.zero && self.source.is_some() {
            self.warnings.push(Diagnostic::warning("-Z has no effect with -Z<size>"));
        }
        self.target.write_content = match self.source.take() {
            Some((bytes, file)) => WriteContent::Source { bytes, file },
            None if self.zero => WriteContent::Zero,
            None => WriteContent::Sequential,
        };
        let overrides = &self.first.overrides;
        let span = &mut self.span;
        span.duration_s = overrides.duration_s.unwrap_or(span.duration_s);
        span.warmup_s = overrides.warmup_s.unwrap_or(span.warmup_s);
        span.cooldown_s = overrides.cooldown_s.unwrap_or(span.cooldown_s);
        span.rand_seed = overrides.rand_seed.unwrap_or(span.rand_seed);
    }
}
