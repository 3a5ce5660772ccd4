//! Errors of targets.

use super::passthrough::passthrough;
use plan::{Ddir, TargetKind};
use record::{FileKind, FlashProblem, PmemProblem, RunError, TargetError, TargetUse, UseKind};

pub(super) fn target(target: &TargetError, error: &RunError) -> String {
    match target {
        TargetError::NotTrimmable { path } => {
            format!("{path}: only block devices can be trimmed (to punch holes into a file, use ioengine=falloc)")
        }
        TargetError::NotAllocatable { path } => {
            format!("only files and blockdev are supported fallocate  ({path} is a character device)")
        }
        TargetError::CreationDisallowed { path } => {
            format!("file creation disallowed by allow_file_create=0 ({path} doesn't exist)")
        }
        TargetError::OpenForJob { path, job } => format!("open({path}): {} (job {job} needs it)", error.reason()),
        TargetError::CreateIn { path, directory } => {
            format!("failed to create {path}: {directory}: {}", error.reason())
        }
        TargetError::InUse { job, path, uses } => in_use(job, path, uses),
        TargetError::UsesUnknown { path } => {
            format!(
                "{path}: its uses cannot be determined: {} (fathom does not write to a target that may be in use)",
                error.reason()
            )
        }
        TargetError::CharacterDevice { job, path } => format!(
            "{path} is a character device, and fathom cannot check whether its disk is in use. Aborting. (job {job} \
             would write to it; use the block device of the disk)"
        ),
        TargetError::RemoteInUse { job, path, contents, clients } => {
            remote_in_use(job, path, contents.as_deref(), clients)
        }
        TargetError::Replaced { path } => {
            format!(
                "{path} is no longer the target of the run: another file system, file or device has this path now (repeat \
                 the run; do not unmount or replace the target while it is measured)"
            )
        }
        TargetError::NotATarget { job, path, kind } => {
            format!("{job}: failed to get file size of {path} (it is {})", not_a_target(*kind))
        }
        TargetError::Status { path } => format!("stat of {path} failed: {}", error.reason()),
        TargetError::OtherKind { path, required } => {
            let (kind, value) = match required {
                TargetKind::File => ("a regular file", "file"),
                TargetKind::BlockDevice => ("a block device", "block"),
                TargetKind::CharacterDevice => ("a character device", "char"),
            };
            format!("{path} is not {kind}, as filetype={value} requires")
        }
        TargetError::NotADevice { path, engine } => {
            format!("{path}: ioengine={engine} works on block and character devices only")
        }
        TargetError::Passthrough { path, engine, problem } => passthrough(path, engine, problem, error),
        TargetError::PersistentMemory { path, engine, problem } => persistent_memory(path, engine, *problem, error),
        TargetError::Flash { path, engine, problem } => flash(path, engine, *problem),
        TargetError::NotAFile { path } => format!(
            "only files are supported ({path} is not a file; this engine creates, examines or removes files and directories)"
        ),
        TargetError::DeviceOpen { path } => {
            format!(
                "failed opening blockdev {path} for size check: {} (does this user have read permission?)",
                error.reason()
            )
        }
        TargetError::DeviceEmpty { path } => format!(
            "{path}: zero sized block device? (a loop device without a file, a drive without a medium, or a device \
             that was never set up)"
        ),
        TargetError::DeviceSize { path } => format!("the size of {path} cannot be read: {}", error.reason()),
    }
}

/// Formats why a target cannot be used as persistent memory.
fn persistent_memory(path: &str, engine: &str, problem: PmemProblem, error: &RunError) -> String {
    match problem {
        PmemProblem::NotAFile => {
            format!("{path}: ioengine={engine} works on regular files only (for a DAX device, use ioengine=dev-dax)")
        }
        PmemProblem::NotADaxDevice => format!(
            "{path} not a DAX device! (ioengine={engine} works on /dev/daxN.N, which `ndctl create-namespace --mode=devdax` \
             creates; for a file in persistent memory, use ioengine=libpmem)"
        ),
        PmemProblem::NotPersistent => format!(
            "{path} does not point to persistent memory (ioengine={engine} requires a file system on persistent memory, \
             mounted with -o dax; for a test on another file system, set the environment variable PMEM_IS_PMEM_FORCE=1)"
        ),
        PmemProblem::Map => {
            let reason = error.reason();
            format!(
                "{path}: libpmem cannot map the file: {reason} (libpmem requires the permissions to read and to write)"
            )
        }
    }
}

/// Formats why a target cannot be used as raw flash.
fn flash(path: &str, engine: &str, problem: FlashProblem) -> String {
    match problem {
        FlashProblem::NotFlash => format!(
            "{path} is not raw flash: ioengine={engine} only works with raw flash (/dev/mtdN). /proc/mtd lists the devices"
        ),
        FlashProblem::ReadOnly => {
            format!("{path}: the device is read-only (use /dev/mtdN without `ro`, or a job that only reads)")
        }
        FlashProblem::BlockSize { ddir: Ddir::Trim, block_bytes, unit_bytes } => format!(
            "{path}: trim on MTD must be erase block-aligned: bs={block_bytes} is not a multiple of the erase block \
             ({unit_bytes} bytes)"
        ),
        FlashProblem::BlockSize { block_bytes, unit_bytes, .. } => {
            format!("{path}: bs={block_bytes} is not a multiple of the page of the flash ({unit_bytes} bytes)")
        }
    }
}

fn remote_in_use(job: &str, path: &str, contents: Option<&str>, clients: &[String]) -> String {
    if !clients.is_empty() {
        let clients = clients.join(", ");
        return format!(
            "{path} is in use. Aborting. (job {job} would change it; the server reports {clients}; end their use)"
        );
    }
    let contents = contents.unwrap_or_default();
    format!(
        "{path} has {contents}, and another machine may use it. Aborting. (job {job} would change it; to overwrite it, \
         add allow_mounted_write=1)"
    )
}

fn in_use(job: &str, path: &str, uses: &[TargetUse]) -> String {
    let is_mounted = uses.iter().any(|held| matches!(held.kind, UseKind::Mounted { .. }));
    let what = match is_mounted {
        true => format!("{path} appears mounted, and 'allow_mounted_write' isn't set. Aborting."),
        false => format!("{path} is in use. Aborting."),
    };
    let list = uses.iter().map(TargetUse::to_string).collect::<Vec<_>>().join("; ");
    let release = uses.first().map(TargetUse::release).unwrap_or_default();
    format!("{what} (job {job} would change it; {path} is {list}; {release})")
}

fn not_a_target(kind: FileKind) -> &'static str {
    match kind {
        FileKind::StandardStream => "the standard input or output; give a file or a device",
        FileKind::Pipe => "a pipe; it has no offsets: give a file or a device",
        FileKind::Socket => "a socket; give a file or a device",
        FileKind::Directory => "a directory; use directory= to create files in it, or opendir= to use its files",
        FileKind::Regular | FileKind::Block | FileKind::Character => "of a kind that the engine does not support",
    }
}
