//! Lowers the commands of io_uring_cmd.

use plan::{
    Bsg, ByteCheck, CommandLength, DataPlacement, DeviceCommands, IoUring, Nvme, NvmeProtection, NvmeWrite,
    NvmeWriteShare, Passthrough, PlacementKind, PlacementRange, PlacementSelect,
};

use crate::options::key;
use crate::parse::value::placement::identifiers;
use crate::parse::value::write_mode::write_mode;
use crate::parse::values::Values;

/// Returns the commands of a job. `scheme` are the ranges of `dp_scheme`.
pub fn passthrough(values: &Values, ring: IoUring, scheme: &[PlacementRange]) -> Passthrough {
    let commands = match values.keyword(key::CMD_TYPE) {
        "bsg" => DeviceCommands::Bsg(bsg(values)),
        _ => DeviceCommands::Nvme(nvme(values, scheme)),
    };
    Passthrough { ring, commands }
}

fn nvme(values: &Values, scheme: &[PlacementRange]) -> Nvme {
    let checks: Vec<&str> = values.text(key::PI_CHK).unwrap_or_default().split(',').map(str::trim).collect();
    Nvme {
        read_fua: values.flag(key::READFUA),
        writes: writes(values),
        metadata_bytes: values.unsigned(key::MD_PER_IO_SIZE) as u32,
        protection: NvmeProtection {
            by_device: values.flag(key::PI_ACT),
            checks_guard: checks.contains(&"GUARD"),
            checks_application_tag: checks.contains(&"APPTAG"),
            checks_reference_tag: checks.contains(&"REFTAG"),
            application_tag: values.unsigned(key::APPTAG) as u16,
            application_tag_mask: values.unsigned(key::APPTAG_MASK) as u16,
        },
        trim_ranges: values.unsigned(key::NUM_RANGE).max(1) as u32,
        compares: values.keyword(key::VERIFY_MODE) == "compare",
        placement: placement(values, scheme),
    }
}

fn writes(values: &Values) -> Vec<NvmeWriteShare> {
    let modes = values.text(key::WRITE_MODE).and_then(|text| write_mode(text).ok()).unwrap_or_default();
    let is_single = modes.len() == 1;
    let share = |(command, percent): (Option<NvmeWrite>, u32)| {
        let command = command.unwrap_or_default();
        // Write uncorrectable has no such flag. In a list, only writes have it, as in fio.
        let has_fua = command == NvmeWrite::Write || is_single && command != NvmeWrite::Uncorrectable;
        NvmeWriteShare {
            command,
            percent,
            fua: values.flag(key::WRITEFUA) && has_fua,
            deallocates: values.flag(key::DEAC) && command == NvmeWrite::Zeroes,
        }
    };
    modes.into_iter().map(share).collect()
}

fn placement(values: &Values, scheme: &[PlacementRange]) -> Option<DataPlacement> {
    let kind = match values.keyword(key::DATAPLACEMENT) {
        _ if values.flag(key::FDP) => PlacementKind::Flexible,
        "fdp" => PlacementKind::Flexible,
        "streams" => PlacementKind::Streams,
        _ => return None,
    };
    let select = match values.keyword(key::PLID_SELECT) {
        "random" => PlacementSelect::Random,
        "scheme" => PlacementSelect::Scheme(scheme.to_vec()),
        _ => PlacementSelect::RoundRobin,
    };
    let ids = values.text(key::PLIDS).and_then(|text| identifiers(text).ok()).unwrap_or_default();
    Some(DataPlacement { kind, select, ids })
}

fn bsg(values: &Values) -> Bsg {
    Bsg {
        length: match values.keyword(key::CDB_LEN) {
            "10" => CommandLength::Bytes10,
            "16" => CommandLength::Bytes16,
            "32" => CommandLength::Bytes32,
            _ => CommandLength::Automatic,
        },
        prefetches: values.keyword(key::READ_MODE) == "prefetch",
        read_fua: values.flag(key::READFUA),
        write_fua: values.flag(key::WRITEFUA),
        verifies: (values.text(key::WRITE_MODE) == Some("verify")).then(|| match values.keyword(key::VERIFY_BYTCHK) {
            "1" => ByteCheck::Data,
            "3" => ByteCheck::OneBlock,
            _ => ByteCheck::Nothing,
        }),
    }
}
