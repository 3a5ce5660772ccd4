//! Lowers the options of files, sizes, layout and buffers.

use plan::{
    Buffers, Content, Create, Dedupe, DedupeMode, Extent, Fadvise, FileOrder, FileService, Memory, Open, SyncMode,
    TargetKind, TargetLock, Targets, WriteHint,
};

use super::{Machine, misread};
use crate::options::{Key, key, kinds};
use crate::parse::value::{Amount, KeywordArgument, path_list};
use crate::parse::values::Values;

pub fn targets(values: &Values, job: &str, clone: u32, machine: &dyn Machine) -> Targets {
    let (paths, generated) = paths(values, job, clone, machine);
    let opendir = values.text(key::OPENDIR).map(str::to_owned);
    let [low, high, _] = values.unsigneds(key::FILESIZE);
    let rw = values.keyword(key::RW);
    let pre_read = values.flag(key::PRE_READ);
    Targets {
        paths,
        generated,
        opendir,
        file_size: (low > 0).then_some((low, high.max(low))),
        extent: extent(values),
        open: Open {
            direct: values.flag(key::DIRECT) || values.flag(key::ATOMIC),
            sync: match values.keyword(key::SYNC) {
                "sync" => SyncMode::Sync,
                "dsync" => SyncMode::Dsync,
                _ => SyncMode::None,
            },
            atomic: values.flag(key::ATOMIC),
        },
        create: Create {
            allowed: values.flag(key::ALLOW_FILE_CREATE),
            serialize: values.flag(key::CREATE_SERIALIZE),
            fsync: values.flag(key::CREATE_FSYNC),
            on_open: values.flag(key::CREATE_ON_OPEN),
            only: values.flag(key::CREATE_ONLY),
            // Reads need data in the file.
            overwrite: values.flag(key::OVERWRITE) || matches!(rw, "read" | "randread" | "rw" | "randrw"),
            fallocate: values.keyword(key::FALLOCATE).parse().unwrap_or_default(),
        },
        service: service(values),
        open_files: values.unsigned(key::OPENFILES) as u32,
        pre_read,
        // Invalidation would drop the pages that pre_read reads.
        invalidate: values.flag(key::INVALIDATE) && !pre_read,
        fadvise: match values.keyword(key::FADVISE_HINT) {
            "0" => Fadvise::None,
            "random" => Fadvise::Random,
            "sequential" => Fadvise::Sequential,
            "noreuse" => Fadvise::NoReuse,
            _ => Fadvise::Pattern,
        },
        unlink: values.flag(key::UNLINK),
        unlink_each_loop: values.flag(key::UNLINK_EACH_LOOP),
        ioscheduler: values.text(key::IOSCHEDULER).map(str::to_owned),
        allow_mounted_write: values.flag(key::ALLOW_MOUNTED_WRITE),
        write_hint: values
            .is_set(&key::WRITE_HINT)
            .then(|| values.keyword(key::WRITE_HINT).parse().unwrap_or(WriteHint::None)),
        kind: match values.keyword(key::FILETYPE) {
            "file" => Some(TargetKind::File),
            "block" => Some(TargetKind::BlockDevice),
            "char" => Some(TargetKind::CharacterDevice),
            _ => None,
        },
        lock: match values.keyword(key::LOCKFILE) {
            "exclusive" => Some(TargetLock::Exclusive),
            "readwrite" => Some(TargetLock::ReadWrite),
            _ => None,
        },
        misread: misread::names(values, clone, machine),
    }
}

/// Returns the donor of `e4defrag`, in the directory of the clone.
pub(super) fn donor(values: &Values, clone: u32) -> String {
    let name = values.text(key::DONORNAME).unwrap_or_default();
    let directories = values.text(key::DIRECTORY).map(path_list::split).unwrap_or_default();
    match directories.len() {
        0 => name.to_owned(),
        count => format!("{}/{name}", directories[clone as usize % count].trim_end_matches('/')),
    }
}

