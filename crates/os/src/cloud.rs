//! The cloud instance that this machine is, by files that the firmware and cloud-init leave on it. Nothing uses the network.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ::io::Cloud;
use serde_json::Value;
use units::untrusted::UntrustedText;

/// cloud-init's description of the instance. It has no secrets: those are in another file.
const INSTANCE_DATA: &str = "run/cloud-init/instance-data.json";
/// A larger file is not read.
const INSTANCE_DATA_MAX: u64 = 4 << 20;
const FIRMWARE: &str = "sys/class/dmi/id";
/// Tag of the chassis of Azure's machines. Other Hyper-V machines have the same vendor and product.
const AZURE_TAG: &str = "7783-7084-3265-9085-8269-3286-77";
const ORACLE_TAG: &str = "OracleCloud.com";
/// Names of providers in cloud-init that differ from those in catalogues.
const PROVIDERS: [(&str, &str); 3] = [("gce", "gcp"), ("aliyun", "alibaba"), ("ec2", "aws")];
/// Instance types in cloud-init's data: EC2, Azure, Google, Oracle, and others.
const TYPES: [&str; 6] = [
    "/ds/meta_data/instance-type",
    "/ds/dynamic/instance-identity/document/instanceType",
    "/ds/meta_data/imds/compute/vmSize",
    "/ds/meta_data/machine-type",
    "/ds/meta_data/shape",
    "/ds/meta_data/instance/instance-type",
];
const REGIONS: [&str; 3] = ["/v1/region", "/ds/meta_data/imds/compute/location", "/ds/meta_data/region"];
const ZONES: [&str; 4] = [
    "/v1/availability_zone",
    "/ds/meta_data/placement/availability-zone",
    "/ds/meta_data/imds/compute/zone",
    "/ds/meta_data/availability-zone",
];

/// Returns the cloud instance; `None` if no file shows that the machine is one.
pub fn cloud() -> Option<Cloud> {
    cloud_in(Path::new("/"))
}

/// Returns the same of the files below a folder.
fn cloud_in(root: &Path) -> Option<Cloud> {
    let firmware = of_firmware(&root.join(FIRMWARE));
    let Some(data) = of_cloud_init(&root.join(INSTANCE_DATA)) else { return firmware };
    let Some(firmware) = firmware else { return Some(data) };
    let or = |data: UntrustedText, firmware: UntrustedText| if data.is_empty() { firmware } else { data };
    Some(Cloud { instance_type: or(data.instance_type, firmware.instance_type), ..data })
}

fn of_firmware(folder: &Path) -> Option<Cloud> {
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default().trim().to_owned();
    let (vendor, product, tag) = (text("sys_vendor"), text("product_name"), text("chassis_asset_tag"));
    let is_xen = text("bios_version").contains("amazon");
    let (provider, instance_type) = match (vendor.as_str(), tag.as_str()) {
        // Only Nitro instances have their type as product.
        ("Amazon EC2", _) => ("aws", if product.contains('.') { product.as_str() } else { "" }),
        _ if is_xen => ("aws", ""),
        (_, AZURE_TAG) => ("azure", ""),
        (_, ORACLE_TAG) => ("oracle", ""),
        ("Google", _) if product == "Google Compute Engine" => ("gcp", ""),
        ("Alibaba Cloud", _) => ("alibaba", ""),
        ("DigitalOcean", _) => ("digitalocean", ""),
        ("Hetzner", _) => ("hetzner", ""),
        _ => return None,
    };
    Some(Cloud { provider: provider.into(), instance_type: instance_type.into(), ..Cloud::default() })
}

