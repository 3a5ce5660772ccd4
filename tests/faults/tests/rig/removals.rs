//! Targets that change during a run.

use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Child, Command};
use std::sync::Mutex;

use faults::cases::removals::{Kind, REMOVALS, Removal};
use faults::{Case, Sandbox};
use harness::{Loop, MIB, Outcome, Zram, has_ended, needs, wait_for_work, wait_until};

use crate::failures::Failures;
use crate::parallel::run_all;

/// Sleeps of the run's threads before the change: the measurement has begun.
const SLEEPS: u64 = 100;

/// The target. Its device is removed on drop.
enum Target {
    Loop(Loop),
    Zram(Zram),
    File,
}

impl Target {
    fn new(sandbox: &Sandbox, kind: Kind) -> Option<Self> {
        let target = match kind {
            Kind::File | Kind::Mount => {
                sandbox.scratch.filled("target", 8 * MIB);
                return Some(Target::File);
            }
            Kind::Loop => Target::Loop(Loop::new(&sandbox.scratch, 8, "")?),
            Kind::Zram => Target::Zram(Zram::new(8)?),
        };
        // A read of a block that was never written does not reach the disk.
        std::fs::OpenOptions::new()
            .write(true)
            .open(target.device())
            .unwrap()
            .write_all(&[0x5a; 8 * MIB as usize])
            .unwrap();
        symlink(target.device(), sandbox.scratch.file("target")).unwrap();
        Some(target)
    }

    fn device(&self) -> &str {
        match self {
            Target::Loop(device) => &device.device,
            Target::Zram(device) => &device.device,
            Target::File => "",
        }
    }
}

/// Runs the script in the mount namespace of the run. Returns its error.
fn change(sandbox: &Sandbox, child: &Child, removal: &Removal, target: &Target) -> Option<String> {
    let mut shell = Command::new("nsenter");
    shell.arg(format!("--mount=/proc/{}/ns/mnt", child.id())).args(["bash", "-c"]);
    shell.arg(format!("cd {} && {}", sandbox.scratch.path().display(), removal.script));
    shell.env("DEVICE", target.device()).env("IMAGE", sandbox.scratch.file("image"));
    let ended: Outcome = {
        let output = shell.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Outcome { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    };
    (ended.code != Some(0)).then(|| format!("`{}` failed: {}", removal.script, ended.stderr))
}

fn run_case(case: &Case<Removal>, failures: &Mutex<Failures>) {
    let sandbox = Sandbox::new("removals");
    let Some(target) = Target::new(&sandbox, case.fault.kind) else { return };
    let script = match case.fault.kind {
        Kind::Mount => "mkdir mnt; mount -t tmpfs -o size=16m none mnt; cp target mnt",
        _ => ":",
    };
    let child = sandbox.below(script, case.command).spawn().unwrap();
    wait_for_work(&child, SLEEPS);
    // On a busy machine, a run can end before the change.
    let problem = change(&sandbox, &child, &case.fault, &target);
    let was_active = !has_ended(&child);
    let mut problems = Vec::from_iter(problem.filter(|_| was_active));
    wait_until(&format!("the end of {}", case.command), || has_ended(&child));
    let ended = sandbox.outcome(child);
    problems.extend(sandbox.problems());
    failures.lock().unwrap().add(case, &ended, problems);
}

#[test]
fn runs_end_as_documented_when_their_target_is_removed() {
    let Some(_) = needs("unshare --mount true") else { return };
    run_all(REMOVALS, run_case);
}