/// Returns an amount of bytes, percent or zones. Zones need a size: with `zonemode=zbd` the target can determine it.
pub(super) fn amount(values: &Values, option: Key<kinds::Amount>) -> Option<plan::Amount> {
    match values.amount(option)? {
        Amount::Bytes(bytes) => Some(plan::Amount::Bytes(bytes)),
        Amount::Percent(percent) => Some(plan::Amount::Percent(f64::from(percent))),
        Amount::Zones(zones) if values.keyword(key::ZONEMODE) == "zbd" => Some(plan::Amount::Zones(zones)),
        Amount::Zones(zones) => {
            Some(plan::Amount::Bytes(u64::from(zones).saturating_mul(values.unsigned(key::ZONESIZE))))
        }
    }
}

fn extent(values: &Values) -> Extent {
    let nonzero = |amount: &plan::Amount| *amount != plan::Amount::Bytes(0);
    let start = plan::Amount::Bytes(0);
    Extent {
        size: amount(values, key::SIZE).filter(nonzero),
        io_size: amount(values, key::IO_SIZE).filter(nonzero),
        offset: amount(values, key::OFFSET).unwrap_or(start),
        offset_increment: amount(values, key::OFFSET_INCREMENT).unwrap_or(start),
        offset_align_bytes: values.unsigned(key::OFFSET_ALIGN),
        fill_device: values.flag(key::FILL_DEVICE),
        append: values.flag(key::FILE_APPEND),
        part: None,
    }
}

