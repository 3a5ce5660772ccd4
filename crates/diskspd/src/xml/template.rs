//! Template targets: `*1` is the first target of the command line.

use units::diagnostic::Diagnostic;

use super::reading::Reading;

/// Kind of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Path,
    /// The n-th target of the command line, from 1.
    Template(u32),
    /// Starts like a template but has no number.
    Malformed,
}

pub fn kind(path: &str) -> Kind {
    let Some(number) = path.strip_prefix('*') else { return Kind::Path };
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    match number.parse() {
        Ok(number) if digits && number > 0 => Kind::Template(number),
        _ => Kind::Malformed,
    }
}

/// Maximum size of the paths of all targets.
const PATHS_BYTES_MAX: usize = 8 << 20;

impl Reading {
    /// Replaces the templates by `targets`. Without targets they stay: such a profile can be printed but not run.
    ///
    /// # Errors
    /// Returns an error for each template without a target and each target without a template. The paths take too much memory.
    pub fn substitute(&mut self, targets: &[String]) -> Result<(), Vec<Diagnostic>> {
        if targets.is_empty() {
            return Ok(());
        }
        let mut used = vec![false; targets.len()];
        let mut errors = Vec::new();
        let mut bytes = 0;
        let paths =
            self.profile.time_spans.iter_mut().flat_map(|span| &mut span.targets).map(|target| &mut target.path);
        for (path, span) in paths.zip(self.places.iter().flat_map(|places| &places.paths)) {
            let Kind::Template(number) = kind(path) else { continue };
            let place = usize::try_from(number - 1).unwrap_or(usize::MAX);
            match targets.get(place) {
                Some(target) => {
                    bytes += target.len();
                    if bytes > PATHS_BYTES_MAX {
                        return Err(vec![
                            Diagnostic::error("the paths of the targets take too much memory")
                                .at(span, format!("this template has {} bytes", target.len())),
                        ]);
                    }
                    path.clone_from(target);
                    used[place] = true;
                }
                None => errors.push(
                    Diagnostic::error(format!("no target is given for the template {path}"))
                        .at(span, format!("the command line has {}", target_count(targets.len())))
                        .help(format!("give at least {} after the options", target_count(place.saturating_add(1)))),
                ),
            }
        }
        for (number, target) in (1..).zip(targets).filter(|(number, _)| !used[number - 1]) {
            errors.push(
                Diagnostic::error(format!("the profile has no template for the target `{target}`"))
                    .help(format!("write <Path>*{number}</Path> in the profile to use it")),
            );
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

fn target_count(count: usize) -> String {
    if count == 1 { "1 target".to_owned() } else { format!("{count} targets") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_is_a_star_and_a_number_from_1() {
        assert_eq!(kind("a*1"), Kind::Path);
        assert_eq!(kind("*12"), Kind::Template(12));
        for path in ["*", "*0", "*foo", "**1", "*-1", "*+1", "*1x", "* 1", "*99999999999"] {
            assert_eq!(kind(path), Kind::Malformed, "{path}");
        }
    }
}
