//! Reads the files of `dp_scheme`.

use units::diagnostic::{Diagnostic, Span};

use crate::options::key;
use crate::parse::Job;
use crate::parse::state::State;
use crate::parse::value::placement::{RANGES_MAX, scheme};

/// Reads the scheme of each job that chooses its placement identifiers by one.
pub fn read_schemes(jobs: &mut [Job], state: &mut State) {
    if state.dry_run {
        return;
    }
    for job in jobs {
        if job.values.keyword(key::PLID_SELECT) != "scheme" {
            continue;
        }
        let Some(path) = job.values.text(key::DP_SCHEME) else { continue };
        let span: Span = job.values.span(&key::DP_SCHEME).unwrap_or(&job.span).clone();
        let error = |message: String, label: &str, help: &str| {
            Diagnostic::error(format!("job {}: {message}", job.name)).at(&span, label).help(help)
        };
        let text = match state.env.read_file(path.trim()) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(reason) => {
                let message = format!("{path}: {}", units::errno::reason(&reason));
                state.errors.push(error(message, "cannot be read", "use the path of a file with lines START,END,ID"));
                continue;
            }
        };
        match scheme(&text) {
            Ok(mut ranges) => {
                if ranges.len() > RANGES_MAX {
                    let message = format!("job {}: {path} has {} ranges", job.name, ranges.len());
                    let label = format!("only the first {RANGES_MAX} are applied");
                    state.warnings.push(Diagnostic::warning(message).at(&span, &label));
                    ranges.truncate(RANGES_MAX);
                }
                job.placement = ranges;
            }
            Err(line) => {
                let message = format!("{path}: line {line} is not START,END,ID");
                state.errors.push(error(message, "not a scheme", "use offsets in bytes and an identifier up to 65535"));
            }
        }
    }
}
