//! Files of the program never replace a device or a file in use: the output guard from outside.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::stage::{Loop, MIB, Mount, Outcome, Scratch, command, needs, outcome};

const SECTOR_BYTES: usize = 512;
const JOB: &str = "--name=a --filename=f --size=64k --rw=read --number_ios=1";

fn run(directory: &Path, name: &str, args: &str) -> Outcome {
    let mut command = command(directory, name, args);
    for (variable, folder) in [("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config")] {
        command.env(variable, directory.join(folder));
    }
    outcome(command.spawn().unwrap())
}

/// Command lines that write `output`: the command, its arguments and its exit code after a refusal.
fn lines(output: &str) -> Vec<(&'static str, String, i32)> {
    vec![
        ("fio", format!("{JOB} --output={output}"), 1),
        ("fio", format!("{JOB} --record={output}"), 1),
        ("diskspd", format!("-d1 -W0 -Rrecord={output} f"), 3),
        ("diskspd", format!("-d1 -W0 -Rxml={output} f"), 3),
        ("sweep", format!("bs=4k,8k --output {output} fio {JOB}"), 2),
        ("sweep", format!("bs=4k,8k --svg {output} fio {JOB}"), 2),
        ("sweep", format!("bs=4k,8k --report {output} fio {JOB}"), 2),
        ("sweep", format!("bs=4k,8k --save saved fio {JOB}"), 2),
        ("run", format!("--save saved fio {JOB}"), 2),
        ("knee", format!("f --yes --output {output} --runtime 100ms"), 2),
        ("knee", format!("f --yes --report {output} --runtime 100ms"), 2),
        ("assess", format!("f --yes --short --save {output}"), 2),
        ("assess", format!("f --yes --short --report {output}"), 2),
        ("show", format!("record --output {output}"), 1),
        ("show", format!("record --report {output}"), 1),
        ("export", format!("1 --format csv --output {output}"), 2),
    ]
}

/// Asserts that no command line writes through `link`, and that `image` stays as it is.
fn refused(scratch: &Scratch, link: &str, image: &Path, reason: &str) {
    // The folders of --save contain the link under the names of their reports.
    let saved = scratch.file("saved");
    std::fs::create_dir_all(&saved).unwrap();
    for report in ["sweep.json", "run.json"] {
        let _ = std::fs::remove_file(saved.join(report));
        symlink(scratch.file(link), saved.join(report)).unwrap();
    }
    let before = std::fs::read(image).unwrap();
    for (name, args, code) in lines(link) {
        let refused = run(scratch.path(), name, &args);
        refused.ended_with(code).complained_of(reason);
        let after = std::fs::read(image).unwrap();
        assert_eq!(after[..SECTOR_BYTES], before[..SECTOR_BYTES], "sector 0 after {name} {args}");
        assert!(after == before, "{name} {args}");
    }
    assert!(scratch.file(link).is_symlink());
}

#[test]
fn outputs_through_a_link_to_a_mounted_device_are_refused() {
    let scratch = Scratch::new("outputs-device");
    scratch.filled("f", MIB);
    let Some(device) = Loop::new(&scratch, 16, "") else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    // A writable file system would change its device by itself.
    let Some(_mount) = Mount::new(&format!("-o ro {}", device.device), &scratch.file("mnt")) else { return };
    run(scratch.path(), "fio", &format!("{JOB} --record=record")).ended_with(0);
    symlink(&device.device, scratch.file("link.html")).unwrap();
    refused(&scratch, "link.html", &device.image, "this is a block device");
}

#[test]
fn outputs_through_a_link_to_the_file_of_a_loop_device_are_refused() {
    let scratch = Scratch::new("outputs-file");
    scratch.filled("f", MIB);
    let Some(device) = Loop::new(&scratch, 16, "") else { return };
    run(scratch.path(), "fio", &format!("{JOB} --record=record")).ended_with(0);
    symlink(&device.image, scratch.file("link.html")).unwrap();
    refused(&scratch, "link.html", &device.image, "loop device");
}
