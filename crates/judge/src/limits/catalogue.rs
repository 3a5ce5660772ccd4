//! The catalogue of published limits: the files in `data/limits`, and files of the user.
//!
//! A file is read completely or refused: all its formulas must parse, and use known names only. If two files describe
//! one name, the last file that was read applies.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use assessment::{Confidence, Metric, Quantity};
use indexmap::IndexMap;
use serde::Deserialize;
use toml::Spanned;
use units::diagnostic::{Diagnostic, Source, Span};
use units::quantity::{GIB, KIB, MIB};

use super::formula::Formula;
use super::plain;
use crate::nesting;

/// Schema of a file.
pub const SCHEMA: &str = "fathom.limits/1";
/// The share of a limit that counts as reached, if the vendor promises none.
const ENOUGH_SHARE: f64 = 0.9;
/// Constants of all formulas: bytes, bytes per second, and ns.
const CONSTANTS: [(&str, f64); 9] = [
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", KIB),
    ("MiB", MIB),
    ("GiB", GIB),
    ("us", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
];
/// The number of disks in a stripe.
pub(super) const COUNT: &str = "count";
/// A cell of a row without a published figure.
const NOT_PUBLISHED: &str = "-";

/// Files. The disks of a provider come before its machines, also in lists.
const BUILT_IN: [&str; 14] = [
    "azure.toml",
    "azure-vm.toml",
    "aws.toml",
    "aws-ec2.toml",
    "gcp.toml",
    "gcp-vm.toml",
    "alibaba.toml",
    "oracle.toml",
    "digitalocean.toml",
    "tencent.toml",
    "huawei.toml",
    "otc.toml",
    "ovh.toml",
    "scaleway.toml",
];

/// All providers, by their names in expectations.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    pub providers: BTreeMap<String, Provider>,
}

#[derive(Clone, Debug, Default)]
pub struct Provider {
    pub title: String,
    /// The path to a machine's disks if an expectation names none.
    pub default_path: String,
    /// A prefix of names that an expectation may omit.
    pub name_prefix: String,
    /// Parameters that name a machine.
    pub machine_parameters: Vec<String>,
    /// Classes between a machine's family and its number of vCPUs: `standard` in `n2-standard-8`.
    pub machine_classes: Vec<String>,
    /// GB and TB of a capacity are powers of 1024.
    pub gb_is_gib: bool,
    pub groups: Vec<Arc<Group>>,
}

/// Disks or machines that share formulas and a source.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    pub title: String,
    pub kind: Kind,
    /// The name, if the group has no rows.
    pub name: Option<String>,
    /// The path to its disks that a machine's group describes.
    pub path: String,
    /// Title and address of the document.
    pub source: String,
    /// The date of the document.
    pub date: String,
    /// The day on which the document was read; empty if that is not recorded.
    pub seen: String,
    pub confidence: Confidence,
    pub note: String,
    pub enough: Enough,
    /// A larger I/O counts as several of this size.
    pub io_max_bytes: Option<f64>,
    /// Smaller sequential I/Os can be merged into one.
    pub merges: bool,
    /// A stripe of these disks has the limits of one disk of the total size.
    pub together: bool,
    /// The path has its own storage: no disk is involved.
    pub local: bool,
    /// Directions that the path serves without the disk; empty means none.
    pub serves: Vec<String>,
    /// The disks that a machine's limits are for; empty means all.
    pub disks: Vec<String>,
    pub columns: Vec<String>,
    pub limit: Vec<(Metric, Formula)>,
    pub burst: Vec<(Metric, Formula)>,
    pub burst_seconds: Option<Formula>,
    pub parameters: Vec<(String, Parameter)>,
    pub rows: IndexMap<String, Vec<Option<f64>>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Disk,
    Machine,
}

/// The part of a limit that a vendor promises.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enough {
    /// The share of the limit.
    pub share: f64,
    /// The share of the time.
    #[serde(default)]
    pub time: Option<f64>,
    /// The only quantity that the promise covers; `None` if it covers all.
    #[serde(default)]
    pub only: Option<Covered>,
}

/// A quantity that a promise can be about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Covered {
    Iops,
    Bw,
}

