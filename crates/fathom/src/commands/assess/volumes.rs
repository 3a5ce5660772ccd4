//! The targets of an assessment: one for all that a suite does, or one for each of the volumes that it tells apart.

use std::path::Path;

use assessment::{Target, TargetKind};
use study::suite::{Site, Suite, SuiteTarget, Test};

use super::request::Request;
use crate::output::tell_line;
use crate::scratch::Scratch;
use crate::target::{self, Found};

/// A target, before anything is made there.
pub struct Named {
    /// The volumes that it is; none where it stands for all.
    pub names: Vec<String>,
    pub found: Found,
}

/// A target with the files of the tests.
pub struct Volume {
    pub names: Vec<String>,
    pub found: Found,
    pub scratch: Scratch,
    pub has_direct_io: bool,
}

/// What the words name, for the tests that are wanted.
pub fn find(suite: &Suite, tests: &[&Test], request: &Request) -> Result<Vec<Named>, String> {
    let told = told(suite, &request.targets)?;
    let needed: Vec<&str> = tests.iter().flat_map(|test| test.volumes()).collect();
    let is_told = |name: &str| told.iter().any(|(known, _)| known.is_none_or(|known| known == name));
    let mut missing: Vec<&str> = needed.iter().copied().filter(|name| !is_told(name)).collect();
    missing.dedup();
    if let Some(name) = missing.first() {
        return Err(format!("{name}=TARGET is missing{}", listed(suite)));
    }
    let mut all: Vec<Named> = Vec::new();
    for (name, path) in told {
        let found = target::find(Some(path), &request.overwrite)?;
        let names = name.iter().map(|name| (*name).to_owned());
        match all.iter_mut().find(|known| known.found.path == found.path) {
            Some(known) => known.names.extend(names),
            None => all.push(Named { names: names.collect(), found }),
        }
    }
    target::refuse_others(&request.overwrite, all.iter().map(|named| &named.found))?;
    let is_needed = |named: &Named| {
        named.names.is_empty() || named.names.iter().any(|name| needed.iter().any(|needed| needed == name))
    };
    for idle in all.iter().filter(|named| !is_needed(named)) {
        tell_line!("{}: none of these tests is for it: it is left alone", idle.shown());
    }
    all.retain(is_needed);
    all.iter().try_for_each(|named| named.found.refuse_if_used())?;
    Ok(all)
}

/// Names and paths, as they were given; the current directory if nothing was.
fn told<'a>(suite: &'a Suite, words: &'a [String]) -> Result<Vec<(Option<&'a str>, &'a str)>, String> {
    if words.is_empty() {
        return Ok(vec![(None, ".")]);
    }
    let told = words.iter().map(|word| named(suite, word)).collect::<Result<Vec<_>, String>>()?;
    for (nth, (name, path)) in told.iter().enumerate() {
        match name {
            None if told.len() > 1 && suite.volumes.is_empty() => {
                return Err(format!("{path}: the suite {} is for one target", suite.name));
            }
            None if told.len() > 1 => {
                return Err(format!("{path} stands for all volumes, or has a name{}", listed(suite)));
            }
            Some(name) if told[..nth].iter().any(|(before, _)| *before == Some(name)) => {
                return Err(format!("{name}= is said twice"));
            }
            _ => {}
        }
    }
    Ok(told)
}

/// NAME=TARGET, or a path alone.
fn named<'a>(suite: &'a Suite, word: &'a str) -> Result<(Option<&'a str>, &'a str), String> {
    let Some((name, path)) = word.split_once('=').filter(|(name, _)| !name.contains('/')) else {
        return Ok((None, word));
    };
    if suite.volumes.iter().any(|volume| volume.name == name) {
        return match path {
            "" => Err(format!("{name}= names no target{}", listed(suite))),
            path => Ok((Some(name), path)),
        };
    }
    if Path::new(word).exists() {
        return Ok((None, word));
    }
    Err(match suite.volumes.is_empty() {
        true => format!(
            "{word}: the suite {} tells no volumes apart: say the path alone (one with `=` in it as ./{word})",
            suite.name
        ),
        false => format!("the suite {} has no volume {name}{}", suite.name, listed(suite)),
    })
}

