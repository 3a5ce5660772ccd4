//! Imports limits of machines from the output of the vendors' tools: `az vm list-skus -o json`,
//! `aws ec2 describe-instance-types`.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;
use units::markup::one_line;

use super::catalogue::SCHEMA;

/// A file of limits made from the output of a vendor's tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// The provider in the file, and the name of the file: `azure`, `aws`.
    pub provider: &'static str,
    /// The text of the file.
    pub toml: String,
    /// The imported groups of machines.
    pub groups: Vec<ImportedGroup>,
}

/// Machines of one vendor with one path to their disks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportedGroup {
    pub title: &'static str,
    /// The path, as expectations name it: `uncached`, `nvme`.
    pub path: &'static str,
    pub machines: usize,
}

/// Why a file cannot be imported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImportError {
    /// The file is not JSON, for this reason of the parser.
    NotJson(String),
    /// The file is neither a list of Azure's SKUs nor an object with AWS' instance types.
    UnknownForm,
    /// The list is not one of Azure's SKUs, for this reason of the parser.
    NotSkus(String),
    /// The object does not hold AWS' instance types, for this reason of the parser.
    NotInstanceTypes(String),
    /// No machine in the file has a limit.
    NoLimits,
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

/// A group of the file, with its rows by name. A missing figure is `None`.
struct Table {
    title: &'static str,
    path: &'static str,
    /// Lines that only this group has.
    more: &'static str,
    columns: &'static str,
    rows: BTreeMap<String, Vec<Option<f64>>>,
}

/// Converts the output of either tool. `date` is the day on which it was printed.
///
/// # Errors
///
/// The reason if the text is not the output of one of the tools, or has no limits of disks.
pub fn import(json: &str, date: &str) -> Result<Imported, ImportError> {
    let value: serde_json::Value =
        serde_json::from_str(json).map_err(|error| ImportError::NotJson(error.to_string()))?;
    let is_azure = value.as_array().is_some();
    let is_aws = value.get("InstanceTypes").is_some();
    match (is_azure, is_aws) {
        (true, _) => azure(value, date),
        (_, true) => aws(value, date),
        _ => Err(ImportError::UnknownForm),
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

fn azure(value: serde_json::Value, date: &str) -> Result<Imported, ImportError> {
    let skus: Vec<Sku> = serde_json::from_value(value).map_err(|error| ImportError::NotSkus(error.to_string()))?;
    let mut tables = [
        Table {
            title: "VMs, disks without host cache",
            path: "uncached",
            more: "enough = { share = 1.0 }\nlimit = { iops = \"iops\", bw = \"bytes_per_s\" }\n",
            columns: "\"iops\", \"bytes_per_s\"",
            rows: BTreeMap::new(),
        },
        Table {
            title: "VMs, disks with host cache",
            path: "cached",
            more: "serves = [\"read\"]\nenough = { share = 1.0 }\nlimit = { iops = \"iops\", \
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
    // The list can hold other resources than machines.
    for sku in skus.iter().filter(|sku| matches!(sku.resource_type.as_str(), "" | "virtualMachines")) {
        let capabilities = sku.capabilities.as_deref().unwrap_or_default();
        let figure = |name: &str| {
            let found = capabilities.iter().find(|capability| capability.name == name)?;
            found.value.as_ref()?.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0)
        };
        for (table, names) in tables.iter_mut().zip([&UNCACHED[..], &CACHED[..], &NVME[..]]) {
            let row: Vec<Option<f64>> = names.iter().map(|name| figure(name)).collect();
            // A SKU appears once per region.
            if row.iter().any(Option::is_some) {
                table.rows.insert(sku.name.clone(), row);
            }
        }
    }
    written("azure", "output of `az vm list-skus`", date, &tables)
}

fn aws(value: serde_json::Value, date: &str) -> Result<Imported, ImportError> {
    let types: InstanceTypes =
        serde_json::from_value(value).map_err(|error| ImportError::NotInstanceTypes(error.to_string()))?;
    let row = |kind: InstanceType| {
        let ebs = kind.ebs?.optimized?;
        let figures = [ebs.baseline_iops, ebs.baseline_mbps, ebs.maximum_iops, ebs.maximum_mbps];
        Some((kind.name, figures.map(Some).to_vec()))
    };
    let table = Table {
        title: "EBS-optimized instances",
        path: "ebs",
        more: "limit = { iops = \"iops\", bw = \"MBps * MB\" }\nburst = { iops = \
               \"burst_iops\", bw = \"burst_MBps * MB\", seconds = \"1800\" }\n",
        columns: "\"iops\", \"MBps\", \"burst_iops\", \"burst_MBps\"",
        rows: types.list.into_iter().filter_map(row).collect(),
    };
    written("aws", "output of `aws ec2 describe-instance-types`", date, &[table])
}

fn written(provider: &'static str, source: &str, date: &str, tables: &[Table]) -> Result<Imported, ImportError> {
    let mut toml = format!("# Made by `fathom limits import`.\nschema = \"{SCHEMA}\"\nprovider = \"{provider}\"\n");
    let mut groups = Vec::new();
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
            let _ = writeln!(toml, "{} = [{}]", quoted(&one_line(name)), cells.join(", "));
        }
        groups.push(ImportedGroup { title: table.title, path: table.path, machines: table.rows.len() });
    }
    if groups.is_empty() {
        return Err(ImportError::NoLimits);
    }
    Ok(Imported { provider, toml, groups })
}

/// Formats a TOML string. TOML escapes like JSON, and DEL as well.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string().replace('\u{7f}', "\\u007f")
}
