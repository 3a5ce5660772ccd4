//! Targets that only Windows has: drives by number and volumes by letter.

use units::diagnostic::Diagnostic;

use super::env::Env;
use crate::profile::Profile;

/// For a run: errors that say what to write here, warnings where a name looks like a path of Windows.
pub fn check(profile: &Profile, env: &dyn Env) -> Vec<Diagnostic> {
    let mut paths: Vec<&str> =
        profile.time_spans.iter().flat_map(|span| &span.targets).map(|target| target.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut disks = None;
    let mut found = Vec::new();
    for path in paths {
        if let Some(drive) = drive(path) {
            let disks = disks.get_or_insert_with(|| listed(env)).as_str();
            let message = format!("`{path}` is {drive} on Windows, and nothing here");
            found.push(Diagnostic::error(message).help(disks));
        } else if let Some(reason) = windows_path(path) {
            found.push(Diagnostic::warning(format!("`{path}` is {reason}: here it is a file of that name")));
        }
    }
    found
}

fn drive(path: &str) -> Option<&'static str> {
    match path.as_bytes() {
        [b'#', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => Some("a physical drive"),
        [letter, b':'] if letter.is_ascii_alphabetic() => Some("a volume"),
        _ => None,
    }
}

fn windows_path(path: &str) -> Option<&'static str> {
    match path.as_bytes() {
        [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic() => Some("a path of Windows"),
        [b'\\', b'\\', ..] => Some("a server's path on Windows"),
        _ => None,
    }
}

/// In one line: messages have no more.
fn listed(env: &dyn Env) -> String {
    let disks = env.disks();
    if disks.is_empty() {
        return "write the path of a file or of a block device; no disk is to be seen here".to_owned();
    }
    format!("write the path of a file or of a block device; this machine has {}", disks.join("; "))
}
