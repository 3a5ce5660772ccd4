//! Facts that distinguish a target and its machine from others, in one line.

use assessment::{Assessment, Device, Target};
use units::format;

/// Returns the device, the file system, the host and the cloud instance; empty if nothing is known.
pub fn identity(assessment: &Assessment) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut add = |part: String| {
        if !part.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
    };
    let volumes = assessment.volumes.iter().map(|volume| &volume.target);
    let targets: Vec<&Target> =
        std::iter::once(&assessment.target).filter(|_| assessment.volumes.is_empty()).chain(volumes).collect();
    for target in targets {
        target.devices.iter().for_each(|device| add(of_device(device)));
        add(target.mount.as_ref().map_or_else(String::new, |mount| mount.file_system.to_string()));
    }
    let machine = &assessment.machine;
    add(machine.hostname.to_string());
    if let Some(cloud) = &machine.cloud {
        let name = if cloud.instance_type.is_empty() { &cloud.provider } else { &cloud.instance_type };
        let zone = if cloud.zone.is_empty() { &cloud.region } else { &cloud.zone };
        add(format!("{name} {zone}").trim().to_owned());
    }
    parts.join(", ")
}

/// Returns the name of a device, and its model, serial number and size in parentheses.
fn of_device(device: &Device) -> String {
    let size = if device.size_bytes > 0 { format::size(device.size_bytes) } else { String::new() };
    let facts: Vec<String> = [device.model.to_string(), device.serial.to_string(), size]
        .into_iter()
        .filter(|fact| !fact.is_empty())
        .collect();
    if facts.is_empty() { device.name.to_string() } else { format!("{} ({})", device.name, facts.join(" ")) }
}
