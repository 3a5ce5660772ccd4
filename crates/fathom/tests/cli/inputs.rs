//! Input files are regular files, pipes or standard input of a limited size. A device is refused: it has no end.

use std::fs::File;

use crate::stage::{Outcome, Scratch, command, outcome, run, shell};

const READERS: [(&str, i32); 9] = [
    ("fio INPUT", 1),
    ("fio includes.fio", 1),
    ("fio --name=a --size=4k --rw=write --buffer_pattern='INPUT'", 1),
    ("diskspd -XINPUT", 3),
    ("assess --suite INPUT", 2),
    ("limits import INPUT", 2),
    ("show INPUT", 2),
    ("compare INPUT INPUT", 2),
    ("history add INPUT", 2),
];

fn read(scratch: &Scratch, reader: &str, input: &str) -> Outcome {
    std::fs::write(scratch.file("includes.fio"), format!("[a]\ninclude {input}\nsize=4k\nrw=read\n")).unwrap();
    let line = reader.replace("INPUT", input);
    let (word, arguments) = line.split_once(' ').unwrap();
    outcome(command(scratch.path(), word, arguments).spawn().unwrap())
}

#[test]
fn a_device_is_refused_by_each_reader() {
    let scratch = Scratch::new("inputs-device");
    std::os::unix::fs::symlink("/dev/zero", scratch.file("zero.toml")).unwrap();
    for (reader, code) in READERS.into_iter().chain([("assess --require zero.toml", 2)]) {
        let refused = read(&scratch, reader, "/dev/zero");
        refused.ended_with(code).complained_of("it is a character device");
        assert!(refused.stderr.lines().count() <= 20, "{reader}: {}", refused.stderr);
    }
}

#[test]
fn a_file_beyond_its_limit_is_refused_before_it_is_read() {
    let scratch = Scratch::new("inputs-large");
    // Without blocks: the size is enough.
    File::create(scratch.file("large.json")).unwrap().set_len(1 << 40).unwrap();
    for (reader, code) in READERS {
        read(&scratch, reader, "large.json").ended_with(code).complained_of("it is larger than");
    }
}

#[test]
fn a_job_file_can_be_a_pipe() {
    let scratch = Scratch::new("inputs-pipe");
    scratch.filled("data", 1 << 20);
    std::fs::write(scratch.file("a.fio"), "[from-pipe]\nfilename=data\nrw=read\n").unwrap();
    shell(&format!("mkfifo {}", scratch.file("pipe").display())).unwrap();
    let mut writer = std::process::Command::new("cp");
    let mut writer = writer.arg("a.fio").arg("pipe").current_dir(scratch.path()).spawn().unwrap();
    let printed = run(scratch.path(), "pipe").assert_success();
    assert!(printed.stdout.contains("from-pipe"), "{}", printed.stdout);
    assert!(writer.wait().unwrap().success());
    for path in ["-", "/dev/stdin"] {
        let mut command = command(scratch.path(), "fio", path);
        command.stdin(File::open(scratch.file("a.fio")).unwrap());
        assert!(outcome(command.spawn().unwrap()).assert_success().stdout.contains("from-pipe"), "{path}");
    }
}
