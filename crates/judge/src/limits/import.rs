//! Limits of machines from the vendors' own answers: `az vm list-skus -o json`, `aws ec2 describe-instance-types`.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;

use super::catalogue::SCHEMA;

/// A file of limits, and what it was made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// `azure`, `aws`: the file's provider, and its name.
    pub provider: &'static str,
    /// The text of the file.
    pub toml: String,
    /// What was taken, for people.
    pub taken: Vec<String>,
}

#[derive(Deserialize)]
struct Sku {
    name: String,
    #[serde(default, rename = "resourceType")]
    resource_type: String,
    #[serde(default)]
    capabilities: Option<Vec<Capability>>,
}

#[derive(Deserialize)]
struct Capability {
    name: String,
    #[serde(default)]
    value: Option<String>,
}

#[derive(Deserialize)]
struct InstanceTypes {
    #[serde(rename = "InstanceTypes")]
    list: Vec<InstanceType>,
}

#[derive(Deserialize)]
struct InstanceType {
    #[serde(rename = "InstanceType")]
    name: String,
    #[serde(rename = "EbsInfo")]
    ebs: Option<EbsInfo>,
}

#[derive(Deserialize)]
struct EbsInfo {
    #[serde(rename = "EbsOptimizedInfo")]
    optimized: Option<EbsOptimized>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct EbsOptimized {
    baseline_iops: f64,
    maximum_iops: f64,
    #[serde(rename = "BaselineThroughputInMBps")]
    baseline_mbps: f64,
    #[serde(rename = "MaximumThroughputInMBps")]
    maximum_mbps: f64,
}

/// A group of the file: rows by name, a figure that isn't there being none.
struct Table {
    title: &'static str,
    path: &'static str,
    /// Lines of the group besides those that each has.
    more: &'static str,
    columns: &'static str,
    rows: BTreeMap<String, Vec<Option<f64>>>,
}

/// Reads an answer of either; `date` is when it was given.
pub fn import(json: &str, date: &str) -> Result<Imported, String> {
    let value: serde_json::Value = serde_json::from_str(json).map_err(|error| format!("this is no JSON: {error}"))?;
    let is_azure = value.as_array().is_some();
    let is_aws = value.get("InstanceTypes").is_some();
    match (is_azure, is_aws) {
        (true, _) => azure(value, date),
        (_, true) => aws(value, date),
        _ => {
            Err("this is neither a list, as `az vm list-skus -o json` gives it, nor an object with InstanceTypes, as \
                  `aws ec2 describe-instance-types` gives it"
                .to_owned())
        }
    }
}

const UNCACHED: [&str; 2] = ["UncachedDiskIOPS", "UncachedDiskBytesPerSecond"];
const CACHED: [&str; 3] = [
    "CombinedTempDiskAndCachedIOPS",
    "CombinedTempDiskAndCachedReadBytesPerSecond",
    "CombinedTempDiskAndCachedWriteBytesPerSecond",
];
const NVME: [&str; 4] =
    ["NvmeMaxReadIops", "NvmeMaxWriteIops", "NvmeMaxReadBytesPerSecond", "NvmeMaxWriteBytesPerSecond"];

fn azure(value: serde_json::Value, date: &str) -> Result<Imported, String> {
    let skus: Vec<Sku> = serde_json::from_value(value).map_err(|error| format!("this is no list of SKUs: {error}"))?;
    let mut tables = [
        Table {
            title: "VMs, disks without host cache",
            path: "uncached",
            more: "enough = { share = 1.0, time = 0.999 }\nlimit = { iops = \"iops\", bw = \"bytes_per_s\" }\n",
            columns: "\"iops\", \"bytes_per_s\"",
            rows: BTreeMap::new(),
        },
        Table {
            title: "VMs, disks with host cache",
            path: "cached",
            more: "serves = [\"read\"]\nenough = { share = 1.0, time = 0.999 }\nlimit = { iops = \"iops\", \
                   \"read.bw\" = \"read_bytes_per_s\", \"write.bw\" = \"write_bytes_per_s\" }\n",
            columns: "\"iops\", \"read_bytes_per_s\", \"write_bytes_per_s\"",
            rows: BTreeMap::new(),
        },
        Table {
            title: "VMs, local NVMe disks",
            path: "nvme",
            more: "local = true\nlimit = { \"read.iops\" = \"read_iops\", \"write.iops\" = \"write_iops\", \"read.bw\" = \
                   \"read_bytes_per_s\", \"write.bw\" = \"write_bytes_per_s\" }\n",
            columns: "\"read_iops\", \"write_iops\", \"read_bytes_per_s\", \"write_bytes_per_s\"",
            rows: BTreeMap::new(),
        },
    ];
    // A list of all kinds of resource says which are machines; others have no limits of machines.
    for sku in skus.iter().filter(|sku| matches!(sku.resource_type.as_str(), "" | "virtualMachines")) {
        let capabilities = sku.capabilities.as_deref().unwrap_or_default();
        let figure = |name: &str| {
            let found = capabilities.iter().find(|capability| capability.name == name)?;
            found.value.as_ref()?.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0)
        };
        for (table, names) in tables.iter_mut().zip([&UNCACHED[..], &CACHED[..], &NVME[..]]) {
            let row: Vec<Option<f64>> = names.iter().map(|name| figure(name)).collect();
            // One SKU comes once for each region.
            if row.iter().any(Option::is_some) {
                table.rows.insert(sku.name.clone(), row);
            }
        }
    }
    written("azure", "an answer of `az vm list-skus`", date, &tables)
}

