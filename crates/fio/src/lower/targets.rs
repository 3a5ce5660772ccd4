//! Lowers the options of files, sizes, layout and buffers.

use plan::{
    Buffers, Content, Create, Dedupe, DedupeMode, Extent, Fadvise, Fallocate, FileOrder, FileService, Memory, Open,
    PatternPart, SyncMode, TargetKind, TargetLock, Targets, WriteHint,
};

use super::{Machine, misread};
use crate::parse::value::{self, Amount, KeywordArgument, path_list};
use crate::parse::values::Values;

pub fn targets(values: &Values, job: &str, clone: u32, machine: &dyn Machine) -> Targets {
    let (paths, generated) = paths(values, job, clone, machine);
    let opendir = values.text("opendir").map(str::to_owned);
    let [low, high, _] = values.unsigneds("filesize");
    let rw = values.keyword("rw");
    let pre_read = values.flag("pre_read");
    Targets {
        paths,
        generated,
        opendir,
        file_size: (low > 0).then_some((low, high.max(low))),
        extent: extent(values),
        open: Open {
            direct: values.flag("direct") || values.flag("atomic"),
            sync: match values.keyword("sync") {
                "sync" => SyncMode::Sync,
                "dsync" => SyncMode::Dsync,
                _ => SyncMode::None,
            },
            atomic: values.flag("atomic"),
        },
        create: Create {
            allowed: values.flag("allow_file_create"),
            serialize: values.flag("create_serialize"),
            fsync: values.flag("create_fsync"),
            on_open: values.flag("create_on_open"),
            only: values.flag("create_only"),
            // Reads need data in the file.
            overwrite: values.flag("overwrite") || matches!(rw, "read" | "randread" | "rw" | "randrw"),
            fallocate: match values.keyword("fallocate") {
                "none" => Fallocate::None,
                "posix" => Fallocate::Posix,
                "keep" => Fallocate::Keep,
                "truncate" => Fallocate::Truncate,
                _ => Fallocate::Native,
            },
        },
        service: service(values),
        open_files: values.unsigned("openfiles") as u32,
        pre_read,
        // Invalidation would drop the pages that pre_read reads.
        invalidate: values.flag("invalidate") && !pre_read,
        fadvise: match values.keyword("fadvise_hint") {
            "0" => Fadvise::None,
            "random" => Fadvise::Random,
            "sequential" => Fadvise::Sequential,
            "noreuse" => Fadvise::NoReuse,
            _ => Fadvise::Pattern,
        },
        unlink: values.flag("unlink"),
        unlink_each_loop: values.flag("unlink_each_loop"),
        ioscheduler: values.text("ioscheduler").map(str::to_owned),
        allow_mounted_write: values.flag("allow_mounted_write"),
        write_hint: values.is_set("write_hint").then(|| write_hint(values)),
        kind: match values.keyword("filetype") {
            "file" => Some(TargetKind::File),
            "block" => Some(TargetKind::BlockDevice),
            "char" => Some(TargetKind::CharacterDevice),
            _ => None,
        },
        lock: match values.keyword("lockfile") {
            "exclusive" => Some(TargetLock::Exclusive),
            "readwrite" => Some(TargetLock::ReadWrite),
            _ => None,
        },
        misread: misread::names(values, clone, machine),
    }
}

fn write_hint(values: &Values) -> WriteHint {
    match values.keyword("write_hint") {
        "short" => WriteHint::Short,
        "medium" => WriteHint::Medium,
        "long" => WriteHint::Long,
        "extreme" => WriteHint::Extreme,
        _ => WriteHint::None,
    }
}

/// Returns the donor of `e4defrag`, in the directory of the clone.
pub(super) fn donor(values: &Values, clone: u32) -> String {
    let name = values.text("donorname").unwrap_or_default();
    let directories = values.text("directory").map(path_list::split).unwrap_or_default();
    match directories.len() {
        0 => name.to_owned(),
        count => format!("{}/{name}", directories[clone as usize % count].trim_end_matches('/')),
    }
}

/// Returns an amount of bytes, percent or zones. Zones need a size: with `zonemode=zbd` the target can determine it.
pub(super) fn amount(values: &Values, option: &str) -> Option<plan::Amount> {
    match values.amount(option)? {
        Amount::Bytes(bytes) => Some(plan::Amount::Bytes(bytes)),
        Amount::Percent(percent) => Some(plan::Amount::Percent(f64::from(percent))),
        Amount::Zones(zones) if values.keyword("zonemode") == "zbd" => Some(plan::Amount::Zones(zones)),
        Amount::Zones(zones) => Some(plan::Amount::Bytes(u64::from(zones).saturating_mul(values.unsigned("zonesize")))),
    }
}

