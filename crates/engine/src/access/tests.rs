//! The sequence of I/Os: what each option does to it, and what holds for all jobs.

use plan::{Access, Ddir, Distribution, FileOrder, FileService, PerDdir, RandomMap, Seeds, SizeShare, Strides};
use random::Tausworthe32;

use super::{Due, FileExtent, Generator, Io, Job, Next, SeedTable, SyncKind};

const BLOCK: u64 = 4096;

/// More I/Os than any pass here has.
const ENDLESS: usize = 100_000;

fn access(rw: &str, change: impl FnOnce(&mut Access)) -> Access {
    let mut access = crate::sample::worker("job", rw, BLOCK, &[]).job().unwrap().load.access.clone();
    access.block.align_bytes = PerDdir::all(0);
    change(&mut access);
    access
}

fn extent(offset: u64, io_size: u64) -> FileExtent<'static> {
    FileExtent { name: "file", offset, io_size, real_size: offset + io_size }
}

fn job<'a>(access: &'a Access, files: &'a [FileExtent<'a>]) -> Job<'a> {
    Job {
        access,
        service: FileService { order: FileOrder::RoundRobin, ios_each: 1 },
        open_limit: None,
        worker_number: 1,
        seeds: SeedTable::new(access.seeds, 1, || 77),
        files,
        time_based: false,
        overwrites: false,
        verifies: false,
    }
}

/// All I/Os of a pass, up to a number.
fn pass(generator: &mut Generator, most: usize) -> Vec<Io> {
    let mut ios = Vec::new();
    while ios.len() < most {
        match generator.next() {
            Next::Io(io) => ios.push(io),
            Next::Sync { .. } | Next::FileDone { .. } => {}
            Next::PassDone => break,
        }
    }
    ios
}

#[test]
fn every_block_of_a_pass_is_touched_once() {
    let mut random = Tausworthe32::new(1);
    for round in 0..200 {
        let grain = 512 * u64::from(random.between(1, 9));
        let blocks = u64::from(random.between(1, 3000));
        let offset = 512 * u64::from(random.between(0, 100));
        let rest = u64::from(random.between(0, grain as u32 - 1));
        let access = access("randread", |access| {
            access.block.min_bytes = PerDdir::all(grain);
            access.block.max_bytes = PerDdir::all(grain);
            access.generator = match round % 3 {
                0 => plan::Generator::Tausworthe32,
                1 => plan::Generator::Tausworthe64,
                _ => plan::Generator::Lfsr,
            };
        });
        let files = [extent(offset, blocks * grain + rest)];
        let mut generator = Generator::new(&job(&access, &files)).unwrap();
        for _ in 0..2 {
            let mut starts: Vec<u64> = pass(&mut generator, ENDLESS).iter().map(|io| io.offset).collect();
            starts.sort_unstable();
            let all: Vec<u64> = (0..blocks).map(|block| offset + block * grain).collect();
            assert_eq!(starts, all, "{blocks} blocks of {grain} at {offset}, rest {rest}, {:?}", access.generator);
            generator.start_pass();
        }
    }
}

#[test]
fn blocks_of_many_sizes_cover_a_pass_without_overlap() {
    let mut random = Tausworthe32::new(2);
    for round in 0..100 {
        let grain = 512 * u64::from(random.between(1, 9));
        let blocks = u64::from(random.between(1, 3000));
        let largest = grain * u64::from(random.between(1, 80));
        let access = access("randwrite", |access| {
            access.block.min_bytes = PerDdir::all(grain);
            access.block.max_bytes = PerDdir::all(largest);
            if round % 2 == 0 && largest > grain {
                let split = vec![SizeShare { bytes: grain, percent: 40 }, SizeShare { bytes: largest, percent: 60 }];
                access.block.split = [split.clone(), split.clone(), split];
            }
        });
        let files = [extent(8192, blocks * grain)];
        let mut generator = Generator::new(&job(&access, &files)).unwrap();
        let mut ios = pass(&mut generator, ENDLESS);
        ios.sort_unstable_by_key(|io| io.offset);
        let mut next = 8192;
        for io in &ios {
            assert_eq!(io.offset, next, "{blocks} blocks of {grain} to {largest}");
            next += io.length;
        }
        assert_eq!(next, 8192 + blocks * grain);
    }
}

