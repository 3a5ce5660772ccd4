//! Errors of the io_uring_cmd engine.

use record::{CommandStatus, FailedIo, PassthroughProblem, RunError};

/// Words why a device cannot be used with the commands of a job.
pub(super) fn passthrough(path: &str, engine: &str, problem: &PassthroughProblem, error: &RunError) -> String {
    match problem {
        PassthroughProblem::NotACharacterDevice { is_scsi: false } => format!(
            "ioengine {engine} only works with nvme ns generic char devices (/dev/ngXnY): {path} is none (`nvme list` \
             shows them; for files and block devices, use ioengine=io_uring)"
        ),
        PassthroughProblem::NotACharacterDevice { is_scsi: true } => format!(
            "ioengine {engine} with cmd_type=bsg only works with bsg devices (/dev/bsg/H:C:T:L): {path} is none (`lsscsi` \
             shows the numbers; for files and block devices, use ioengine=io_uring)"
        ),
        PassthroughProblem::Open => format!("{path}: open: {}", error.reason()),
        PassthroughProblem::NotANamespace => format!(
            "{path}: failed to fetch namespace-id: {} (it is no namespace of an NVMe device; use its generic character \
             device, /dev/ngXnY)",
            error.reason()
        ),
        PassthroughProblem::NotADisk => format!(
            "{path}: the capacity cannot be read: {} (it is no bsg device of a disk; use /dev/bsg/H:C:T:L)",
            error.reason()
        ),
        PassthroughProblem::Identify => {
            format!("{path}: failed to fetch identify namespace: {} (this needs CAP_SYS_ADMIN)", error.reason())
        }
        PassthroughProblem::StorageTag => {
            format!("{path}: Storage tag not supported (format the namespace without storage tags)")
        }
        PassthroughProblem::NoPlacement => format!(
            "{path}: fdp fetch ruhs failed: {} (the namespace has no flexible data placement; remove fdp and \
             dataplacement)",
            error.reason()
        ),
        PassthroughProblem::PlacementIndex { index, count } => {
            format!(
                "for {path} PID index {index} must be smaller than {count} (see plids; `nvme fdp status` lists them)"
            )
        }
        PassthroughProblem::BlockSize { block_bytes, unit_bytes, metadata_bytes: 0 } => {
            format!(
                "{path}: block size must be a multiple of LBA data size: bs={block_bytes}, LBA of {unit_bytes} bytes"
            )
        }
        PassthroughProblem::BlockSize { block_bytes, unit_bytes, metadata_bytes } => {
            // A saved record can have any numbers.
            let data_bytes = unit_bytes.saturating_sub(*metadata_bytes);
            let help = match block_bytes.checked_rem(data_bytes) {
                Some(0) => format!(" (use bs={})", (block_bytes / data_bytes).saturating_mul(*unit_bytes)),
                _ => String::new(),
            };
            format!(
                "{path}: block size must be a multiple of {unit_bytes} (LBA data size + Metadata size): bs={block_bytes}{help}"
            )
        }
        PassthroughProblem::MetadataBuffer { bytes, needed_bytes } => {
            format!("{path}: md_per_io_size should be at least {needed_bytes} bytes (it is {bytes})")
        }
        PassthroughProblem::Unverifiable => format!(
            "{path}: for extended LBA, verify cannot be used when E2E data protection is enabled (format the namespace \
             with separate metadata, or remove verify)"
        ),
    }
}

/// Words a command that failed.
pub(super) fn command(io: &FailedIo, status: CommandStatus, error: &RunError) -> String {
    let FailedIo { path, ddir, offset, bytes } = io;
    let name = ddir.map_or("sync", |ddir| ddir.name());
    let status = match status {
        CommandStatus::Nvme { code_type, code } => {
            let meaning = meaning(code_type, code).map(|text| format!(": {text}")).unwrap_or_default();
            format!("cq entry status (sct=0x{code_type:02x}; sc=0x{code:02x}){meaning}")
        }
        CommandStatus::Scsi { device, host } => {
            format!("BSG SCSI Status: 0x{device:02x}; BSG Host Status: 0x{host:02x}")
        }
        CommandStatus::Protection { code } => {
            let field = match code {
                0x82 => "guard",
                0x83 => "application tag",
                _ => "reference tag",
            };
            format!("the {field} of a block is wrong (checked by fathom, as pi_act=0 requires)")
        }
    };
    format!("io_u error on file {path}: {}: {name} offset={offset}, buflen={bytes}: {status}", error.reason())
}

/// Returns the meaning of an NVMe status.
fn meaning(code_type: u8, code: u8) -> Option<&'static str> {
    Some(match (code_type, code) {
        (0, 0x01) => "the device does not have the command",
        (0, 0x02) => "the device does not support a field of the command",
        (0, 0x80) => "LBA out of range",
        (0, 0x81) => "capacity exceeded",
        (1, 0x82) => "write to a read-only range",
        (2, 0x80) => "write fault",
        (2, 0x81) => "unrecovered read error",
        (2, 0x82) => "guard check error",
        (2, 0x83) => "application tag check error",
        (2, 0x84) => "reference tag check error",
        (2, 0x85) => "compare failure: the block is not what was written",
        (2, 0x86) => "access denied",
        (2, 0x87) => "deallocated or unwritten block",
        _ => return None,
    })
}