fn extent(values: &Values) -> Extent {
    let nonzero = |amount: &plan::Amount| *amount != plan::Amount::Bytes(0);
    let start = plan::Amount::Bytes(0);
    Extent {
        size: amount(values, "size").filter(nonzero),
        io_size: amount(values, "io_size").filter(nonzero),
        offset: amount(values, "offset").unwrap_or(start),
        offset_increment: amount(values, "offset_increment").unwrap_or(start),
        offset_align_bytes: values.unsigned("offset_align"),
        fill_device: values.flag("fill_device"),
        append: values.flag("file_append"),
        part: None,
    }
}

/// Returns the paths of the job's files, and whether their names are generated from the job's name.
fn paths(values: &Values, job: &str, clone: u32, machine: &dyn Machine) -> (Vec<String>, bool) {
    let directories = values.text("directory").map(path_list::split).unwrap_or_default();
    // Clones are distributed over the directories in turn.
    let directory = (!directories.is_empty()).then(|| &directories[clone as usize % directories.len()]);
    let in_directory = |name: String| match directory {
        Some(directory) => format!("{}/{name}", directory.trim_end_matches('/')),
        None => name,
    };
    if let Some(names) = values.text("filename") {
        let mut paths = Vec::new();
        for name in path_list::split(names) {
            let path = in_directory(name);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        return (paths, false);
    }
    if values.is_set("opendir") {
        return (Vec::new(), true);
    }
    let count = values.unsigned("nrfiles").max(1);
    if count == 1 && machine.is_special_file(job) {
        return (vec![job.to_owned()], false);
    }
    let format = values.text("filename_format").unwrap_or("$jobname.$jobnum.$filenum");
    let path = |file: u64| {
        let name = format.replace("$jobname", job).replace("$jobnum", &clone.to_string());
        in_directory(name.replace("$filenum", &file.to_string()).replace("$clientuid", "localhost"))
    };
    ((0..count).map(path).collect(), true)
}

fn service(values: &Values) -> FileService {
    let (parameter, center, count) = match values.keyword_argument("file_service_type") {
        KeywordArgument::Shape { parameter, center } => (parameter, center, None),
        KeywordArgument::Count(count) => (None, None, Some(count)),
        _ => (None, None, None),
    };
    let order = match values.keyword("file_service_type") {
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
    let compress = values.unsigned("buffer_compress_percentage") as u32;
    let content = if let Some(pattern) = values.pattern("buffer_pattern") {
        Content::Pattern(pattern.0.iter().map(pattern_part).collect())
    } else if values.flag("zero_buffers") || compress == 100 {
        Content::Zero
    } else {
        Content::Random
    };
    let compresses = compress > 0 && compress < 100;
    // Buffers are scrambled by default, unless zero_buffers is set.
    let zeroed = values.flag("zero_buffers") && values.is_set("zero_buffers");
    Buffers {
        memory: memory(values),
        align_bytes: values.unsigned("iomem_align"),
        hugepage_bytes: values.unsigned("hugepage-size"),
        content,
        scramble: values.flag("scramble_buffers") && (values.is_set("scramble_buffers") || !zeroed),
        refill: values.flag("refill_buffers") || (compresses && !values.is_set("refill_buffers")),
        compress_percent: values.is_set("buffer_compress_percentage").then_some(compress),
        compress_chunk_bytes: values.unsigned("buffer_compress_chunk"),
        dedupe: dedupe(values),
    }
}

pub(super) fn pattern_part(part: &value::PatternPart) -> PatternPart {
    match part {
        value::PatternPart::Bytes(bytes) => PatternPart::Bytes(bytes.clone()),
        value::PatternPart::Offset => PatternPart::Offset,
    }
}

fn memory(values: &Values) -> Memory {
    let file = match values.keyword_argument("mem") {
        KeywordArgument::Text(path) if !path.is_empty() => Some(path),
        _ => None,
    };
    match values.keyword("mem") {
        "shm" => Memory::Shm,
        "shmhuge" => Memory::ShmHuge,
        "mmap" => Memory::Mmap { file },
        "mmapshared" => Memory::MmapShared { file },
        "mmaphuge" => Memory::MmapHuge { file },
        _ => Memory::Malloc,
    }
}

fn dedupe(values: &Values) -> Option<Dedupe> {
    let percent = values.unsigned("dedupe_percentage") as u32;
    (percent > 0).then(|| Dedupe {
        percent,
        mode: match values.keyword("dedupe_mode") {
            "working_set" => DedupeMode::WorkingSet {
                percent: values.unsigned("dedupe_working_set_percentage") as u32,
                global: values.flag("dedupe_global"),
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
        match crate::parse::parse(&args, &FixedEnv::default()) {
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
