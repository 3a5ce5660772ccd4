//! Errors of memory that may not be locked name the limit.

use std::process::{Command, Stdio};

use crate::stage::{Scratch, needs, outcome};

#[test]
fn an_error_of_locked_memory_names_the_limit_its_value_and_how_to_raise_it() {
    let confined = "setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock prlimit --memlock=65536";
    let Some(_) = needs(&format!("{confined} true")) else { return };
    let scratch = Scratch::new("locked-memory");
    scratch.filled("data", 1 << 20);
    let job = "--name=a --filename=data --size=1m --rw=read --bs=64k --ioengine=io_uring --iodepth=64";
    for option in ["--lockmem=1m", "--fixedbufs=1"] {
        let mut command = Command::new("setpriv");
        command.args(confined.split(' ').skip(1)).arg(env!("CARGO_BIN_EXE_fathom")).arg("fio");
        command.args(job.split(' ')).arg(option).current_dir(scratch.path()).env("FATHOM_NO_HISTORY", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let ended = outcome(command.spawn().unwrap());
        ended.ended_with(1).complained_of("RLIMIT_MEMLOCK is 64 KiB (raise it with `ulimit -l KIB`");
    }
}
