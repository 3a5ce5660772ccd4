//! Slots, queues, rates, contents and refusals.

use super::*;

#[test]
fn slots_are_shared_out_over_the_queues_in_order() {
    let (near, mut far) = (stream(Order::Sequential { stride_bytes: 4096 }), stream(random(4096)));
    far.block_bytes = 512;
    let mut requested = streams(vec![near, far], 3);
    requested.queues[1].depth = 2;
    let mut source = Source::new(&requested, &[1 << 20, 1 << 20], &[]).unwrap();
    for (slot, expected) in [(0, 0), (2, 0), (3, 1), (4, 1), (1, 0)] {
        let Step::Io { stream, length, .. } = source.next(slot, 0) else { panic!("held back") };
        assert_eq!((stream, length), (expected, [4096, 512][expected as usize]));
    }
}

#[test]
fn queues_over_several_streams_choose_by_weight() {
    for (weights, draws) in [([1, 1, 1], "even"), ([70, 20, 10], "weighed")] {
        let mut requested = streams((0..3).map(|_| stream(Order::Sequential { stride_bytes: 4096 })).collect(), 1);
        let shares = (0..3).map(|at| StreamShare { stream: at, weight: weights[at as usize] }).collect();
        requested.queues = vec![Queue { depth: 4, shares }];
        let mut source = Source::new(&requested, &[1 << 30; 3], &[]).unwrap();
        let mut random = Jenkins64::new(0);
        let mut counts = [0u32; 3];
        for turn in 0..10_000 {
            let Step::Io { stream, .. } = source.next(turn % 4, 0) else { panic!("held back") };
            let drawn = random.draw();
            let expected = match draws {
                "even" => drawn as u32 % 3,
                _ => [70, 90].iter().filter(|sum| drawn % 100 >= **sum).count() as u32,
            };
            assert_eq!(stream, expected, "{draws}");
            counts[stream as usize] += 1;
        }
        let whole: u32 = weights.iter().sum();
        for (count, weight) in counts.iter().zip(weights) {
            let expected = 10_000 * weight / whole;
            assert!(count.abs_diff(expected) < 300, "{draws}: {counts:?}");
        }
    }
}

#[test]
fn workers_on_a_target_share_the_interlocked_offset() {
    let requested = streams(vec![stream(Order::Interlocked { stride_bytes: 8192 })], 1);
    let shared = [Arc::new(AtomicU64::new(0))];
    let mut workers = [(); 2].map(|()| Source::new(&requested, &[32 << 10], &shared).unwrap());
    let seen: Vec<u64> = (0..6).flat_map(|turn| offsets(&mut workers[turn % 2], 1, 1)).collect();
    assert_eq!(seen, [0, 8192, 16384, 24576, 0, 8192]);
}

#[test]
fn a_rate_allows_what_time_has_earned() {
    let mut limited = stream(random(4096));
    limited.rate = StreamRate::BytesPerMs(8192.0);
    let mut source = source(&limited, 1, 1 << 20);
    source.begin(1000);
    assert_eq!(source.next(0, 1000), Step::Wait { until_ns: 501_000 });
    assert_eq!(source.next(0, 500_999), Step::Wait { until_ns: 501_000 });
    assert!(matches!(source.next(0, 501_000), Step::Io { .. }));
    assert_eq!(source.next(0, 501_000), Step::Wait { until_ns: 1_001_000 });
    // What wasn't used is not lost.
    let late = (0..100).take_while(|_| matches!(source.next(0, 10_001_000), Step::Io { .. })).count();
    assert_eq!(late, 19);
}

#[test]
fn a_pause_follows_each_burst() {
    let mut bursts = stream(Order::Sequential { stride_bytes: 4096 });
    bursts.burst = Some(Burst { ios: 2, pause_ms: 5 });
    let mut source = source(&bursts, 4, 1 << 20);
    assert!(matches!(source.next(0, 10), Step::Io { offset: 0, .. }));
    assert!(matches!(source.next(1, 20), Step::Io { offset: 4096, .. }));
    assert_eq!(source.next(2, 30), Step::Wait { until_ns: 5_000_020 });
    assert!(matches!(source.next(2, 5_000_020), Step::Io { offset: 8192, .. }));
}

