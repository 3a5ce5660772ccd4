//! What holds for every stream, whatever its parameters.

use super::*;

/// Streams of any kind that run on their target.
fn any_stream(random: &mut Jenkins64) -> (Stream, u64) {
    let mut below = |limit: u64| random.draw() % limit;
    let block = 1 + below(64 << 10);
    let stride = [block, 1 + below(128 << 10), 512 << below(10)][below(3) as usize];
    let order = match below(5) {
        0 => Order::Sequential { stride_bytes: stride },
        1 => Order::Parallel { stride_bytes: stride },
        2 => Order::Interlocked { stride_bytes: stride },
        3 => Order::Random { align_bytes: stride },
        _ => Order::Mixed { align_bytes: stride, percent: 1 + below(99) as u32 },
    };
    let mut stream = stream(order);
    stream.block_bytes = block as u32;
    stream.base_bytes = below(2) * below(1 << 20);
    let shift = below(16);
    let part = block + below(64 << shift);
    stream.end_bytes = (below(2) == 0).then_some(stream.base_bytes + part);
    let target = stream.base_bytes + part + if stream.end_bytes.is_some() { below(1 << 20) } else { 0 };
    stream.write_percent = [0, 100, below(101) as u32][below(3) as usize];
    if order.is_random() {
        stream.spread = any_spread(random, block);
    } else if let Order::Sequential { .. } | Order::Parallel { .. } = order {
        stream.start_bytes = random.draw() % (part - block + 1);
    }
    (stream, target)
}

fn any_spread(random: &mut Jenkins64, block: u64) -> Spread {
    let mut below = |limit: u64| random.draw() % limit;
    let kind = below(3);
    let (mut io_left, mut target_left) = (100, 100);
    let mut shares = Vec::new();
    while io_left > 0 {
        let whole = target_left < 3 || below(6) == 0;
        let io = if whole { io_left } else { below(u64::from(io_left)) as u32 };
        let target = if whole { target_left } else { 1 + below(u64::from(target_left) - 1) as u32 };
        shares.push((io, target));
        (io_left, target_left) = (io_left - io, target_left - target);
    }
    let last = shares.len() - 1;
    match kind {
        0 => Spread::Uniform,
        1 => Spread::Percent(shares),
        _ => {
            // A first range with I/O, so that something of it is on any target.
            shares[0].0 += u32::from(last > 0 && shares[0].0 == 0);
            let missing = shares.iter().map(|(io, _)| io).sum::<u32>() - 100;
            if let Some(most) = shares.iter_mut().skip(1).max_by_key(|(io, _)| *io) {
                most.0 -= missing;
            }
            let mut bytes = |at| if at == last { 0 } else { block + below(1 << 20) };
            Spread::Absolute(shares.iter().enumerate().map(|(at, (io, _))| (*io, bytes(at))).collect())
        }
    }
}

#[test]
fn every_io_lies_within_the_part_that_is_used() {
    let mut random = Jenkins64::new(11);
    for round in 0..3000 {
        let (stream, target) = any_stream(&mut random);
        let end = stream.end_bytes.unwrap_or(target);
        let mut source = source(&stream, 3, target);
        for offset in offsets(&mut source, 3, 200) {
            let inside = offset >= stream.base_bytes && offset + u64::from(stream.block_bytes) <= end;
            assert!(inside, "round {round}: {offset} of {stream:?} on {target}");
        }
    }
}

#[test]
fn random_offsets_are_aligned_from_the_base_on() {
    let mut rng = Jenkins64::new(12);
    for round in 0..2000 {
        let (mut stream, target) = any_stream(&mut rng);
        let align = 1 + rng.draw() % 100_000;
        let percent = 1 + (rng.draw() % 100) as u32;
        stream.order = match percent {
            100 => Order::Random { align_bytes: align },
            _ => Order::Mixed { align_bytes: align, percent },
        };
        stream.start_bytes = 0;
        if let Spread::Absolute(_) = stream.spread {
            continue;
        }
        let mut source = source(&stream, 1, target);
        for offset in offsets(&mut source, 1, 100) {
            assert_eq!((offset - stream.base_bytes) % align, 0, "round {round}: {stream:?} on {target}");
        }
    }
}

