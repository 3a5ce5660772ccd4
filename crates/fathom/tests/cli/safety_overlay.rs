//! The backing file of a loop device is not changed under another name: in an overlay, in a layer of it, or by another
//! mount.

use std::path::Path;

use crate::stage::{Loop, MIB, Mount, Scratch, diskspd, needs, outcome, run};

/// Folders of an overlay, in a file system that can have its layers.
struct Overlay {
    _merged: Mount,
    _base: Mount,
    scratch: Scratch,
}

impl Overlay {
    /// Makes an overlay. Its lower layer has `low`, its upper layer `up`.
    fn new(test: &str) -> Option<Self> {
        let scratch = Scratch::new(test);
        let at = scratch.file("base");
        let base = Mount::tmpfs(64, &at)?;
        for folder in ["lower", "upper", "work"] {
            std::fs::create_dir(at.join(folder)).unwrap();
        }
        std::fs::write(at.join("lower/low"), vec![0x5a; MIB as usize]).unwrap();
        std::fs::write(at.join("upper/up"), vec![0x5a; MIB as usize]).unwrap();
        let layers = format!("lowerdir={0}/lower,upperdir={0}/upper,workdir={0}/work", at.display());
        let merged = Mount::new(&format!("-t overlay overlay -o {layers}"), &at.join("merged"))?;
        Some(Overlay { _merged: merged, _base: base, scratch })
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.scratch.file("base").join(name)
    }

    fn attach(&self, name: &str) -> Option<Loop> {
        let image = self.file(name);
        let device = needs(&format!("losetup --show -f {}", image.display()))?;
        Some(Loop { device, image })
    }
}

fn refused(folder: &Path, target: &Path, what: &str) {
    let before = std::fs::read(target).unwrap();
    let target = target.display();
    let job = format!("--name=a --filename={target} --rw=write --bs=4k --size=64k --unlink=1");
    let ended = run(folder, &job);
    assert!(ended.code == Some(1) && ended.stderr.contains("loop device"), "{what}: {}", ended.stderr);
    let ended = outcome(diskspd(folder, &format!("-d1 -W0 -w100 {target}")).spawn().unwrap());
    assert!(ended.code == Some(1) && ended.stderr.contains("loop device"), "{what}: {}", ended.stderr);
    let job = format!("--name=a --filename=f --rw=write --bs=4k --size=64k --output={target}");
    run(folder, &job).complained_of("loop device");
    assert!(before == std::fs::read(format!("{target}")).unwrap(), "{what}");
}

#[test]
fn backing_file_is_known_in_an_overlay_and_in_its_layers() {
    let Some(overlay) = Overlay::new("overlay") else { return };
    for (backing, target) in [
        ("upper/up", "merged/up"),
        ("merged/up", "upper/up"),
        ("lower/low", "merged/low"),
        ("merged/low", "lower/low"),
        ("merged/low", "upper/low"),
    ] {
        let Some(_device) = overlay.attach(backing) else { return };
        let target = overlay.file(target);
        // The upper layer has a file of the lower one after the first open for writing.
        if target.exists() {
            refused(overlay.scratch.path(), &target, &format!("{backing} {}", target.display()));
        }
        assert!(target.exists() || backing == "merged/low");
    }
    // Other files of the overlay are free.
    std::fs::write(overlay.file("merged/free"), "").unwrap();
    let Some(_device) = overlay.attach("merged/up") else { return };
    let job = format!("--name=a --filename={} --rw=write --size=64k", overlay.file("merged/free").display());
    run(overlay.scratch.path(), &job).ended_with(0);
}

#[test]
fn backing_file_is_known_by_other_mounts_links_and_with_hidden_layers() {
    let Some(overlay) = Overlay::new("overlay-other") else { return };
    std::fs::create_dir(overlay.file("merged/folder")).unwrap();
    std::fs::write(overlay.file("merged/folder/image"), vec![0x5a; MIB as usize]).unwrap();
    std::fs::hard_link(overlay.file("merged/folder/image"), overlay.file("merged/hard")).unwrap();
    let bind =
        |from: &str, to: &str| Mount::new(&format!("--bind {}", overlay.file(from).display()), &overlay.file(to));
    let Some(_part) = bind("merged/folder", "part") else { return };
    let Some(_layer) = bind("upper", "layer") else { return };
    for (backing, target) in [
        ("merged/folder/image", "part/image"),
        ("upper/folder/image", "part/image"),
        ("part/image", "upper/folder/image"),
        ("merged/folder/image", "merged/hard"),
        ("merged/folder/image", "layer/folder/image"),
    ] {
        let Some(_device) = overlay.attach(backing) else { return };
        refused(overlay.scratch.path(), &overlay.file(target), &format!("{backing} {target}"));
    }
    let Some(_device) = overlay.attach("merged/up") else { return };
    let Some(_hidden) = Mount::tmpfs(1, &overlay.file("upper")) else { return };
    refused(overlay.scratch.path(), &overlay.file("layer/up"), "hidden layer");
}
