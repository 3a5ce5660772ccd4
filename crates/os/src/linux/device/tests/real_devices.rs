//! Holders and disks of this machine, and of devices that the tests make.

use std::ffi::OsStr;
use std::fmt::Debug;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::*;
use super::Folder;
use crate::device::UseKind;
use crate::file::OpenOptions;

fn is_root() -> bool {
    // SAFETY: no arguments.
    unsafe { libc::geteuid() == 0 }
}

#[test]
fn every_path_of_this_machine_has_its_disks_or_none() {
    for path in ["/", "/proc/self/stat", "/nonexistent/a/b", "relative", "/dev/null", "/dev/shm"] {
        for disk in disks(Path::new(path)).unwrap() {
            disk.counters().unwrap();
        }
    }
}

fn call<S: AsRef<OsStr> + Debug>(program: &str, arguments: &[S]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if !output.status.success() {
        eprintln!("{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success().then_some(text)
}

/// A loop device of the test, and commands that undo what the test did with it.
struct Loop {
    path: String,
    undo: Vec<(&'static str, String)>,
}

impl Loop {
    fn on(file: &Path) -> Option<Self> {
        Loop::with(&["--partscan"], file)
    }

    fn with(options: &[&str], file: &Path) -> Option<Self> {
        if !is_root() {
            eprintln!("SKIPPED: loop devices need the super-user");
            return None;
        }
        let options = ["--find", "--show"].iter().chain(options).map(OsStr::new);
        let path = call("losetup", &options.chain([file.as_os_str()]).collect::<Vec<_>>());
        if path.is_none() {
            eprintln!("SKIPPED: no loop device to be had");
        }
        Some(Loop { path: path?, undo: Vec::new() })
    }

    fn words(&self) -> Vec<String> {
        holders_of(Path::new(&self.path))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        for (program, argument) in self.undo.drain(..).rev() {
            call(program, &[&argument]);
        }
        call("losetup", &["--detach", &self.path]);
        // The kernel detaches it when the last program has closed it.
        let name = self.path.trim_start_matches("/dev/");
        let backing = PathBuf::from(format!("/sys/block/{name}/loop/backing_file"));
        let end = std::time::Instant::now() + std::time::Duration::from_secs(5);
        while backing.exists() && std::time::Instant::now() < end {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

fn holders_of(path: &Path) -> Vec<String> {
    holders(path).unwrap().iter().map(ToString::to_string).collect()
}

fn image(folder: &Folder, name: &str) -> PathBuf {
    let path = folder.0.join(name);
    fs::File::create(&path).unwrap().set_len(64 << 20).unwrap();
    path
}

/// Returns the lock of the tests that make real devices. It is a file lock: test processes see each other's devices.
fn locked() -> fs::File {
    let path = std::env::temp_dir().join("fathom-os-device-tests.lock");
    // It may be another user's.
    let file = fs::File::open(&path).or_else(|_| fs::File::create(&path)).unwrap();
    file.lock().unwrap();
    file
}

#[test]
fn mounted_loop_device_and_its_file_have_holders_under_every_name() {
    let _turn = locked();
    let folder = Folder::new("mounted");
    let file = image(&folder, "image");
    assert_eq!(holders_of(&file), [""; 0]);
    let Some(mut device) = Loop::on(&file) else { return };
    assert_eq!(device.words(), [""; 0], "a fresh loop device is free");
    assert_eq!(holders_of(&file), [format!("in use by loop device {}", device.path)]);
    if call("mkfs.ext4", &["-q", &device.path]).is_none() {
        eprintln!("SKIPPED: no mkfs.ext4");
        return;
    }
    assert_eq!(device.words(), [""; 0], "an unmounted file system has no holders");
    let at = folder.0.join("a b");
    fs::create_dir(&at).unwrap();
    let at = at.to_str().unwrap().to_string();
    if call("mount", &[&device.path, &at]).is_none() {
        eprintln!("SKIPPED: nothing can be mounted here");
        return;
    }
    device.undo.push(("umount", at.clone()));
    let alias = folder.0.join("alias");
    symlink(&device.path, &alias).unwrap();
    assert_eq!(device.words(), [format!("mounted on {at}")]);
    assert_eq!(holders_of(&alias), [format!("mounted on {at}")]);
    assert_eq!(holders_of(&file), [format!("in use by loop device {}, which is mounted on {at}", device.path)]);
    let hard_link = folder.0.join("link");
    fs::hard_link(&file, &hard_link).unwrap();
    assert_eq!(holders_of(&hard_link).len(), 1, "a file is the same under another name");
    let on_it = disks(Path::new(&at)).unwrap();
    assert_eq!(on_it.iter().map(|disk| format!("/dev/{}", disk.name)).collect::<Vec<_>>(), [device.path.clone()]);
    on_it[0].counters().unwrap();
}

#[test]
fn a_file_whose_name_has_any_bytes_has_its_loop_device_as_holder() {
    let _turn = locked();
    let folder = Folder::new("bytes");
    let file = folder.0.join(OsStr::from_bytes(b"B\xfcro.img \n"));
    fs::write(&file, vec![0; 1 << 20]).unwrap();
    let Some(device) = Loop::on(&file) else { return };
    fs::hard_link(&file, folder.0.join("link")).unwrap();
    assert_eq!(holders_of(&folder.0.join("link")), [format!("in use by loop device {}", device.path)]);
    let loops = loops::active(&Kernel::running(), &[]).unwrap();
    assert!(loops.iter().any(|found| found.block.path() == device.path && found.backing_path == file));
}

#[test]
fn swap_device_and_swap_file_have_holders() {
    let _turn = locked();
    let folder = Folder::new("swap");
    let file = folder.0.join("image");
    fs::write(&file, vec![0; 4 << 20]).unwrap();
    let Some(mut device) = Loop::on(&file) else { return };
    if call("mkswap", &[&device.path]).is_none() || call("swapon", &[&device.path]).is_none() {
        eprintln!("SKIPPED: no swap to be had here");
        return;
    }
    device.undo.push(("swapoff", device.path.clone()));
    assert_eq!(device.words(), ["in use as swap"]);
    assert_eq!(holders_of(&file), [format!("in use by loop device {}, which is in use as swap", device.path)]);
}

#[test]
fn mounted_partition_is_a_holder_of_its_disk_but_not_of_other_partitions() {
    let _turn = locked();
    let folder = Folder::new("partitioned");
    let file = image(&folder, "image");
    let Some(mut device) = Loop::on(&file) else { return };
    // Given to the kernel by hand: not every kernel reads a table.
    for (number, start) in [("1", "2048"), ("2", "65536")] {
        call("addpart", &[&device.path, number, start, "32768"]);
    }
    let partition = |number: u32| format!("{}p{number}", device.path);
    let (first, second) = (partition(1), partition(2));
    if !Path::new(&second).exists() {
        eprintln!("SKIPPED: this kernel shows no partitions of loop devices");
        return;
    }
    // A signature on the second partition is found there and on the disk.
    let write = OpenOptions { write: true, ..OpenOptions::new() };
    write.open(Path::new(&second)).unwrap().write_at(b"LUKS\xba\xbe", 0).unwrap();
    let luks = "encrypted container (LUKS, device-mapper), by its signature";
    assert_eq!(holders_of(Path::new(&second)), [luks]);
    assert_eq!(device.words(), [format!("{luks} (partition {second})")]);
    write.open(Path::new(&second)).unwrap().write_at(&[0; 6], 0).unwrap();
    // The disk has a page cache of its own. It stays as long as any process has the disk open.
    for path in [&second, &device.path] {
        call("blockdev", &["--flushbufs", path]);
    }
    let at = folder.0.join("at");
    fs::create_dir(&at).unwrap();
    let at = at.to_str().unwrap().to_string();
    if call("mkfs.ext4", &["-q", &first]).is_none() || call("mount", &[&first, &at]).is_none() {
        eprintln!("SKIPPED: no file system can be made or mounted here");
        return;
    }
    device.undo.push(("umount", at.clone()));
    assert_eq!(holders_of(Path::new(&first)), [format!("mounted on {at}")]);
    assert_eq!(holders_of(Path::new(&second)), [""; 0]);
    assert_eq!(device.words(), [format!("mounted on {at} (partition {first})")]);
    let disk = disks(Path::new(&first)).unwrap();
    assert_eq!(format!("/dev/{}", disk[0].name), device.path, "a partition's disk is the whole one");
}

#[test]
fn an_exclusive_opener_and_a_loop_device_above_are_found() {
    let _turn = locked();
    let folder = Folder::new("exclusive");
    let file = image(&folder, "image");
    let Some(device) = Loop::on(&file) else { return };
    let path = Path::new(&device.path);
    let held = OpenOptions { read: true, exclusive: true, ..OpenOptions::new() }.open(path).unwrap();
    let found = holders(path).unwrap();
    assert!(matches!(&found[0].kind, UseKind::Exclusive { by } if !by.is_empty()), "{found:?}");
    drop(held);
    assert_eq!(device.words(), [""; 0]);
    let Some(above) = Loop::on(path) else { return };
    assert_eq!(device.words(), [format!("in use by loop device {}", above.path)]);
    let chain = format!("in use by loop device {}, which is in use by loop device {}", device.path, above.path);
    assert_eq!(holders_of(&file), [chain]);
}

#[test]
fn what_is_below_a_loop_device_is_in_use_with_it() {
    let _turn = locked();
    let folder = Folder::new("below");
    let file = image(&folder, "image");
    let Some(mut lower) = Loop::on(&file) else { return };
    if call("mkfs.ext4", &["-q", &lower.path]).is_none() {
        eprintln!("SKIPPED: no mkfs.ext4");
        return;
    }
    let Some(upper) = Loop::on(Path::new(&lower.path)) else { return };
    let Some(sibling) = Loop::on(&file) else { return };
    let backing = format!("(backing file {})", file.display());
    let by_sibling = format!("in use by loop device {} {backing}", sibling.path);
    assert_eq!(upper.words(), [by_sibling], "the file below the device below it");
    let in_use =
        format!("in use by loop device {}, which is in use by loop device {} {backing}", lower.path, upper.path);
    assert_eq!(sibling.words(), [in_use]);
    drop((upper, sibling));
    let at = folder.0.join("at");
    fs::create_dir(&at).unwrap();
    let at = at.to_str().unwrap().to_string();
    if call("mount", &[&lower.path, &at]).is_none() {
        eprintln!("SKIPPED: nothing can be mounted here");
        return;
    }
    lower.undo.push(("umount", at.clone()));
    let Some(upper) = Loop::on(Path::new(&lower.path)) else { return };
    assert_eq!(upper.words(), [format!("mounted on {at} (backing file {})", lower.path)]);
    let mut claims = Claims::default();
    assert_eq!(InUseSnapshot::take().unwrap().claim(Path::new(&upper.path), &mut claims).unwrap().len(), 1);
    let Some(sibling) = Loop::on(&file) else { return };
    let in_use = format!("in use by loop device {}, which is mounted on {at}", lower.path);
    assert!(sibling.words()[0].starts_with(&in_use), "{:?}", sibling.words());
}

#[test]
fn loop_devices_over_parts_of_a_file_are_free() {
    let _turn = locked();
    let folder = Folder::new("parts");
    let file = image(&folder, "image");
    let Some(first) = Loop::with(&["--sizelimit", "33554432"], &file) else { return };
    let Some(second) = Loop::with(&["--offset", "33554432"], &file) else { return };
    assert_eq!([first.words(), second.words()], [[""; 0]; 2]);
    let mut claims = Claims::default();
    assert!(InUseSnapshot::take().unwrap().claim(Path::new(&first.path), &mut claims).unwrap().is_empty());
    let Some(third) = Loop::with(&["--offset", "16777216"], &file) else { return };
    assert_eq!([first.words().len(), third.words().len()], [1, 2]);
}

#[test]
fn other_file_types_have_no_holders() {
    for path in ["/dev/null", "/", "/nonexistent"] {
        assert_eq!(holders_of(Path::new(path)), [""; 0]);
    }
}

#[test]
fn disk_of_the_root_file_system_has_holders() {
    for disk in disks(Path::new("/")).unwrap() {
        match holders(&Path::new("/dev").join(&disk.name)) {
            Ok(found) => assert!(!found.is_empty(), "{disk:?}"),
            Err(error) => eprintln!("SKIPPED {}: {error}", disk.name),
        }
    }
}

#[test]
fn devices_without_a_disk_have_no_block_device() {
    let kernel = Kernel::running();
    for path in ["/dev/null", "/dev/zero", "/tmp"] {
        assert_eq!(topology::disk_behind(&kernel, Path::new(path)).unwrap(), None, "{path}");
    }
    assert!(topology::disk_behind(&kernel, Path::new("/proc/nonexistent")).is_err());
}

/// Returns an image of an empty EROFS, by `fs/erofs/erofs_fs.h` of the kernel.
fn erofs_image() -> Vec<u8> {
    const ROOT: usize = 36;
    let mut image = vec![0u8; 4096];
    let mut put = |at: usize, bytes: &[u8]| image[at..at + bytes.len()].copy_from_slice(bytes);
    put(1024, &0xe0f5_e1e2_u32.to_le_bytes());
    put(1024 + 12, &[12, 0]);
    put(1024 + 14, &(ROOT as u16).to_le_bytes());
    put(1024 + 16, &1u64.to_le_bytes());
    put(1024 + 36, &1u32.to_le_bytes());
    // A compact inode with inline data: a folder with two names and two entries.
    let inode = ROOT * 32;
    put(inode, &4u16.to_le_bytes());
    put(inode + 4, &0o40755_u16.to_le_bytes());
    put(inode + 6, &2u16.to_le_bytes());
    put(inode + 8, &27u32.to_le_bytes());
    for (entry, name_offset) in [(0, 24u16), (1, 25)] {
        let at = inode + 32 + entry * 12;
        put(at, &(ROOT as u64).to_le_bytes());
        put(at + 8, &name_offset.to_le_bytes());
        put(at + 10, &[2]);
    }
    put(inode + 32 + 24, b"...");
    image
}

#[test]
fn an_image_that_is_mounted_without_a_loop_device_is_in_use() {
    struct Mounted(std::ffi::CString);
    impl Drop for Mounted {
        fn drop(&mut self) {
            // SAFETY: the path is a C string.
            unsafe { libc::umount2(self.0.as_ptr(), libc::MNT_DETACH) };
        }
    }
    let c_string = |path: &Path| std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    let folder = Folder::new("erofs");
    let (image, at) = (folder.0.join("image"), folder.0.join("at"));
    fs::write(&image, erofs_image()).unwrap();
    fs::create_dir(&at).unwrap();
    assert_eq!(holders_of(&image), [""; 0]);
    let (source, target) = (c_string(&image), c_string(&at));
    // SAFETY: the strings are C strings.
    let mounted =
        unsafe { libc::mount(source.as_ptr(), target.as_ptr(), c"erofs".as_ptr(), libc::MS_RDONLY, std::ptr::null()) };
    if mounted != 0 {
        return eprintln!("SKIPPED: no EROFS from a file: {}", io::Error::last_os_error());
    }
    let _mounted = Mounted(target);
    assert_eq!(holders_of(&image), [format!("mounted on {}", at.display())]);
    fs::hard_link(&image, folder.0.join("second")).unwrap();
    assert_eq!(holders_of(&folder.0.join("second")).len(), 1);
    // The path in the mount table does not lead to the image any longer.
    fs::rename(&image, folder.0.join("moved")).unwrap();
    fs::write(folder.0.join("other"), vec![0; 4096]).unwrap();
    assert_eq!(holders_of(&folder.0.join("moved")), [format!("mounted on {}", at.display())]);
    assert_eq!(holders_of(&folder.0.join("other")), [""; 0]);
}