/// Returns the paths of the job's files, and whether their names are generated from the job's name.
fn paths(values: &Values, job: &str, clone: u32, machine: &dyn Machine) -> (Vec<String>, bool) {
    let directories = values.text(key::DIRECTORY).map(path_list::split).unwrap_or_default();
    // Clones are distributed over the directories in turn.
    let directory = (!directories.is_empty()).then(|| &directories[clone as usize % directories.len()]);
    let in_directory = |name: String| match directory {
        Some(directory) => format!("{}/{name}", directory.trim_end_matches('/')),
        None => name,
    };
    if let Some(names) = values.text(key::FILENAME) {
        let mut paths = Vec::new();
        for name in path_list::split(names) {
            let path = in_directory(name);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        return (paths, false);
    }
    if values.is_set(&key::OPENDIR) {
        return (Vec::new(), true);
    }
    let count = values.unsigned(key::NRFILES).max(1);
    if count == 1 && machine.is_special_file(job) {
        return (vec![job.to_owned()], false);
    }
    let format = values.text(key::FILENAME_FORMAT).unwrap_or("$jobname.$jobnum.$filenum");
    let path = |file: u64| {
        let name = format.replace("$jobname", job).replace("$jobnum", &clone.to_string());
        in_directory(name.replace("$filenum", &file.to_string()).replace("$clientuid", "localhost"))
    };
    ((0..count).map(path).collect(), true)
}

fn service(values: &Values) -> FileService {
    let (parameter, center, count) = match values.keyword_argument(key::FILE_SERVICE_TYPE) {
        KeywordArgument::Shape { parameter, center } => (parameter, center, None),
        KeywordArgument::Count(count) => (None, None, Some(count)),
        _ => (None, None, None),
    };
    let order = match values.keyword(key::FILE_SERVICE_TYPE) {
        "random" => FileOrder::Random,
        "sequential" => FileOrder::Sequential,
        "zipf" => FileOrder::Zipf { theta: parameter.unwrap_or(1.1), center },
        "pareto" => FileOrder::Pareto { power: parameter.unwrap_or(0.2), center },
        "normal" => FileOrder::Normal { deviation_percent: parameter.unwrap_or(0.0), center },
        _ => FileOrder::RoundRobin,
    };
    let is_skewed = matches!(order, FileOrder::Zipf { .. } | FileOrder::Pareto { .. } | FileOrder::Normal { .. });
    // Without a distribution, the argument is the number of I/Os before the next file.
    let ios_each = count.or_else(|| parameter.filter(|_| !is_skewed).map(|count| count as i64)).unwrap_or(1);
    FileService { order, ios_each: ios_each.clamp(1, i64::from(u32::MAX)) as u32 }
}

pub fn buffers(values: &Values) -> Buffers {
    let compress = values.unsigned(key::BUFFER_COMPRESS_PERCENTAGE) as u32;
    let content = if let Some(pattern) = values.pattern(key::BUFFER_PATTERN) {
        Content::Pattern(pattern.0.clone())
    } else if values.flag(key::ZERO_BUFFERS) || compress == 100 {
        Content::Zero
    } else {
        Content::Random
    };
    let compresses = compress > 0 && compress < 100;
    // Buffers are scrambled by default, unless zero_buffers is set.
    let zeroed = values.flag(key::ZERO_BUFFERS) && values.is_set(&key::ZERO_BUFFERS);
    Buffers {
        memory: memory(values),
        align_bytes: values.unsigned(key::IOMEM_ALIGN),
        hugepage_bytes: values.unsigned(key::HUGEPAGE_SIZE),
        content,
        scramble: values.flag(key::SCRAMBLE_BUFFERS) && (values.is_set(&key::SCRAMBLE_BUFFERS) || !zeroed),
        refill: values.flag(key::REFILL_BUFFERS) || (compresses && !values.is_set(&key::REFILL_BUFFERS)),
        compress_percent: values.is_set(&key::BUFFER_COMPRESS_PERCENTAGE).then_some(compress),
        compress_chunk_bytes: values.unsigned(key::BUFFER_COMPRESS_CHUNK),
        dedupe: dedupe(values),
    }
}

fn memory(values: &Values) -> Memory {
    let file = match values.keyword_argument(key::MEM) {
        KeywordArgument::Text(path) if !path.is_empty() => Some(path),
        _ => None,
    };
    match values.keyword(key::MEM) {
        "shm" => Memory::Shm,
        "shmhuge" => Memory::ShmHuge,
        "mmap" => Memory::Mmap { file },
        "mmapshared" => Memory::MmapShared { file },
        "mmaphuge" => Memory::MmapHuge { file },
        _ => Memory::Malloc,
    }
}

fn dedupe(values: &Values) -> Option<Dedupe> {
    let percent = values.unsigned(key::DEDUPE_PERCENTAGE) as u32;
    (percent > 0).then(|| Dedupe {
        percent,
        mode: match values.keyword(key::DEDUPE_MODE) {
            "working_set" => DedupeMode::WorkingSet {
                percent: values.unsigned(key::DEDUPE_WORKING_SET_PERCENTAGE) as u32,
                global: values.flag(key::DEDUPE_GLOBAL),
            },
            _ => DedupeMode::Repeat,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::buffers;
    use crate::parse::Request;
    use crate::parse::env::FixedEnv;
    use plan::Content;

    fn buffers_of(options: &str) -> plan::Buffers {
        let args: Vec<String> =
            format!("--name=job --size=1m --rw=write {options}").split_whitespace().map(str::to_owned).collect();
        match crate::parse(&args, &FixedEnv::default()) {
            Ok(Request::Run(invocation)) => buffers(&invocation.jobs[0].values),
            other => panic!("{options}: {other:?}"),
        }
    }

    #[test]
    fn buffers_are_scrambled_unless_the_job_sets_their_content() {
        for options in ["", "--refill_buffers=0", "--zero_buffers=1 --scramble_buffers=1", "--zero_buffers=0"] {
            assert!(buffers_of(options).scramble, "{options}");
        }
        for options in ["--scramble_buffers=0", "--zero_buffers=1", "--buffer_pattern=0xff"] {
            assert!(!buffers_of(options).scramble, "{options}");
        }
    }

    #[test]
    fn compressible_and_duplicate_buffers_are_refilled() {
        let refills = |options: &str| buffers_of(options).refill;
        assert!(refills("--buffer_compress_percentage=50") && refills("--dedupe_percentage=10"));
        assert!(!refills("--buffer_compress_percentage=50 --refill_buffers=0"));
        assert!(!refills("--buffer_compress_percentage=100") && !refills(""));
        let all = buffers_of("--buffer_compress_percentage=100");
        assert_eq!((all.content, all.compress_percent), (Content::Zero, Some(100)));
    }
}