#[test]
fn no_io_leaves_the_extent_whatever_the_job() {
    let mut random = Tausworthe32::new(3);
    for round in 0..2000 {
        let access = any_access(&mut random);
        let size = u64::from(random.between(0, 3000)) * 1000;
        let offset = u64::from(random.between(0, 10)) * 1536;
        let count = random.between(1, 4) as usize;
        let files = vec![extent(offset, size); count];
        let mut job = job(&access, &files);
        job.time_based = round % 3 == 0;
        job.overwrites = round % 5 == 0;
        job.open_limit = [None, Some(1), Some(2)][random.between(0, 2) as usize];
        job.service.ios_each = random.between(0, 3);
        job.service.order = match random.between(0, 3) {
            0 => FileOrder::Sequential,
            1 => FileOrder::Random,
            2 => FileOrder::Zipf { theta: 1.2, center: None },
            _ => FileOrder::RoundRobin,
        };
        let mut generator = match Generator::new(&job) {
            Ok(generator) => generator,
            Err(error) => panic!("{error:?}: {access:?}"),
        };
        for io in pass(&mut generator, 500) {
            assert!(io.offset >= offset && io.offset + io.length <= offset + size, "{io:?} of {access:?}");
            assert!(io.length > 0 && access.pattern.has(io.ddir));
        }
    }
}

#[test]
fn draws_without_room_do_not_end_a_file() {
    use plan::{ZoneBytes, ZoneShare};
    let zone = |access_percent| vec![ZoneShare { access_percent, size_percent: 50 }; 2];
    let bytes = vec![ZoneBytes { access_percent: 50, size_bytes: 1 << 20 }; 2];
    let distributions = [
        Distribution::Zoned(Box::new([zone(50), zone(50), zone(50)])),
        Distribution::ZonedAbs(Box::new([bytes.clone(), bytes.clone(), bytes])),
        Distribution::Zipf { theta: 1.2, center: None },
        Distribution::Pareto { power: 0.2, center: None },
        Distribution::Normal { deviation_percent: 20.0, center: None },
        Distribution::Uniform,
    ];
    for (distribution, generator) in distributions.iter().flat_map(|distribution| {
        [plan::Generator::Lfsr, plan::Generator::Tausworthe64].map(|generator| (distribution, generator))
    }) {
        for (rw, min_bytes, align) in
            [("randread", [8192, 4096, 4096], 0), ("randrw", [4096, 65536, 4096], 0), ("randread", [4096; 3], 512)]
        {
            let access = access(rw, |access| {
                access.block.min_bytes = PerDdir(min_bytes);
                access.block.max_bytes = PerDdir(min_bytes);
                access.block.align_bytes = PerDdir::all(align);
                access.random_map = RandomMap::Off;
                (access.distribution, access.generator) = (distribution.clone(), generator);
            });
            let files = [extent(12288, (2 << 20) + 1000)];
            let ios = pass(&mut Generator::new(&job(&access, &files)).unwrap(), 200);
            assert_eq!(ios.len(), 200, "{rw} {min_bytes:?} {align} {generator:?} {distribution:?}");
            let far = ios.iter().map(|io| io.offset).max().unwrap();
            assert!(far > 1 << 20, "{rw} {min_bytes:?} {align} {generator:?} {distribution:?}: {far}");
        }
    }
}

#[test]
fn blocks_of_unused_directions_do_not_count() {
    for generator in [plan::Generator::Lfsr, plan::Generator::Tausworthe32] {
        let access = access("randread", |access| {
            access.block.min_bytes = PerDdir([8192, 512, 512]);
            access.block.max_bytes = PerDdir([8192, 512, 512]);
            access.generator = generator;
        });
        let files = [extent(0, 1 << 20)];
        let mut starts: Vec<u64> =
            pass(&mut Generator::new(&job(&access, &files)).unwrap(), ENDLESS).iter().map(|io| io.offset).collect();
        starts.sort_unstable();
        assert_eq!(starts, (0..128).map(|block| block * 8192).collect::<Vec<u64>>(), "{generator:?}");
    }
}

