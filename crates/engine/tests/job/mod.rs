//! Parses fio options that define an order of I/O, and applies fio's rules for the end of a pass and of a job.

use engine::access::{FileExtent, Generator, Job, Next, SeedTable, SyncKind};
use plan::{
    Access, Distribution, FileOrder, FileService, Pattern, PerDdir, RandomMap, Seeds, SizeShare, Strides,
    SyncFileRange, ZoneBytes, ZoneShare,
};

/// A line of fio's log, or its equivalent.
#[derive(Clone, PartialEq, Eq)]
pub struct Action {
    file: String,
    what: String,
    offset: u64,
    length: u64,
}

impl std::fmt::Debug for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}+{}", self.file, self.what, self.offset, self.length)
    }
}

impl Action {
    pub fn from_log(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, file, what, offset, length] = words[..] else { return None };
        let is_io = matches!(what, "read" | "write" | "trim");
        // The offset of a sync in the log is that of an earlier I/O in the same buffer.
        let number = |word: &str| if is_io { word.parse().ok() } else { Some(0) };
        Some(Action { file: file.to_owned(), what: what.to_owned(), offset: number(offset)?, length: number(length)? })
    }
}

pub struct Setup {
    access: Access,
    service: FileService,
    names: Vec<String>,
    worker_number: u32,
    size: u64,
    file_size: Option<u64>,
    offset: u64,
    io_size: u64,
    number_ios: u64,
    loops: u64,
    time_based: bool,
    open_files: u32,
    verifies: bool,
    /// I/Os are queued. Only then fio counts the bytes of a pass when they are issued.
    queued: bool,
}

impl Setup {
    pub fn parse(options: &str, worker_number: u32) -> Result<Self, String> {
        let mut setup = Setup {
            access: Access::default(),
            service: FileService { order: FileOrder::RoundRobin, ios_each: 1 },
            names: vec!["one".to_owned()],
            worker_number,
            size: 0,
            file_size: None,
            offset: 0,
            io_size: 0,
            number_ios: 0,
            loops: 1,
            time_based: false,
            open_files: 0,
            verifies: false,
            queued: false,
        };
        for option in options.split_whitespace() {
            let (name, value) = option.split_once('=').unwrap_or((option, "1"));
            setup.set(name, value).ok_or_else(|| format!("the test does not know {option}"))?;
        }
        Ok(setup)
    }

