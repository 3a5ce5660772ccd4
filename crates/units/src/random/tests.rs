//! Comparison with fio 3.42: offsets from its debug output, and blocks from its logs, with `--randseed=42` and files of
//! 64 MiB (400 KiB for the LFSR) with the name `x`.

use super::*;

/// fio's seed for offsets.
const SEED: u64 = 13_396_104_450_099_904_560;
const BLOCKS: u64 = 16384;

fn skewed_seed() -> u32 {
    (u64::from(hash_name(b"x")).wrapping_mul(SEED)) as u32
}

#[test]
fn tausworthe_matches_fio() {
    let mut narrow = Tausworthe32::new(SEED as u32);
    assert_eq!([(); 4].map(|()| narrow.draw()), [3_991_133_218, 4_066_746_631, 448_695_007, 625_978_443]);
    let mut wide = Tausworthe64::new(SEED);
    assert_eq!(
        [(); 3].map(|()| wide.draw()),
        [5_148_769_089_485_451_437, 3_468_289_077_455_337_562, 2_460_265_148_292_816_870]
    );
}

#[test]
fn tausworthe_of_either_width_matches_its_generator() {
    let (mut either, mut narrow) = (Tausworthe::new(SEED, false), Tausworthe32::new(SEED as u32));
    assert_eq!(either.draw(), u64::from(narrow.draw()));
    assert_eq!(either.between(5, 900), u64::from(narrow.between(5, 900)));
    assert_eq!(either.fraction(), narrow.fraction());
    let (mut either, mut wide) = (Tausworthe::new(SEED, true), Tausworthe64::new(SEED));
    assert_eq!(either.between(5, 1 << 50), wide.between(5, 1 << 50));
    assert_eq!(either.fraction(), wide.fraction());
    assert_eq!((either.max(), Tausworthe::new(1, false).max()), (u64::MAX, u64::from(u32::MAX)));
}

#[test]
fn draws_between_bounds_are_inclusive() {
    let mut random = Tausworthe32::new(9);
    let mut seen = [false; 10];
    (0..1000).for_each(|_| seen[random.between(0, 9) as usize] = true);
    assert_eq!(seen, [true; 10]);
    assert!((0..1000).all(|_| (7..=7).contains(&random.between(7, 7))));
    assert!((0..1000).all(|_| random.fraction_above_zero() > 0.0));
}

#[test]
fn skewed_distributions_match_fio() {
    let mut zipf = Zipf::new(BLOCKS, 1.2, None, skewed_seed(), true);
    assert_eq!([(); 6].map(|()| zipf.draw()), [7765, 7188, 8196, 1155, 6190, 9861]);
    let mut pareto = Pareto::new(BLOCKS, 0.2, None, skewed_seed(), true);
    assert_eq!([(); 6].map(|()| pareto.draw()), [14813, 8743, 10202, 3849, 6190, 5694]);
    let mut normal = Normal::new(BLOCKS, 10.0, None, skewed_seed(), true);
    assert_eq!([(); 6].map(|()| normal.draw()), [10930, 11026, 11417, 15720, 13754, 2986]);
}

#[test]
fn reseed_restarts_a_skewed_sequence() {
    let mut zipf = Zipf::new(100, 0.9, Some(0.3), 1, false);
    let first = [(); 5].map(|()| zipf.draw());
    zipf.reseed(1);
    assert_eq!([(); 5].map(|()| zipf.draw()), first);
}

#[test]
fn skewed_distributions_stay_in_any_range() {
    for ranges in [0, 1, 2, 3, 1000] {
        for center in [None, Some(0.0), Some(0.4), Some(1.0)] {
            let mut zipf = Zipf::new(ranges, 1.1, center, 5, false);
            let mut pareto = Pareto::new(ranges, 0.5, center, 5, true);
            let mut normal = Normal::new(ranges, 50.0, center, 5, true);
            for _ in 0..500 {
                assert!(zipf.draw().max(pareto.draw()).max(normal.draw()) < ranges.max(1));
            }
        }
    }
}

#[test]
fn lfsr_returns_every_value_once_in_fios_order() {
    let mut lfsr = Lfsr::new(100, SEED).unwrap();
    let mut values: Vec<u64> = std::iter::from_fn(|| lfsr.draw()).collect();
    assert_eq!(values[..8], [60, 62, 63, 95, 31, 79, 30, 47]);
    values.sort_unstable();
    assert_eq!(values, (0..100).collect::<Vec<_>>());
    assert_eq!(lfsr.draw(), None);
    lfsr.restart(SEED);
    assert!(lfsr.draw().is_some());
}

#[test]
fn lfsrs_of_testable_widths_are_maximal() {
    for bits in 3..18u32 {
        let values = (1u64 << bits) - 1;
        let mut lfsr = Lfsr::new(values, 0).unwrap();
        let seen: std::collections::HashSet<u64> = std::iter::from_fn(|| lfsr.draw()).collect();
        assert_eq!(seen.len() as u64, values, "{bits} bits");
    }
}

#[test]
fn unsupported_lfsr_ranges_and_seeds_are_errors() {
    assert_eq!(Lfsr::new(0, 1).unwrap_err(), LfsrError::Range);
    assert_eq!(Lfsr::new(u64::MAX, 1).unwrap_err(), LfsrError::Range);
    assert_eq!(Lfsr::new(5, 7).unwrap_err(), LfsrError::StuckSeed);
    assert!(Lfsr::new((1 << 63) - 1, 1).is_ok());
}

/// Draws and buffers of DiskSpd's generator, by seed.
fn diskspd_cases() -> Vec<serde_json::Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/diskspd/prng-cases.json");
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn jenkins_matches_diskspd() {
    for case in diskspd_cases() {
        let mut random = Jenkins64::new(case["seed"].as_u64().unwrap());
        for word in case["rand64"].as_array().unwrap() {
            assert_eq!(random.draw().to_string(), word.as_str().unwrap(), "seed {}", case["seed"]);
        }
    }
}

#[test]
fn jenkins_buffers_match_diskspd() {
    for case in diskspd_cases() {
        let seed = case["seed"].as_u64().unwrap();
        let mut buffer = [0; 300];
        Jenkins64::new(seed).fill(&mut buffer);
        assert_eq!(hex(&buffer), case["randbuffer300"].as_str().unwrap(), "seed {seed}");
        Jenkins64::new(seed).fill_correlated(&mut buffer);
        assert_eq!(hex(&buffer), case["randbuffer300_pseudo"].as_str().unwrap(), "seed {seed}");
    }
}

#[test]
fn jenkins_fills_any_length_and_continues() {
    for length in [0, 1, 7, 8, 127, 128, 129, 136, 256, 264, 4096] {
        let mut random = Jenkins64::new(3);
        random.fill_correlated(&mut vec![0; length]);
        // Five draws give 16 words while more than 16 remain.
        let (words, part) = (length / 8, usize::from(length % 8 > 0));
        let blocks = words.saturating_sub(1) / 16;
        let mut plain = Jenkins64::new(3);
        for _ in 0..words - blocks * 11 + part {
            plain.draw();
        }
        assert_eq!(random.draw(), plain.draw(), "{length} bytes");
    }
}