fn of_cloud_init(path: &Path) -> Option<Cloud> {
    let mut text = String::new();
    File::open(path).ok()?.take(INSTANCE_DATA_MAX).read_to_string(&mut text).ok()?;
    let data: Value = serde_json::from_str(&text).ok()?;
    let value = |path: &str| data.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty());
    // Google writes `projects/123/machineTypes/n2-standard-8`.
    let last = |text: &str| UntrustedText::from(text.rsplit('/').next().unwrap_or(text));
    let first = |paths: &[&str]| paths.iter().find_map(|path| value(path)).map(last).unwrap_or_default();
    let named = value("/v1/cloud_id").or_else(|| value("/v1/cloud_name"))?.to_ascii_lowercase();
    // A machine without a cloud has a data source on its own disk.
    if ["none", "nocloud", "unknown"].contains(&named.as_str()) {
        return None;
    }
    let provider = PROVIDERS.iter().find(|(theirs, _)| *theirs == named).map_or(named.as_str(), |(_, ours)| *ours);
    Some(Cloud {
        provider: provider.into(),
        instance_type: first(&TYPES),
        region: first(&REGIONS),
        zone: first(&ZONES),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Root(std::path::PathBuf);

    impl Root {
        fn new(test: &str, files: &[(&str, &str)]) -> Root {
            let root = std::env::temp_dir().join(format!("fathom-cloud-{test}-{}", std::process::id()));
            for (path, text) in files {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Root(root)
        }
    }

    impl Drop for Root {
        fn drop(&mut self) {
            drop(std::fs::remove_dir_all(&self.0));
        }
    }

    fn found(test: &str, files: &[(&str, &str)]) -> Option<[String; 4]> {
        let root = Root::new(test, files);
        cloud_in(&root.0)
            .map(|cloud| [cloud.provider, cloud.instance_type, cloud.region, cloud.zone].map(UntrustedText::into_raw))
    }

    fn all(texts: [&str; 4]) -> Option<[String; 4]> {
        Some(texts.map(str::to_owned))
    }

    #[test]
    fn the_firmware_names_the_provider_and_on_nitro_the_type() {
        let dmi = |name: &str| format!("{FIRMWARE}/{name}");
        let (vendor, product, tag) = (dmi("sys_vendor"), dmi("product_name"), dmi("chassis_asset_tag"));
        let aws = [(vendor.as_str(), "Amazon EC2\n"), (product.as_str(), "m5.xlarge\n")];
        assert_eq!(found("aws", &aws), all(["aws", "m5.xlarge", "", ""]));
        let hyper_v = [(vendor.as_str(), "Microsoft Corporation\n"), (product.as_str(), "Virtual Machine\n")];
        assert_eq!(found("hyper-v", &hyper_v), None);
        let tagged = (tag.as_str(), "7783-7084-3265-9085-8269-3286-77\n");
        assert_eq!(found("azure", &[hyper_v[0], hyper_v[1], tagged]), all(["azure", "", "", ""]));
        let google = [(vendor.as_str(), "Google\n"), (product.as_str(), "Google Compute Engine\n")];
        assert_eq!(found("gcp", &google), all(["gcp", "", "", ""]));
        assert_eq!(found("laptop", &[(vendor.as_str(), "LENOVO\n")]), None);
        assert_eq!(found("empty", &[]), None);
    }

    #[test]
    fn cloud_init_knows_type_region_and_zone() {
        let data = |text: &str| found("init", &[(INSTANCE_DATA, text)]);
        let aws = r#"{"v1": {"cloud_id": "aws", "region": "us-east-2", "availability_zone": "us-east-2b"},
            "ds": {"meta_data": {"instance-type": "t3.medium"}}}"#;
        assert_eq!(data(aws), all(["aws", "t3.medium", "us-east-2", "us-east-2b"]));
        let azure = r#"{"v1": {"cloud_name": "azure", "region": "eastus", "availability_zone": null},
            "ds": {"meta_data": {"imds": {"compute": {"vmSize": "Standard_D8ds_v4", "zone": "1"}}}}}"#;
        assert_eq!(data(azure), all(["azure", "Standard_D8ds_v4", "eastus", "1"]));
        let google = r#"{"v1": {"cloud_id": "gce", "region": "europe-west1", "availability_zone": "europe-west1-b"},
            "ds": {"meta_data": {"machine-type": "projects/1/machineTypes/n2-standard-8"}}}"#;
        assert_eq!(data(google), all(["gcp", "n2-standard-8", "europe-west1", "europe-west1-b"]));
        let oracle =
            r#"{"v1": {"cloud_id": "oracle", "region": "phx"}, "ds": {"meta_data": {"shape": "VM.Standard.E4.Flex"}}}"#;
        assert_eq!(data(oracle), all(["oracle", "VM.Standard.E4.Flex", "phx", ""]));
        assert_eq!(data(r#"{"v1": {"cloud_id": "nocloud"}}"#), None);
        assert_eq!([data("not JSON"), data("[]")], [None, None]);
    }

    #[test]
    fn the_firmware_completes_what_cloud_init_does_not_know() {
        let data = r#"{"v1": {"cloud_id": "aws", "region": "us-east-2"}}"#;
        let (vendor, product) = (format!("{FIRMWARE}/sys_vendor"), format!("{FIRMWARE}/product_name"));
        let files = [(INSTANCE_DATA, data), (vendor.as_str(), "Amazon EC2\n"), (product.as_str(), "m5.xlarge\n")];
        assert_eq!(found("both", &files), all(["aws", "m5.xlarge", "us-east-2", ""]));
    }
}
