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

/// fio's function for the hash of a file name, compiled and called with these names.
#[test]
fn hashes_of_names_match_fio() {
    let names = [
        ("x", 905_066_060),
        ("abcd", 2_322_039_981),
        ("abcdefghijk", 2_823_527_834),
        ("abcdefghijkl", 3_629_498_091),
        ("abcdefghijklm", 1_498_638_859),
        ("job.0.0", 88_798_828),
        ("/mnt/data/fathom/randread.12.3", 3_329_311_691),
        ("abcdefghijklmnopqrstuvwxyz0123456789", 1_746_141_238),
    ];
    for (name, expected) in names {
        assert_eq!(hash_name(name.as_bytes()), expected, "{name}");
    }
    // Words of the start value, which nothing mixes.
    assert_eq!(hash_name(b""), 0x61c8_8647);
}

#[test]
fn draws_of_jenkins_have_a_share() {
    let (mut words, mut halves) = (Jenkins64::new(5), Jenkins64::new(5));
    assert!((0..100).all(|_| halves.draw_u32() == (words.draw() & 0xffff_ffff) as u32));
    let (mut draws, mut chances) = (Jenkins64::new(7), Jenkins64::new(7));
    for percent in (0..=100).cycle().take(2000) {
        assert_eq!(chances.chance(percent), draws.draw_u32() % 100 < percent);
    }
}

#[test]
fn a_seed_is_the_product_of_two_draws() {
    for wide in [false, true] {
        let (mut seeds, mut draws) = (Tausworthe::new(9, wide), Tausworthe::new(9, wide));
        let product = draws.draw().wrapping_mul(draws.draw());
        assert_eq!(seeds.seed(), product);
        assert_eq!(seeds.draw(), draws.draw());
    }
}

#[test]
fn fractions_are_draws_over_the_largest_draw() {
    let (mut draws, mut half_open) = (Tausworthe32::new(4), Tausworthe32::new(4));
    let (mut closed, mut above_zero) = (Tausworthe32::new(4), Tausworthe32::new(4));
    for _ in 0..100 {
        let draw = f64::from(draws.draw());
        assert_eq!(half_open.fraction(), draw / 4_294_967_296.0);
        assert_eq!(closed.fraction_closed(), draw / 4_294_967_295.0);
        assert_eq!(above_zero.fraction_above_zero(), (draw + 1.0) / 4_294_967_296.0);
    }
    let (mut wide, mut draws) = (Tausworthe64::new(4), Tausworthe64::new(4));
    assert!((0..100).all(|_| wide.fraction() == draws.draw() as f64 / 18_446_744_073_709_551_616.0));
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

/// The number that is drawn most often is the center; around it, for the normal distribution.
#[test]
fn a_center_moves_a_distribution() {
    const RANGES: u64 = 1000;
    for (center, place) in [(0.0, 0), (0.3, 300), (0.75, 750)] {
        let mut zipf = Zipf::new(RANGES, 1.2, Some(center), 7, false);
        let mut pareto = Pareto::new(RANGES, 0.1, Some(center), 7, false);
        let most = |draw: &mut dyn FnMut() -> u64| {
            let mut counts = vec![0; RANGES as usize];
            (0..5000).for_each(|_| counts[draw() as usize] += 1);
            (0..RANGES).max_by_key(|at| counts[*at as usize]).expect("numbers")
        };
        assert_eq!([most(&mut || zipf.draw()), most(&mut || pareto.draw())], [place; 2]);
    }
    // The mean of uniform draws is the middle, half of a range from 0.
    let mut normal = Normal::new(RANGES, 1.0, Some(0.75), 7, false);
    let mean = (0..5000).map(|_| normal.draw()).sum::<u64>() as f64 / 5000.0;
    assert!((mean - 750.0).abs() < 10.0, "{mean}");
}

/// The mean of 12 draws, moved by a share of the deviation. What lies outside of the range is halved until it does not.
#[test]
fn normal_draws_are_moved_within_their_range() {
    const RANGES: u64 = 8;
    let (mut normal, mut random) = (Normal::new(RANGES, 50.0, Some(0.5), 3, false), Tausworthe32::new(3));
    let mut halved = 0;
    for _ in 0..200_000 {
        let sum: u64 = (0..12).map(|_| u64::from(random.draw()) % (RANGES + 1)).sum();
        let (rank, off) = (sum.div_ceil(12) as i64, (4.0 * random.fraction()) as i64 - 2);
        let fits = |off: &i64| (0..RANGES as i64).contains(&(rank + off)) || *off == 0;
        let expected = [off, off / 2, off / 4].into_iter().find(fits).expect("0 fits");
        halved += u32::from(expected != off);
        assert_eq!(normal.draw() as i64, (rank + expected) % RANGES as i64);
    }
    assert!(halved > 0);
}

#[test]
fn draws_between_bounds_are_shares_of_the_range() {
    let (mut wide, mut draws) = (Tausworthe64::new(6), Tausworthe64::new(6));
    let (mut narrow, mut narrow_draws) = (Tausworthe32::new(6), Tausworthe32::new(6));
    for (low, high) in [(0, 9), (5, 900), (1 << 20, 1 << 24), (7, 7)] {
        let values = (high - low + 1) as f64;
        assert_eq!(wide.between(low, high), low + (values * draws.fraction()) as u64);
        let share = u64::from((values * narrow_draws.fraction()) as u32);
        assert_eq!(u64::from(narrow.between(low as u32, high as u32)), low + share);
    }
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
    assert!([6, 8].map(|seed| Lfsr::new(5, seed).is_ok()) == [true; 2]);
    let texts = [LfsrError::Range, LfsrError::StuckSeed].map(|error| error.to_string());
    assert!(texts[0].contains("1 to 2^63 - 1") && texts[1].contains("all bits"), "{texts:?}");
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

#[test]
fn a_block_is_the_product_in_double_precision() {
    let counts = [1, 3, 262_144, (1 << 21) + 1, 1 << 31, u32::MAX - 1, u32::MAX];
    for count in counts {
        let (mut blocks, mut fractions) = (Tausworthe32::new(7), Tausworthe32::new(7));
        for _ in 0..200_000 {
            assert_eq!(blocks.block(count), (f64::from(count) * fractions.fraction()) as u32, "{count}");
        }
    }
}