fn aws(value: serde_json::Value, date: &str) -> Result<Imported, String> {
    let types: InstanceTypes =
        serde_json::from_value(value).map_err(|error| format!("these are no instance types: {error}"))?;
    let row = |kind: InstanceType| {
        let ebs = kind.ebs?.optimized?;
        let figures = [ebs.baseline_iops, ebs.baseline_mbps, ebs.maximum_iops, ebs.maximum_mbps];
        Some((kind.name, figures.map(Some).to_vec()))
    };
    let table = Table {
        title: "EBS-optimized instances",
        path: "ebs",
        more: "enough = { share = 0.9, time = 0.99 }\nlimit = { iops = \"iops\", bw = \"MBps * MB\" }\nburst = { iops = \
               \"burst_iops\", bw = \"burst_MBps * MB\", seconds = \"1800\" }\n",
        columns: "\"iops\", \"MBps\", \"burst_iops\", \"burst_MBps\"",
        rows: types.list.into_iter().filter_map(row).collect(),
    };
    written("aws", "an answer of `aws ec2 describe-instance-types`", date, &[table])
}

fn written(provider: &'static str, source: &str, date: &str, tables: &[Table]) -> Result<Imported, String> {
    let mut toml = format!("# Made by `fathom limits import`.\nschema = \"{SCHEMA}\"\nprovider = \"{provider}\"\n");
    let mut taken = Vec::new();
    for table in tables.iter().filter(|table| !table.rows.is_empty()) {
        let _ = write!(
            toml,
            "\n[[group]]\ntitle = \"{}\"\nkind = \"machine\"\npath = \"{}\"\nsource = \"{source}\"\ndate = {}\n\
             confidence = \"high\"\n{}columns = [{}]\n[group.rows]\n",
            table.title,
            table.path,
            quoted(date),
            table.more,
            table.columns
        );
        for (name, row) in &table.rows {
            let cells: Vec<String> =
                row.iter().map(|cell| cell.map_or_else(|| "\"-\"".to_owned(), |figure| figure.to_string())).collect();
            let _ = writeln!(toml, "{} = [{}]", quoted(name), cells.join(", "));
        }
        let machines = match table.rows.len() {
            1 => "1 machine".to_owned(),
            several => format!("{several} machines"),
        };
        taken.push(format!("{}: {machines} (/{})", table.title, table.path));
    }
    if taken.is_empty() {
        return Err("there are no limits of disks in it".to_owned());
    }
    Ok(Imported { provider, toml, taken })
}

/// As a TOML string, which is written as JSON's but for one character. Names come from outside.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string().replace('\u{7f}', "\\u007f")
}
