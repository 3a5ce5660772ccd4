//! Checks what engines of other machines require of their job.

use super::found::Found;
use crate::options::{Key, key, kinds};
use crate::parse::Job;

/// Rejects options of files on this machine.
fn remote(job: &Job, found: &mut Found) {
    let options = [key::OPENDIR.option(), key::UNLINK.option(), key::UNLINK_EACH_LOOP.option(), key::PRE_READ.option()];
    for option in options.into_iter().filter(|option| !job.values.is_off(option)) {
        let message = format!("{} requires files on this machine", option.name);
        found.error(&message, job, option, "the targets are on a server", &format!("remove {}", option.name));
    }
}

pub(super) fn nfs(job: &Job, found: &mut Found) {
    remote(job, found);
    requires(job, found, key::NFS_URL, "add nfs_url=nfs://SERVER/DIRECTORY");
    if job.values.keyword(key::RW).contains("trim") {
        found.error("NFS has no trims", job, &key::RW, "not supported by this engine", "use reads and writes");
    }
}

/// Requires an option with a text.
fn requires(job: &Job, found: &mut Found, option: Key<kinds::Text>, help: &str) {
    if job.values.text(option).is_none_or(str::is_empty) {
        let label = format!("this engine requires {}", option.name);
        found.error(&format!("{} is missing", option.name), job, &key::IOENGINE, &label, help);
    }
}

pub(super) fn http(job: &Job, found: &mut Found) {
    remote(job, found);
    match job.values.keyword(key::HTTP_MODE) {
        "s3" => {
            requires(job, found, key::HTTP_S3_KEY, "add http_s3_key=SECRET");
            requires(job, found, key::HTTP_S3_KEYID, "add http_s3_keyid=NAME");
        }
        "swift" => requires(job, found, key::HTTP_SWIFT_AUTH_TOKEN, "add http_swift_auth_token=TOKEN"),
        _ => {}
    }
}

pub(super) fn nbd(job: &Job, found: &mut Found) {
    remote(job, found);
    requires(job, found, key::URI, "add uri=nbd://HOST[:PORT][/EXPORT]");
}

pub(super) fn iscsi(job: &Job, found: &mut Found) {
    remote(job, found);
    requires(job, found, key::FILENAME, "add filename=iscsi\\://HOST/TARGET/LUN, with a backslash before each colon");
    if job.values.keyword(key::RW).contains("trim") {
        found.error("libiscsi has no trims", job, &key::RW, "not supported by this engine", "use reads and writes");
    }
}

pub(super) fn rbd(job: &Job, found: &mut Found) {
    remote(job, found);
    requires(job, found, key::POOL, "add pool=NAME");
    requires(job, found, key::RBDNAME, "add rbdname=IMAGE");
    let format = job.values.text(key::RBD_ENCRYPTION_FORMAT);
    if format.is_some_and(|format| !matches!(format, "luks1" | "luks2")) {
        let help = "use luks1 or luks2";
        found.error("unknown format of encryption", job, &key::RBD_ENCRYPTION_FORMAT, "not a format", help);
    }
    if format.is_some() {
        requires(job, found, key::RBD_ENCRYPTION_PASSPHRASE, "add rbd_encryption_passphrase=TEXT");
    }
}

pub(super) fn rados(job: &Job, found: &mut Found) {
    remote(job, found);
    requires(job, found, key::POOL, "add pool=NAME");
}