impl Enough {
    /// Returns the part of a limit of this quantity that is enough: all of it, if the promise does not cover it.
    pub fn of(self, quantity: Quantity) -> Enough {
        let covered = match quantity {
            Quantity::Iops => Some(Covered::Iops),
            Quantity::Bandwidth => Some(Covered::Bw),
            Quantity::Latency(..) | Quantity::Fsync(_) | Quantity::Cpu => None,
        };
        let is_covered = self.only.is_none() || self.only == covered;
        if is_covered { self } else { Enough { share: 1.0, time: None, ..self } }
    }
}

/// A parameter of a disk or machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    pub what: String,
    /// Unit of a number without one: `GiB`, `MiB/s`. `flag` is on or off.
    pub unit: String,
    pub default: Option<Formula>,
    pub optional: bool,
    /// Bounds of the values that the vendor offers.
    pub from: Vec<Formula>,
    pub to: Vec<Formula>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Spanned<String>,
    provider: Spanned<String>,
    title: Option<String>,
    default_path: Option<String>,
    name_prefix: Option<String>,
    machine_parameters: Option<Vec<String>>,
    machine_classes: Option<Vec<String>>,
    gb_is_gib: Option<bool>,
    #[serde(default)]
    group: Vec<Spanned<FileGroup>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileGroup {
    title: String,
    kind: Kind,
    name: Option<String>,
    #[serde(default)]
    path: String,
    source: String,
    date: String,
    #[serde(default)]
    seen: String,
    confidence: Confidence,
    #[serde(default)]
    note: String,
    enough: Option<Enough>,
    io_max: Option<Spanned<String>>,
    #[serde(default)]
    merges: bool,
    #[serde(default)]
    stripe: Stripe,
    #[serde(default)]
    local: bool,
    #[serde(default)]
    serves: Vec<String>,
    #[serde(default)]
    disks: Vec<String>,
    #[serde(default)]
    columns: Vec<String>,
    limit: IndexMap<String, Spanned<String>>,
    #[serde(default)]
    burst: IndexMap<String, Spanned<String>>,
    #[serde(default)]
    parameters: IndexMap<String, FileParameter>,
    #[serde(default)]
    rows: IndexMap<String, Spanned<Vec<Cell>>>,
}

#[derive(Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stripe {
    #[default]
    Each,
    Together,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileParameter {
    what: String,
    #[serde(default)]
    unit: String,
    default: Option<Spanned<String>>,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    from: Vec<Spanned<String>>,
    #[serde(default)]
    to: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Cell {
    Number(f64),
    Text(String),
}

impl Catalogue {
    /// Returns the catalogue of the built-in files.
    pub fn built_in() -> Catalogue {
        let mut catalogue = Catalogue::default();
        for name in BUILT_IN {
            let text = built_in::text(&format!("limits/{name}")).expect("a file that is built in");
            let added = catalogue.add(&Source::new(name, text));
            debug_assert!(added.is_ok(), "{added:?}: a test reads every file that is built in");
        }
        catalogue
    }

    /// Adds a file.
    ///
    /// # Errors
    ///
    /// A diagnostic at the first part of the file that is wrong.
    pub fn add(&mut self, source: &Arc<Source>) -> Result<(), Diagnostic> {
        let at = |message: String, range: Range<usize>, label: &str| {
            Diagnostic::error(message).at(&Span::new(source, range), label)
        };
        nesting::check(source)?;
        plain::check(source)?;
        let file: File = toml::from_str(&source.text).map_err(|error| {
            let message = format!("not a file of limits: {}", error.message());
            at(message, error.span().unwrap_or(0..0), "here")
        })?;
        if file.schema.get_ref() != SCHEMA {
            let message = format!("unknown schema `{}`; expected `{SCHEMA}`", file.schema.get_ref());
            return Err(at(message, file.schema.span(), "unknown schema"));
        }
        let groups =
            file.group.into_iter().map(|group| Reader { source }.group(group)).collect::<Result<Vec<_>, _>>()?;
        let provider = self.providers.entry(file.provider.into_inner()).or_default();
        provider.title = file.title.unwrap_or(std::mem::take(&mut provider.title));
        provider.default_path = file.default_path.unwrap_or(std::mem::take(&mut provider.default_path));
        provider.name_prefix = file.name_prefix.unwrap_or(std::mem::take(&mut provider.name_prefix));
        provider.machine_parameters =
            file.machine_parameters.unwrap_or(std::mem::take(&mut provider.machine_parameters));
        provider.machine_classes = file.machine_classes.unwrap_or(std::mem::take(&mut provider.machine_classes));
        provider.gb_is_gib = file.gb_is_gib.unwrap_or(provider.gb_is_gib);
        provider.groups.extend(groups.into_iter().map(Arc::new));
        Ok(())
    }
}

/// Converts the groups of a TOML file.
struct Reader<'a> {
    source: &'a Arc<Source>,
}