#[test]
fn a_held_slot_draws_nothing() {
    let mut limited = stream(random(4096));
    limited.rate = StreamRate::BytesPerMs(4096.0);
    let mut free = limited.clone();
    free.rate = StreamRate::Unlimited;
    let (mut limited, mut free) = (source(&limited, 1, 1 << 30), source(&free, 1, 1 << 30));
    let mut seen = Vec::new();
    for quarter_ms in 0..400 {
        if let Step::Io { offset, .. } = limited.next(0, quarter_ms * 250_000) {
            seen.push(offset);
        }
    }
    assert_eq!(seen, offsets(&mut free, 1, 99));
}

#[test]
fn buffers_count_over_the_slots_after_the_blocks_of_reads() {
    let mut writes = stream(Order::Sequential { stride_bytes: 100 });
    (writes.block_bytes, writes.write_percent) = (100, 100);
    let mut source = source(&writes, 3, 1 << 20);
    for slot in 0..3 {
        source.next(slot, 0);
        let mut buffer = [0; 100];
        source.fill(slot, 0, &mut buffer);
        let first = (300 + slot * 100) as u8;
        assert!(buffer.iter().enumerate().all(|(at, byte)| *byte == first.wrapping_add(at as u8)), "slot {slot}");
    }
}

#[test]
fn a_buffer_that_holds_what_it_should_is_not_filled_again() {
    let mut mixed = stream(random(4096));
    (mixed.write_percent, mixed.content) = (50, WriteContent::Zero);
    let mut source = source(&mixed, 1, 1 << 20);
    let mut filled = 0;
    for _ in 0..100 {
        let Step::Io { ddir, .. } = source.next(0, 0) else { panic!("held back") };
        if ddir == Ddir::Write {
            let mut buffer = [7; BLOCK as usize];
            source.fill(0, 0, &mut buffer);
            filled += u32::from(buffer[0] == 0);
        }
    }
    assert_eq!(filled, 1);
}

#[test]
fn fresh_content_comes_from_the_generator_of_the_offsets() {
    let mut fresh = stream(random(4096));
    (fresh.write_percent, fresh.content) = (100, WriteContent::Fresh);
    let mut source = source(&fresh, 1, 1 << 20);
    let mut random = Jenkins64::new(0);
    for _ in 0..3 {
        let expected = (random.draw() % (1 << 20)) & !4095;
        assert_eq!(offsets(&mut source, 1, 1), [expected]);
        let (mut buffer, mut own) = ([0; BLOCK as usize], [0; BLOCK as usize]);
        source.fill(0, 0, &mut buffer);
        random.fill_correlated(&mut own);
        assert_eq!(buffer, own);
    }
}

#[test]
fn fresh_content_of_odd_blocks_begins_with_a_word_of_its_own() {
    let mut fresh = stream(Order::Sequential { stride_bytes: 100 });
    (fresh.block_bytes, fresh.write_percent, fresh.content) = (100, 100, WriteContent::Fresh);
    let mut source = source(&fresh, 2, 1 << 20);
    let mut random = Jenkins64::new(0);
    // Buffers begin at 200 and 300: with a word, and four bytes behind one.
    for (slot, head) in [(0, 0), (1, 4)] {
        source.next(slot, 0);
        let (mut buffer, mut own) = ([0; 100], [0; 100]);
        source.fill(slot, 0, &mut buffer);
        random.fill(&mut own[..head]);
        random.fill(&mut own[head..]);
        assert_eq!(buffer, own);
    }
}

#[test]
fn source_writes_begin_at_drawn_places() {
    let mut maker = SourceMaker::default();
    let data = maker.random(10_000);
    for direct in [false, true] {
        let mut writes = stream(Order::Sequential { stride_bytes: 4096 });
        writes.write_percent = 100;
        writes.open.direct = direct;
        writes.content = WriteContent::Source { bytes: 10_000, file: None };
        let mut source = source(&writes, 1, 1 << 20);
        assert_eq!(source.check_data().unwrap_err().fault, StreamFault::NoSource);
        source.give_data(0, data.clone()).unwrap();
        source.check_data().unwrap();
        let mut random = Jenkins64::new(0);
        for _ in 0..50 {
            source.next(0, 0);
            let mut buffer = [0; BLOCK as usize];
            source.fill(0, 0, &mut buffer);
            let drawn = random.draw() as u32 as usize % (10_000 - 4095);
            let place = if direct { drawn / 512 * 512 } else { drawn };
            assert_eq!(buffer, data[place..place + 4096]);
        }
    }
}