#[test]
fn ranges_of_a_distribution_hold_all_its_io_in_order() {
    let mut random = Jenkins64::new(13);
    for round in 0..5000 {
        let (stream, target) = any_stream(&mut random);
        let ranges = source(&stream, 1, target).spread(0);
        if ranges.is_empty() {
            continue;
        }
        // Only bytes can be too many for a target.
        let io: u32 = ranges.iter().map(|range| range.io_percent).sum();
        assert!(io == 100 || io < 100 && matches!(stream.spread, Spread::Absolute(_)), "round {round}: {io}");
        assert!(
            ranges.iter().all(|range| range.from_bytes < range.to_bytes && range.io_percent > 0),
            "round {round}: {ranges:?}"
        );
        assert!(ranges.windows(2).all(|pair| pair[0].to_bytes <= pair[1].from_bytes), "round {round}: {ranges:?}");
    }
}

/// Sum of squared deviations over expectations; about as large as there are bins where the shares are right.
fn chi_square(counts: &[u32], expected: &[f64]) -> f64 {
    counts.iter().zip(expected).map(|(count, expected)| (f64::from(*count) - expected).powi(2) / expected).sum()
}

#[test]
fn random_offsets_fall_evenly_on_all_blocks() {
    // Neither the blocks nor their number are powers of two.
    let mut stream = stream(random(5000));
    stream.block_bytes = 5000;
    let mut counts = [0; 77];
    for offset in offsets(&mut source(&stream, 1, 77 * 5000), 1, 77_000) {
        counts[(offset / 5000) as usize] += 1;
    }
    let chi = chi_square(&counts, &[1000.0; 77]);
    assert!((35.0..135.0).contains(&chi), "{chi}");
}

#[test]
fn a_distributions_ranges_get_their_shares() {
    let mut stream = stream(random(4096));
    stream.spread = Spread::Percent(vec![(60, 10), (0, 30), (30, 20), (10, 40)]);
    let mut source = source(&stream, 1, 100 << 20);
    let ranges = source.spread(0);
    let mut counts = [0; 3];
    for offset in offsets(&mut source, 1, 50_000) {
        counts[ranges.iter().position(|range| (range.from_bytes..range.to_bytes).contains(&offset)).unwrap()] += 1;
    }
    let chi = chi_square(&counts, &[30_000.0, 15_000.0, 5000.0]);
    assert!(chi < 14.0, "{chi}");
}

#[test]
fn writes_have_their_share() {
    for percent in [1, 30, 50, 99] {
        let mut stream = stream(random(4096));
        stream.write_percent = percent;
        let ios = ios(&mut source(&stream, 1, 1 << 30), 1, 50_000);
        let writes = ios.iter().filter(|(_, ddir)| *ddir == Ddir::Write).count() as u32;
        let expected = f64::from(percent) * 500.0;
        let chi = chi_square(&[writes, 50_000 - writes], &[expected, 50_000.0 - expected]);
        assert!(chi < 11.0, "{percent}: {writes}");
    }
}

#[test]
fn runs_of_a_mixed_order_are_geometric_and_of_one_direction() {
    let mut stream = stream(Order::Mixed { align_bytes: 4096, percent: 20 });
    stream.write_percent = 50;
    let ios = ios(&mut source(&stream, 1, 1 << 40), 1, 50_000);
    let mut lengths: Vec<u32> = vec![1];
    for pair in ios.windows(2) {
        if pair[1].0 == pair[0].0 + 4096 {
            assert_eq!(pair[0].1, pair[1].1, "a run changes its direction");
            *lengths.last_mut().unwrap() += 1;
        } else {
            lengths.push(1);
        }
    }
    let runs = lengths.len() as f64;
    let mut counts = [0; 12];
    for length in lengths {
        counts[(length as usize - 1).min(11)] += 1;
    }
    let mut expected: Vec<f64> = (0..11).map(|longer| runs * 0.2 * 0.8f64.powi(longer)).collect();
    expected.push(runs * 0.8f64.powi(11));
    let chi = chi_square(&counts, &expected);
    assert!(chi < 35.0, "{chi}: {counts:?}");
}

#[test]
fn strides_beyond_any_target_come_back_to_the_start() {
    let (huge, mixed) = (u64::MAX - 1, Order::Mixed { align_bytes: u64::MAX - 1, percent: 50 });
    for order in [Order::Sequential { stride_bytes: huge }, Order::Parallel { stride_bytes: huge }, mixed, random(huge)]
    {
        assert_eq!(offsets(&mut source(&stream(order), 2, 1 << 40), 2, 20), [0; 20], "{order:?}");
    }
}
