//! The targets of an assessment: one for the whole suite, or one for each of its volumes.

use std::path::Path;

use assessment::Target;
use study::suite::{Place, Site, Suite, SuiteTarget, Test};
use targets::Lease;

use crate::command_error::CommandError;
use crate::consent;
use crate::output::stderr_line;
use crate::runner::Runner;
use crate::scratch::TestFiles;
use crate::target::{self, Found};

/// The targets that the user names.
pub struct TargetRequest<'a> {
    /// Paths, or NAME=PATH for a volume.
    pub targets: &'a [String],
    /// The consent to overwrite data.
    pub overwrite: &'a [String],
    pub starts_without_question: bool,
}

/// A target before its files are made.
pub struct Named {
    /// The volumes that it is for; empty if it is for all of them.
    pub names: Vec<String>,
    pub found: Found,
}

/// A target with the files of the tests.
pub struct Volume {
    pub names: Vec<String>,
    pub found: Found,
    pub files: Box<dyn TestFiles>,
    pub has_direct_io: bool,
}

/// Finds the targets of the requested tests.
///
/// # Errors
/// A name or path is not valid, a volume has no target, or a target is in use.
pub fn find(
    suite: &Suite,
    tests: &[&Test],
    request: &TargetRequest,
    runner: &dyn Runner,
) -> Result<Vec<Named>, CommandError> {
    let given = parse_all(suite, request.targets)?;
    let needed: Vec<&str> = tests.iter().flat_map(|test| test.volumes()).collect();
    let is_given = |name: &str| given.iter().any(|(known, _)| known.is_none_or(|known| known == name));
    if let Some(name) = needed.iter().find(|name| !is_given(name)) {
        return Err(format!("{name}=TARGET is missing{}", listed(suite)).into());
    }
    let mut all: Vec<Named> = Vec::new();
    for (name, path) in given {
        let found = runner.find(path, request.overwrite)?;
        let names = name.iter().map(|name| (*name).to_owned());
        match all.iter_mut().find(|known| known.found.path == found.path) {
            Some(known) => known.names.extend(names),
            None => all.push(Named { names: names.collect(), found }),
        }
    }
    target::refuse_others(request.overwrite, all.iter().map(|named| &named.found))?;
    consent::to_new_files(all.iter().map(|named| &named.found), request.starts_without_question)?;
    let is_needed = |named: &Named| {
        named.names.is_empty() || named.names.iter().any(|name| needed.iter().any(|needed| needed == name))
    };
    for unused in all.iter().filter(|named| !is_needed(named)) {
        stderr_line!("note: {} is not used by any of these tests", unused.shown());
    }
    all.retain(is_needed);
    all.iter().try_for_each(|named| named.found.refuse_if_used())?;
    Ok(all)
}

/// Splits the arguments into names and paths. The default is the current directory.
fn parse_all<'a>(suite: &'a Suite, args: &'a [String]) -> Result<Vec<(Option<&'a str>, &'a str)>, CommandError> {
    if args.is_empty() {
        return Ok(vec![(None, ".")]);
    }
    let given = args.iter().map(|arg| parse(suite, arg)).collect::<Result<Vec<_>, CommandError>>()?;
    for (nth, (name, path)) in given.iter().enumerate() {
        match name {
            None if given.len() > 1 && suite.volumes.is_empty() => {
                return Err(format!("{path}: the suite {} is for one target", suite.name).into());
            }
            None if given.len() > 1 => {
                return Err(format!("{path} has no name, and there are several targets{}", listed(suite)).into());
            }
            Some(name) if given[..nth].iter().any(|(before, _)| *before == Some(name)) => {
                return Err(format!("{name}= is given twice").into());
            }
            _ => {}
        }
    }
    Ok(given)
}

/// Splits NAME=TARGET; a path alone has no name.
fn parse<'a>(suite: &'a Suite, arg: &'a str) -> Result<(Option<&'a str>, &'a str), CommandError> {
    let Some((name, path)) = arg.split_once('=').filter(|(name, _)| !name.contains('/')) else {
        return Ok((None, arg));
    };
    if suite.volumes.iter().any(|volume| volume.name == name) {
        return match path {
            "" => Err(format!("{name}= has no path{}", listed(suite)).into()),
            path => Ok((Some(name), path)),
        };
    }
    if Path::new(arg).exists() {
        return Ok((None, arg));
    }
    Err(match suite.volumes.is_empty() {
        true => format!(
            "{arg}: the suite {} has no named volumes\nhelp: give the path alone; a path that contains `=` is written \
             ./{arg}",
            suite.name
        )
        .into(),
        false => format!("the suite {} has no volume {name}{}", suite.name, listed(suite)).into(),
    })
}

/// Returns the suite's volumes as lines of help.
pub fn listed(suite: &Suite) -> String {
    let lines = suite.volumes.iter().map(|volume| format!("\n  {}=TARGET  {}", volume.name, volume.meaning));
    format!("\nhelp: {} has these volumes; one TARGET without a name applies to all of them{}", suite.name, {
        lines.collect::<String>()
    })
}

impl Named {
    fn shown(&self) -> String {
        shown(&self.names, &self.found)
    }
}

fn shown(names: &[String], found: &Found) -> String {
    let path = &found.facts.path;
    match names {
        [] => path.to_string(),
        names => names.iter().map(|name| format!("{name}={path}")).collect::<Vec<_>>().join(" "),
    }
}