impl Reader<'_> {
    fn wrong(&self, message: impl Into<String>, range: Range<usize>) -> Diagnostic {
        Diagnostic::error(message).at(&Span::new(self.source, range), "here")
    }

    fn formula(&self, text: &Spanned<String>, names: &[&str]) -> Result<Formula, Diagnostic> {
        // The span begins with a quote.
        let place = |range: Range<usize>| {
            let start = text.span().start + 1;
            start + range.start..start + range.end
        };
        let formula = Formula::parse(text.get_ref()).map_err(|wrong| self.wrong(wrong.message, place(wrong.at)))?;
        for name in formula.names() {
            if !names.contains(&name) && name != COUNT && constant(name).is_none() {
                let message = format!("`{name}` is neither a column nor a parameter of the group");
                return Err(self.wrong(message, text.span()));
            }
        }
        Ok(formula)
    }

    fn formulas(&self, texts: &[Spanned<String>], names: &[&str]) -> Result<Vec<Formula>, Diagnostic> {
        texts.iter().map(|text| self.formula(text, names)).collect()
    }

    fn limits(
        &self,
        texts: &IndexMap<String, Spanned<String>>,
        names: &[&str],
    ) -> Result<Vec<(Metric, Formula)>, Diagnostic> {
        let read = |(name, text): (&String, &Spanned<String>)| {
            let metric = Metric::parse(name).ok_or_else(|| {
                self.wrong(format!("unknown metric `{name}`; expected {}", assessment::METRIC_EXAMPLES), text.span())
            })?;
            Ok((metric, self.formula(text, names)?))
        };
        texts.iter().map(read).collect()
    }

    fn group(&self, group: Spanned<FileGroup>) -> Result<Group, Diagnostic> {
        let place = group.span();
        let group = group.into_inner();
        let own = group.parameters.keys().chain(&group.columns).map(String::as_str);
        let names: Vec<&str> = own.collect();
        if group.name.is_none() == group.rows.is_empty() {
            return Err(self.wrong(format!("`{}` needs either a name or rows", group.title), place));
        }
        if group.kind == Kind::Machine && group.path.is_empty() {
            return Err(self.wrong(format!("`{}`: a group of machines needs a path", group.title), place));
        }
        let io_max = group.io_max.as_ref().map(|text| self.formula(text, &[])).transpose()?;
        let mut burst = group.burst.clone();
        let seconds = burst.shift_remove("seconds");
        let enough = group.enough.unwrap_or(Enough { share: ENOUGH_SHARE, time: None, only: None });
        if !(0.0..=1.0).contains(&enough.share) || enough.share == 0.0 {
            return Err(
                self.wrong(format!("`{}`: `enough` must have a share above 0 and at most 1", group.title), place)
            );
        }
        let columns = group.columns.len();
        Ok(Group {
            limit: self.limits(&group.limit, &names)?,
            burst: self.limits(&burst, &names)?,
            burst_seconds: seconds.map(|text| self.formula(&text, &names)).transpose()?,
            parameters: self.parameters(&group.parameters, &names)?,
            rows: self.rows(group.rows, columns)?,
            io_max_bytes: io_max.and_then(|formula| formula.value(&constant)).filter(|bytes| *bytes > 0.0),
            enough,
            title: group.title,
            kind: group.kind,
            name: group.name,
            path: group.path,
            source: group.source,
            date: group.date,
            seen: group.seen,
            confidence: group.confidence,
            note: group.note,
            merges: group.merges,
            together: group.stripe == Stripe::Together,
            local: group.local,
            serves: group.serves,
            disks: group.disks,
            columns: group.columns,
        })
    }

    fn parameters(
        &self,
        parameters: &IndexMap<String, FileParameter>,
        names: &[&str],
    ) -> Result<Vec<(String, Parameter)>, Diagnostic> {
        let read = |(name, given): (&String, &FileParameter)| {
            let parameter = Parameter {
                what: given.what.clone(),
                unit: given.unit.clone(),
                default: given.default.as_ref().map(|text| self.formula(text, names)).transpose()?,
                optional: given.optional,
                from: self.formulas(&given.from, names)?,
                to: self.formulas(&given.to, names)?,
            };
            Ok((name.clone(), parameter))
        };
        parameters.iter().map(read).collect()
    }

    fn rows(
        &self,
        rows: IndexMap<String, Spanned<Vec<Cell>>>,
        columns: usize,
    ) -> Result<IndexMap<String, Vec<Option<f64>>>, Diagnostic> {
        let read = |(name, cells): (String, Spanned<Vec<Cell>>)| {
            let place = cells.span();
            let cells = cells.into_inner();
            if cells.len() != columns {
                let message = format!("`{name}` has {} values for {columns} columns", cells.len());
                return Err(self.wrong(message, place));
            }
            let value = |cell: Cell| match cell {
                Cell::Number(number) => Ok(Some(number)),
                Cell::Text(text) if text == NOT_PUBLISHED => Ok(None),
                Cell::Text(text) => {
                    let message =
                        format!("`{text}` is not a number; write `{NOT_PUBLISHED}` for a figure that is not published");
                    Err(self.wrong(message, place.clone()))
                }
            };
            Ok((name, cells.into_iter().map(value).collect::<Result<Vec<_>, _>>()?))
        };
        rows.into_iter().map(read).collect()
    }
}

