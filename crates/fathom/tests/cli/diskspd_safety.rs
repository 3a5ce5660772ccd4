//! `fathom diskspd` rejects a run before any change, for all targets and time spans of a profile, and all report files. What both
//! dialects reject is in `safety.rs`.

use std::os::unix::fs::symlink;

use crate::safety::refused;
use crate::stage::{MIB, Mount, Outcome, Scratch, Zram, command, needs, outcome, system};

fn run(scratch: &Scratch, line: &str) -> Outcome {
    outcome(command(scratch.path(), "diskspd", &format!("-d1 -W0 -b4K {line}")).spawn().unwrap())
}

#[test]
fn one_rejected_target_rejects_the_whole_profile() {
    let scratch = Scratch::new("diskspd-profile");
    let Some(device) = Zram::new(16) else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    let Some(_mount) = Mount::new(&device.device, &scratch.file("mnt")) else { return };
    let target =
        |path: &str, more: &str| format!("<Target><Path>{path}</Path><BlockSize>4096</BlockSize>{more}</Target>");
    let span = |targets: &str| {
        format!("<TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets>{targets}</Targets></TimeSpan>")
    };
    let new = target("new.dat", "<FileSize>1048576</FileSize>");
    let profile = |share: u32| {
        let used = target(&device.device, &format!("<WriteRatio>{share}</WriteRatio>"));
        let spans = span(&new) + &span(&(new.clone() + &used));
        std::fs::write(scratch.file("p.xml"), format!("<Profile><TimeSpans>{spans}</TimeSpans></Profile>")).unwrap();
        outcome(command(scratch.path(), "diskspd", "-Xp.xml").spawn().unwrap())
    };
    refused(&profile(1), 1, "mounted on");
    assert!(!scratch.file("new.dat").exists(), "the first time span has begun");
    profile(0).ended_with(0);
    assert!(scratch.file("new.dat").exists());
}

#[test]
fn only_regular_files_are_created() {
    let scratch = Scratch::new("diskspd-new");
    std::fs::create_dir(scratch.file("folder")).unwrap();
    system(&format!("mkfifo {}", scratch.file("pipe").display())).unwrap();
    for (name, what) in
        [("folder", "the target is a directory"), ("pipe", "the target is a pipe"), ("/dev/null", "character device")]
    {
        let ended = run(&scratch, &format!("-Rfindings=always -c1M {name}"));
        refused(&ended, 1, what);
        ended.complained_of("is not created");
    }
    // A symbolic link leads to its target, which is replaced. A hard link keeps its content.
    let file = scratch.filled("file", 3 * MIB);
    symlink("file", scratch.file("link")).unwrap();
    symlink("coming", scratch.file("dangling")).unwrap();
    std::fs::hard_link(&file, scratch.file("hard")).unwrap();
    run(&scratch, "-c1M -w0 link dangling").ended_with(0);
    assert!(scratch.file("link").is_symlink() && scratch.file("dangling").is_symlink());
    let bytes = |name: &str| std::fs::metadata(scratch.file(name)).unwrap().len();
    assert_eq!((bytes("file"), bytes("coming"), bytes("hard")), (MIB, MIB, 3 * MIB));
    if let Some(device) = Zram::new(16) {
        run(&scratch, &format!("-Rfindings=always -c1M -w100 {}", device.device))
            .ended_with(0)
            .complained_of("is not created");
    }
    let at = scratch.file("mnt");
    let Some(_mount) = Mount::tmpfs(4, &at) else { return };
    std::fs::write(at.join("old"), vec![7; 65_536]).unwrap();
    let Some(_) = needs(&format!("mount -o remount,ro {}", at.display())) else { return };
    for line in ["-c64K mnt/old", "-c64K mnt/new", "-w100 mnt/old"] {
        refused(&run(&scratch, line), 1, "Read-only file system");
    }
    run(&scratch, "-w0 mnt/old").ended_with(0);
    assert_eq!(std::fs::read(at.join("old")).unwrap(), vec![7; 65_536]);
}

#[test]
fn reports_never_replace_targets_or_devices() {
    let scratch = Scratch::new("diskspd-reports");
    let path = scratch.filled("f", MIB);
    symlink("f", scratch.file("link")).unwrap();
    std::fs::hard_link(&path, scratch.file("hard")).unwrap();
    let device = Zram::new(16);
    let mut names = vec!["f".to_owned(), "./f".into(), "link".into(), "hard".into()];
    names.extend(device.as_ref().map(|device| device.device.clone()));
    for name in &names {
        for report in ["record", "text", "xml"] {
            refused(&run(&scratch, &format!("-R{report}={name} f")), 3, name);
        }
        refused(&run(&scratch, &format!("-c1M -Rrecord={name} link")), 3, name);
        for sweep in ["--output", "--svg"] {
            let line = format!("b=4k,8k {sweep} {name} diskspd -d1 -W0 f");
            let ended = outcome(command(scratch.path(), "sweep", &line).spawn().unwrap());
            ended.ended_with(2).complained_of(name);
        }
        let line = format!("--output={name} --name=a --filename=f --rw=read --size=64k");
        outcome(command(scratch.path(), "fio", &line).spawn().unwrap()).ended_with(1);
    }
    refused(&run(&scratch, "-c1M -Rrecord=new new"), 3, "this file would replace the target new");
    assert_eq!(std::fs::read(&path).unwrap(), vec![0x5a; 1 << 20]);
    assert_eq!(scratch.names(), ["f", "hard", "link"]);
    if let Some(device) = device {
        assert!(std::fs::read(&device.device).unwrap().iter().all(|byte| *byte == 0));
    }
}