/// The suite's volumes, as lines of help.
pub fn listed(suite: &Suite) -> String {
    let lines = suite.volumes.iter().map(|volume| format!("\n  {}=TARGET  {}", volume.name, volume.meaning));
    format!("\nhelp: {} tells these volumes apart; one TARGET without a name stands for all{}", suite.name, {
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
        [] => path.clone(),
        names => names.iter().map(|name| format!("{name}={path}")).collect::<Vec<_>>().join(" "),
    }
}

impl Volume {
    /// Makes the folder or file that the tests need there.
    pub fn open(named: Named, keep_files: bool) -> Result<Volume, String> {
        let scratch = Scratch::make(&named.found, keep_files)?;
        let has_direct_io = scratch.has_direct_io();
        Ok(Volume { names: named.names, found: named.found, scratch, has_direct_io })
    }

    pub fn shown(&self) -> String {
        shown(&self.names, &self.found)
    }

    /// The target, for the study.
    pub fn target(&self) -> SuiteTarget {
        SuiteTarget {
            names: self.names.clone(),
            shown: self.shown(),
            given: self.found.facts.path.clone(),
            path: self.found.path.display().to_string(),
            kind: self.found.facts.kind,
            existed: self.found.existed,
            may_write: self.found.may_write,
            has_direct_io: self.has_direct_io,
        }
    }

    /// The place of the suite's files.
    pub fn site(&self, suite: &Suite, is_short: bool) -> Site {
        Site {
            volumes: self.names.clone(),
            place: self.scratch.place.clone(),
            size_bytes: suite.default_size(is_short, self.found.facts.kind == TargetKind::Device),
            least_block_bytes: if self.has_direct_io { self.found.least_block_bytes() } else { 0 },
            last: if self.has_direct_io { Vec::new() } else { vec![("direct".to_owned(), "0".to_owned())] },
        }
    }
}

/// All of them in one line.
pub fn all_shown(volumes: &[Volume]) -> String {
    volumes.iter().map(Volume::shown).collect::<Vec<_>>().join(" ")
}

/// The same without links, to know them again.
pub fn key(volumes: &[Volume]) -> String {
    let key = |volume: &Volume| {
        let path = volume.found.path.display();
        if volume.names.is_empty() { path.to_string() } else { format!("{}={path}", volume.names.join("=")) }
    };
    volumes.iter().map(key).collect::<Vec<_>>().join(" ")
}

/// What the assessment is of, as one target.
pub fn together(volumes: &[Volume]) -> Target {
    let facts = || volumes.iter().map(|volume| &volume.found.facts);
    let mut whole = facts().next().cloned().unwrap_or_default();
    whole.path = all_shown(volumes);
    for other in facts().skip(1) {
        whole.size_bytes = whole.size_bytes.saturating_add(other.size_bytes);
        let is_new = |device: &&assessment::Device| whole.devices.iter().all(|known| known.name != device.name);
        let new: Vec<_> = other.devices.iter().filter(is_new).cloned().collect();
        whole.devices.extend(new);
        whole.mount = whole.mount.filter(|mount| Some(mount) == other.mount.as_ref());
    }
    whole
}

/// Each by its name; nothing where one stands for all.
pub fn each(volumes: &[Volume]) -> Vec<assessment::Volume> {
    let named = volumes.iter().flat_map(|volume| volume.names.iter().map(move |name| (name, &volume.found.facts)));
    named.map(|(name, facts)| assessment::Volume { name: name.clone(), target: facts.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use study::suite::built_in;

    use super::*;

    fn read(suite: &str, words: &str) -> Result<Vec<(Option<String>, String)>, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let suite = built_in(suite).unwrap();
        let told = told(&suite, &words)?;
        Ok(told.into_iter().map(|(name, path)| (name.map(str::to_owned), path.to_owned())).collect())
    }

    #[test]
    fn targets_have_the_names_of_the_suites_volumes_or_one_has_none() {
        let both = read("azure", "nocache=/a readcache=/b=c").unwrap();
        assert_eq!(both, [(Some("nocache".into()), "/a".into()), (Some("readcache".into()), "/b=c".into())]);
        assert_eq!(read("azure", "/a").unwrap(), [(None, "/a".into())]);
        assert_eq!(read("azure", "").unwrap(), [(None, ".".into())]);
        assert_eq!(read("quick", "./x=y").unwrap(), [(None, "./x=y".into())]);
        let refused = |suite: &str, words: &str| read(suite, words).unwrap_err();
        assert!(refused("azure", "nocahce=/a").contains("readcache=TARGET  a disk with"));
        assert!(refused("azure", "nocache=/a /b").contains("/b stands for all volumes, or has a name"));
        assert!(refused("azure", "nocache=/a nocache=/b").contains("twice"));
        assert!(refused("azure", "nocache=").contains("names no target"));
        assert!(refused("quick", "data=/a").contains("tells no volumes apart"));
        assert!(refused("quick", "/a /b").contains("is for one target"));
    }
}
