//! Options next to `-X`. They take precedence over the profile.

use units::diagnostic::Diagnostic;

use super::reading::Reading;
use crate::profile::ResultFormat;

/// The options allowed with `-X`, and the targets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overrides {
    /// `-d`, `-W`, `-C` and `-z` apply to every time span.
    pub duration_s: Option<u32>,
    pub warmup_s: Option<u32>,
    pub cooldown_s: Option<u32>,
    pub rand_seed: Option<u32>,
    pub verbose: bool,
    pub verbose_stats: bool,
    /// `-:`.
    pub experiment_flags: Option<u32>,
    pub result_format: Option<ResultFormat>,
    pub targets: Vec<String>,
}

impl Reading {
    /// Applies the options to the profile.
    ///
    /// # Errors
    /// Returns the errors of the targets, see [`substitute`](Reading::substitute).
    pub fn with_overrides(mut self, overrides: &Overrides) -> Result<Reading, Vec<Diagnostic>> {
        self.substitute(&overrides.targets)?;
        let profile = &mut self.profile;
        profile.verbose |= overrides.verbose;
        profile.verbose_stats |= overrides.verbose_stats;
        profile.experiment_flags = overrides.experiment_flags.unwrap_or(profile.experiment_flags);
        profile.result_format = overrides.result_format.unwrap_or(profile.result_format);
        for span in &mut profile.time_spans {
            span.duration_s = overrides.duration_s.unwrap_or(span.duration_s);
            span.warmup_s = overrides.warmup_s.unwrap_or(span.warmup_s);
            span.cooldown_s = overrides.cooldown_s.unwrap_or(span.cooldown_s);
            span.rand_seed = overrides.rand_seed.unwrap_or(span.rand_seed);
        }
        Ok(self)
    }
}
