//! The device of a target, and the process or control group whose I/Os are captured.

use std::path::Path;

use os::block_trace::{self, OpenFiles, Source, Submitters};
use units::errno::reason;
use units::shell::quoted;
use units::untrusted::UntrustedText;

use crate::command_error::CommandError;
use crate::devices;

const PROCESS: &str = "pid:";
const GROUP: &str = "cgroup:";

/// What a target means.
pub struct Target {
    pub source: Source,
    /// `None`: all programs.
    pub submitters: Option<Submitters>,
}

impl Target {
    /// Finds the device. `on` names it if a process or control group uses several.
    ///
    /// # Errors
    /// The process, the group or the device does not exist, or the device is not known.
    pub fn find(target: &str, on: Option<&str>) -> Result<Target, CommandError> {
        let failed = |error: std::io::Error| CommandError::from(format!("{target}: {}", reason(&error)));
        let submitters = if let Some(number) = target.strip_prefix(PROCESS) {
            let number =
                number.parse().map_err(|_| format!("{target}: expected {PROCESS}NUMBER, such as {PROCESS}1234"))?;
            Submitters::process(number).map_err(failed)?
        } else if let Some(name) = target.strip_prefix(GROUP) {
            if name.is_empty() {
                return Err(
                    format!("{target}: expected {GROUP}PATH, such as {GROUP}/system.slice/nginx.service").into()
                );
            }
            Submitters::group(name).map_err(failed)?
        } else if on.is_some() {
            return Err(format!("--on needs a TARGET {PROCESS}NUMBER or {GROUP}PATH").into());
        } else {
            return Ok(Target { source: of_path(target)?, submitters: None });
        };
        let source = match on {
            Some(on) => of_path(on)?,
            None => of_files(target, submitters.open_files().map_err(failed)?)?,
        };
        Ok(Target { source, submitters: Some(submitters) })
    }

    /// Returns the target as it is stored.
    pub fn name(&self, given: &str) -> UntrustedText {
        match self.submitters.as_ref().and_then(Submitters::folder) {
            Some(folder) => format!("{GROUP}{}", folder.display()).into(),
            None => given.into(),
        }
    }
}

/// Returns the device of the open files of a process or control group.
fn of_files(target: &str, mut found: Vec<OpenFiles>) -> Result<Source, CommandError> {
    let help = |on: &str| format!("help: name the disk: `fathom capture {} --on {}`", quoted(target), quoted(on));
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only.source),
        (None, _) => Err(format!("{target} has no open file on a block device\n{}", help("DISK")).into()),
        (Some(last), _) => {
            found.push(last);
            found.sort_by_key(|of| std::cmp::Reverse(of.files));
            let path = |of: &OpenFiles| format!("/dev/{}", of.source.name.replace('!', "/"));
            let list: Vec<String> = found.iter().map(|of| format!("{} ({})", path(of), of.files)).collect();
            let text = format!("{target} has open files on {} disks: {}", found.len(), list.join(", "));
            Err(format!("{text}\n{}", help(&path(&found[0]))).into())
        }
    }
}

/// Returns the device of a path.
fn of_path(target: &str) -> Result<Source, CommandError> {
    let failed = |error: std::io::Error| format!("{target}: {}", reason(&error));
    if let Err(error) = std::fs::metadata(target) {
        return Err(devices::missing(target).unwrap_or_else(|| failed(error)).into());
    }
    let mut sources = block_trace::sources(Path::new(target)).map_err(failed)?;
    match (sources.pop(), sources.len()) {
        (Some(source), 0) => Ok(source),
        (None, _) => Err(format!("{target} is on no block device").into()),
        (Some(last), _) => {
            sources.push(last);
            let names: Vec<String> = sources.iter().map(|source| format!("/dev/{}", source.disk.name)).collect();
            Err(format!("{target} is on {} disks: {}\nhelp: capture one of them", names.len(), names.join(", ")).into())
        }
    }
}