#[test]
fn random_sources_go_on_in_one_sequence_and_files_repeat() {
    let mut maker = SourceMaker::default();
    let (first, file, second) = (maker.random(16), maker.of_file(b"abc", 7), maker.random(8));
    let mut random = Jenkins64::new(0);
    let mut expected = [0; 24];
    random.fill(&mut expected);
    assert_eq!(([&first[..], &second[..]].concat(), &file[..]), (expected.to_vec(), &b"abcabca"[..]));
    assert_eq!((&maker.of_file(b"", 3)[..], &maker.of_file(b"abcdef", 4)[..]), (&[0, 0, 0][..], &b"abcd"[..]));
}

fn refusal(change: impl FnOnce(&mut Streams)) -> String {
    let mut requested = streams(vec![stream(random(4096)), stream(random(4096))], 1);
    change(&mut requested);
    let SourceError { path, fault } = Source::new(&requested, &[1 << 20; 2], &[]).unwrap_err();
    diskspd::wording::error(&RunError::new(0, SetupError::Stream { path, fault }))
}

#[test]
fn what_cannot_run_is_refused_with_sizes_and_advice() {
    let message = refusal(|requested| requested.list[1].base_bytes = 2 << 20);
    assert_eq!(
        message,
        "target: the part to use begins at 2097152 bytes, but the target has only 1048576; begin lower, or use a larger target"
    );
    let message = refusal(|requested| {
        requested.list[0].base_bytes = 8192;
        requested.list[0].end_bytes = Some(4096);
    });
    assert!(message.contains("begins at 8192 bytes, but ends at 4096"), "{message}");
    let message = refusal(|requested| requested.list[0].block_bytes = 2 << 20);
    assert!(message.contains("2097152 bytes doesn't fit into the 1048576 bytes"), "{message}");
    let message = refusal(|requested| requested.list[0].start_bytes = (1 << 20) - 4095);
    assert!(message.contains("begins 1044481 bytes into the part") && message.contains("fewer threads"), "{message}");
    let message = refusal(|requested| requested.list[0].block_bytes = 0);
    assert!(message.contains("the block size is 0 bytes"), "{message}");
    let message = refusal(|requested| requested.list[0].order = random(0));
    assert!(message.contains("the stride is 0 bytes"), "{message}");
    let message = refusal(|requested| requested.list[0].rate = StreamRate::BytesPerMs(0.0));
    assert!(message.contains("a rate of nothing"), "{message}");
    let message = refusal(|requested| requested.list[0].spread = Spread::Percent(vec![(100, 50)]));
    assert!(message.contains("100 percent"), "{message}");
    let message = refusal(|requested| requested.list[0].spread = Spread::Absolute(vec![(0, 4 << 20), (100, 0)]));
    assert!(message.contains("lies beyond the 1048576 bytes"), "{message}");
    let message = refusal(|requested| requested.list[0].content = WriteContent::Source { bytes: 4095, file: None });
    assert!(message.contains("4095 bytes is smaller than the block size of 4096"), "{message}");
}

#[test]
fn a_queue_over_several_streams_refuses_what_belongs_to_one() {
    let both = |weight| (0..2).map(|stream| StreamShare { stream, weight }).collect();
    let message = refusal(|requested| {
        requested.queues = vec![Queue { depth: 2, shares: both(1) }];
        requested.list[1].burst = Some(Burst { ios: 1, pause_ms: 1 });
    });
    assert!(message.contains("a rate or a burst needs"), "{message}");
    let message = refusal(|requested| {
        requested.queues = vec![Queue { depth: 2, shares: both(1) }];
        requested.list[0].order = Order::Parallel { stride_bytes: 4096 };
    });
    assert!(message.contains("a pointer for each outstanding I/O needs"), "{message}");
    let message = refusal(|requested| requested.queues = vec![Queue { depth: 2, shares: both(0) }]);
    assert!(message.contains("without any weight"), "{message}");
}
