//! What a command line says beside `-X`: it has the last word over the profile.

use units::diagnostic::Diagnostic;

use super::read::Reading;
use crate::profile::ResultFormat;

/// The switches that may stand beside `-X`, and the targets after them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Beside {
    /// `-d`, `-W`, `-C` and `-z`: of every time span.
    pub duration_s: Option<u32>,
    pub warmup_s: Option<u32>,
    pub cooldown_s: Option<u32>,
    pub rand_seed: Option<u32>,
    pub verbose: bool,
    pub verbose_stats: bool,
    /// `-:`
    pub experiment_flags: Option<u32>,
    pub result_format: Option<ResultFormat>,
    pub targets: Vec<String>,
}

impl Reading {
    /// The profile as it is meant together with the command line.
    pub fn beside(mut self, beside: &Beside) -> Result<Reading, Vec<Diagnostic>> {
        self.substitute(&beside.targets)?;
        let profile = &mut self.profile;
        profile.verbose |= beside.verbose;
        profile.verbose_stats |= beside.verbose_stats;
        profile.experiment_flags = beside.experiment_flags.unwrap_or(profile.experiment_flags);
        profile.result_format = beside.result_format.unwrap_or(profile.result_format);
        for span in &mut profile.time_spans {
            span.duration_s = beside.duration_s.unwrap_or(span.duration_s);
            span.warmup_s = beside.warmup_s.unwrap_or(span.warmup_s);
            span.cooldown_s = beside.cooldown_s.unwrap_or(span.cooldown_s);
            span.rand_seed = beside.rand_seed.unwrap_or(span.rand_seed);
        }
        Ok(self)
    }
}
