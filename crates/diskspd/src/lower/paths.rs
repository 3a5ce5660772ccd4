//! Checks names of targets: Windows names, empty names, templates.

use std::collections::BTreeSet;

use units::diagnostic::Diagnostic;
use units::system::System;

use super::Machine;
use crate::profile::Profile;
use crate::xml::template::{Kind, kind};

/// Returns the path of a target. On Windows `#N` is a disk, and `X:` a volume.
pub fn device_path(system: System, path: &str) -> String {
    let is_letter = |letter: &str| letter.len() == 1 && letter.starts_with(|c: char| c.is_ascii_alphabetic());
    match (path.strip_prefix('#'), path.strip_suffix(':')) {
        (Some(number), _) if system.is_windows() && number.parse::<u32>().is_ok() => {
            format!(r"\\.\PhysicalDrive{number}")
        }
        (_, Some(letter)) if system.is_windows() && is_letter(letter) => format!(r"\\.\{letter}:"),
        _ => path.to_owned(),
    }
}

pub fn check(profile: &Profile, machine: &dyn Machine, notes: &mut Vec<Diagnostic>) {
    let mut reported = BTreeSet::new();
    for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
        let path = target.path.as_str();
        if !reported.insert(path) {
            continue;
        }
        notes.extend(fault(path, machine));
        if target.file_size.is_some() && machine.is_special_file(path) {
            let message = format!("{path} is not a regular file: it is not created (-c, FileSize)");
            notes.push(Diagnostic::warning(message));
        }
    }
}

/// Returns the number of a disk and the text after it, of a target such as `#1\file`.
fn drive_number_with_path(path: &str) -> Option<(&str, &str)> {
    let after = path.strip_prefix('#')?;
    let (number, rest) = after.split_at(after.find(|c: char| !c.is_ascii_digit())?);
    (!number.is_empty() && rest.starts_with(['\\', '/'])).then_some((number, rest))
}

fn fault(path: &str, machine: &dyn Machine) -> Option<Diagnostic> {
    let mut letters = path.chars();
    let drive =
        matches!((letters.next(), letters.next(), letters.next()), (Some('a'..='z' | 'A'..='Z'), Some(':'), None));
    let disk = path.strip_prefix('#').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    if path.is_empty() {
        return Some(Diagnostic::error("a target has no path"));
    }
    if kind(path) != Kind::Path {
        let error = Diagnostic::error(format!("{path} is a template without a target"));
        return Some(error.help("give the targets of the profile after the options"));
    }
    if let Some((number, rest)) = drive_number_with_path(path) {
        let error = Diagnostic::error(format!("{path} is disk {number} by number, and DiskSpd ignores `{rest}`"));
        let help = format!("#{number} is the disk; for a file, write its path. A file with this name is ./{path}");
        return Some(error.help(help));
    }
    if !drive && !disk || System::HERE.is_windows() {
        return None;
    }
    let what = if disk { "a physical drive by number" } else { "a volume by letter" };
    let disks = machine.disks();
    let here = if disks.is_empty() { "no disks".to_owned() } else { disks.join(", ") };
    let error = Diagnostic::error(format!("{path} is {what}, which Linux does not have"));
    Some(error.help(format!("write the path of a device. This machine has {here}. A file with this name is ./{path}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_and_volumes_have_their_paths_on_windows() {
        let windows = |path: &str| device_path(System::Windows, path);
        assert_eq!(
            ["#12", "e:", "#x", "file", "ee:"].map(windows),
            [r"\\.\PhysicalDrive12", r"\\.\e:", "#x", "file", "ee:"]
        );
        assert_eq!(device_path(System::Linux, "#1"), "#1");
    }
}
