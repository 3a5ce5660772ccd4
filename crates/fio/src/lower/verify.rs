//! Lowers the options of verification.

use plan::{Access, Ddir, Distribution, RandomMap, Verify, VerifyBacklog, VerifyMethod, VerifyTrims};

use super::zoned;
use crate::options::{Key, key, kinds};
use crate::parse::value::Amount;
use crate::parse::values::Values;

/// Returns the verification of a job. `folder` is that of `--aux-path`.
pub fn verify(values: &Values, access: &Access, is_synchronous: bool, folder: Option<&str>) -> Option<Verify> {
    let method = method(values)?;
    let cpus = values.cpus(key::VERIFY_ASYNC_CPUS);
    let only = values.flag(key::VERIFY_ONLY);
    // A log can have several writes to a block.
    let overwrites = overwrites(values, access) || values.is_set(&key::READ_IOLOG);
    let backlog = values.unsigned(key::VERIFY_BACKLOG);
    let by_default = |key: Key<kinds::Flag>, is_on| if values.is_set(&key) { values.flag(key) } else { is_on };
    let is_disordered = access.random_map == RandomMap::Off && !is_synchronous && values.unsigned(key::IODEPTH) > 1;
    let regenerates = values.flag(key::EXPERIMENTAL_VERIFY);
    let sequence = !(only || is_disordered || regenerates && overwrites);
    let sizes = || access.block.min_bytes.0.into_iter().chain(access.block.max_bytes.0);
    let one_size = sizes().min() == sizes().max();
    Some(Verify {
        method,
        read_back: values.flag(key::DO_VERIFY),
        only,
        interval_bytes: interval(values, access),
        header_offset_bytes: values.unsigned(key::VERIFY_OFFSET) as u32,
        pattern: values.pattern(key::VERIFY_PATTERN).map(|pattern| pattern.0.clone()).unwrap_or_default(),
        pattern_interval_bytes: values.unsigned(key::VERIFY_PATTERN_INTERVAL) as u32,
        fatal: values.flag(key::VERIFY_FATAL),
        dump: values.flag(key::VERIFY_DUMP),
        threads: values.unsigned(key::VERIFY_ASYNC) as u32,
        cpus: cpus.map(|list| list.0.iter().cloned().flatten().collect()).unwrap_or_default(),
        // Offsets that are computed again leave no list of writes.
        backlog: (backlog > 0 && !regenerates)
            .then(|| VerifyBacklog { blocks: backlog, batch: values.unsigned(key::VERIFY_BACKLOG_BATCH) as u32 }),
        trims: trims(values),
        only_synced: values.keyword_list(key::VERIFY_POLICY).0.contains(&"fsynced"),
        checks_sequence: by_default(key::VERIFY_WRITE_SEQUENCE, sequence)
            && access.pattern.writes
            && one_size
            && !values.flag(key::TIME_BASED),
        checks_seed: by_default(
            key::VERIFY_HEADER_SEED,
            access.pattern.writes && !only && backlog == 0 && !overwrites && !zoned::resets_zones(values),
        ),
        regenerates,
        saves_state: values.flag(key::VERIFY_STATE_SAVE),
        loads_state: values.flag(key::VERIFY_STATE_LOAD),
        folder: folder.map(str::to_owned),
        // fio decides this after the checks of the header.
        overwrites: overwrites || access.distribution != Distribution::Uniform,
    })
}

/// Returns the trims of written blocks.
fn trims(values: &Values) -> Option<VerifyTrims> {
    let (percent, blocks) = (values.unsigned(key::TRIM_PERCENTAGE) as u32, values.unsigned(key::TRIM_BACKLOG));
    (percent > 0 && blocks > 0).then(|| VerifyTrims {
        percent,
        blocks,
        batch: values.unsigned(key::TRIM_BACKLOG_BATCH) as u32,
        reads_zeroes: values.flag(key::TRIM_VERIFY_ZERO),
    })
}

/// Returns true if the job verifies blocks: it has `verify`, or a pattern.
pub fn is_verified(values: &Values) -> bool {
    method(values).is_some()
}

