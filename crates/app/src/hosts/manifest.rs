//! `fathom fleet manifest`: a job of Kubernetes' MPI Operator (kubeflow.org/v2beta1) that runs a command line on many hosts.
//!
//! The job files are in a ConfigMap, which each host mounts. The operator starts an ssh server on each host, and the launcher
//! finds them through the operator's file of hosts.

use std::path::Path;

use ::fleet::{HOST_MARK, Job, OnHostLost, Sharing};

use super::FleetOptions;
use super::command_line::parse;
use crate::command_error::CommandError;
use crate::lines::Line;

/// Where the hosts have the job files.
const JOBS: &str = "/jobs";
const TEMPLATE: &str = include_str!("mpijob.yaml");

/// What a manifest has besides the command line.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Container image with fathom, Open MPI and an ssh server.
    pub image: String,
    /// Number of hosts.
    pub workers: u32,
    /// PersistentVolumeClaim that all hosts mount at /data; `None`: an emptyDir volume per host.
    pub claim: Option<String>,
}

/// Returns the manifest; `None` if the line only prints a text.
///
/// # Errors
/// The line is not valid, or all hosts would use the same files.
pub fn text(manifest: &Manifest, options: &FleetOptions, line: &Line) -> Result<Option<String>, CommandError> {
    let is_shared = options.sharing == Sharing::Shared;
    if manifest.claim.is_some() && !is_shared && !line.args.iter().any(|arg| arg.contains(HOST_MARK)) {
        let help = "help: add --shared, or %h in the file names";
        return Err(format!("--claim: all hosts would use the same files\n{help}").into());
    }
    let Some(job) = parse(line)? else { return Ok(None) };
    let (command, files) = command(options, line, &job)?;
    Ok(Some(filled(manifest, &command, &files)))
}

/// A file of the ConfigMap: its name and content.
type NamedFile = (String, String);

/// Returns the command that the launcher starts on each host, and the job files that it names.
fn command(options: &FleetOptions, line: &Line, job: &Job) -> Result<(Vec<String>, Vec<NamedFile>), CommandError> {
    let mut command = vec!["fathom".to_owned(), "fleet".to_owned()];
    command.extend((options.sharing == Sharing::Shared).then(|| "--shared".to_owned()));
    command.extend((options.on_host_lost == OnHostLost::Continue).then(|| "--on-host-lost=continue".to_owned()));
    command.extend(options.is_quiet.then(|| "--quiet-network".to_owned()));
    command.push(line.dialect.name().to_owned());
    let mut files: Vec<NamedFile> = Vec::new();
    let mut line_args = line.args.clone();
    for (path, bytes) in &job.files {
        let refused = |why: &str| CommandError::from(format!("{path}: {why}"));
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_key = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        if name.is_empty() || !name.chars().all(is_key) {
            return Err(refused("a file name in a ConfigMap may contain only letters, digits, '-', '.' and '_'"));
        }
        if files.iter().any(|(known, _)| *known == name) {
            return Err(refused("another job file has the same name"));
        }
        let Some(arg) = line_args.iter_mut().rev().find(|arg| names(arg, path)) else {
            return Err(refused(
                "a file that is included by a job file is not supported in a manifest: copy it into the job file",
            ));
        };
        let before = arg.len() - path.len();
        *arg = format!("{}{JOBS}/{name}", &arg[..before]);
        let text = String::from_utf8(bytes.clone()).map_err(|_| refused("the file is not valid UTF-8"))?;
        files.push((name, text));
    }
    command.extend(line_args);
    Ok((command, files))
}

/// Returns true if an argument is a path, or an option with the path as its value.
fn names(arg: &str, path: &str) -> bool {
    let before = arg.strip_suffix(path);
    before
        .is_some_and(|before| before.is_empty() || before == "-X" || (before.starts_with('-') && before.ends_with('=')))
}

fn filled(manifest: &Manifest, command: &[String], files: &[NamedFile]) -> String {
    let list: Vec<String> = command.iter().map(|arg| format!("                - {}\n", quoted(arg))).collect();
    let data = match &manifest.claim {
        Some(claim) => format!("persistentVolumeClaim:\n                claimName: {}", quoted(claim)),
        None => "emptyDir: {}".to_owned(),
    };
    let template = TEMPLATE.replace("{workers}", &manifest.workers.to_string()).replace("{data}", &data);
    template
        .replace("{image}", &quoted(&manifest.image))
        .replace("{args}", &list.concat())
        .replace("{files}", &config_map(files))
}

/// Returns the entries of the ConfigMap.
fn config_map(files: &[NamedFile]) -> String {
    if files.is_empty() {
        return " {}".to_owned();
    }
    let entry = |(name, text): &NamedFile| format!("\n  {}: {}", quoted(name), block(text));
    files.iter().map(entry).collect()
}

/// Returns a text as a block of YAML, or in quotes if a block cannot hold it.
fn block(text: &str) -> String {
    let is_plain = |c: char| c == '\n' || c == '\t' || !c.is_control();
    if text.is_empty() || !text.ends_with('\n') || !text.chars().all(is_plain) {
        return quoted(text);
    }
    let lines: Vec<String> =
        text.lines().map(|line| if line.is_empty() { line.to_owned() } else { format!("    {line}") }).collect();
    // The end of a text may be empty lines.
    format!("|2+\n{}", lines.join("\n"))
}

/// Returns a text in quotes. A string of JSON is one of YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
