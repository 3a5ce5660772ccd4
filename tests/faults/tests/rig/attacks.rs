//! Commands that would write a mounted device or a target under another name.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use faults::Sandbox;
use faults::cases::attacks::{ALIASES, Alias, Attack, LINKS, OUTPUTS, PROFILE, TARGET_ALIASES, TARGETS, WRITERS};
use harness::{MIB, Mount, Outcome, Zram, binary, needs};

use crate::parallel::work_off;

/// Returns a folder with the file `f`, the saved run `record`, a history and the profile.
fn template() -> Sandbox {
    let template = Sandbox::new("attacks");
    template.scratch.filled("f", MIB);
    std::fs::write(template.scratch.file("profile.xml"), PROFILE).unwrap();
    let saved = "fio --name=a --filename=f --rw=read --size=64k --record=record";
    template.outcome(template.spawn(saved)).assert_success();
    template
}

/// Runs a command below the script that makes the name. `prepare` sets variables of the script.
fn attack(sandbox: &Sandbox, alias: &Alias, command: &str, prepare: impl Fn(&mut Command)) -> Outcome {
    let names = sandbox.scratch.file("names");
    std::fs::create_dir_all(names.join("folder")).unwrap();
    std::fs::copy(sandbox.scratch.file("f"), names.join("target")).unwrap();
    std::fs::write(names.join("profile.xml"), PROFILE.replace("ALIAS", alias.name)).unwrap();
    let others = [("f", "../f"), ("record", "../record")].map(|(link, to)| (link, to.to_owned()));
    let to_name = LINKS.iter().map(|link| {
        let up = if link.contains('/') && !alias.name.starts_with('/') { "../" } else { "" };
        (*link, format!("{up}{}", alias.name))
    });
    for (link, to) in others.into_iter().chain(to_name) {
        std::os::unix::fs::symlink(to, names.join(link)).unwrap();
    }
    // The mounts of the script end with it.
    let script = format!("cd names; {}; exec \"$0\" \"$@\"", alias.script);
    let mut shell = Command::new("unshare");
    shell.args(["--mount", "bash", "-c", &script]).arg(binary());
    shell.args(command.replace("ALIAS", alias.name).split_whitespace());
    prepare(&mut shell);
    sandbox.prepare(&mut shell);
    sandbox.outcome(shell.spawn().unwrap())
}

/// Returns why a command did not end as expected. `reasons` are parts of messages.
fn problem(ended: &Outcome, exit: i32, reasons: &[&str]) -> Option<String> {
    let is_named = exit == 0 || reasons.iter().any(|reason| ended.stderr.contains(reason));
    let is_expected = ended.code == Some(exit) && is_named && !ended.stderr.contains("panicked");
    (!is_expected).then(|| format!("not rejected with {exit}: {:?}, {}", ended.code, ended.stderr))
}

/// Mounts a file system in memory for the copies of the template: a disk needs most of a case's CPU time for its files.
fn room(template: &Sandbox) -> Option<Mount> {
    Mount::tmpfs(256, &template.scratch.file("room"))
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

fn assert_none(failures: Mutex<Vec<String>>) {
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn mounted_device_is_not_written_under_any_name_by_any_command() {
    let Some(device) = Zram::new(4) else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    let Some(_) = needs("unshare --mount true") else { return };
    let template = template();
    // A writable mount would change the device by itself.
    let mnt = template.scratch.file("mnt");
    let Some(_mount) = Mount::new(&format!("-o ro {}", device.device), &mnt) else { return };
    let Some(room) = room(&template) else { return };
    let number = device.number();
    let (major, minor) = number.split_once(':').unwrap();
    let before = bytes(&device.path());
    let commands = [TARGETS, OUTPUTS, WRITERS].concat();
    let cases: Vec<(&Alias, &Attack)> =
        ALIASES.iter().flat_map(|alias| commands.iter().map(move |attack| (alias, attack))).collect();
    let failures = Mutex::new(Vec::new());
    work_off(&cases, |(alias, (command, exit))| {
        let sandbox = template.copy_within(&room.0);
        let ended = attack(&sandbox, alias, &command.replace("TARGET", "f"), |shell| {
            shell.env("DEVICE", &device.device).env("MAJOR", major).env("MINOR", minor).env("MNT", &mnt);
        });
        let mut problems = Vec::from_iter(problem(
            &ended,
            *exit,
            &["mounted on", "block device", "opened exclusively", "loop device"],
        ));
        if before != bytes(&device.path()) {
            problems.push("THE DEVICE WAS WRITTEN, by this command or another one".to_owned());
        }
        let failed = problems.into_iter().map(|problem| format!("{}: fathom {command}: {problem}", alias.what));
        failures.lock().unwrap().extend(failed);
    });
    assert_none(failures);
}

#[test]
fn target_is_not_written_under_any_name_by_any_output() {
    let Some(_) = needs("unshare --mount true") else { return };
    let template = template();
    let Some(room) = room(&template) else { return };
    let content = bytes(&template.scratch.file("f"));
    let outputs = OUTPUTS.iter().filter(|(_, exit)| *exit != 0);
    // Only fio makes its targets.
    let cases: Vec<_> = TARGET_ALIASES
        .iter()
        .flat_map(|alias| outputs.clone().map(move |attack| (alias, attack)))
        .filter(|(alias, (command, _))| !alias.is_new || command.starts_with("fio"))
        .collect();
    let failures = Mutex::new(Vec::new());
    work_off(&cases, |(named, (command, exit))| {
        let sandbox = template.copy_within(&room.0);
        let ended = attack(&sandbox, &named.alias, &command.replace("TARGET", named.target), |_| ());
        // An overlay does not show a file that its upper layer got after a look for it: then the file is found when it is made.
        let reasons = ["this file would replace the target", "this file was replaced by another file"];
        let mut problems = Vec::from_iter(problem(&ended, *exit, &reasons));
        // Mounts are not visible here. The layout of a job can have made a new target.
        let target = sandbox.scratch.file("names").join(named.target);
        if !named.is_new && target.exists() && bytes(&target) != content {
            problems.push("THE TARGET WAS WRITTEN".to_owned());
        }
        let what = named.alias.what;
        failures.lock().unwrap().extend(problems.into_iter().map(|why| format!("{what}: fathom {command}: {why}")));
    });
    assert_none(failures);
}
