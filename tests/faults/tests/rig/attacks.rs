//! Commands that would write a mounted device under another name.

use std::path::Path;
use std::process::Command;

use faults::Sandbox;
use faults::cases::attacks::{ALIASES, Alias, COMMANDS, PROFILE};
use harness::{MIB, Mount, Zram, binary, needs};

/// Runs a command below the script that makes the name, and returns what is wrong.
fn attack(sandbox: &Sandbox, device: &Zram, alias: &Alias, command: &str, exit: i32) -> Option<String> {
    let number = device.number();
    let (major, minor) = number.split_once(':').unwrap();
    // The mounts of the script end with it.
    let name = alias.name;
    let files = format!("ln -s {name} log_bw.1.log; sed s#ALIAS#{name}# ../profile.xml >profile.xml");
    let script =
        format!("mkdir names; cd names; ln -s ../f ../record .; {}; {files}; exec \"$0\" \"$@\"", alias.script);
    let mut shell = Command::new("unshare");
    shell.args(["--mount", "bash", "-c", &script]).arg(binary());
    shell.args(command.replace("ALIAS", alias.name).split_whitespace());
    shell.env("DEVICE", &device.device).env("MAJOR", major).env("MINOR", minor);
    sandbox.prepare(&mut shell);
    let before = bytes(&device.path());
    let ended = sandbox.outcome(shell.spawn().unwrap());
    std::fs::remove_dir_all(sandbox.scratch.file("names")).unwrap();
    let is_same = before == bytes(&device.path());
    let is_rejected = ended.code == Some(exit) && names_the_use(&ended.stderr) && !ended.stderr.contains("panicked");
    let problem = || format!("{}: fathom {command}: {:?}, {}", alias.what, ended.code, ended.stderr);
    match (is_same, is_rejected) {
        (true, true) => None,
        (true, false) => Some(format!("not rejected with {exit}: {}", problem())),
        (false, _) => Some(format!("THE DEVICE WAS WRITTEN: {}", problem())),
    }
}

/// Returns true if a message names the reason: the mount of a target, or the kind of an output.
fn names_the_use(stderr: &str) -> bool {
    stderr.contains("mounted on") || stderr.contains("block device")
}

fn bytes(device: &Path) -> Vec<u8> {
    std::fs::read(device).unwrap()
}

#[test]
fn mounted_device_is_not_written_under_any_name_by_any_command() {
    let sandbox = Sandbox::new("attacks");
    sandbox.scratch.filled("f", MIB);
    std::fs::write(sandbox.scratch.file("profile.xml"), PROFILE).unwrap();
    let Some(device) = Zram::new(8) else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    // A writable mount would change the device by itself.
    let Some(_mount) = Mount::new(&format!("-o ro {}", device.device), &sandbox.scratch.file("mnt")) else { return };
    let Some(_) = needs("unshare --mount true") else { return };
    let saved = "fio --name=a --filename=f --rw=read --size=64k --record=record";
    sandbox.outcome(sandbox.spawn(saved)).assert_success();
    let of_alias = |alias| COMMANDS.iter().map(move |(command, exit)| (alias, *command, *exit));
    let cases = ALIASES.iter().flat_map(of_alias);
    let failures: Vec<String> =
        cases.filter_map(|(alias, command, exit)| attack(&sandbox, &device, alias, command, exit)).collect();
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}
