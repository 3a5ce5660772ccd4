//! Layout of a report: the report without its figures, which is the same in all runs and on all machines.

/// Returns the lines of a text report.
pub fn of_text(report: &str) -> Vec<String> {
    // Progress dots precede the report.
    let report = report.find("Command Line:").map_or(report, |start| &report[start..]);
    let mut lines = Vec::new();
    let mut in_cpus = false;
    for line in in_order(report).lines() {
        in_cpus |= line.contains("CPU |  Usage");
        let line = if in_cpus { cpu_columns(line) } else { without_machine(line) };
        let line = without_figures(&line);
        // The number of CPUs depends on the machine.
        if !(in_cpus && lines.last() == Some(&line)) {
            in_cpus &= !line.contains("avg.|");
            lines.push(line);
        }
    }
    lines
}

/// Returns the lines of an XML report.
pub fn of_xml(report: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut in_topology = false;
    for line in without_repeats(report).lines() {
        in_topology &= !line.contains("</ProcessorTopology>");
        if !in_topology {
            let line = match line.trim_start().split(['>', ' ']).next() {
                Some(tag @ ("<ComputerName" | "<RunTime" | "<PowerScheme")) => tag.to_owned(),
                _ => without_figures(line),
            };
            // Intervals and percentiles repeat.
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        in_topology |= line.contains("<ProcessorTopology");
    }
    lines
}

/// Removes all CPUs except one.
fn without_repeats(report: &str) -> String {
    let mut parts = report.split("      <CPU>\n");
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut inside = false;
    for part in parts {
        let (cpu, rest) = part.split_once("      </CPU>\n").unwrap_or((part, ""));
        let first = !std::mem::replace(&mut inside, rest.is_empty());
        if first {
            text += &format!("      <CPU>\n{cpu}      </CPU>\n");
        }
        text += rest;
    }
    text
}

/// Sorts the targets' latencies: DiskSpd's order is not defined.
pub fn in_order(text: &str) -> String {
    let mut parts: Vec<&str> = text.split("\n\n").collect();
    let of_target = |part: &&str| part.starts_with("Latency distribution: ");
    let mut at = 0;
    while at < parts.len() {
        let count = parts[at..].iter().take_while(|part| of_target(part)).count();
        parts[at..at + count].sort_unstable();
        at += count + 1;
    }
    parts.join("\n\n")
}

/// Keeps the columns that exist on every machine.
fn cpu_columns(line: &str) -> String {
    let columns: Vec<&str> = line.split('|').collect();
    match columns.len() {
        0..=1 => line.get(..40).unwrap_or(line).to_owned(),
        count => columns[count.saturating_sub(5)..].join("|").trim_start().to_owned(),
    }
}

fn without_machine(line: &str) -> String {
    for name in ["Command Line:", "\tcomputer name:", "\tstart time:", "\tactive power scheme:"] {
        if line.starts_with(name) {
            return name.to_owned();
        }
    }
    line.to_owned()
}

/// Replaces each number and the blanks before it by `N`.
fn without_figures(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii_digit() {
            out.push(c);
            continue;
        }
        while chars.next_if(|c| c.is_ascii_digit() || *c == '.').is_some() {}
        out.truncate(out.trim_end_matches(' ').len());
        out.push('N');
    }
    out
}