pub(super) fn constant(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// A disk or machine in the catalogue.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    pub name: String,
    pub group: Arc<Group>,
    pub row: Vec<Option<f64>>,
}

impl Provider {
    /// Returns the entries with a name. A machine has one for each path and each kind of disk. The entry of the last
    /// file that was read is the last.
    pub fn find(&self, kind: Kind, name: &str) -> Vec<Entry> {
        let mut found = Vec::new();
        for group in self.groups.iter().filter(|group| group.kind == kind) {
            let entry = |name: &str, row: &[Option<f64>]| Entry {
                name: name.to_owned(),
                group: Arc::clone(group),
                row: row.to_vec(),
            };
            match &group.name {
                Some(known) if self.is(name, known) => found.push(entry(known, &[])),
                Some(_) => {}
                None => {
                    let by_name = group.rows.iter().find(|(known, _)| self.is(name, known));
                    let by_family =
                        || group.rows.iter().find(|(known, _)| is_of_family(name, known, &self.machine_classes));
                    match (by_name, by_family()) {
                        (Some((known, row)), _) => found.push(entry(known, row)),
                        (None, Some((_, row))) => found.push(entry(name, row)),
                        (None, None) => {}
                    }
                }
            }
        }
        found
    }

    fn is(&self, name: &str, known: &str) -> bool {
        known.eq_ignore_ascii_case(name)
            || known.strip_prefix(&self.name_prefix).is_some_and(|short| short.eq_ignore_ascii_case(name))
    }

    /// Returns all names of a kind, as the catalogue writes them.
    pub fn names(&self, kind: Kind) -> impl Iterator<Item = &str> {
        let groups = self.groups.iter().filter(move |group| group.kind == kind);
        groups.flat_map(|group| group.name.as_deref().into_iter().chain(group.rows.keys().map(String::as_str)))
    }
}

