//! The block devices of this machine, for messages about a path below /dev that does not exist.

use std::path::{Path, PathBuf};

use os::device::{InUseSnapshot, ListedDisk};
use units::errno::reason;
use units::format;
use units::nearest::nearest;
use units::untrusted::UntrustedText;

use crate::table;

const DEV: &str = "/dev";
/// Most devices in a message.
const LISTED_MAX: usize = 16;

/// Returns the error of a device that does not exist; `None` for a path elsewhere. File systems that are mounted below
/// /dev, such as /dev/shm, are elsewhere.
pub fn missing(given: &str) -> Option<String> {
    let path = std::path::absolute(given).ok()?;
    is_device_path(&path).then(|| {
        let snapshot = InUseSnapshot::take();
        let similar = snapshot.as_ref().ok().and_then(|snapshot| similar(&path, &snapshot.paths()));
        let similar = similar.map_or_else(String::new, |near| format!("\nhelp: did you mean {near}?"));
        let list = match snapshot {
            Ok(snapshot) => listed(&snapshot.disks()),
            Err(error) => format!("note: the block devices of this machine are not known: {}", reason(&error)),
        };
        format!("{given} does not exist: there is no such device{similar}\n{list}")
    })
}

fn is_device_path(path: &Path) -> bool {
    // The folder may be reached through a link.
    let folder = path.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    let is_below = path.starts_with(DEV) || folder.is_some_and(|folder| folder.starts_with(DEV));
    let mount = os::device::mount(path).ok().flatten();
    let is_mounted_below = mount.is_some_and(|mount| mount.at.starts_with(DEV) && mount.at != Path::new(DEV));
    is_below && !is_mounted_below
}

fn similar(path: &Path, all: &[PathBuf]) -> Option<String> {
    let name = |path: &Path| path.strip_prefix(DEV).unwrap_or(path).to_string_lossy().into_owned();
    let names: Vec<String> = all.iter().map(|path| name(path)).collect();
    nearest(&name(path), names.iter().map(String::as_str)).map(|near| format!("{DEV}/{near}"))
}

fn listed(disks: &[ListedDisk]) -> String {
    if disks.is_empty() {
        return "help: this machine has no block devices".to_owned();
    }
    let row = |disk: &ListedDisk| {
        let model = if disk.model.is_empty() { "-".to_owned() } else { disk.model.to_string() };
        let used: Vec<String> = disk.used.iter().map(ToString::to_string).collect();
        let used = if used.is_empty() { "not in use".to_owned() } else { used.join(", ") };
        [format!("  {}", UntrustedText::from(&disk.path)), format::size(disk.bytes), model, used]
    };
    let rows: Vec<[String; 4]> = disks.iter().take(LISTED_MAX).map(row).collect();
    let more = match disks.len().saturating_sub(LISTED_MAX) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    format!("help: the block devices of this machine:\n{}{more}", table::aligned(&rows).trim_end())
}