#[test]
fn a_block_that_leaves_the_extent_is_left_out() {
    for rw in ["write", "read", "randwrite", "rw"] {
        let access = access(rw, |_| {});
        let files = [FileExtent { real_size: 1 << 20, ..extent(BLOCK, 2 * BLOCK + 2048) }];
        let ios = pass(&mut Generator::new(&job(&access, &files)).unwrap(), ENDLESS);
        assert!(ios.iter().all(|io| io.offset + io.length <= 3 * BLOCK), "{rw}: {ios:?}");
        assert!(ios.len() >= 2, "{rw}: {ios:?}");
    }
}

#[test]
fn strides_apply_to_several_files_unless_several_are_open_at_a_time() {
    let access = access("write", |access| {
        let size_bytes = 2 * BLOCK;
        access.strides = Some(Strides { size_bytes, range_bytes: size_bytes, skip_bytes: size_bytes });
    });
    let files = [extent(0, 64 * BLOCK); 2];
    let offsets = |open_limit| {
        let job = Job { open_limit, ..job(&access, &files) };
        pass(&mut Generator::new(&job).unwrap(), 6).iter().map(|io| io.offset / BLOCK).collect::<Vec<u64>>()
    };
    // The bytes of all files end a zone.
    assert_eq!(offsets(None), [0, 0, 4, 1, 8, 0]);
    assert_eq!(offsets(Some(2)), [0, 0, 1, 1, 2, 2]);
}

#[test]
fn a_moved_extent_is_used_by_the_next_pass() {
    for rw in ["write", "randwrite"] {
        let access = access(rw, |_| {});
        let files = [extent(0, 8 * BLOCK)];
        let mut generator = Generator::new(&job(&access, &files)).unwrap();
        let mut offsets = Vec::new();
        for start in [0, 8 * BLOCK, 32 * BLOCK] {
            generator.move_extent(0, start, start + 8 * BLOCK);
            generator.start_pass();
            let mut ios: Vec<u64> = pass(&mut generator, ENDLESS).iter().map(|io| io.offset / BLOCK).collect();
            ios.sort_unstable();
            offsets.extend(ios);
        }
        assert_eq!(offsets, (0..16).chain(32..40).collect::<Vec<u64>>(), "{rw}");
    }
}

fn any_access(random: &mut Tausworthe32) -> Access {
    let patterns = ["read", "write", "rw", "trim", "trimwrite"];
    let name = patterns[random.between(0, 4) as usize];
    let is_random = random.between(0, 3) > 0;
    let rw = if is_random { format!("rand{name}") } else { name.to_owned() };
    access(&rw, |access| {
        let mut up_to = |most| u64::from(random.between(0, most));
        let min = 1 + up_to(5000);
        access.block.min_bytes = PerDdir([min, 1 + up_to(5000), min]);
        let wider = access.block.min_bytes.0.map(|min| min + up_to(1) * up_to(20000));
        access.block.max_bytes = PerDdir(wider);
        access.block.unaligned = up_to(1) == 1;
        access.block.by_sequential_or_random = up_to(3) == 0;
        access.block.align_bytes = PerDdir([up_to(1) * up_to(5000), 0, 0]);
        access.random_percent = PerDdir([up_to(100) as u32, 100, up_to(100) as u32]);
        access.sequencer.every_ios = up_to(4) as u32;
        access.sequencer.identical = up_to(1) == 1;
        access.sequencer.skip_bytes = up_to(1) as i64 * (up_to(20000) as i64 - 10000);
        access.random_map = [RandomMap::On, RandomMap::Off, RandomMap::Soft][up_to(2) as usize];
        access.distribution = match up_to(5) {
            0 => Distribution::Zipf { theta: 0.5 + up_to(9) as f64 / 9.1, center: None },
            1 => Distribution::Pareto { power: 0.2, center: Some(0.5) },
            2 => Distribution::Normal { deviation_percent: up_to(100) as f64, center: Some(up_to(10) as f64 / 10.0) },
            _ => Distribution::Uniform,
        };
        if up_to(4) == 0 {
            let [size_bytes, range_bytes, skip_bytes] = [1 + up_to(200_000), up_to(200_000), up_to(200_000)];
            access.strides = Some(Strides { size_bytes, range_bytes, skip_bytes });
        }
    })
}

