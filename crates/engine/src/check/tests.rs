//! Plans that may be carried out and plans that may not, on devices of the tests' own.

use crate::sample::{self, Loop, Scratch};
use os::file::OpenOptions;
use os::platform::Platform;
use plan::{Amount, Engine, IoUring, Memory, Plan, Worker};
use record::RunError;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use targets::HeldTargets;

const MIB: u64 = 1 << 20;

fn job(rw: &str, path: &Path) -> Worker {
    let mut worker = sample::worker("job", rw, 4096, &[path]);
    worker.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(MIB));
    worker
}

fn check(plan: &Plan) -> Result<(), Vec<RunError>> {
    super::plan_check::check(plan, &targets::Lease::default(), &AtomicBool::new(false), Platform::MACHINE)
}

/// What a plan of one job is refused for; empty if it isn't.
fn refusals(worker: Worker) -> Vec<String> {
    let plan = Plan { workers: vec![worker], ..Plan::default() };
    check(&plan).err().unwrap_or_default().iter().map(fio::wording::error).collect()
}

/// Asserts that jobs that change `path` are refused for `what`, and that jobs that read it are not.
fn only_reads(path: &Path, what: &str) {
    for rw in ["write", "randwrite", "randrw", "trim"] {
        let refused = refusals(job(rw, path));
        assert!(refused.last().is_some_and(|last| last.contains(what)), "{rw}: {refused:?}");
    }
    assert_eq!(refusals(job("randread", path)), Vec::<String>::new());
}

fn succeeds(command: &mut Command) -> bool {
    let done = command.output();
    let fine = done.as_ref().is_ok_and(|output| output.status.success());
    if !fine {
        eprintln!("SKIPPED: {command:?}: {done:?}");
    }
    fine
}

fn put(path: &Path, offset: u64, bytes: &[u8]) {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(offset)).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_all().unwrap();
}

/// A mount of the test's own.
struct Mounted(PathBuf);

impl Mounted {
    fn new(device: &Path, at: PathBuf) -> Option<Self> {
        std::fs::create_dir_all(&at).unwrap();
        let made = succeeds(Command::new("mkfs.ext4").arg("-q").arg(device));
        if made && succeeds(Command::new("mount").arg(device).arg(&at)) { Some(Mounted(at)) } else { None }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        assert!(succeeds(Command::new("umount").arg(&self.0)), "{} stays mounted", self.0.display());
    }
}

#[test]
fn an_unused_device_may_be_written() {
    let scratch = Scratch::new("check-free");
    let Some(device) = Loop::new(&scratch.file("image"), 4 * MIB, &[]) else { return };
    for rw in ["read", "write", "randrw", "trimwrite"] {
        assert_eq!(refusals(job(rw, device.path())), Vec::<String>::new(), "{rw}");
    }
}

#[test]
fn a_mounted_device_is_not_written_under_any_name() {
    let scratch = Scratch::new("check-mounted");
    let Some(device) = Loop::new(&scratch.file("image"), 16 * MIB, &[]) else { return };
    let Some(mounted) = Mounted::new(device.path(), scratch.file("mnt")) else { return };
    let alias = scratch.file("alias");
    std::os::unix::fs::symlink(device.path(), &alias).unwrap();
    for path in [device.path(), &alias] {
        only_reads(path, "appears mounted, and 'allow_mounted_write' isn't set. Aborting.");
        only_reads(path, &format!("mounted on {}", mounted.0.display()));
        let mut allowed = job("write", path);
        allowed.job_mut().unwrap().targets.allow_mounted_write = true;
        assert_eq!(refusals(allowed), Vec::<String>::new());
    }
}

#[test]
fn a_disk_is_not_written_while_a_partition_of_it_is_mounted() {
    let scratch = Scratch::new("check-partition");
    let Some(device) = Loop::new(&scratch.file("image"), 32 * MIB, &["--partscan"]) else { return };
    let shown = device.path().display();
    // One entry of a partition table: type 0x83, from sector 2048 on, 30720 sectors.
    put(device.path(), 446 + 4, &[0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0x78, 0, 0]);
    put(device.path(), 510, &[0x55, 0xaa]);
    if !succeeds(Command::new("partx").arg("--update").arg(device.path())) {
        return;
    }
    let Some(_mounted) = Mounted::new(Path::new(&format!("{shown}p1")), scratch.file("mnt")) else { return };
    only_reads(device.path(), &format!("(partition {shown}p1)"));
}

