//! Lowers `rw` and the options of order, offset and size of I/Os.

use plan::{
    Access, BlockSizes, Ddir, Distribution, Generator, Pattern, PerDdir, Precondition, RandomMap, Seeds, Sequencer,
    Strides, SyncFileRange, Syncs,
};

use super::{targets, zoned};
use crate::options::key;
use crate::parse::value::KeywordArgument;
use crate::parse::values::Values;

pub fn access(values: &Values) -> Access {
    let pattern = pattern(values.keyword(key::RW));
    let preconditions = values.flag(key::SPRANDOM);
    let needs_no_map = values.flag(key::NORANDOMMAP) || preconditions || zoned::needs_no_map(values);
    Access {
        pattern,
        block: block_sizes(values),
        seeds: seeds(values),
        rwmix_read_percent: values.unsigned(key::RWMIXREAD) as u32,
        random_percent: PerDdir(values.unsigneds(key::PERCENTAGE_RANDOM).map(|percent| percent as u32)),
        sequencer: sequencer(values, pattern.random),
        generator: match values.keyword(key::RANDOM_GENERATOR) {
            _ if preconditions => Generator::Lfsr,
            "lfsr" => Generator::Lfsr,
            "tausworthe64" => Generator::Tausworthe64,
            _ if values.is_set(&key::RANDOM_GENERATOR) => Generator::Tausworthe32Fixed,
            _ => Generator::Tausworthe32,
        },
        distribution: match preconditions {
            true => Distribution::Precondition(precondition(values)),
            false => distribution(values),
        },
        random_map: match (needs_no_map, values.flag(key::SOFTRANDOMMAP)) {
            (true, _) => RandomMap::Off,
            (false, true) => RandomMap::Soft,
            (false, false) => RandomMap::On,
        },
        strides: strides(values),
        syncs: syncs(values),
        trim_then_write: pattern.trims && pattern.writes,
    }
}

fn pattern(rw: &str) -> Pattern {
    let (random, direction) = match rw.strip_prefix("rand") {
        Some(direction) => (true, direction),
        None => (false, rw),
    };
    Pattern {
        reads: matches!(direction, "read" | "rw"),
        writes: matches!(direction, "write" | "rw" | "trimwrite"),
        trims: matches!(direction, "trim" | "trimwrite"),
        random,
    }
}

/// Lowers block sizes. `bssplit` overrides `bsrange`, and `bsrange` overrides `bs`.
fn block_sizes(values: &Values) -> BlockSizes {
    let plain = values.unsigneds(key::BS);
    let ranges = values.ranges(key::BSRANGE);
    let splits = values.split(key::BSSPLIT);
    let limits = Ddir::ALL.map(|ddir| {
        let at = ddir as usize;
        let split = splits.map(|splits| &splits[at]).filter(|split| !split.is_empty());
        match (split, ranges.map(|ranges| ranges[at]).filter(|range| range.1 > 0)) {
            (Some(split), _) => {
                let sizes = || split.iter().map(|share| share.bytes);
                (sizes().min().unwrap_or(plain[at]), sizes().max().unwrap_or(plain[at]))
            }
            (None, Some(range)) => range,
            (None, None) => (plain[at], plain[at]),
        }
    });
    BlockSizes {
        min_bytes: PerDdir(limits.map(|(min, _)| min)),
        max_bytes: PerDdir(limits.map(|(_, max)| max)),
        split: Ddir::ALL.map(|ddir| splits.map(|splits| splits[ddir as usize].clone()).unwrap_or_default()),
        align_bytes: PerDdir(values.unsigneds(key::BA)),
        unaligned: values.flag(key::BS_UNALIGNED),
        by_sequential_or_random: values.flag(key::BS_IS_SEQ_RAND),
    }
}

fn seeds(values: &Values) -> Seeds {
    if values.flag(key::USE_OS_RAND) {
        return Seeds::System;
    }
    let (repeats, has_seed) = (values.flag(key::RANDREPEAT), values.is_set(&key::RANDSEED));
    if !repeats && !has_seed {
        return Seeds::System;
    }
    Seeds::Repeatable { seed: values.number(key::RANDSEED) as u64, each_pass: repeats && !has_seed }
}

/// Lowers the sequencer. `rw=randread:8` uses a random offset for 8 I/Os. `rw=write:4k` skips 4 KiB after each block.
fn sequencer(values: &Values, random: bool) -> Sequencer {
    let count = match values.keyword_argument(key::RW) {
        KeywordArgument::Count(count) => count,
        _ => 0,
    };
    Sequencer {
        every_ios: if random { count.clamp(1, i64::from(u32::MAX)) as u32 } else { 1 },
        skip_bytes: if random { 0 } else { count },
        identical: values.keyword(key::RW_SEQUENCER) == "identical",
    }
}

/// Lowers `sprandom`: its model of the SSD.
fn precondition(values: &Values) -> Precondition {
    let overprovisioning = values.floats(key::SPR_OP).and_then(|list| list.values.first().copied());
    Precondition {
        regions: values.unsigned(key::SPR_NUM_REGIONS) as u32,
        overprovisioning: overprovisioning.unwrap_or_default(),
        cache_bytes: values.unsigned(key::SPR_CS),
    }
}

fn distribution(values: &Values) -> Distribution {
    let mut distribution = values.distribution(key::RANDOM_DISTRIBUTION).clone();
    if let Distribution::Sequence { moves, .. } = &mut distribution {
        *moves = values.flag(key::RANDOM_SEQUENCE_STRIDE);
    }
    distribution
}

fn strides(values: &Values) -> Option<Strides> {
    let size_bytes = values.unsigned(key::ZONESIZE);
    let strided = values.keyword(key::ZONEMODE) == "strided";
    let range_bytes = values.unsigned(key::ZONERANGE);
    let skip_bytes = targets::amount(values, key::ZONESKIP).map_or(0, |skip| skip.of(0));
    strided.then_some(Strides {
        size_bytes,
        range_bytes: if range_bytes == 0 { size_bytes } else { range_bytes },
        skip_bytes,
    })
}

fn syncs(values: &Values) -> Syncs {
    let (flags, every_writes) = values.keyword_list(key::SYNC_FILE_RANGE);
    let has = |flag: &str| flags.contains(&flag);
    Syncs {
        fsync_every_writes: values.unsigned(key::FSYNC) as u32,
        fdatasync_every_writes: values.unsigned(key::FDATASYNC) as u32,
        sync_file_range: (!flags.is_empty()).then(|| SyncFileRange {
            every_writes: every_writes.clamp(1, i64::from(u32::MAX)) as u32,
            wait_before: has("wait_before"),
            write: has("write"),
            wait_after: has("wait_after"),
        }),
        end_fsync: values.flag(key::END_FSYNC),
        end_syncfs: values.flag(key::END_SYNCFS),
        fsync_on_close: values.flag(key::FSYNC_ON_CLOSE),
    }
}
