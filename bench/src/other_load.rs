//! Load of other programs beside the measured ones. It ends on drop.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde::Serialize;

/// What runs beside the measured program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherLoad {
    /// fio reads another file on the disk: random 64k at depth 16.
    Reader,
    /// fio writes another file on the disk: random 64k at depth 16.
    Writer,
    /// A busy process on each CPU.
    BusyCpus,
}

/// A busy loop of a shell that ends with its parent.
const LOOP: &str = "while kill -0 $PPID; do :; done";
/// Time in which a load starts.
const START_TIME: Duration = Duration::from_secs(1);

/// Processes of a load.
pub struct RunningLoad(Vec<Child>);

impl RunningLoad {
    /// Starts a load. `file` is a file that no other program uses. fio gets the CPUs of this thread.
    pub fn start(load: OtherLoad, fio: &Path, file: &Path, cpus: &[u32]) -> Result<Self, String> {
        let mut running = RunningLoad(Vec::new());
        match load {
            OtherLoad::Reader => running.spawn(fio_with(fio, file, "randread"))?,
            OtherLoad::Writer => running.spawn(fio_with(fio, file, "randwrite"))?,
            OtherLoad::BusyCpus => {
                for cpu in cpus {
                    // As a service has it: a session has its own share of a CPU (autogroup), and each job of fio is a session.
                    let mut command = Command::new("setsid");
                    command.args(["/bin/sh", "-c", LOOP]);
                    running.spawn_on(command, *cpu)?;
                }
            }
        }
        sleep(START_TIME);
        running.check()?;
        Ok(running)
    }

    /// Starts a process on a CPU: a child inherits the affinity of the thread that starts it.
    fn spawn_on(&mut self, command: Command, cpu: u32) -> Result<(), String> {
        let start = || {
            os::cpu::set_affinity(&[cpu])
                .map_err(|error| format!("CPU {cpu}: {error}"))
                .and_then(|()| self.spawn(command))
        };
        std::thread::scope(|scope| scope.spawn(start).join()).unwrap_or_else(|_| Err("a thread panicked".into()))
    }

    fn spawn(&mut self, mut command: Command) -> Result<(), String> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| format!("{:?}: {error}", command.get_program()))?;
        self.0.push(child);
        Ok(())
    }

    /// Fails if a process of the load ended.
    pub fn check(&mut self) -> Result<(), String> {
        let ended = self.0.iter_mut().find_map(|child| child.try_wait().ok().flatten());
        ended.map_or(Ok(()), |status| Err(format!("the load beside the programs ended: {status}")))
    }
}

impl Drop for RunningLoad {
    fn drop(&mut self) {
        for child in &mut self.0 {
            if let Err(error) = child.kill().and_then(|()| child.wait()) {
                eprintln!("fathom-bench: process {}: {error}", child.id());
            }
        }
    }
}

/// Returns the command of a load on a file. The job is a thread, so that it ends with the process.
fn fio_with(fio: &Path, file: &Path, rw: &str) -> Command {
    let mut command = Command::new(fio);
    command.args(["--name=beside", "--thread", "--ioengine=libaio", "--direct=1", "--bs=64k", "--iodepth=16"]);
    command.args(["--time_based", "--runtime=1h"]).arg(format!("--rw={rw}"));
    command.arg(format!("--filename={}", file.display())).process_group(0);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_processes_end_with_the_load() {
        let cpu = *os::cpu::affinity().unwrap().last().unwrap();
        let mut load = RunningLoad::start(OtherLoad::BusyCpus, Path::new(""), Path::new(""), &[cpu]).unwrap();
        let id = load.0[0].id();
        let used = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        assert!(used.contains(&format!("Cpus_allowed_list:\t{cpu}\n")), "{used}");
        load.check().unwrap();
        drop(load);
        assert!(!Path::new(&format!("/proc/{id}")).exists());
    }

    #[test]
    fn a_load_that_ends_at_once_is_an_error() {
        let start = || RunningLoad::start(OtherLoad::Reader, Path::new("/bin/false"), Path::new("x"), &[0]);
        // On a busy machine it can end after the time in which a load starts.
        assert!((0..3).any(|_| start().is_err_and(|error| error.contains("ended"))));
    }
}