impl Volume {
    /// Makes the folder or file of the tests.
    ///
    /// # Errors
    /// The folder cannot be made, or another process uses it.
    pub fn open(named: Named, keep_files: bool, runner: &dyn Runner, lease: &Lease) -> Result<Volume, CommandError> {
        let files = runner.make_files(&named.found, keep_files, lease)?;
        let has_direct_io = files.has_direct_io();
        Ok(Volume { names: named.names, found: named.found, files, has_direct_io })
    }

    /// Returns the path that remains if the files are kept; `None` if the target existed before.
    pub fn left(&self) -> Option<String> {
        match (self.files.place(), self.found.new_file()) {
            (_, Some(_)) => Some(self.found.path.display().to_string()),
            (Place::Directory(folder), None) => Some(folder.clone()),
            (Place::Path(_), None) => None,
        }
    }

    pub fn shown(&self) -> String {
        shown(&self.names, &self.found)
    }

    /// Returns the target for the study.
    pub fn target(&self) -> SuiteTarget {
        SuiteTarget {
            names: self.names.clone(),
            shown: self.shown(),
            given: self.found.given.clone(),
            path: self.found.path.display().to_string(),
            kind: self.found.facts.kind,
            existed: self.found.existed,
            may_write: self.found.may_write,
            has_direct_io: self.has_direct_io,
        }
    }

    /// Returns where the suite's files are.
    pub fn site(&self, suite: &Suite, is_short: bool) -> Site {
        Site {
            volumes: self.names.clone(),
            place: self.files.place().clone(),
            size_bytes: suite.default_size(is_short, self.found.is_device(), self.found.free_bytes()),
            least_block_bytes: if self.has_direct_io { self.found.least_block_bytes() } else { 0 },
            last: if self.has_direct_io { Vec::new() } else { vec![("direct".to_owned(), "0".to_owned())] },
        }
    }
}

/// Returns all targets in one line.
pub fn all_shown(volumes: &[Volume]) -> String {
    volumes.iter().map(Volume::shown).collect::<Vec<_>>().join(" ")
}

/// Returns the hosts and the targets, with paths without symbolic links. It identifies the targets for `--resume`.
pub fn key(volumes: &[Volume], runner: &dyn Runner) -> String {
    let key = |volume: &Volume| {
        let path = volume.found.path.display();
        if volume.names.is_empty() { path.to_string() } else { format!("{}={path}", volume.names.join("=")) }
    };
    let hosts = runner.hosts().into_iter();
    hosts.chain(volumes.iter().map(key)).collect::<Vec<_>>().join(" ")
}

/// Returns all targets as one: the sum of their sizes, and all devices.
pub fn together(volumes: &[Volume]) -> Target {
    let facts = || volumes.iter().map(|volume| &volume.found.facts);
    let mut whole = facts().next().cloned().unwrap_or_default();
    whole.path = all_shown(volumes).into();
    for other in facts().skip(1) {
        whole.size_bytes = whole.size_bytes.saturating_add(other.size_bytes);
        let is_new = |device: &&assessment::Device| whole.devices.iter().all(|known| known.name != device.name);
        let new: Vec<_> = other.devices.iter().filter(is_new).cloned().collect();
        whole.devices.extend(new);
        whole.mount = whole.mount.filter(|mount| Some(mount) == other.mount.as_ref());
    }
    whole
}

/// Returns the target of each volume; empty if one target is for all.
pub fn each(volumes: &[Volume]) -> Vec<assessment::Volume> {
    let named = volumes.iter().flat_map(|volume| volume.names.iter().map(move |name| (name, &volume.found.facts)));
    named.map(|(name, facts)| assessment::Volume { name: name.clone(), target: facts.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use study::suite::built_in;

    use super::*;

    fn read(suite: &str, args: &str) -> Result<Vec<(Option<String>, String)>, CommandError> {
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        let suite = built_in(suite).unwrap();
        let given = parse_all(&suite, &args)?;
        Ok(given.into_iter().map(|(name, path)| (name.map(str::to_owned), path.to_owned())).collect())
    }

    #[test]
    fn each_volume_has_a_target_or_one_target_is_for_all() {
        let both = read("azure", "nocache=/a readcache=/b=c").unwrap();
        assert_eq!(both, [(Some("nocache".into()), "/a".into()), (Some("readcache".into()), "/b=c".into())]);
        assert_eq!(read("azure", "/a").unwrap(), [(None, "/a".into())]);
        assert_eq!(read("azure", "").unwrap(), [(None, ".".into())]);
        assert_eq!(read("quick", "./x=y").unwrap(), [(None, "./x=y".into())]);
        let refused = |suite: &str, args: &str| read(suite, args).unwrap_err().to_string();
        assert!(refused("azure", "nocahce=/a").contains("readcache=TARGET  a disk with"));
        assert!(refused("azure", "nocache=/a /b").contains("/b has no name"));
        assert!(refused("azure", "nocache=/a nocache=/b").contains("twice"));
        assert!(refused("azure", "nocache=").contains("has no path"));
        assert!(refused("quick", "data=/a").contains("has no named volumes"));
        assert!(refused("quick", "/a /b").contains("is for one target"));
    }
}
