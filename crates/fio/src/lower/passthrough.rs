//! Lowers the commands of io_uring_cmd.

use plan::{
    Bsg, ByteCheck, CommandLength, DataPlacement, DeviceCommands, IoUring, Nvme, NvmeProtection, NvmeWrite,
    NvmeWriteShare, Passthrough, PlacementKind, PlacementRange, PlacementSelect,
};

use crate::parse::value::placement::identifiers;
use crate::parse::value::write_mode::write_mode;
use crate::parse::values::Values;

/// Returns the commands of a job. `scheme` are the ranges of `dp_scheme`.
pub fn passthrough(values: &Values, ring: IoUring, scheme: &[PlacementRange]) -> Passthrough {
    let commands = match values.keyword("cmd_type") {
        "bsg" => DeviceCommands::Bsg(bsg(values)),
        _ => DeviceCommands::Nvme(nvme(values, scheme)),
    };
    Passthrough { ring, commands }
}

fn nvme(values: &Values, scheme: &[PlacementRange]) -> Nvme {
    let checks: Vec<&str> = values.text("pi_chk").unwrap_or_default().split(',').map(str::trim).collect();
    Nvme {
        read_fua: values.flag("readfua"),
        writes: writes(values),
        metadata_bytes: values.unsigned("md_per_io_size") as u32,
        protection: NvmeProtection {
            by_device: values.flag("pi_act"),
            checks_guard: checks.contains(&"GUARD"),
            checks_application_tag: checks.contains(&"APPTAG"),
            checks_reference_tag: checks.contains(&"REFTAG"),
            application_tag: values.unsigned("apptag") as u16,
            application_tag_mask: values.unsigned("apptag_mask") as u16,
        },
        trim_ranges: values.unsigned("num_range").max(1) as u32,
        compares: values.keyword("verify_mode") == "compare",
        placement: placement(values, scheme),
    }
}

fn writes(values: &Values) -> Vec<NvmeWriteShare> {
    let modes = values.text("write_mode").and_then(|text| write_mode(text).ok()).unwrap_or_default();
    let is_single = modes.len() == 1;
    let share = |(command, percent): (Option<NvmeWrite>, u32)| {
        let command = command.unwrap_or_default();
        // Write uncorrectable has no such flag. In a list, only writes have it, as in fio.
        let has_fua = command == NvmeWrite::Write || is_single && command != NvmeWrite::Uncorrectable;
        NvmeWriteShare {
            command,
            percent,
            fua: values.flag("writefua") && has_fua,
            deallocates: values.flag("deac") && command == NvmeWrite::Zeroes,
        }
    };
    modes.into_iter().map(share).collect()
}

fn placement(values: &Values, scheme: &[PlacementRange]) -> Option<DataPlacement> {
    let kind = match values.keyword("dataplacement") {
        _ if values.flag("fdp") => PlacementKind::Flexible,
        "fdp" => PlacementKind::Flexible,
        "streams" => PlacementKind::Streams,
        _ => return None,
    };
    let select = match values.keyword("plid_select") {
        "random" => PlacementSelect::Random,
        "scheme" => PlacementSelect::Scheme(scheme.to_vec()),
        _ => PlacementSelect::RoundRobin,
    };
    let ids = values.text("plids").and_then(|text| identifiers(text).ok()).unwrap_or_default();
    Some(DataPlacement { kind, select, ids })
}

fn bsg(values: &Values) -> Bsg {
    Bsg {
        length: match values.keyword("cdb_len") {
            "10" => CommandLength::Bytes10,
            "16" => CommandLength::Bytes16,
            "32" => CommandLength::Bytes32,
            _ => CommandLength::Automatic,
        },
        prefetches: values.keyword("read_mode") == "prefetch",
        read_fua: values.flag("readfua"),
        write_fua: values.flag("writefua"),
        verifies: (values.text("write_mode") == Some("verify")).then(|| match values.keyword("verify_bytchk") {
            "1" => ByteCheck::Data,
            "3" => ByteCheck::OneBlock,
            _ => ByteCheck::Nothing,
        }),
    }
}
