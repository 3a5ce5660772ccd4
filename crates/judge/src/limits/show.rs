//! The catalogue and an expectation, as text for people.

use plan::Ddir;
use units::format::{grouped, percent};

use super::catalogue::{Catalogue, Group, Kind, Provider};
use super::expectation::Expectation;
use super::limit::{Limit, Load};
use assessment::Quantity;

/// Block sizes that the limits are shown at.
const BLOCKS: [(u64, &str); 6] =
    [(4 << 10, "4k"), (8 << 10, "8k"), (16 << 10, "16k"), (64 << 10, "64k"), (256 << 10, "256k"), (1 << 20, "1m")];
/// Lines of names are broken here.
const WIDTH: usize = 100;

/// All providers, or one with all of its names.
pub fn list(catalogue: &Catalogue, provider: Option<&str>) -> Result<String, String> {
    let Some(asked) = provider else {
        let line = |(name, provider): (&String, &Provider)| {
            let count = |kind| provider.names(kind).collect::<std::collections::BTreeSet<_>>().len();
            format!("{name:<14}{} ({} disks, {} machines)\n", provider.title, count(Kind::Disk), count(Kind::Machine))
        };
        let lines: String = catalogue.providers.iter().map(line).collect();
        return Ok(format!("{lines}\nfathom limits list PROVIDER shows the names of one.\n"));
    };
    let Some(provider) = catalogue.providers.get(&asked.to_ascii_lowercase()) else {
        let known: Vec<&str> = catalogue.providers.keys().map(String::as_str).collect();
        return Err(format!("there is no provider `{asked}` in the catalogue; known: {}", known.join(", ")));
    };
    let groups: Vec<String> = provider.groups.iter().map(|group| list_group(group)).collect();
    Ok(groups.join("\n"))
}

fn list_group(group: &Group) -> String {
    let path = if group.kind == Kind::Machine { format!(" (/{})", group.path) } else { String::new() };
    let mut text = format!("{}{path}\n", group.title);
    let names = group.name.as_deref().into_iter().chain(group.rows.keys().map(String::as_str));
    let mut line = String::from(" ");
    for name in names {
        if line.len() + name.len() > WIDTH {
            text += &line;
            text.push('\n');
            line = String::from(" ");
        }
        line.push(' ');
        line += name;
    }
    text += &line;
    text.push('\n');
    for (name, parameter) in &group.parameters {
        let unit = if parameter.unit.is_empty() { String::new() } else { format!(", {}", parameter.unit) };
        let need = if parameter.optional || parameter.default.is_some() { "" } else { ", needed" };
        text += &format!("    ?{name}=  {}{unit}{need}\n", parameter.what);
    }
    text + &format!("    {}, {}\n", group.source, group.date)
}

/// The limits of an expectation, and which come first at which block size.
pub fn expectation(expectation: &Expectation) -> String {
    let mut text = format!("{}\n\n", expectation.words);
    let mut sources: Vec<String> = Vec::new();
    let load = Load { alone: true, ..Load::default() };
    let of = |cached| {
        let each = [Ddir::Read, Ddir::Write].into_iter();
        each.flat_map(|ddir| expectation.limits(ddir, Load { cached, ..load })).collect::<Vec<_>>()
    };
    let (plain, mut cached) = (of(false), of(true));
    cached.retain(|limit| !plain.contains(limit));
    plain.iter().for_each(|limit| text += &line(limit));
    if !cached.is_empty() {
        text += "\nin tests that are meant for the machine's cache:\n";
        cached.iter().for_each(|limit| text += &line(limit));
    }
    for limit in plain.iter().chain(&cached) {
        let noted = if limit.note.is_empty() { String::new() } else { format!("\n    {}", limit.note) };
        sources.push(format!("{}{noted}", limit.origin()));
    }
    if sources.is_empty() {
        return text + "nothing is published of it\n";
    }
    text += "\nwhat comes first, by block size:\n";
    text += &format!("  {:>6}  {:<30}{:<30}\n", "", "read", "write");
    for (bytes, name) in BLOCKS {
        let cell = |ddir| {
            let load = Load { block_bytes: Some(bytes), ..Load::default() };
            expectation.limits(ddir, load).first().map_or("-".to_owned(), |limit| short(limit, bytes))
        };
        text += format!("  {name:>6}  {:<30}{:<30}", cell(Ddir::Read), cell(Ddir::Write)).trim_end();
        text.push('\n');
    }
    sources.sort();
    sources.dedup();
    text += "\nsources:\n";
    sources.iter().for_each(|source| text += &format!("  {source}\n"));
    text
}

fn line(limit: &Limit) -> String {
    let bound = if limit.metric.is_rate() { "" } else { "at most " };
    let mut text =
        format!("  {:<16} {bound}{}, {}", limit.metric.to_string(), limit.metric.show(limit.value), limit.of);
    if let Some(burst) = limit.burst_shown() {
        text += &format!("; {burst}");
    }
    if limit.metric.is_rate() {
        let time = limit.enough.time.map(|time| format!(" for {} of the time", percent(time)));
        text += &format!("; enough is {}{}", percent(limit.enough.share), time.unwrap_or_default());
    }
    for (of, value) in &limit.others {
        text += &format!("\n  {:<16}   ({of}: {})", "", limit.metric.show(*value));
    }
    text + "\n"
}

fn short(limit: &Limit, block_bytes: u64) -> String {
    let iops = if limit.metric.quantity == Quantity::Iops { limit.value } else { limit.value / block_bytes as f64 };
    let by = if limit.metric.quantity == Quantity::Iops { "IOPS" } else { "bandwidth" };
    format!("{} IOPS, by {by}", grouped(iops))
}