#[test]
fn a_member_of_a_set_of_devices_is_not_written_even_with_mounted_writes_allowed() {
    let scratch = Scratch::new("check-member");
    let Some(device) = Loop::new(&scratch.file("image"), 4 * MIB, &[]) else { return };
    put(device.path(), 512, b"LABELONE");
    put(device.path(), 536, b"LVM2 001");
    only_reads(device.path(), "LVM physical volume");
    let mut allowed = job("write", device.path());
    allowed.job_mut().unwrap().targets.allow_mounted_write = true;
    assert_eq!(refusals(allowed).len(), 1);
}

#[test]
fn a_device_opened_exclusively_is_not_written() {
    let scratch = Scratch::new("check-exclusive");
    let Some(device) = Loop::new(&scratch.file("image"), 4 * MIB, &[]) else { return };
    let _held = OpenOptions { read: true, exclusive: true, ..OpenOptions::new() }.open(device.path()).unwrap();
    only_reads(device.path(), "opened exclusively");
}

#[test]
fn swap_is_not_written() {
    let Some(zram) = harness::Zram::new(8) else { return };
    let path = zram.path();
    if !succeeds(Command::new("mkswap").arg(&path)) || !succeeds(Command::new("swapon").arg(&path)) {
        return;
    }
    let outcome = std::panic::catch_unwind(|| only_reads(&path, "swap"));
    assert!(succeeds(Command::new("swapoff").arg(&path)), "{} stays swap", path.display());
    outcome.unwrap();
}

#[test]
fn a_file_that_a_loop_device_lies_on_is_not_changed() {
    let scratch = Scratch::new("check-backing");
    let image = scratch.file("image");
    let Some(_device) = Loop::new(&image, 4 * MIB, &[]) else { return };
    only_reads(&image, "loop device");
    let mut removing = job("read", &image);
    removing.job_mut().unwrap().targets.unlink = true;
    assert_eq!(refusals(removing).len(), 1);
    let mut extending = job("read", &image);
    extending.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(8 * MIB));
    let plan = Plan { workers: vec![extending], ..Plan::default() };
    let held = HeldTargets::default();
    held.hold(&image, false).unwrap();
    let laid_out = crate::layout::lay_out(
        &plan,
        plan.workers[0].job().unwrap(),
        &held,
        &crate::zones::ZoneTables::default(),
        &AtomicBool::new(false),
        &mut |_| {},
    );
    let Err(crate::fault::PrepareError::Failed(error)) = laid_out else { panic!("the file is in use") };
    assert!(fio::wording::error(&error).contains("loop device"), "{error:?}");
    assert_eq!(std::fs::metadata(&image).unwrap().len(), 4 * MIB);
}

#[test]
fn a_device_in_use_is_no_memory_for_buffers() {
    let scratch = Scratch::new("check-memory");
    let Some(device) = Loop::new(&scratch.file("image"), 16 * MIB, &[]) else { return };
    let Some(_mounted) = Mounted::new(device.path(), scratch.file("mnt")) else { return };
    let mut worker = job("read", &scratch.file("f"));
    worker.buffers.memory = Memory::MmapShared { file: Some(device.path().to_str().unwrap().into()) };
    assert_eq!(refusals(worker).len(), 1);
}

#[test]
fn a_readonly_plan_takes_no_writers() {
    let scratch = Scratch::new("check-readonly");
    let file = scratch.file("f");
    for (rw, fine) in [("read", true), ("write", false), ("randrw", false), ("trim", false)] {
        let plan = Plan { workers: vec![job(rw, &file)], readonly: true, ..Plan::default() };
        match check(&plan) {
            Ok(()) => assert!(fine, "{rw}"),
            Err(faults) => {
                let expected = "trim and write operations are not allowed with the --readonly parameter.";
                assert!(!fine && fio::wording::error(&faults[0]).starts_with(expected), "{rw}: {faults:?}");
            }
        }
    }
}

#[test]
fn blocks_that_direct_io_does_not_support_are_refused_before_the_run() {
    let scratch = Scratch::new("check-alignment");
    let Some(device) = Loop::new(&scratch.file("image"), 4 * MIB, &["--sector-size", "4096"]) else { return };
    let mut worker = job("read", device.path());
    worker.job_mut().unwrap().access.block.min_bytes = plan::PerDdir::all(512);
    assert_eq!(refusals(worker.clone()), Vec::<String>::new());
    worker.job_mut().unwrap().targets.open.direct = true;
    let refused = refusals(worker);
    assert!(refused.len() == 1 && refused[0].contains("units of 4096 bytes, and bs=512"), "{refused:?}");
}

