//! Expectations of a target: the disks and the machine that an expectation names, found in the catalogue.

use std::sync::Arc;

use plan::Ddir;
use units::diagnostic::{Diagnostic, Source, Span};
use units::format::grouped;
use units::nearest::nearest;
use units::quantity::{self, GIB, MIB, TIB, Written};

use super::catalogue::{COUNT, Catalogue, Entry, Kind, Parameter, Provider, constant};
use super::formula::Formula;
use super::syntax::{ExpectationText, split};

/// Largest number of disks in a stripe.
const COUNT_MAX: u64 = 256;
/// The parameter that is added up over a stripe.
const SIZE: &str = "size";

#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The text of the expectation.
    pub text: String,
    /// It applies to each host of a fleet, not to all hosts together.
    pub each_host: bool,
    /// The direction it applies to; `None` means all.
    pub ddir: Option<Ddir>,
    /// The volume of a suite it applies to; `None` means all.
    pub volume: Option<String>,
    pub provider: String,
    pub(super) default_path: String,
    pub(super) disk: Option<Part>,
    /// The machine, once for each of its paths.
    pub(super) machine: Vec<Part>,
    /// The path in the text.
    pub(super) path: Option<String>,
    /// Possible errors in the text, or in the catalogue.
    pub warnings: Vec<Diagnostic>,
}

/// A disk, a stripe of disks, or a machine with one of its paths, and the values of its parameters.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Part {
    pub entry: Entry,
    pub count: u64,
    /// By name, in the parameters' units.
    pub values: Vec<(String, f64)>,
    /// The built-in entry that an imported one replaced, if only the built-in one has a burst: a vendor's API reports
    /// only the base rate.
    pub before: Option<Box<Part>>,
}

impl Part {
    /// Returns the part that has the burst.
    pub fn bursting(&self) -> &Part {
        self.before.as_deref().unwrap_or(self)
    }

    /// Returns the value of a formula of the group.
    pub fn value(&self, formula: &Formula) -> Option<f64> {
        formula.value(&|name| self.name(name))
    }

    fn name(&self, name: &str) -> Option<f64> {
        let group = &self.entry.group;
        if name == COUNT {
            return Some(self.count as f64);
        }
        if let Some(at) = group.columns.iter().position(|column| column == name) {
            return self.entry.row.get(at).copied().flatten();
        }
        let given = self.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        // Disks that count together have the size of all.
        let scale = if group.together && name == SIZE { self.count as f64 } else { 1.0 };
        given.map(|value| value * scale).or_else(|| constant(name))
    }
}

impl Catalogue {
    /// Parses an expectation. The source's name is that of the option.
    ///
    /// # Errors
    ///
    /// A diagnostic at the first part that is wrong or unknown.
    pub fn expect(&self, source: &Arc<Source>) -> Result<Expectation, Diagnostic> {
        let text = ExpectationText::parse(source, self)?;
        let name = text.provider.text();
        let Some(provider) = self.providers.get(&name.to_ascii_lowercase()) else {
            return Err(unknown("provider", &text.provider, self.providers.keys().map(String::as_str)));
        };
        Resolver { provider, text: &text, warnings: Vec::new() }.resolve()
    }

    /// Returns an expectation that lacks its provider with each provider that has its first disk or machine.
    pub fn with_provider(&self, text: &str) -> Vec<String> {
        let name = text.split(['+', '/', '?']).next().unwrap_or_default();
        let of_one =
            name.rsplit_once(['x', 'X']).filter(|(_, count)| count.parse::<u64>().is_ok()).map(|(name, _)| name);
        let has = |provider: &Provider| {
            let kinds = || [Kind::Disk, Kind::Machine].into_iter();
            std::iter::once(name).chain(of_one).any(|name| kinds().any(|kind| !provider.find(kind, name).is_empty()))
        };
        self.providers.iter().filter(|(_, provider)| has(provider)).map(|(id, _)| format!("{id}:{text}")).collect()
    }
}

