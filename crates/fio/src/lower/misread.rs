//! Names in `filename` that were probably meant as other targets: fio separates names by colons, and only by colons.

use plan::MisreadName;
use units::system::System;

use super::Machine;
use crate::options::key;
use crate::parse::value::path_list;
use crate::parse::values::Values;

/// Lists with more names are not examined.
const NAMES_MAX: usize = 64;

/// Returns the paths with colons that were split, and the lists with commas that were not.
pub fn names(values: &Values, clone: u32, machine: &dyn Machine) -> Vec<MisreadName> {
    let Some(text) = values.text(key::FILENAME) else { return Vec::new() };
    let parts = path_list::split(text);
    if parts.len() > NAMES_MAX {
        return Vec::new();
    }
    let directories = values.text(key::DIRECTORY).map(path_list::split).unwrap_or_default();
    let directory = (!directories.is_empty()).then(|| directories[clone as usize % directories.len()].as_str());
    let exists = |name: &str| match directory {
        Some(directory) => machine.exists(&format!("{directory}/{name}")),
        None => machine.exists(name),
    };
    let mut found = split(&parts, &exists);
    found.extend(
        parts.iter().filter(|part| is_list(part, &exists)).map(|part| MisreadName::Joined { path: part.clone() }),
    );
    found
}

/// Returns the paths that consecutive parts of the list are together, if not all of these parts exist.
fn split(parts: &[String], exists: &dyn Fn(&str) -> bool) -> Vec<MisreadName> {
    let mut found = Vec::new();
    let mut first = 0;
    while first < parts.len() {
        // The longest path first: a file `a:b` does not hide `a:b:c`.
        let path = (first + 1..parts.len()).rev().find_map(|last| {
            let path = parts[first..=last].join(":");
            let is_meant = is_of_windows(&parts[first..=last]) || exists(&path);
            (is_meant && !parts[first..=last].iter().all(|part| exists(part))).then_some((last, path))
        });
        match path {
            Some((last, path)) => {
                found.push(MisreadName::Split { path });
                first = last + 1;
            }
            None => first += 1,
        }
    }
    found
}

/// Returns whether two parts are a drive letter and a path from the root of the drive.
fn is_of_windows(parts: &[String]) -> bool {
    let [letter, path] = parts else { return false };
    let is_letter = letter.len() == 1 && letter.starts_with(|c: char| c.is_ascii_alphabetic());
    !System::HERE.is_windows() && is_letter && path.starts_with('\\')
}

/// Returns whether a name does not exist, and consists of names with commas between them that exist.
fn is_list(name: &str, exists: &dyn Fn(&str) -> bool) -> bool {
    let mut parts = name.split(',');
    name.contains(',') && !exists(name) && parts.all(|part| !part.is_empty() && exists(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, existing: &[&str]) -> Vec<MisreadName> {
        split(&path_list::split(text), &|path| existing.contains(&path))
    }

    #[test]
    fn a_path_that_exists_is_found_among_others() {
        let path = "/dev/disk/by-path/pci-0000:00:1f.2";
        let expected = [MisreadName::Split { path: path.to_owned() }];
        assert_eq!(found(path, &[path]), expected);
        assert_eq!(found(&format!("/dev/sda:{path}:/dev/sdb"), &["/dev/sda", "/dev/sdb", path]), expected);
        assert_eq!(found(&path.replace(':', r"\:"), &[path]), []);
        assert_eq!(found("a:b", &["a", "b", "a:b"]), [], "both can be meant");
        assert_eq!(found("a:b", &[]), []);
    }

    #[cfg(not(windows))]
    #[test]
    fn a_path_of_windows_is_found_whether_it_exists_or_not() {
        assert_eq!(found(r"C:\Temp\x", &[]), [MisreadName::Split { path: r"C:\Temp\x".to_owned() }]);
        assert_eq!(found("C:/Temp/x", &[]), []);
    }

    #[test]
    fn commas_between_names_that_exist_are_found() {
        let exists = |path: &str| ["a", "b", "c,d"].contains(&path);
        assert!(is_list("a,b", &exists));
        assert!(
            !is_list("c,d", &exists) && !is_list("a,x", &exists) && !is_list("a", &exists) && !is_list("a,", &exists)
        );
    }
}