/// Whether a machine belongs to a row such as `n2:8-15`: a family, and a range of vCPUs.
fn is_of_family(name: &str, row: &str, classes: &[String]) -> bool {
    let Some((family, cpus)) = row.split_once(':') else { return false };
    let mut parts = name.split('-');
    let is_family = parts.next().is_some_and(|first| first.eq_ignore_ascii_case(family));
    let is_class = parts.next().is_some_and(|class| classes.iter().any(|known| known.eq_ignore_ascii_case(class)));
    let count = parts.next().and_then(|number| number.parse::<u64>().ok());
    let (true, true, Some(count)) = (is_family, is_class, count) else { return false };
    match (cpus.strip_suffix('+'), cpus.split_once('-')) {
        (Some(least), _) => least.parse().is_ok_and(|least| count >= least),
        (None, Some((least, most))) => {
            least.parse().is_ok_and(|least| count >= least) && most.parse().is_ok_and(|most| count <= most)
        }
        (None, None) => cpus.parse() == Ok(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str) -> Result<Catalogue, String> {
        let mut catalogue = Catalogue::default();
        catalogue.add(&Source::new("mine.toml", text)).map(|()| catalogue).map_err(|wrong| wrong.to_string())
    }

    const HEAD: &str = "schema = \"fathom.limits/1\"\nprovider = \"mine\"\n[[group]]\ntitle = \"t\"\nkind = \"disk\"\n\
                        source = \"s\"\ndate = \"2026\"\nconfidence = \"high\"\n";

    #[test]
    fn all_built_in_files_are_valid() {
        let mut catalogue = Catalogue::default();
        for name in BUILT_IN {
            let text = built_in::text(&format!("limits/{name}")).expect("a file");
            catalogue.add(&Source::new(name, text)).unwrap_or_else(|wrong| panic!("{wrong}"));
        }
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/limits"));
        assert_eq!(files.map(Iterator::count).ok(), Some(BUILT_IN.len()), "each file of data/limits is built in");
        for (name, provider) in &catalogue.providers {
            assert!(!provider.title.is_empty() && !provider.default_path.is_empty(), "{name}");
        }
    }

    #[test]
    fn families_are_found_by_their_cpus() {
        let classes = ["standard", "highmem", "custom"].map(str::to_owned);
        let is = |name: &str, row: &str| is_of_family(name, row, &classes);
        assert!(is("n2-standard-8", "n2:8-15"));
        assert!(is("N2-highmem-64", "n2:64+"));
        assert!(is("c3-standard-88-lssd", "c3:88"));
        assert!(is("n1-custom-8-16384", "n1:8-15"));
        assert!(!is("n2d-standard-8", "n2:8-15"));
        assert!(!is("n2-standard-16", "n2:8-15"));
        assert!(!is("n2-stadard-8", "n2:8-15"));
        assert!(!is("n2-standard", "n2:8-15"));
    }

    #[test]
    fn errors_in_a_file_have_their_place() {
        let refused = |text: &str| added(&format!("{HEAD}{text}")).expect_err(text);
        assert!(refused("name = \"d\"\nlimit = { iops = \"2 * sise\" }").contains("`sise` is neither"));
        assert!(refused("name = \"d\"\nlimit = { iops = \"2 *\" }").contains("mine.toml:10:22"));
        assert!(refused("name = \"d\"\nlimit = { speed = \"2\" }").contains("unknown metric `speed`"));
        assert!(refused("limit = { iops = \"2\" }").contains("either a name or rows"));
        assert!(refused("columns = [\"iops\"]\nlimit = {}\nrows = { P1 = [1, 2] }").contains("2 values for 1"));
        assert!(refused("columns = [\"iops\"]\nlimit = {}\nrows = { P1 = [\"x\"] }").contains("`x` is not a number"));
        assert!(refused("nmae = \"d\"").contains("mine.toml:9"));
        let machine = HEAD.replace("disk", "machine");
        assert!(added(&format!("{machine}name = \"d\"\nlimit = {{}}")).expect_err("no path").contains("needs a path"));
        let share = |share: &str| format!("name = \"d\"\nlimit = {{}}\nenough = {{ share = {share} }}");
        for wrong in ["0.0", "-0.1", "1.1"] {
            assert!(refused(&share(wrong)).contains("above 0 and at most 1"), "{wrong}");
        }
        assert!(added(&format!("{HEAD}{}", share("1.0"))).is_ok());
        assert!(
            added("schema = \"fathom.limits/9\"\nprovider = \"a\"").expect_err("schema").contains("fathom.limits/1")
        );
        assert!(added("schema = ").is_err());
    }

    #[test]
    fn later_files_override_earlier_ones() {
        let text = |iops: u32| format!("{HEAD}name = \"d\"\nlimit = {{ iops = \"{iops}\" }}");
        let mut catalogue = Catalogue::default();
        for iops in [100, 200] {
            catalogue.add(&Source::new("a", text(iops))).expect("sound");
        }
        let found = catalogue.providers["mine"].find(Kind::Disk, "D");
        assert_eq!(found.last().map(|entry| entry.group.limit[0].1.value(&|_| None)), Some(Some(200.0)));
    }
}