fn unknown<'a>(what: &str, span: &Span, names: impl Iterator<Item = &'a str> + Clone) -> Diagnostic {
    let wrong = Diagnostic::error(format!("unknown {what} `{}`", span.text()));
    let lower = span.text().to_ascii_lowercase();
    let folded: Vec<(String, &str)> = names.clone().map(|name| (name.to_ascii_lowercase(), name)).collect();
    let near = nearest(&lower, folded.iter().map(|(lower, _)| lower.as_str()));
    let near = near.and_then(|near| folded.iter().find(|(lower, _)| lower == near).map(|(_, name)| *name));
    let listed = "`fathom limits list` lists the catalogue; add your own files in ~/.config/fathom/limits";
    match near {
        Some(near) => wrong.at(span, format!("did you mean {near}?")).help(listed),
        None => wrong.at(span, "not in the catalogue").help(listed),
    }
}

struct Resolver<'a> {
    provider: &'a Provider,
    text: &'a ExpectationText,
    warnings: Vec<Diagnostic>,
}

/// A disk or machine of the text: its name, count and path.
struct Named {
    name: Span,
    count: u64,
    path: Option<Span>,
}

impl Resolver<'_> {
    fn resolve(mut self) -> Result<Expectation, Diagnostic> {
        let mut disk: Option<(Entry, Named)> = None;
        let mut machine: Option<(Vec<Entry>, Named)> = None;
        let given = self.text.parameters.iter();
        let machines =
            given.filter(|(name, _)| self.provider.machine_parameters.iter().any(|known| known == name.text()));
        for span in self.text.parts.iter().chain(machines.map(|(_, value)| value)) {
            let named = self.named(span)?;
            if let Some(entry) = self.provider.find(Kind::Disk, named.name.text()).pop() {
                if disk.is_some() {
                    let wrong = Diagnostic::error("a stripe needs disks of one kind").at(span, "the second kind");
                    return Err(wrong.help("write P30x3 for three disks P30"));
                }
                disk = Some((entry, named));
                continue;
            }
            let found = self.provider.find(Kind::Machine, named.name.text());
            if found.is_empty() {
                let names = self.provider.names(Kind::Disk).chain(self.provider.names(Kind::Machine));
                return Err(unknown("disk or machine", &named.name, names.collect::<Vec<_>>().into_iter()));
            }
            if machine.is_some() {
                return Err(Diagnostic::error("only one machine is allowed").at(span, "the second one"));
            }
            machine = Some((found, named));
        }
        let path = self.path(disk.as_ref(), machine.as_ref())?;
        let disk = disk.map(|(entry, named)| self.disk(entry, &named)).transpose()?;
        self.unused(disk.as_ref())?;
        let machine = machine.map(|(found, named)| self.machine(found, &named, disk.as_ref(), path.as_deref()));
        Ok(Expectation {
            text: self.text.whole.text().to_owned(),
            each_host: self.text.each_host,
            ddir: self.text.ddir,
            volume: self.text.volume.as_ref().map(|volume| volume.text().to_owned()),
            provider: self.text.provider.text().to_ascii_lowercase(),
            default_path: self.provider.default_path.clone(),
            machine: machine.transpose()?.unwrap_or_default(),
            disk,
            path,
            warnings: self.warnings,
        })
    }

    /// Separates the name from its count and path. A known name that ends in `x` and digits has no count.
    fn named(&self, span: &Span) -> Result<Named, Diagnostic> {
        let (name, path) = match split(span, '/') {
            Some((name, path)) => (name, Some(path)),
            None => (span.clone(), None),
        };
        let known =
            |name: &str| [Kind::Disk, Kind::Machine].into_iter().any(|kind| !self.provider.find(kind, name).is_empty());
        let text = name.text();
        if let Some((before, count)) = text.rsplit_once(['x', 'X'])
            && !known(text)
            && !count.is_empty()
            && count.bytes().all(|byte| byte.is_ascii_digit())
        {
            let at = before.len() + 1..text.len();
            let count = count.parse().ok().filter(|count| (1..=COUNT_MAX).contains(count)).ok_or_else(|| {
                let message = format!("a stripe has 1 to {COUNT_MAX} disks");
                Diagnostic::error(message).at(&name.part(at), "too many")
            })?;
            return Ok(Named { name: name.part(0..before.len()), count, path });
        }
        Ok(Named { name, count: 1, path })
    }

    /// Returns the path in the text, if the machine has it.
    fn path(
        &self,
        disk: Option<&(Entry, Named)>,
        machine: Option<&(Vec<Entry>, Named)>,
    ) -> Result<Option<String>, Diagnostic> {
        if let Some((entry, Named { path: Some(path), .. })) = disk {
            let message = format!("{} is a disk; only a machine has a path such as /uncached", entry.name);
            return Err(Diagnostic::error(message).at(path, "write it after a machine"));
        }
        let Some((found, named)) = machine else { return Ok(None) };
        if named.count > 1 {
            return Err(Diagnostic::error("only one machine is allowed").at(&named.name, "several of them"));
        }
        let Some(path) = &named.path else { return Ok(None) };
        let paths = || found.iter().map(|entry| entry.group.path.as_str());
        let Some(entry) = found.iter().find(|entry| entry.group.path == path.text()) else {
            let mut known: Vec<&str> = paths().collect();
            known.dedup();
            let message = format!("{1} has no path `{0}`", path.text(), found[0].name);
            return Err(Diagnostic::error(message).at(path, format!("known: {}", known.join(", "))));
        };
        if entry.group.local && disk.is_some() {
            let message =
                format!("path `{}` is local storage of {}, not that of another disk", path.text(), entry.name);
            return Err(Diagnostic::error(message).at(path, "name the disk or this path, not both"));
        }
        Ok(Some(path.text().to_owned()))
    }

    fn disk(&mut self, entry: Entry, named: &Named) -> Result<Part, Diagnostic> {
        let mut part = Part { entry: entry.clone(), count: named.count, values: Vec::new(), before: None };
        for (name, parameter) in &entry.group.parameters {
            let given = self.text.parameters.iter().find(|(given, _)| given.text() == name);
            let value = match given {
                Some((_, value)) => Some(self.value(value, name, parameter)?),
                None => parameter.default.as_ref().and_then(|formula| part.value(formula)),
            };
            match value {
                Some(value) => part.values.push((name.clone(), value)),
                None if parameter.optional => {}
                None => {
                    let message = format!("{} needs {name} ({})", entry.name, parameter.what);
                    let help = format!("add {}{name}=...", if self.text.parameters.is_empty() { "?" } else { "&" });
                    return Err(Diagnostic::error(message).at(&named.name, format!("without {name}")).help(help));
                }
            }
        }
        self.check_bounds(&part);
        Ok(part)
    }

    /// Returns a value in the parameter's unit.
    fn value(&self, span: &Span, name: &str, parameter: &Parameter) -> Result<f64, Diagnostic> {
        let wrong = |expected: &str| {
            Diagnostic::error(format!("{name} cannot be `{}`", span.text())).at(span, format!("expected {expected}"))
        };
        if parameter.unit == "flag" {
            return match span.text() {
                "on" | "yes" | "1" => Ok(1.0),
                "off" | "no" | "0" => Ok(0.0),
                _ => Err(wrong("on or off")),
            };
        }
        let kind = match parameter.unit.as_str() {
            "" => quantity::Kind::Count,
            unit if unit.ends_with("/s") => quantity::Kind::Bandwidth,
            _ => quantity::Kind::Size,
        };
        let expected = match parameter.unit.as_str() {
            "" => "a number".to_owned(),
            unit => format!("a number of {unit}, or one with a unit: {}", kind.units()),
        };
        let written = Written::parse(span.text()).map_err(|_| wrong(&expected))?;
        let (number, unit) = (written.value(), written.unit());
        if unit.is_empty() {
            return Ok(number);
        }
        let scale = match (kind, unit.to_ascii_lowercase().as_str()) {
            (quantity::Kind::Size, "gb") if self.provider.gb_is_gib => GIB,
            (quantity::Kind::Size, "tb") if self.provider.gb_is_gib => TIB,
            (quantity::Kind::Size, "mb") if self.provider.gb_is_gib => MIB,
            _ => kind.scale(unit).ok_or_else(|| wrong(&expected))?,
        };
        let own = if parameter.unit.is_empty() { Some(1.0) } else { kind.scale(&parameter.unit) };
        Ok(number * scale / own.unwrap_or(1.0))
    }

    /// Warns of a value that the vendor does not offer, and uses it: the catalogue may be older than the offer.
    fn check_bounds(&mut self, part: &Part) {
        let group = &part.entry.group;
        for (name, parameter) in &group.parameters {
            let Some((_, value)) = part.values.iter().find(|(known, _)| known == name) else { continue };
            let Some((_, given)) = self.text.parameters.iter().find(|(given, _)| given.text() == name) else {
                continue;
            };
            let bounds =
                |formulas: &[Formula]| formulas.iter().filter_map(|formula| part.value(formula)).collect::<Vec<_>>();
            let least = bounds(&parameter.from).into_iter().reduce(f64::max).filter(|least| value < least);
            let most = bounds(&parameter.to).into_iter().reduce(f64::min).filter(|most| value > most);
            let (bound, word) = match (least, most) {
                (Some(least), _) => (least, "at least"),
                (None, Some(most)) => (most, "at most"),
                (None, None) => continue,
            };
            let unit = if parameter.unit.is_empty() { String::new() } else { format!(" {}", parameter.unit) };
            let message = format!("{} has {word} {}{unit} of {name}", part.entry.name, grouped(bound));
            self.warnings.push(
                Diagnostic::warning(message)
                    .at(given, "used as given")
                    .help(format!("as of {} ({})", group.date, group.source)),
            );
        }
    }

    /// Checks that every parameter belongs to the disk, or names the machine.
    fn unused(&self, disk: Option<&Part>) -> Result<(), Diagnostic> {
        let of_disk = || disk.iter().flat_map(|part| part.entry.group.parameters.iter().map(|(name, _)| name.as_str()));
        let known = || of_disk().chain(self.provider.machine_parameters.iter().map(String::as_str));
        for (at, (name, _)) in self.text.parameters.iter().enumerate() {
            let owner = disk.map_or("the machine", |part| part.entry.name.as_str());
            if !known().any(|known| known == name.text()) {
                let label = match nearest(name.text(), known()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("known: {}", known().collect::<Vec<_>>().join(", ")),
                };
                let message = format!("{owner} has no parameter `{}`", name.text());
                return Err(Diagnostic::error(message).at(name, label));
            }
            if self.text.parameters[..at].iter().any(|(before, _)| before.text() == name.text()) {
                return Err(Diagnostic::error(format!("{} is given twice", name.text())).at(name, "the second one"));
            }
        }
        Ok(())
    }

    /// Returns the machine's paths that apply to the disk. If several describe the same path, the last one applies.
    fn machine(
        &self,
        found: Vec<Entry>,
        named: &Named,
        disk: Option<&Part>,
        path: Option<&str>,
    ) -> Result<Vec<Part>, Diagnostic> {
        let fits = |entry: &Entry| {
            let disks = &entry.group.disks;
            disks.is_empty() || disk.is_some_and(|disk| disks.contains(&disk.entry.name))
        };
        let any_disk = found.iter().any(|entry| !entry.group.disks.is_empty());
        let mut parts: Vec<Part> = Vec::new();
        for entry in found.into_iter().filter(fits) {
            let replaced = parts.iter().position(|part| part.entry.group.path == entry.group.path);
            let replaced = replaced.map(|at| parts.remove(at)).filter(|_| entry.group.burst.is_empty());
            let before = replaced.map(|mut part| part.before.take().unwrap_or_else(|| Box::new(part)));
            parts.push(Part { entry, count: 1, values: Vec::new(), before });
        }
        let name = named.name.text();
        let wrong = |message: String, help: &str| Err(Diagnostic::error(message).at(&named.name, "here").help(help));
        if parts.is_empty() && any_disk {
            return match disk {
                Some(disk) => wrong(
                    format!("the catalogue has no limits of {name} for a {}", disk.entry.name),
                    "remove the machine, or add its limits in ~/.config/fathom/limits",
                ),
                None => wrong(format!("the limits of {name} depend on the kind of disk"), "name the disk as well"),
            };
        }
        let wanted = path.unwrap_or(&self.provider.default_path);
        let unpublished = |part: &Part| {
            part.entry.group.path == wanted
                && part.entry.group.limit.iter().all(|(_, formula)| part.value(formula).is_none())
        };
        if parts.iter().any(unpublished) {
            let note = parts.iter().find(|part| unpublished(part)).map_or("", |part| part.entry.group.note.as_str());
            return wrong(format!("the {wanted} limits of {name} are not published"), note);
        }
        Ok(parts)
    }
}
