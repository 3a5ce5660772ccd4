//! Contradictions of `zonemode=zbd` with other options.

use crate::lower::{engine, limits, verify};
use crate::options::{Opt, key};
use crate::parse::values::Values;

/// Two options that contradict each other.
pub struct Contradiction {
    pub message: &'static str,
    /// The option that the message points at.
    pub option: &'static Opt,
    pub label: &'static str,
    pub help: &'static str,
}

/// Returns the contradictions of a job with `zonemode=zbd`.
pub fn contradictions(values: &Values) -> Vec<Contradiction> {
    let trims = values.keyword(key::RW).contains("trim");
    let recovers = values.flag(key::RECOVER_ZBD_WRITE_ERROR) && values.keyword(key::RW).contains('w');
    let several_trim_sizes = values.split(key::BSSPLIT).is_some_and(|split| !split[2].is_empty())
        || values.ranges(key::BSRANGE).is_some_and(|ranges| ranges[2].0 != ranges[2].1);
    let all = [
        (!values.flag(key::CREATE_SERIALIZE)).then_some(Contradiction {
            message: "fio: --zonemode=zbd and --create_serialize=0 are not compatible",
            option: &key::CREATE_SERIALIZE,
            label: "the zones of a target are shared",
            help: "remove create_serialize=0",
        }),
        (values.flag(key::WRITE_ZONE_REMAINDER) && values.is_set(&key::NORANDOMMAP) && !values.flag(key::NORANDOMMAP))
            .then_some(Contradiction {
                message: "fio: write_zone_remainder=1 requires norandommap=1",
                option: &key::NORANDOMMAP,
                label: "a random map has whole blocks",
                help: "remove norandommap=0",
            }),
        (trims && several_trim_sizes).then_some(Contradiction {
            message: "bsrange and bssplit are not allowed for trim with zonemode=zbd",
            option: &key::RW,
            label: "a trim resets a zone",
            help: "use the size of a zone as the block size of trims",
        }),
        (recovers && !limits::errors(values).continue_on_write).then_some(Contradiction {
            message: "recover_zbd_write_error works only when continue_on_error is set",
            option: &key::RECOVER_ZBD_WRITE_ERROR,
            label: "the job ends with the first error",
            help: "add continue_on_error=write",
        }),
        (recovers && verify::is_verified(values) && !engine::engine(values, 0, &[]).is_synchronous()).then_some(
            Contradiction {
                message: "recover_zbd_write_error for async IO engines does not support verify",
                option: &key::RECOVER_ZBD_WRITE_ERROR,
                label: "the engine has several writes in flight",
                help: "use a synchronous engine, or remove verify",
            },
        ),
        values.flag(key::EXPERIMENTAL_VERIFY).then_some(Contradiction {
            message: "zonemode=zbd does not support experimental verify",
            option: &key::EXPERIMENTAL_VERIFY,
            label: "the offsets of writes are not known before the run",
            help: "remove experimental_verify",
        }),
        values.flag(key::VERIFY_ONLY).then_some(Contradiction {
            message: "verify_only is not supported with zonemode=zbd",
            option: &key::VERIFY_ONLY,
            label: "the offsets of writes are not known before the run",
            help: "remove verify_only, or zonemode=zbd",
        }),
        values.is_set(&key::READ_IOLOG).then_some(Contradiction {
            message: "read_iolog is not supported with zonemode=zbd",
            option: &key::READ_IOLOG,
            label: "the log has the offsets of the I/Os",
            help: "remove one of the two",
        }),
    ];
    all.into_iter().flatten().collect()
}
