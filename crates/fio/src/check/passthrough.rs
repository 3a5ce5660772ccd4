//! Checks the options of commands that reach a device without the block layer.

use super::found::Found;
use crate::lower::verify;
use crate::options::{Opt, key};
use crate::parse::Job;
use crate::parse::value::placement::identifiers;
use crate::parse::value::write_mode::write_mode;

/// Options with an effect on the commands of io_uring_cmd only. fio ignores them in jobs of io_uring.
const COMMAND_OPTIONS: [&Opt; 14] = [
    key::READFUA.option(),
    key::WRITEFUA.option(),
    key::WRITE_MODE.option(),
    key::VERIFY_MODE.option(),
    key::CMD_TYPE.option(),
    key::CDB_LEN.option(),
    key::VERIFY_BYTCHK.option(),
    key::READ_MODE.option(),
    key::MD_PER_IO_SIZE.option(),
    key::PI_ACT.option(),
    key::PI_CHK.option(),
    key::APPTAG.option(),
    key::APPTAG_MASK.option(),
    key::DEAC.option(),
];
/// Options without an effect on commands of io_uring_cmd. The kernel rejects the commands.
const CALL_OPTIONS: [&Opt; 7] = [
    key::NOWAIT.option(),
    key::UNCACHED.option(),
    key::CMDPRIO_PERCENTAGE.option(),
    key::CMDPRIO_CLASS.option(),
    key::CMDPRIO_HINT.option(),
    key::CMDPRIO.option(),
    key::CMDPRIO_BSSPLIT.option(),
];
/// Options of NVMe commands.
const NVME_OPTIONS: [&Opt; 7] = [
    key::VERIFY_MODE.option(),
    key::MD_PER_IO_SIZE.option(),
    key::PI_ACT.option(),
    key::PI_CHK.option(),
    key::APPTAG.option(),
    key::APPTAG_MASK.option(),
    key::DEAC.option(),
];

/// Checks placement directives, which only io_uring_cmd sends.
pub(super) fn placement(job: &Job, found: &mut Found) {
    let values = &job.values;
    let kind = values.keyword(key::DATAPLACEMENT);
    if values.flag(key::FDP) && values.is_set(&key::DATAPLACEMENT) && kind != "fdp" {
        let message = "fdp=1 is not compatible with dataplacement={streams, none}";
        found.error(message, job, &key::FDP, "conflicts with dataplacement", "remove one of the two");
    }
    if let Some(text) = values.text(key::PLIDS)
        && let Err(error) = identifiers(text)
    {
        let help = "use numbers and ranges, such as 0,2-4";
        found.error(&format!("plids: {error}"), job, &key::PLIDS, "not a list of identifiers", help);
    }
    let option = if values.flag(key::FDP) { key::FDP.option() } else { key::DATAPLACEMENT.option() };
    if !values.flag(key::FDP) && kind == "none" {
        return;
    }
    let engine = values.text(key::IOENGINE).unwrap_or_default();
    if engine != "io_uring_cmd" || values.keyword(key::CMD_TYPE) != "nvme" {
        let help = "use ioengine=io_uring_cmd and the generic character device of an NVMe namespace";
        let message = format!("engine {engine} sends no placement directives");
        found.error(&message, job, option, "requires NVMe commands", help);
    }
    if kind == "streams" && values.text(key::PLIDS).is_none() {
        let message = "stream IDs must be provided for dataplacement=streams";
        found.error(message, job, &key::DATAPLACEMENT, "requires plids", "add plids=ID,ID…");
    }
    if values.keyword(key::PLID_SELECT) == "scheme" && values.text(key::DP_SCHEME).is_none() {
        found.error("the scheme is missing", job, &key::PLID_SELECT, "requires dp_scheme", "add dp_scheme=FILE");
    }
}

/// Checks trims of several ranges, which only io_uring_cmd sends.
pub(super) fn ranges(job: &Job, found: &mut Found) {
    let values = &job.values;
    if values.unsigned(key::NUM_RANGE) <= 1 || !values.keyword(key::RW).contains("trim") {
        return;
    }
    if values.keyword(key::RW).contains("trimwrite") {
        let message = "trimwrite cannot be used with multiple ranges";
        found.error(message, job, &key::NUM_RANGE, "conflicts with rw", "remove num_range");
    }
    let engine = values.text(key::IOENGINE).unwrap_or_default();
    if engine != "io_uring_cmd" || values.keyword(key::CMD_TYPE) != "nvme" {
        let message = format!("can't use multiple ranges with IO engine {engine}");
        found.error(&message, job, &key::NUM_RANGE, "requires NVMe commands", "use ioengine=io_uring_cmd");
    }
    for log in [key::WRITE_IOLOG, key::READ_IOLOG].into_iter().filter(|log| values.text(*log).is_some()) {
        let message = format!("{} has one range per trim", log.name);
        found.error(&message, job, &log, "conflicts with num_range", "remove one of the two");
    }
}

/// Rejects options of commands in a job of io_uring, where they would have no effect.
pub(super) fn io_uring(job: &Job, found: &mut Found) {
    for option in COMMAND_OPTIONS.into_iter().filter(|option| !job.values.is_off(option)) {
        let name = option.name;
        let help = format!("use ioengine=io_uring_cmd on a device, or remove {name}");
        found.error(&format!("{name} has no effect on io_uring"), job, option, "an option of commands", &help);
    }
}

