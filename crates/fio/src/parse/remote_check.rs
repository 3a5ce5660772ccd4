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

pub(super) fn http(job: &Job, found: &mut Found) {
    remote(job, found);
    match job.values.keyword("http_mode") {
        "s3" => {
            requires(job, found, "http_s3_key", "add http_s3_key=SECRET");
            requires(job, found, "http_s3_keyid", "add http_s3_keyid=NAME");
        }
        "swift" => requires(job, found, "http_swift_auth_token", "add http_swift_auth_token=TOKEN"),
        _ => {}
    }
}

pub(super) fn nbd(job: &Job, found: &mut Found) {
    remote(job, found);
    requires(job, found, "uri", "add uri=nbd://HOST[:PORT][/EXPORT]");
}

pub(super) fn iscsi(job: &Job, found: &mut Found) {
    remote(job, found);
    requires(job, found, "filename", "add filename=iscsi\\://HOST/TARGET/LUN, with a backslash before each colon");
    if job.values.keyword("rw").contains("trim") {
        found.error("libiscsi has no trims", job, "rw", "not supported by this engine", "use reads and writes");
    }
}

pub(super) fn rbd(job: &Job, found: &mut Found) {
    remote(job, found);
    requires(job, found, "pool", "add pool=NAME");
    requires(job, found, "rbdname", "add rbdname=IMAGE");
    let format = job.values.text("rbd_encryption_format");
    if format.is_some_and(|format| !matches!(format, "luks1" | "luks2")) {
        let help = "use luks1 or luks2";
        found.error("unknown format of encryption", job, "rbd_encryption_format", "not a format", help);
    }
    if format.is_some() {
        requires(job, found, "rbd_encryption_passphrase", "add rbd_encryption_passphrase=TEXT");
    }
}

pub(super) fn rados(job: &Job, found: &mut Found) {
    remote(job, found);
    requires(job, found, "pool", "add pool=NAME");
}
