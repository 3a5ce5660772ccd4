//! Checks the options of commands that reach a device without the block layer.

use super::found::Found;
use super::request::Job;
use super::value::placement::identifiers;
use super::value::write_mode::write_mode;
use crate::lower::verify;

/// Options with an effect on the commands of io_uring_cmd only. fio ignores them in jobs of io_uring.
const COMMAND_OPTIONS: [&str; 14] = [
    "readfua",
    "writefua",
    "write_mode",
    "verify_mode",
    "cmd_type",
    "cdb_len",
    "verify_bytchk",
    "read_mode",
    "md_per_io_size",
    "pi_act",
    "pi_chk",
    "apptag",
    "apptag_mask",
    "deac",
];
/// Options without an effect on commands of io_uring_cmd. The kernel rejects the commands.
const CALL_OPTIONS: [&str; 7] =
    ["nowait", "uncached", "cmdprio_percentage", "cmdprio_class", "cmdprio_hint", "cmdprio", "cmdprio_bssplit"];
/// Options of NVMe commands.
const NVME_OPTIONS: [&str; 7] = ["verify_mode", "md_per_io_size", "pi_act", "pi_chk", "apptag", "apptag_mask", "deac"];

/// Checks placement directives, which only io_uring_cmd sends.
pub(super) fn placement(job: &Job, found: &mut Found) {
    let values = &job.values;
    let kind = values.keyword("dataplacement");
    if values.flag("fdp") && values.is_set("dataplacement") && kind != "fdp" {
        let message = "fdp=1 is not compatible with dataplacement={streams, none}";
        found.error(message, job, "fdp", "conflicts with dataplacement", "remove one of the two");
    }
    if let Some(text) = values.text("plids")
        && let Err(error) = identifiers(text)
    {
        let help = "use numbers and ranges, such as 0,2-4";
        found.error(&format!("plids: {error}"), job, "plids", "not a list of identifiers", help);
    }
    let option = if values.flag("fdp") { "fdp" } else { "dataplacement" };
    if !values.flag("fdp") && kind == "none" {
        return;
    }
    let engine = values.text("ioengine").unwrap_or_default();
    if engine != "io_uring_cmd" || values.keyword("cmd_type") != "nvme" {
        let help = "use ioengine=io_uring_cmd and the generic character device of an NVMe namespace";
        let message = format!("engine {engine} sends no placement directives");
        found.error(&message, job, option, "requires NVMe commands", help);
    }
    if kind == "streams" && values.text("plids").is_none() {
        let message = "stream IDs must be provided for dataplacement=streams";
        found.error(message, job, "dataplacement", "requires plids", "add plids=ID,ID…");
    }
    if values.keyword("plid_select") == "scheme" && values.text("dp_scheme").is_none() {
        found.error("the scheme is missing", job, "plid_select", "requires dp_scheme", "add dp_scheme=FILE");
    }
}

/// Checks trims of several ranges, which only io_uring_cmd sends.
pub(super) fn ranges(job: &Job, found: &mut Found) {
    let values = &job.values;
    if values.unsigned("num_range") <= 1 || !values.keyword("rw").contains("trim") {
        return;
    }
    if values.keyword("rw").contains("trimwrite") {
        let message = "trimwrite cannot be used with multiple ranges";
        found.error(message, job, "num_range", "conflicts with rw", "remove num_range");
    }
    let engine = values.text("ioengine").unwrap_or_default();
    if engine != "io_uring_cmd" || values.keyword("cmd_type") != "nvme" {
        let message = format!("can't use multiple ranges with IO engine {engine}");
        found.error(&message, job, "num_range", "requires NVMe commands", "use ioengine=io_uring_cmd");
    }
    for name in ["write_iolog", "read_iolog"].into_iter().filter(|name| values.text(name).is_some()) {
        let message = format!("{name} has one range per trim");
        found.error(&message, job, name, "conflicts with num_range", "remove one of the two");
    }
}

/// Rejects options of commands in a job of io_uring, where they would have no effect.
pub(super) fn io_uring(job: &Job, found: &mut Found) {
    let is_default = |name: &str| {
        let default = match name {
            "write_mode" => return job.values.text(name).is_none_or(|mode| mode == "write"),
            "pi_chk" => return job.values.text(name).is_none(),
            "apptag" => 0x1234,
            "apptag_mask" => 0xffff,
            "pi_act" => return job.values.flag(name),
            "readfua" | "writefua" | "deac" => return !job.values.flag(name),
            "verify_mode" | "read_mode" => return job.values.keyword(name) == "read",
            "cmd_type" => return job.values.keyword(name) == "nvme",
            "cdb_len" | "verify_bytchk" => return job.values.keyword(name) == "0",
            _ => 0,
        };
        job.values.unsigned(name) == default
    };
    for name in COMMAND_OPTIONS.into_iter().filter(|name| !is_default(name)) {
        let help = format!("use ioengine=io_uring_cmd on a device, or remove {name}");
        found.error(&format!("{name} has no effect on io_uring"), job, name, "an option of commands", &help);
    }
}

