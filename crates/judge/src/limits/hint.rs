//! Suggests an expectation for the machine, for users who gave none.

use record::Machine;

/// Models of cloud machines, and an expectation with a common disk.
const CLOUDS: [(&str, &str); 5] = [
    ("Amazon EC2", "aws:gp3?instance="),
    ("Microsoft Corporation Virtual Machine", "azure:P30+Standard_D8ds_v4/uncached"),
    ("Google Compute Engine", "gcp:pd-balanced?size=500GB&vm=n2-standard-8"),
    ("Alibaba Cloud", "alibaba:essd-pl1?size=500"),
    ("DigitalOcean", "digitalocean:standard"),
];

/// Returns an example for `--expect`; `None` if the machine is not of a known cloud.
pub fn hint(machine: &Machine) -> Option<String> {
    let (name, example) = CLOUDS.iter().find(|(name, _)| machine.model.raw().starts_with(name))?;
    // The model of an EC2 machine ends with its instance type, if the hypervisor sets it.
    let instance = machine.model.raw()[name.len()..].trim();
    match example.strip_suffix("?instance=") {
        Some(disk) if !instance.contains('.') => Some(disk.to_owned()),
        Some(_) => Some(format!("{example}{instance}")),
        None => Some((*example).to_owned()),
    }
}

/// Returns the provider of the machine, and the type of the instance, if files on the machine state them.
pub fn instance(machine: &Machine) -> Option<(String, String)> {
    let of_files = machine.cloud.as_ref().map(|cloud| (cloud.provider.to_string(), cloud.instance_type.to_string()));
    let of_model = || Some(("aws".to_owned(), machine.model.raw().strip_prefix("Amazon EC2")?.trim().to_owned()));
    let is_known = |(_, instance): &(String, String)| !instance.is_empty();
    of_files.filter(is_known).or_else(of_model).filter(is_known)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use units::diagnostic::Source;

    use super::*;
    use crate::limits::Catalogue;

    fn hint_on(model: &str) -> Option<String> {
        hint(&Machine { model: model.into(), ..Machine::default() })
    }

    #[test]
    fn machines_that_call_themselves_by_type_are_named() {
        assert_eq!(hint_on("Amazon EC2 m5.xlarge").as_deref(), Some("aws:gp3?instance=m5.xlarge"));
        assert_eq!(hint_on("Amazon EC2").as_deref(), Some("aws:gp3"));
        assert_eq!(hint_on("QEMU Standard PC"), None);
        assert_eq!(hint_on(""), None);
    }

    #[test]
    fn every_hint_is_an_expectation() {
        for (name, _) in CLOUDS {
            let example = hint_on(&format!("{name} m5.xlarge")).unwrap();
            let source: Arc<Source> = Source::new("--expect", example.as_str());
            Catalogue::built_in().expect(&source).unwrap_or_else(|wrong| panic!("{wrong}"));
        }
    }
}
