//! Checks what engines of other machines require of their job.

use super::found::Found;
use super::request::Job;

/// Rejects options of files on this machine.
fn remote(job: &Job, found: &mut Found) {
    for option in ["opendir", "unlink", "unlink_each_loop", "pre_read"] {
        let is_used = match option {
            "opendir" => job.values.is_set(option),
            _ => job.values.flag(option),
        };
        if is_used {
            let message = format!("{option} requires files on this machine");
            found.error(&message, job, option, "the targets are on a server", &format!("remove {option}"));
        }
    }
}

pub(super) fn nfs(job: &Job, found: &mut Found) {
    remote(job, found);
    requires(job, found, "nfs_url", "add nfs_url=nfs://SERVER/DIRECTORY");
    if job.values.keyword("rw").contains("trim") {
        found.error("NFS has no trims", job, "rw", "not supported by this engine", "use reads and writes");
    }
}

/// Requires an option with a text.
fn requires(job: &Job, found: &mut Found, option: &str, help: &str) {
    if job.values.text(option).is_none_or(str::is_empty) {
        let label = format!("this engine requires {option}");
        found.error(&format!("{option} is missing"), job, "ioengine", &label, help);
    }
}