/// Checks the options of a job of io_uring_cmd.
pub(super) fn io_uring_cmd(job: &Job, found: &mut Found) {
    let values = &job.values;
    for name in CALL_OPTIONS.into_iter().filter(|name| values.is_set(name)) {
        let set = match name {
            "nowait" => values.flag(name),
            "cmdprio_bssplit" => true,
            _ => values.unsigneds(name) != [0; 3],
        };
        if set {
            let message = format!("{name} cannot be applied to commands");
            found.error(&message, job, name, "the kernel rejects such commands", &format!("remove {name}"));
        }
    }
    if values.keyword("zonemode") == "zbd" {
        let help = "use ioengine=io_uring on the block device of the namespace";
        found.error("zones cannot be used with commands", job, "zonemode", "not supported by fathom", help);
    }
    write_modes(job, found);
    match values.keyword("cmd_type") {
        "bsg" => bsg(job, found),
        _ => nvme(job, found),
    }
}

fn writes(job: &Job) -> bool {
    !matches!(job.values.keyword("rw"), "read" | "randread" | "trim" | "randtrim")
}

fn write_modes(job: &Job, found: &mut Found) {
    let values = &job.values;
    let Some(text) = values.text("write_mode") else { return };
    let modes = match write_mode(text) {
        Ok(modes) => modes,
        Err(error) => {
            let help = "use one command, or COMMAND/PERCENT:COMMAND/PERCENT";
            return found.error(&format!("write_mode: {error}"), job, "write_mode", "not valid", help);
        }
    };
    if modes.iter().any(|(command, _)| command.is_none()) {
        let help = "use write_mode=write";
        found.error("zone_append is not supported by fathom", job, "write_mode", "unsupported", help);
    }
    if text == "write" {
        return;
    }
    if !writes(job) {
        found.error("'readwrite=|rw=' has no write", job, "write_mode", "requires writes", "remove write_mode");
    }
    if verify::is_verified(values) {
        let help = "remove verify, or use write_mode=write";
        found.error("blocks without data cannot be verified", job, "verify", "conflicts with write_mode", help);
    }
}

fn nvme(job: &Job, found: &mut Found) {
    let values = &job.values;
    if values.keyword("read_mode") != "read" {
        let help = "add cmd_type=bsg, or remove read_mode";
        found.error("read_mode is only supported with cmd_type=bsg", job, "read_mode", "a mode of SCSI", help);
    }
    for name in ["apptag", "apptag_mask"] {
        if values.unsigned(name) > 0xffff {
            found.error(&format!("{name} has 16 bits"), job, name, "too large", "use a value up to 0xffff");
        }
    }
    if values.keyword("verify_mode") == "compare" && writes(job) {
        let help = "add verify=pattern and verify_pattern=PATTERN";
        if values.keyword("verify") != "pattern" {
            let message = "verify_mode=compare requires blocks without headers";
            found.error(message, job, "verify_mode", "requires verify=pattern", help);
        }
        if values.is_set("verify_backlog") {
            let message = "verify_mode=compare is not supported with verify_backlog by fathom";
            found.error(message, job, "verify_backlog", "reads between writes", "remove verify_backlog");
        }
    }
    let checks = values.text("pi_chk").unwrap_or_default();
    let is_check = |name: &str| matches!(name.trim(), "GUARD" | "REFTAG" | "APPTAG");
    if let Some(unknown) = checks.split(',').find(|name| !name.is_empty() && !is_check(name)) {
        let help = "use GUARD, REFTAG and APPTAG";
        found.error(&format!("pi_chk has no `{unknown}`"), job, "pi_chk", "unknown check", help);
    }
    if values.flag("writefua") && values.keyword_list("verify_policy").0.contains(&"fsynced") {
        let message = "writefua=1 is incompatible with verify_policy=fsynced";
        found.error(message, job, "writefua", "each write is on the medium", "use verify_policy=completed");
    }
}

fn bsg(job: &Job, found: &mut Found) {
    let values = &job.values;
    for name in NVME_OPTIONS.into_iter().filter(|name| values.is_set(name)) {
        let help = "remove it, or use cmd_type=nvme";
        found.error(&format!("{name} is an option of NVMe commands"), job, name, "not for cmd_type=bsg", help);
    }
    let mode = values.text("write_mode").unwrap_or("write");
    if !matches!(mode, "write" | "verify") {
        let help = "use write or verify";
        found.error("cmd_type=bsg has no such write_mode", job, "write_mode", "not a SCSI command", help);
    }
    if mode == "verify" && values.flag("writefua") {
        let message = "writefua is not supported with write_mode=verify for bsg";
        found.error(message, job, "writefua", "nothing is written", "remove writefua");
    }
    if mode != "verify" && values.keyword("verify_bytchk") != "0" {
        let message = "verify_bytchk is only supported with write_mode=verify for bsg";
        found.error(message, job, "verify_bytchk", "requires verify commands", "add write_mode=verify");
    }
    if values.keyword("read_mode") != "prefetch" {
        return;
    }
    if values.flag("readfua") {
        let message = "readfua is not supported with read_mode=prefetch for bsg";
        found.error(message, job, "readfua", "nothing is transferred", "remove readfua");
    }
    if values.keyword("cdb_len") == "32" {
        let message = "cdb_len=32 is not supported with read_mode=prefetch for bsg";
        found.error(message, job, "cdb_len", "there is no such command", "use cdb_len=16");
    }
    if verify::is_verified(values) {
        let help = "use read_mode=read";
        found.error("a prefetch returns no data to verify", job, "read_mode", "conflicts with verify", help);
    }
}