/// Returns what is verified. A pattern without a method is verified with headers.
fn method(values: &Values) -> Option<VerifyMethod> {
    match values.keyword(key::VERIFY) {
        "meta" => Some(VerifyMethod::Header),
        "pattern_hdr" => Some(VerifyMethod::PatternWithHeader),
        "crc32c-intel" => Some(VerifyMethod::Crc32c),
        _ if values.is_set(&key::VERIFY_PATTERN) && !values.is_set(&key::VERIFY) => {
            Some(VerifyMethod::PatternWithHeader)
        }
        name => name.parse().ok(),
    }
}

/// Returns true if a write of a pass can have the same blocks as an earlier one.
fn overwrites(values: &Values, access: &Access) -> bool {
    let size = match values.amount(key::SIZE) {
        Some(Amount::Bytes(bytes)) => bytes,
        _ => 0,
    };
    let io_size = match values.amount(key::IO_SIZE) {
        Some(Amount::Bytes(bytes)) => bytes,
        _ => 0,
    };
    access.random_map != RandomMap::On
        || access.sequencer.skip_bytes != 0
        || access.sequencer.every_ios > 1
        || io_size > size
}

/// Returns the distance of two headers: it divides the sizes of all writes.
pub(crate) fn interval(values: &Values, access: &Access) -> u32 {
    let [min, max] = [access.block.min_bytes[Ddir::Write], access.block.max_bytes[Ddir::Write]];
    let mut interval = values.unsigned(key::VERIFY_INTERVAL);
    if interval == 0 && min != max {
        interval = min;
    }
    if interval > min {
        interval = min;
    } else if access.pattern.reads {
        interval = interval.min(access.block.min_bytes[Ddir::Read]);
    }
    let divides = |size: u64| interval > 0 && size.is_multiple_of(interval);
    if !divides(min) || !divides(max) {
        interval = greatest_common_divisor(min, max);
    }
    interval.min(u64::from(u32::MAX)) as u32
}

fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{FixedMachine, lower};
    use crate::parse::env::FixedEnv;
    use crate::{Request, parse};

    fn verify_of(options: &str) -> Option<Verify> {
        let line = format!("--name=job --size=1m --rw=write {options}");
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match parse(&args, &FixedEnv::default()) {
            Ok(Request::Run(invocation)) => {
                lower(&invocation, &FixedMachine { cpus: 4 }).workers[0].job().unwrap().load.verify.clone()
            }
            other => panic!("{options}: {other:?}"),
        }
    }

    #[test]
    fn the_interval_divides_the_sizes_of_all_writes() {
        for (options, interval) in [
            ("", 4096),
            ("--verify_interval=512", 512),
            ("--verify_interval=8k", 4096),
            ("--verify_interval=3000", 4096),
            ("--bsrange=4k-64k", 4096),
            ("--bssplit=12k/50:32k/50", 4096),
            ("--bs=64k --verify_interval=4k", 4096),
        ] {
            assert_eq!(verify_of(&format!("--verify=md5 {options}")).unwrap().interval_bytes, interval, "{options}");
        }
    }

    #[test]
    fn number_and_seed_are_checked_where_they_are_known() {
        let checks = |options: &str| {
            let verify = verify_of(&format!("--verify=md5 {options}")).unwrap();
            (verify.checks_sequence, verify.checks_seed)
        };
        assert_eq!(checks(""), (true, true));
        assert_eq!(checks("--verify_only"), (false, false));
        assert_eq!(checks("--verify_only --verify_write_sequence=1 --verify_header_seed=1"), (true, true));
        assert_eq!(checks("--bsrange=4k-8k"), (false, true));
        assert_eq!(checks("--verify_backlog=8"), (true, false));
        assert_eq!(checks("--rw=randwrite --norandommap"), (true, false));
        assert_eq!(checks("--rw=randwrite --norandommap --ioengine=libaio --iodepth=8"), (false, false));
        assert_eq!(checks("--rw=read"), (false, false));
        assert_eq!(checks("--time_based --runtime=1"), (false, true));
    }

    #[test]
    fn a_pattern_alone_is_verified_with_headers() {
        assert_eq!(verify_of("--verify_pattern=0xff").unwrap().method, VerifyMethod::PatternWithHeader);
        assert_eq!(verify_of("--verify_pattern=0xff --verify=pattern").unwrap().method, VerifyMethod::Pattern);
        assert_eq!(verify_of(""), None);
        assert_eq!(verify_of("--verify_pattern=0xff --verify=0"), None);
    }
}