#[test]
fn what_an_engine_does_not_support_is_refused_with_its_name() {
    let scratch = Scratch::new("check-engine");
    let mut worker = job("write", &scratch.file("f"));
    worker.engine = Engine::Mmap { thp: false };
    worker.job_mut().unwrap().targets.extent.append = true;
    assert!(refusals(worker)[0].starts_with("can't append/extent with IO engine mmap"));

    let mut worker = job("read", &scratch.file("f"));
    worker.engine = Engine::Cpu { load_percent: 0, chunk_us: 1, sorts: false, exit_on_io_done: false };
    assert!(refusals(worker)[0].starts_with("cpu thread needs rate (cpuload=)"));

    let mut worker = job("read", &scratch.file("f"));
    worker.engine = Engine::IoUring(IoUring::default());
    worker.job_mut().unwrap().iodepth = 0;
    let refused = refusals(worker);
    assert!(refused[0].starts_with("io engine io_uring init failed."), "{refused:?}");
}

#[test]
fn unreachable_targets_are_refused_before_the_run() {
    let scratch = Scratch::new("check-reach");
    std::fs::write(scratch.file("plain"), [0; 100]).unwrap();
    assert!(refusals(job("read", scratch.path()))[0].contains("it is a directory"));
    let below_a_file = scratch.file("plain/f");
    assert_eq!(refusals(job("write", &below_a_file)).len(), 1);
    assert_eq!(refusals(job("write", &scratch.file("a/b/c"))), Vec::<String>::new());
    assert!(!scratch.file("a").exists());
    let mut tiny = job("read", &scratch.file("f"));
    tiny.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(100));
    assert!(refusals(tiny)[0].starts_with("size too small"));
}

#[test]
fn a_missing_file_that_may_not_be_made_must_be_another_jobs() {
    let scratch = Scratch::new("check-missing");
    let mut reader = job("read", &scratch.file("f"));
    reader.job_mut().unwrap().targets.create.allowed = false;
    reader.number = 2;
    assert!(refusals(reader.clone())[0].starts_with("file creation disallowed by allow_file_create=0"));
    let plan = Plan { workers: vec![job("write", &scratch.file("f")), reader], ..Plan::default() };
    assert!(check(&plan).is_ok());
}

#[test]
fn an_unknown_scheduler_is_refused_with_those_of_the_disk() {
    let scratch = Scratch::new("check-scheduler");
    let Some(device) = Loop::new(&scratch.file("image"), 4 * MIB, &[]) else { return };
    let offered = std::fs::read_to_string(
        Path::new("/sys/block").join(device.path().file_name().unwrap()).join("queue/scheduler"),
    )
    .unwrap();
    let mut worker = job("read", device.path());
    worker.job_mut().unwrap().targets.ioscheduler = Some("elevator".into());
    let refused = refusals(worker.clone());
    if offered.trim() == "none" || offered.trim() == "[none]" {
        assert_eq!(refused, Vec::<String>::new());
        eprintln!("SKIPPED: this kernel has no I/O schedulers");
        return;
    }
    assert!(refused[0].starts_with("unable to set io scheduler to elevator"), "{refused:?}");
    worker.job_mut().unwrap().targets.ioscheduler = Some("none".into());
    assert_eq!(refusals(worker), Vec::<String>::new());
}

#[test]
fn each_error_is_reported_once_for_all_clones() {
    let scratch = Scratch::new("check-once");
    let workers = (0..4).map(|_| job("read", scratch.path())).collect();
    assert_eq!(check(&Plan { workers, ..Plan::default() }).unwrap_err().len(), 1);
}

#[test]
fn a_block_longer_than_one_io_can_be_is_refused() {
    let scratch = Scratch::new("check-long-block");
    let mut long = sample::worker("job", "trim", 4 << 30, &[&scratch.file("f")]);
    long.job_mut().unwrap().targets.extent.size = Some(Amount::Bytes(64 << 30));
    let refused = refusals(long);
    assert!(
        refused.iter().any(|message| message.contains("4294967296 bytes exceeds the maximum of one I/O")),
        "{refused:?}"
    );
}