    pub fn is_endless(&self) -> bool {
        self.time_based
    }

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let access = &mut self.access;
        let block = &mut access.block;
        match name {
            "rw" => self.set_pattern(value)?,
            "size" => self.size = bytes(value)?,
            "filesize" => self.file_size = Some(bytes(value)?),
            "io_size" => self.io_size = bytes(value)?,
            "offset" => self.offset = bytes(value)?,
            "number_ios" => self.number_ios = value.parse().ok()?,
            "loops" => self.loops = value.parse().ok()?,
            "time_based" => self.time_based = value == "1",
            "iodepth" => self.queued = value != "1",
            "openfiles" => self.open_files = value.parse().ok()?,
            "filename" => self.names = value.split(':').map(str::to_owned).collect(),
            "file_service_type" => self.set_service(value)?,
            "bs" => {
                block.min_bytes = per_ddir(value, bytes)?;
                block.max_bytes = block.min_bytes;
            }
            "bsrange" => {
                block.min_bytes = per_ddir(value, |range| bytes(range.split_once('-')?.0))?;
                block.max_bytes = per_ddir(value, |range| bytes(range.split_once('-')?.1))?;
            }
            "bssplit" => self.set_split(value)?,
            "bs_unaligned" => block.unaligned = value == "1",
            "bs_is_seq_rand" => block.by_sequential_or_random = value == "1",
            "blockalign" => block.align_bytes = per_ddir(value, bytes)?,
            "rwmixread" => access.rwmix_read_percent = value.parse().ok()?,
            "percentage_random" => access.random_percent = per_ddir(value, |percent| percent.parse().ok())?,
            "rw_sequencer" => access.sequencer.identical = value == "identical",
            "random_generator" => {
                access.generator = match value {
                    "tausworthe" => plan::Generator::Tausworthe32,
                    "tausworthe64" => plan::Generator::Tausworthe64,
                    "lfsr" => plan::Generator::Lfsr,
                    _ => return None,
                };
            }
            "random_distribution" => access.distribution = distribution(value)?,
            "random_sequence_stride" => {
                if let Distribution::Sequence { moves, .. } = &mut access.distribution {
                    *moves = value == "1";
                }
            }
            "norandommap" => access.random_map = RandomMap::Off,
            "softrandommap" => access.random_map = RandomMap::Soft,
            "zonemode" => {}
            "zonesize" => self.strides().size_bytes = bytes(value)?,
            "zonerange" => self.strides().range_bytes = bytes(value)?,
            "zoneskip" => self.strides().skip_bytes = bytes(value)?,
            "fsync" => access.syncs.fsync_every_writes = value.parse().ok()?,
            "fdatasync" => access.syncs.fdatasync_every_writes = value.parse().ok()?,
            "sync_file_range" => {
                let every_writes = value.strip_prefix("write:")?.parse().ok()?;
                access.syncs.sync_file_range =
                    Some(SyncFileRange { every_writes, wait_before: false, write: true, wait_after: false });
            }
            "randseed" => access.seeds = Seeds::Repeatable { seed: value.parse().ok()?, each_pass: false },
            "verify" => self.verifies = true,
            // Seeds come from the table below, times from the log.
            "randrepeat" | "runtime" | "rate_iops" | "do_verify" => {}
            _ => return None,
        }
        Some(())
    }

    fn strides(&mut self) -> &mut Strides {
        self.access.strides.get_or_insert(Strides { size_bytes: 0, range_bytes: 0, skip_bytes: 0 })
    }

    fn set_pattern(&mut self, value: &str) -> Option<()> {
        let (name, postfix) = value.split_once(':').map_or((value, None), |(name, post)| (name, Some(post)));
        let random = name.starts_with("rand");
        let (reads, writes, trims) = match name.strip_prefix("rand").unwrap_or(name) {
            "read" => (true, false, false),
            "write" => (false, true, false),
            "trim" => (false, false, true),
            "rw" => (true, true, false),
            "trimwrite" => (false, true, true),
            _ => return None,
        };
        self.access.pattern = Pattern { reads, writes, trims, random };
        match postfix {
            None => {}
            Some(every) if random => self.access.sequencer.every_ios = every.parse().ok()?,
            Some(skip) => {
                let (sign, amount) = skip.strip_prefix('-').map_or((1, skip), |amount| (-1, amount));
                self.access.sequencer.skip_bytes = sign * i64::try_from(bytes(amount)?).ok()?;
            }
        }
        Some(())
    }

    fn set_service(&mut self, value: &str) -> Option<()> {
        let mut parts = value.split(':');
        let order = parts.next()?;
        let rest: Vec<&str> = parts.collect();
        let number = |at: usize| rest.get(at).and_then(|part| part.parse::<f64>().ok());
        self.service.order = match order {
            "roundrobin" => FileOrder::RoundRobin,
            "sequential" => FileOrder::Sequential,
            "random" => FileOrder::Random,
            "zipf" => FileOrder::Zipf { theta: number(0)?, center: number(1) },
            "pareto" => FileOrder::Pareto { power: number(0)?, center: number(1) },
            "normal" => FileOrder::Normal { deviation_percent: number(0)?, center: number(1) },
            _ => return None,
        };
        if matches!(order, "roundrobin" | "random" | "sequential") {
            self.service.ios_each = rest.first().map_or(Some(1), |each| each.parse().ok())?;
        }
        Some(())
    }

    fn set_split(&mut self, value: &str) -> Option<()> {
        let block = &mut self.access.block;
        let parts: Vec<&str> = value.split(',').collect();
        for ddir in 0..3 {
            let part = parts.get(ddir).or(parts.last())?;
            let mut split = Vec::new();
            for entry in part.split(':') {
                let (size, percent) = entry.split_once('/')?;
                split.push(SizeShare { bytes: bytes(size)?, percent: percent.parse().ok()? });
            }
            block.min_bytes.0[ddir] = split.iter().map(|share| share.bytes).min()?;
            block.max_bytes.0[ddir] = split.iter().map(|share| share.bytes).max()?;
            block.split[ddir] = split;
        }
        Some(())
    }

    /// Returns our sequence of at most `most` I/Os.
    pub fn sequence(&self, most: usize) -> Result<Vec<Action>, String> {
        let smallest = self.access.block.min_bytes.0.into_iter().min().unwrap_or(1);
        let extents = self.extents(smallest);
        let whole: u64 = extents.iter().map(|extent| extent.io_size).sum();
        let size = if self.size == 0 { whole } else { self.size.min(whole) };
        let job = Job {
            access: &self.access,
            service: self.service,
            open_limit: (self.open_files > 0).then_some(self.open_files as usize),
            worker_number: self.worker_number,
            seeds: SeedTable::new(self.access.seeds, self.worker_number, || 0),
            files: &extents,
            time_based: self.time_based,
            overwrites: self.io_size > size,
            verifies: self.verifies,
        };
        let generator = Generator::new(&job).map_err(|fault| format!("{fault:?}"))?;
        Ok(self.drive(generator, size, most))
    }

    /// Blocks that remain after the division go to the first files, as in fio.
    fn extents(&self, smallest: u64) -> Vec<FileExtent<'_>> {
        let count = self.names.len() as u64;
        let each = self.size / count;
        let extra = (self.size - each * count) / smallest;
        let extent = |(at, name)| {
            let io_size = match self.file_size {
                Some(size) => size - self.offset,
                None => each + if (at as u64) < extra { smallest } else { 0 },
            };
            FileExtent { name, offset: self.offset, io_size, real_size: self.offset + io_size }
        };
        self.names.iter().map(String::as_str).enumerate().map(extent).collect()
    }

    fn drive(&self, mut generator: Generator, size: u64, most: usize) -> Vec<Action> {
        let pattern = self.access.pattern;
        let mut per_pass = size;
        let grows = if pattern.random { self.access.random_map == RandomMap::Off } else { true };
        if pattern.writes && grows {
            per_pass = per_pass.max(self.io_size);
        }
        let limit = if self.io_size > 0 { self.io_size } else { size };
        let mut number_ios = self.number_ios;
        if pattern.writes && pattern.trims {
            per_pass += limit * self.loops;
            number_ios *= 2;
        }
        let (mut actions, mut issued, mut counted, mut ios) = (Vec::new(), 0, 0, 0);
        let max_block = self.access.block.max_bytes.0.into_iter().max().unwrap_or(1);
        for pass in 0.. {
            let again = self.time_based || pass < self.loops;
            let exceeded = number_ios > 0 && ios >= number_ios * self.loops;
            if !again && (exceeded || issued >= limit || limit - issued < max_block || self.io_size == 0) {
                break;
            }
            if pass > 0 {
                generator.start_pass();
            }
            let mut in_pass = 0;
            loop {
                let enough = counted >= limit * self.loops || (number_ios > 0 && ios >= number_ios * self.loops);
                if actions.len() >= most || (!self.time_based && (enough || (self.queued && in_pass >= per_pass))) {
                    break;
                }
                match generator.next() {
                    Next::Io(io) => {
                        in_pass += io.length;
                        issued += io.length;
                        let counts = !(pattern.writes && pattern.trims) || io.ddir == plan::Ddir::Write;
                        counted += if counts { io.length } else { 0 };
                        ios += 1;
                        let what = io.ddir.name().to_owned();
                        let file = self.names[io.file].clone();
                        actions.push(Action { file, what, offset: io.offset, length: io.length });
                    }
                    Next::Sync { kind, file } => {
                        let what = match kind {
                            SyncKind::Fsync => "sync",
                            SyncKind::Fdatasync => "datasync",
                            SyncKind::SyncFileRange => "sync_file_range",
                        };
                        let (file, what) = (self.names[file].clone(), what.to_owned());
                        actions.push(Action { file, what, offset: 0, length: 0 });
                    }
                    Next::FileDone { .. } => {}
                    Next::PassDone => break,
                }
            }
            if in_pass == 0 || actions.len() >= most {
                break;
            }
        }
        actions
    }
}

