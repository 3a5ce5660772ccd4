//! Traces of loop devices.

use std::os::unix::fs::FileExt;
use std::process::Command;

use super::*;

const EVENTS: [&str; 2] = ["block/block_rq_issue", "block/block_rq_complete"];

/// A loop device of a test.
struct Loop(String);

impl Loop {
    fn new(name: &str) -> Option<Loop> {
        let image = std::env::temp_dir().join(format!("fathom-block-trace-{}-{name}", std::process::id()));
        File::create(&image).unwrap().set_len(8 << 20).unwrap();
        let made = Command::new("losetup").args(["--find", "--show"]).arg(&image).output();
        std::fs::remove_file(&image).unwrap();
        let path = made.ok().filter(|made| made.status.success()).map(|made| made.stdout);
        if path.is_none() {
            eprintln!("SKIPPED: no loop device can be made");
        }
        Some(Loop(String::from_utf8(path?).unwrap().trim().to_owned()))
    }

    fn source(&self) -> Source {
        let mut sources = sources(Path::new(&self.0)).unwrap();
        assert_eq!(sources.len(), 1);
        sources.remove(0)
    }

    /// Writes one block past the page cache.
    fn write(&self) {
        let file = OpenOptions::new().write(true).custom_flags(libc::O_DIRECT | libc::O_SYNC).open(&self.0).unwrap();
        let block = crate::linux::memory::page_size();
        let buffer = vec![0u8; 3 * block];
        let aligned = buffer.as_ptr().align_offset(block);
        file.write_all_at(&buffer[aligned..aligned + block], 0).unwrap();
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

/// Starts a trace. A machine that cannot trace skips the test.
fn traced(device: &Loop) -> Option<BlockTrace> {
    BlockTrace::start(&device.source(), &EVENTS).map_err(|error| eprintln!("SKIPPED: {error}")).ok()
}

/// Returns the number of pages with events.
fn pages(trace: &mut BlockTrace) -> usize {
    let mut pages = 0;
    trace.read(|page| pages += usize::from(page[8..12] != [0; 4])).unwrap();
    pages
}

#[test]
fn only_the_events_of_the_device_are_traced_and_nothing_is_left() {
    let (Some(device), Some(other)) = (Loop::new("own"), Loop::new("other")) else { return };
    let Some(mut trace) = traced(&device) else { return };
    let folder = trace.folder.clone();
    let described = ["timestamp;", "data;", "name: block_rq_issue\n", " rwbs["];
    assert!(described.iter().all(|part| trace.descriptions().contains(part)), "{}", trace.descriptions());
    pages(&mut trace);
    other.write();
    assert_eq!(pages(&mut trace), 0);
    device.write();
    assert!(pages(&mut trace) > 0);
    trace.stop().unwrap();
    let enabled = || read_to_string(folder.join("events/block/block_rq_issue/enable")).unwrap();
    assert!(enabled().starts_with('0'), "it takes no time of an I/O");
    device.write();
    assert_eq!((pages(&mut trace), trace.lost().unwrap()), (0, 0));
    trace.resume().unwrap();
    device.write();
    assert!(pages(&mut trace) > 0);
    assert!(folder.is_dir());
    drop(trace);
    assert!(!folder.exists());
}

#[test]
fn a_full_buffer_counts_what_it_loses() {
    let Some(device) = Loop::new("full") else { return };
    let Some(mut trace) = traced(&device) else { return };
    trace.set("buffer_size_kb", "4").unwrap();
    (0..500).for_each(|_| device.write());
    trace.stop().unwrap();
    assert!(trace.lost().unwrap() > 100, "{:?}", trace.lost());
}

#[test]
fn instances_of_killed_processes_are_removed_and_active_ones_stay() {
    let Some(device) = Loop::new("leftover") else { return };
    let Some(active) = traced(&device) else { return };
    let [leftover, of_a_user] = ["1-12345", "my-1"].map(|end| active.folder.with_file_name(format!("{PREFIX}{end}")));
    std::fs::create_dir(&leftover).unwrap();
    std::fs::create_dir(&of_a_user).unwrap();
    let second = traced(&device).unwrap();
    std::fs::remove_dir(&of_a_user).expect("the instance of another program is still there");
    assert!(!leftover.exists());
    assert!(active.folder.is_dir() && second.folder.is_dir() && active.folder != second.folder);
}

#[test]
fn a_mount_of_its_own_has_the_same_instances() {
    let Ok(tracefs) = Tracefs::mount() else { return eprintln!("SKIPPED: tracefs cannot be mounted") };
    let Some(device) = Loop::new("mount") else { return };
    let trace = traced(&device).unwrap();
    let name = trace.folder.file_name().unwrap();
    assert!(tracefs.root().join("instances").join(name).is_dir());
    let mounts = read_to_string("/proc/self/mountinfo").unwrap();
    let root = tracefs.root().display().to_string();
    assert!(!mounts.contains(&root), "no folder has the mount");
}

#[test]
fn a_filter_has_the_device_and_the_sectors_of_a_partition() {
    let Ok(mut found) = sources(Path::new("/")) else { return };
    let Some(mut source) = found.pop() else { return eprintln!("SKIPPED: / is on no disk") };
    source.disk.number = crate::device::DeviceNumber { major: 254, minor: 3 };
    source.sectors = None;
    assert_eq!(source.filter(true), format!("dev == {}", 0xfe0_0003));
    source.sectors = Some(2048..4096);
    let expected = format!("dev == {} && (nr_sector == 0 || (sector >= 2048 && sector < 4096))", 0xfe0_0003);
    assert_eq!(source.filter(true), expected);
    assert!(source.filter(false).ends_with(" && sector >= 2048 && sector < 4096"));
}
