//! The parts of the page about preparation, environment and how to repeat the run.

use assessment::{Assessment, Expected, ExpectedLimit, Preparation, PreparationOutcome, Target, TargetKind};
use maud::{Markup, Render, html};
use units::format;
use units::shell::quoted;
use units::untrusted::joined;

use super::{stack, with_links};
use crate::health;
use crate::rows::limit_name;
use crate::text::{duration, figure};
use crate::wording;

/// Returns the names and values of the environment.
pub fn facts(assessment: &Assessment) -> Vec<(String, String)> {
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: String| {
        if !value.is_empty() {
            facts.push((name.to_owned(), value));
        }
    };
    let machine = &assessment.machine;
    if assessment.volumes.is_empty() {
        of_target("Target", &assessment.target, &mut add);
    }
    for volume in &assessment.volumes {
        of_target(&format!("Target {}", volume.name), &volume.target, &mut add);
    }
    add("Machine", machine.hostname.to_string());
    add("Machine model", machine.model.to_string());
    if let Some(cloud) = &machine.cloud {
        add("Cloud", cloud.provider.to_string());
        add("Instance type", cloud.instance_type.to_string());
        add("Region", cloud.region.to_string());
        add("Zone", cloud.zone.to_string());
    }
    add("Kernel", machine.kernel.to_string());
    // Records of version 0.1 lack these values.
    if !machine.cpus.is_empty() {
        add("CPU", format!("{} × {}", machine.cpus.len(), machine.cpu_model));
    }
    if let Some(bytes) = machine.memory_bytes {
        add("Memory", format::size(bytes));
    }
    add("Governors", joined(&machine.governors, ", "));
    add("fathom", assessment.fathom.to_string());
    facts
}

/// Adds the facts about a target.
fn of_target(name: &str, target: &Target, add: &mut impl FnMut(&str, String)) {
    let (kind, of) = match target.kind {
        TargetKind::Directory => ("directory", "; its file system has "),
        TargetKind::File => ("file", " of "),
        TargetKind::Device => ("device", " of "),
    };
    // The size of a single run's target can be unknown.
    let size = if target.size_bytes > 0 { format!("{of}{}", format::size(target.size_bytes)) } else { String::new() };
    add(name, format!("{}: {kind}{size}", target.path));
    for device in &target.devices {
        add("Device", device.name.to_string());
        add("Model", device.model.to_string());
        add("Serial", device.serial.to_string());
        add("Firmware", device.firmware.to_string());
        add("Scheduler", device.scheduler.to_string());
        let kind = device.rotational.map(|turns| if turns { "rotational" } else { "not rotational" });
        let blocks = format!(
            "{}, blocks of {} bytes (physical: {}){}",
            format::size(device.size_bytes),
            device.logical_block_bytes,
            device.physical_block_bytes,
            kind.map_or_else(String::new, |kind| format!(", {kind}"))
        );
        match (device.size_bytes, device.logical_block_bytes) {
            (0, _) => {}
            (bytes, 0) => add("Size", format::size(bytes)),
            _ => add("Size", blocks),
        }
    }
    if let Some(mount) = &target.mount {
        add("Mount", format!("{} on {}, {}", mount.source, mount.point, mount.file_system));
        add("Mount options", mount.options.to_string());
    }
}

pub fn sections(assessment: &Assessment) -> Markup {
    html! {
        (preparation(assessment))
        section id="environment" {
            h2 { "Environment" }
            dl { @for (name, value) in facts(assessment) { dt { (name) } dd { (value) } } }
            @if let Some(table) = health::table(assessment) { (table.html()) }
        }
        section id="repeat" {
            h2 { "How to repeat it" }
            p { "With fathom " (assessment.fathom.raw()) ", on this machine:" }
            pre.line tabindex="0" { (command(assessment)) }
            p { "The job of each test is below its charts. fio runs a job file as it is, and DiskSpd a DiskSpd command line." }
        }
    }
}

fn preparation(assessment: &Assessment) -> Markup {
    let columns = [("Step", ""), ("Outcome", ""), ("What it did", "cause"), ("Why", "cause"), ("Took", "num")];
    let row = |step: &Preparation| {
        let detail = wording::preparation_detail(&step.detail, Some(step));
        let (name, why) = (wording::preparation_name(step), wording::preparation_reason(step));
        vec![
            name.render(),
            outcome(step.outcome).render(),
            detail.render(),
            why.render(),
            duration(step.took_ms).render(),
        ]
    };
    html! {
        @if !assessment.preparation.is_empty() {
            section id="preparation" { h2 { "Preparation" } (stack(&columns, assessment.preparation.iter().map(row))) }
        }
    }
}

pub fn outcome(outcome: PreparationOutcome) -> &'static str {
    match outcome {
        PreparationOutcome::Done => "done",
        PreparationOutcome::NotNeeded => "not needed",
        PreparationOutcome::LeftOut => "left out",
        PreparationOutcome::Failed => "failed",
    }
}

/// Formats the expectations with their sources.
pub fn expectations(assessment: &Assessment) -> Markup {
    html! {
        @if !assessment.expectations.is_empty() {
            h3 { "Expectations" }
            dl { @for expected in &assessment.expectations { dt { (expected.words) } dd { (with_links(&limits(expected))) } } }
        }
    }
}

/// Returns the limits of an expectation. Those of one source and tolerance share a line.
fn limits(expected: &Expected) -> String {
    let mut groups: Vec<(&ExpectedLimit, Vec<String>)> = Vec::new();
    for limit in &expected.limits {
        let words = format!("{}: {}", limit_name(limit), figure(limit.value, limit.metric.unit()));
        let is_same = |known: &ExpectedLimit| (&known.source, known.tolerance) == (&limit.source, limit.tolerance);
        match groups.iter_mut().find(|(known, _)| is_same(known)) {
            Some((_, limits)) => limits.push(words),
            None => groups.push((limit, vec![words])),
        }
    }
    let lines = groups.iter().map(|(first, limits)| {
        let enough = if limits.len() == 1 { "of it is enough" } else { "of each is enough" };
        let source = first.source.as_ref().map(|source| format!(" {}", wording::citation(source))).unwrap_or_default();
        format!("{} ({} {enough}).{source}", limits.join("; "), units::format::percent(first.tolerance))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Formats the command line for a shell. Its paths can be relative: it first changes to the directory in which it was run.
pub fn command(assessment: &Assessment) -> String {
    let command = assessment.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    // The last one: a resumed assessment has records of other commands. On a host of a fleet it is another directory.
    let last = assessment.tests.iter().flat_map(|test| &test.rounds).map(|round| &round.record).next_back();
    match last.filter(|record| record.fleet.is_none()).and_then(|record| record.working_directory.as_ref()) {
        Some(directory) => format!("cd {} && {command}", quoted(directory.raw())),
        None => command,
    }
}