fn bytes(value: &str) -> Option<u64> {
    let (number, unit) = match value.trim_end_matches(|unit: char| unit.is_alphabetic()) {
        number if number.len() == value.len() => (value, 1),
        number => (
            number,
            match &value[number.len()..] {
                "k" => 1 << 10,
                "m" => 1 << 20,
                "g" => 1 << 30,
                "t" => 1 << 40,
                _ => return None,
            },
        ),
    };
    Some(number.parse::<u64>().ok()? * unit)
}

/// Parses fio's `read,write,trim`. A missing value is equal to the previous one.
fn per_ddir<T: Copy>(value: &str, parse: impl Fn(&str) -> Option<T>) -> Option<PerDdir<T>> {
    let parts = value.split(',').map(parse).collect::<Option<Vec<T>>>()?;
    Some(PerDdir(std::array::from_fn(|ddir| parts[ddir.min(parts.len() - 1)])))
}

fn distribution(value: &str) -> Option<Distribution> {
    let (name, rest) = value.split_once(':')?;
    let numbers: Vec<f64> = rest.split(':').filter_map(|part| part.parse().ok()).collect();
    let center = numbers.get(1).copied();
    Some(match name {
        "zipf" => Distribution::Zipf { theta: numbers[0], center },
        "pareto" => Distribution::Pareto { power: numbers[0], center },
        "normal" => Distribution::Normal { deviation_percent: numbers[0], center },
        "zoned" => Distribution::Zoned(Box::new(zones(rest, |access_percent, size| {
            Some(ZoneShare { access_percent, size_percent: size.parse().ok()? })
        })?)),
        "zoned_abs" => Distribution::ZonedAbs(Box::new(zones(rest, |access_percent, size| {
            Some(ZoneBytes { access_percent, size_bytes: bytes(size)? })
        })?)),
        "sequence" => Distribution::Sequence {
            blocks: rest.split(',').map(|block| block.parse().ok()).collect::<Option<_>>()?,
            moves: false,
        },
        _ => return None,
    })
}

fn zones<T: Clone>(value: &str, parse: impl Fn(u32, &str) -> Option<T>) -> Option<[Vec<T>; 3]> {
    let zones = |part: &str| -> Option<Vec<T>> {
        let zone = |zone: &str| {
            let (accesses, size) = zone.split_once('/')?;
            parse(accesses.parse().ok()?, size)
        };
        part.split(':').map(zone).collect()
    };
    let parts = value.split(',').map(zones).collect::<Option<Vec<_>>>()?;
    Some(std::array::from_fn(|ddir| parts[ddir.min(parts.len() - 1)].clone()))
}
