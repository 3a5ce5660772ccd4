//! The catalogue of published limits, and an expectation, as text.

use assessment::{Confidence, Quantity};
use judge::limits::{Catalogue, Expectation, Group, ImportError, Imported, ImportedGroup, Kind, Limit, Load, Provider};
use plan::Ddir;
use units::format::{grouped, percent, time_ns};

use crate::wording::citation;

/// Block sizes of the table of limits.
const BLOCKS: [(u64, &str); 6] =
    [(4 << 10, "4k"), (8 << 10, "8k"), (16 << 10, "16k"), (64 << 10, "64k"), (256 << 10, "256k"), (1 << 20, "1m")];
/// Characters of a line of names.
const WIDTH: usize = 100;

/// Lists the providers of a catalogue.
pub fn list(catalogue: &Catalogue) -> String {
    let line = |(name, provider): (&String, &Provider)| {
        let count = |kind| provider.names(kind).collect::<std::collections::BTreeSet<_>>().len();
        format!("{name:<14}{} ({} disks, {} machines)\n", provider.title, count(Kind::Disk), count(Kind::Machine))
    };
    let lines: String = catalogue.providers.iter().map(line).collect();
    format!("{lines}\nTo list the disks and machines of a provider: fathom limits list PROVIDER\n")
}

/// Lists the disks and machines of a provider.
pub fn provider(provider: &Provider) -> String {
    let groups: Vec<String> = provider.groups.iter().map(|group| list_group(group)).collect();
    groups.join("\n")
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
        let need = if parameter.optional || parameter.default.is_some() { "" } else { ", required" };
        text += &format!("    ?{name}=  {}{unit}{need}\n", parameter.what);
    }
    let seen = if group.seen.is_empty() { String::new() } else { format!(" (read {})", group.seen) };
    let unconfirmed = if group.confidence == Confidence::Low { ", not confirmed" } else { "" };
    text + &format!("    {}, {}{seen}{unconfirmed}\n", group.source, group.date)
}

/// Lists the imported groups of machines, with the path that names them in an expectation.
pub fn imported(imported: &Imported) -> String {
    let line = |group: &ImportedGroup| {
        let machines = if group.machines == 1 { "machine" } else { "machines" };
        format!("  {}: {} {machines} (/{})\n", group.title, group.machines, group.path)
    };
    imported.groups.iter().map(line).collect()
}

/// Returns why a file cannot be imported, in words.
pub fn import_error(error: &ImportError) -> String {
    match error {
        ImportError::NotJson(reason) => format!("not JSON: {reason}"),
        ImportError::UnknownForm => "neither the output of `az vm list-skus -o json` (a list) nor that of \
            `aws ec2 describe-instance-types` (an object with InstanceTypes)"
            .to_owned(),
        ImportError::NotSkus(reason) => format!("not a list of SKUs: {reason}"),
        ImportError::NotInstanceTypes(reason) => format!("not a list of instance types: {reason}"),
        ImportError::NoLimits => "no machine in the file has a disk limit".to_owned(),
    }
}

/// Shows the limits of an expectation, and the first limit at each block size.
pub fn expectation(expectation: &Expectation) -> String {
    let mut text = format!("{}\n\n", expectation.text);
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
        text += "\nin tests of the machine's cache:\n";
        cached.iter().for_each(|limit| text += &line(limit));
    }
    for limit in plain.iter().chain(&cached) {
        let noted = if limit.note.is_empty() { String::new() } else { format!("\n    {}", limit.note) };
        sources.push(format!("{}{noted}", citation(&limit.citation())));
    }
    if sources.is_empty() {
        return text + "no limit is published\n";
    }
    text += "\nthe first limit reached, by block size:\n";
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
    if let Some(burst) = burst(limit) {
        text += &format!("; {burst}");
    }
    if limit.metric.is_rate() {
        let time = limit.enough.time.map(|time| format!(" for {} of the time", percent(time)));
        text += &format!("; reached at {}{}", percent(limit.enough.share), time.unwrap_or_default());
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

/// Returns the burst: `up to 16,000 IOPS for 30 min`.
fn burst(limit: &Limit) -> Option<String> {
    let burst = limit.burst?;
    let time = burst.seconds.map(|seconds| format!(" for {}", time_ns(seconds * 1e9)));
    Some(format!("up to {}{}", limit.metric.show(burst.value), time.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use units::diagnostic::Source;

    use super::*;

    fn shown(words: &str) -> String {
        let expectation = Catalogue::built_in().expect(&Source::new("--expect", words));
        super::expectation(&expectation.unwrap_or_else(|wrong| panic!("{wrong}")))
    }

    #[test]
    fn the_catalogue_lists_providers_disks_and_machines() {
        let catalogue = Catalogue::built_in();
        let all = list(&catalogue);
        assert!(all.contains("azure") && all.contains("disks"), "{all}");
        let azure = provider(&catalogue.providers["azure"]);
        assert!(azure.contains("P30") && azure.contains("Standard_D8ds_v4") && azure.contains("?plus="), "{azure}");
    }

    #[test]
    fn an_expectation_shows_limits_bursts_and_sources() {
        let stripe = shown("azure:P30x3+Standard_D8ds_v4/uncached");
        for expected in ["12,800 IOPS", "D8ds_v4 uncached", "3 x P30", "up to 15,000 IOPS for 30 min", "by bandwidth"] {
            assert!(stripe.contains(expected), "{expected}: {stripe}");
        }
        let whole = shown("azure:Standard_D8ds_v4");
        assert!(whole.contains("in tests of the machine's cache:\n  read.iops        77,000 IOPS"), "{whole}");
    }
}