#[test]
fn a_polled_ring_on_a_disk_that_cannot_be_polled_is_refused_by_the_disks_name() {
    let scratch = Scratch::new("check-polling");
    let path = scratch.file("f");
    let disks = os::device::disks(&path).unwrap();
    let Some(disk) = disks.iter().find(|disk| disk.polls().is_ok_and(|polls| !polls)) else {
        eprintln!("SKIPPED: no disk here that can't be polled");
        return;
    };
    let mut polled = job("randread", &path);
    polled.engine = Engine::IoUring(IoUring { hipri: true, nonvectored: true, ..IoUring::default() });
    polled.job_mut().unwrap().targets.open.direct = true;
    let refused = refusals(polled.clone());
    assert!(refused.iter().any(|message| message.contains(&format!("{} can't be polled", disk.name))), "{refused:?}");
    polled.engine = Engine::IoUring(IoUring { nonvectored: true, ..IoUring::default() });
    assert_eq!(refusals(polled), Vec::<String>::new());
}

/// Returns what a job of fio is refused for, if it needs too much memory.
fn memory_refusal(options: &str) -> Option<String> {
    let words: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
    let env = fio::parse::env::FixedEnv::default().file("log", b"fio version 2 iolog\n/n add\n/n read 0 4096\n");
    let Ok(fio::Request::Run(invocation)) = fio::parse(&words, &env) else { panic!("{options}") };
    let mut plan = fio::lower(&invocation, &fio::lower::FixedMachine { cpus: 2 });
    let worker = &mut plan.workers[0];
    let steps = worker.limits.number_ios;
    if let Some(replay) = &mut worker.job_mut().unwrap().replay {
        replay.steps = steps;
    }
    super::memory::check(&plan, &AtomicBool::new(false)).err().as_ref().map(fio::wording::error)
}

/// Every option that sizes an allocation. The number is small or absurd.
#[test]
fn a_job_that_needs_more_memory_than_there_is_is_refused_with_the_option() {
    const ABSURD: u64 = 1 << 60;
    let all = [
        ("iodepth=", "--ioengine=libaio --rw=write --iodepth=#", 4, 1 << 31),
        ("iodepth=", "--ioengine=null --rw=read --iodepth=#", 4, 1 << 31),
        ("iodepth=", "--ioengine=libaio --rw=read --io_submit_mode=offload --bs=512 --iodepth=#", 4, 1 << 31),
        ("blocks", "--ioengine=libaio --rw=write --iodepth=4096 --size=16g --bs=#", 4096, 1 << 31),
        ("norandommap=1", "--ioengine=null --rw=randread --size=#", MIB, ABSURD),
        ("norandommap=1", "--ioengine=psync --rw=randrw --filesize=#", MIB, ABSURD),
        ("verify_backlog=", "--ioengine=psync --rw=write --verify=crc32c --size=#", MIB, ABSURD),
        (
            "verify_backlog=",
            "--ioengine=psync --rw=write --norandommap=1 --verify=md5 --verify_backlog=# --size=1152921504606846976",
            9,
            ABSURD,
        ),
        ("verify_async=", "--ioengine=psync --rw=write --verify=crc32c --bs=1m --verify_async=#", 2, 1 << 31),
        (
            "dedupe_working_set_percentage=",
            "--ioengine=psync --rw=write --dedupe_percentage=10 --dedupe_mode=working_set --size=#",
            MIB,
            ABSURD,
        ),
        ("lockmem=", "--ioengine=psync --rw=read --lockmem=#", MIB, ABSURD),
        ("read_iolog_chunked=1", "--ioengine=psync --read_iolog=log --number_ios=#", 1, ABSURD),
        ("page_fault", "--ioengine=page_fault --rw=write --size=#", MIB, ABSURD),
        ("zonesize=", "--ioengine=psync --rw=write --zonemode=zbd --zonesize=8k --size=#", MIB, ABSURD),
        ("md_per_io_size=", "--ioengine=io_uring_cmd --rw=read --iodepth=8192 --md_per_io_size=#", 64, (1 << 32) - 1),
    ];
    let scratch = Scratch::new("check-memory-options");
    for (option, line, small, absurd) in all {
        let with = |number: u64| {
            let directory = scratch.path().display();
            memory_refusal(&format!(
                "--name=a --filename={directory}/f --size=1m {}",
                line.replace('#', &number.to_string())
            ))
        };
        assert_eq!(with(small), None, "{line}");
        let refused = with(absurd).unwrap_or_else(|| panic!("{line}: not refused"));
        assert!(refused.contains(option) && refused.contains("MiB"), "{line}: {refused}");
    }
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}