/// Checks the options of a job of io_uring_cmd.
pub(super) fn io_uring_cmd(job: &Job, found: &mut Found) {
    let values = &job.values;
    for option in CALL_OPTIONS.into_iter().filter(|option| values.is_set(option) && !values.is_off(option)) {
        let (name, help) = (option.name, format!("remove {}", option.name));
        let message = format!("{name} cannot be applied to commands");
        found.error(&message, job, option, "the kernel rejects such commands", &help);
    }
    if values.keyword(key::ZONEMODE) == "zbd" {
        let help = "use ioengine=io_uring on the block device of the namespace";
        found.error("zones cannot be used with commands", job, &key::ZONEMODE, "not supported by fathom", help);
    }
    write_modes(job, found);
    match values.keyword(key::CMD_TYPE) {
        "bsg" => bsg(job, found),
        _ => nvme(job, found),
    }
}

fn writes(job: &Job) -> bool {
    !matches!(job.values.keyword(key::RW), "read" | "randread" | "trim" | "randtrim")
}

fn write_modes(job: &Job, found: &mut Found) {
    let values = &job.values;
    let Some(text) = values.text(key::WRITE_MODE) else { return };
    let modes = match write_mode(text) {
        Ok(modes) => modes,
        Err(error) => {
            let help = "use one command, or COMMAND/PERCENT:COMMAND/PERCENT";
            return found.error(&format!("write_mode: {error}"), job, &key::WRITE_MODE, "not valid", help);
        }
    };
    if modes.iter().any(|(command, _)| command.is_none()) {
        let help = "use write_mode=write";
        found.error("zone_append is not supported by fathom", job, &key::WRITE_MODE, "unsupported", help);
    }
    if text == "write" {
        return;
    }
    if !writes(job) {
        found.error("'readwrite=|rw=' has no write", job, &key::WRITE_MODE, "requires writes", "remove write_mode");
    }
    if verify::is_verified(values) {
        let help = "remove verify, or use write_mode=write";
        found.error("blocks without data cannot be verified", job, &key::VERIFY, "conflicts with write_mode", help);
    }
}

fn nvme(job: &Job, found: &mut Found) {
    let values = &job.values;
    if values.keyword(key::READ_MODE) != "read" {
        let help = "add cmd_type=bsg, or remove read_mode";
        found.error("read_mode is only supported with cmd_type=bsg", job, &key::READ_MODE, "a mode of SCSI", help);
    }
    for tag in [key::APPTAG, key::APPTAG_MASK] {
        if values.unsigned(tag) > 0xffff {
            found.error(&format!("{} has 16 bits", tag.name), job, &tag, "too large", "use a value up to 0xffff");
        }
    }
    if values.keyword(key::VERIFY_MODE) == "compare" && writes(job) {
        let help = "add verify=pattern and verify_pattern=PATTERN";
        if values.keyword(key::VERIFY) != "pattern" {
            let message = "verify_mode=compare requires blocks without headers";
            found.error(message, job, &key::VERIFY_MODE, "requires verify=pattern", help);
        }
        if values.is_set(&key::VERIFY_BACKLOG) {
            let message = "verify_mode=compare is not supported with verify_backlog by fathom";
            found.error(message, job, &key::VERIFY_BACKLOG, "reads between writes", "remove verify_backlog");
        }
    }
    let checks = values.text(key::PI_CHK).unwrap_or_default();
    let is_check = |name: &str| matches!(name.trim(), "GUARD" | "REFTAG" | "APPTAG");
    if let Some(unknown) = checks.split(',').find(|name| !name.is_empty() && !is_check(name)) {
        let help = "use GUARD, REFTAG and APPTAG";
        found.error(&format!("pi_chk has no `{unknown}`"), job, &key::PI_CHK, "unknown check", help);
    }
    if values.flag(key::WRITEFUA) && values.keyword_list(key::VERIFY_POLICY).0.contains(&"fsynced") {
        let message = "writefua=1 is incompatible with verify_policy=fsynced";
        found.error(message, job, &key::WRITEFUA, "each write is on the medium", "use verify_policy=completed");
    }
}

fn bsg(job: &Job, found: &mut Found) {
    let values = &job.values;
    for option in NVME_OPTIONS.into_iter().filter(|option| values.is_set(option)) {
        let help = "remove it, or use cmd_type=nvme";
        found.error(
            &format!("{} is an option of NVMe commands", option.name),
            job,
            option,
            "not for cmd_type=bsg",
            help,
        );
    }
    let mode = values.text(key::WRITE_MODE).unwrap_or("write");
    if !matches!(mode, "write" | "verify") {
        let help = "use write or verify";
        found.error("cmd_type=bsg has no such write_mode", job, &key::WRITE_MODE, "not a SCSI command", help);
    }
    if mode == "verify" && values.flag(key::WRITEFUA) {
        let message = "writefua is not supported with write_mode=verify for bsg";
        found.error(message, job, &key::WRITEFUA, "nothing is written", "remove writefua");
    }
    if mode != "verify" && values.keyword(key::VERIFY_BYTCHK) != "0" {
        let message = "verify_bytchk is only supported with write_mode=verify for bsg";
        found.error(message, job, &key::VERIFY_BYTCHK, "requires verify commands", "add write_mode=verify");
    }
    if values.keyword(key::READ_MODE) != "prefetch" {
        return;
    }
    if values.flag(key::READFUA) {
        let message = "readfua is not supported with read_mode=prefetch for bsg";
        found.error(message, job, &key::READFUA, "nothing is transferred", "remove readfua");
    }
    if values.keyword(key::CDB_LEN) == "32" {
        let message = "cdb_len=32 is not supported with read_mode=prefetch for bsg";
        found.error(message, job, &key::CDB_LEN, "there is no such command", "use cdb_len=16");
    }
    if verify::is_verified(values) {
        let help = "use read_mode=read";
        found.error("a prefetch returns no data to verify", job, &key::READ_MODE, "conflicts with verify", help);
    }
}
