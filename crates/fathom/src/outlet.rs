//! Checks of output paths, by the engine's output guard.

use std::path::Path;

use engine::OutputGuard;
pub use engine::output_guard::place;
use plan::Plan;

/// Refuses to write a report to `path` where the output guard does.
pub fn check<'a>(path: &Path, plans: impl Iterator<Item = &'a Plan>) -> Result<(), String> {
    OutputGuard::new(plans).check(path).map_err(|refusal| refusal.to_string())
}