#[test]
fn seeds_from_the_system_differ() {
    let mut next = 0;
    let mut draw = || {
        next += 0x1234_5678_9abc;
        next
    };
    let access = access("randread", |access| access.random_map = RandomMap::Off);
    let files = [extent(0, 1 << 30)];
    let mut sequence = || {
        let seeds = SeedTable::new(Seeds::System, 1, &mut draw);
        pass(&mut Generator::new(&Job { seeds, ..job(&access, &files) }).unwrap(), 100)
    };
    assert_ne!(sequence(), sequence());
}

#[test]
fn looking_at_what_is_due_changes_nothing() {
    let access = access("randrw", |access| access.syncs.fsync_every_writes = 3);
    let files = [extent(0, 1 << 20)];
    let (job, mut seen) = (job(&access, &files), Vec::new());
    let (mut plain, mut looked_at) = (Generator::new(&job).unwrap(), Generator::new(&job).unwrap());
    loop {
        let due = looked_at.due();
        assert_eq!(due, looked_at.due());
        let next = looked_at.next();
        assert_eq!(next, plain.next());
        match (due, next) {
            (Due::Io(ddir), Next::Io(io)) => assert_eq!(ddir, io.ddir),
            (Due::Io(_), Next::FileDone { file: 0 }) => {}
            (Due::Sync, Next::Sync { kind: SyncKind::Fsync, file: 0 }) => seen.push(next),
            (Due::PassDone, Next::PassDone) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(seen.len() > 10);
}

/// Looking at what is due makes each step on the general path.
#[test]
fn plain_patterns_have_the_steps_of_the_general_path() {
    for (rw, time_based, size) in ["read", "write", "rw", "trim", "randread", "randrw", "randtrim"]
        .into_iter()
        .flat_map(|rw| [(rw, false, 100 * BLOCK), (rw, true, 100 * BLOCK), (rw, true, 100 * BLOCK + 512)])
    {
        for map in [RandomMap::On, RandomMap::Off] {
            let access = access(rw, |access| access.random_map = map);
            let files = [extent(0, size)];
            let job = || Job { time_based, ..job(&access, &files) };
            let (mut fast, mut general) = (Generator::new(&job()).unwrap(), Generator::new(&job()).unwrap());
            for step in 0..1000 {
                general.due();
                let next = fast.next();
                assert_eq!(next, general.next(), "{rw} {time_based} {size} {map:?}, step {step}");
                if next == Next::PassDone {
                    fast.start_pass();
                    general.start_pass();
                }
            }
            assert!(fast.is_plain(), "{rw} {map:?}");
        }
    }
}

#[test]
fn a_mixed_pattern_switches_the_direction_on_request() {
    let mixed = access("randrw", |_| {});
    let files = [extent(0, 1 << 20)];
    let mut generator = Generator::new(&job(&mixed, &files)).unwrap();
    for _ in 0..100 {
        let Due::Io(drawn) = generator.due() else { panic!("the pass is too short") };
        assert!(generator.switch_direction());
        let Next::Io(io) = generator.next() else { panic!("the pass is too short") };
        assert_ne!(io.ddir, drawn);
    }
    let only_reads = access("randrw", |access| access.rwmix_read_percent = 100);
    let mut generator = Generator::new(&job(&only_reads, &files)).unwrap();
    assert_eq!(generator.due(), Due::Io(Ddir::Read));
    assert!(!generator.switch_direction());
}

#[test]
fn a_file_that_starts_over_says_so() {
    for rw in ["read", "randread"] {
        let access = access(rw, |_| {});
        let files = [extent(0, 10 * BLOCK)];
        let mut generator = Generator::new(&Job { time_based: true, ..job(&access, &files) }).unwrap();
        let wrapped: Vec<usize> =
            pass(&mut generator, 35).iter().enumerate().filter(|(_, io)| io.wrapped).map(|(at, _)| at).collect();
        assert_eq!(wrapped, [10, 20, 30], "{rw}");
    }
}

#[test]
fn a_mix_keeps_its_share() {
    for percent in [0, 1, 30, 70, 100] {
        let access = access("randrw", |access| {
            access.rwmix_read_percent = percent;
            access.random_map = RandomMap::Off;
        });
        let files = [extent(0, 1 << 30)];
        let ios = pass(&mut Generator::new(&job(&access, &files)).unwrap(), 20_000);
        let reads = ios.iter().filter(|io| io.ddir == Ddir::Read).count() as f64 / 200.0;
        assert!((reads - f64::from(percent)).abs() < 1.5, "{reads} % reads for {percent} %");
    }
}
