//! The published limits that the figures are like, and those of the machine, with their sources.

use assessment::{Assessment, ClassMatch, LoadPattern};
use units::format::{grouped, iops};

use crate::text::{figure, plain};
use crate::wording::citation;

/// When a figure is like a class (`judge::classes`).
pub const RULE: &str =
    "A figure is like the class with the highest limit that it reaches, if it is at most 1.25 times that limit";

/// A published limit, and the figure that is like it.
pub struct PublishedLimit {
    /// The test and the direction; of the machine the metric.
    pub of: String,
    /// Empty for a limit of the machine.
    pub measured: String,
    pub limit: String,
    pub source: String,
}

/// Returns the limits of the classes, and those of the machine.
pub fn of(assessment: &Assessment) -> Vec<PublishedLimit> {
    let like = assessment.classes.iter().map(|found| PublishedLimit {
        of: plain(&format!("{}: {}", found.test, pattern(found.pattern))),
        measured: figure(found.measured, found.metric.unit()),
        limit: class(found),
        source: citation(&found.source),
    });
    let of_machine = assessment.machine_limits.iter().flat_map(|machine| {
        machine.limits.iter().map(|limit| PublishedLimit {
            of: plain(&format!("this machine ({}): {}", machine.instance_type, limit.metric)),
            measured: String::new(),
            limit: limit.metric.show(limit.value),
            source: limit.source.as_ref().map(citation).unwrap_or_default(),
        })
    });
    like.chain(of_machine).collect()
}

/// Returns a class with its limit: `Azure P40 (7,500 IOPS)`.
pub fn class(found: &ClassMatch) -> String {
    let limit = match found.metric.unit() {
        "IOPS" => iops(found.limit),
        // In the unit of the vendors.
        _ => format!("{} MB/s", grouped(found.limit / 1e6)),
    };
    let provider = provider(&found.provider);
    match found.is_provisioned {
        true => format!("{provider} {} with {limit}", found.class),
        false => format!("{provider} {} ({limit})", found.class),
    }
}

/// Returns the provider's own spelling.
fn provider(name: &str) -> &str {
    match name {
        "aws" => "AWS",
        "azure" => "Azure",
        "gcp" => "Google",
        "alibaba" => "Alibaba",
        "digitalocean" => "DigitalOcean",
        "oracle" => "Oracle",
        "tencent" => "Tencent",
        "huawei" => "Huawei Cloud",
        "otc" => "Open Telekom Cloud",
        "ovh" => "OVHcloud",
        "scaleway" => "Scaleway",
        other => other,
    }
}

/// Names an access pattern in the plural.
pub fn pattern(pattern: LoadPattern) -> &'static str {
    match pattern {
        LoadPattern::Read => "sequential reads",
        LoadPattern::Write => "sequential writes",
        LoadPattern::Rw => "sequential mix",
        LoadPattern::RandRead => "random reads",
        LoadPattern::RandWrite => "random writes",
        LoadPattern::RandRw => "random mix",
    }
}
