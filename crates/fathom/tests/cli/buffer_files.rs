//! I/O buffers in a file with missing pages: the job ends with an error that names the file, and the report is printed.

use std::io::Write;

use crate::stage::{Mount, Outcome, Scratch, fathom, outcome, run, wait_until};

const ENGINES: [&str; 4] = ["psync", "io_uring --iodepth=4", "libaio --iodepth=4", "mmap"];

fn lost(ended: &Outcome, file: &str, what: &str) {
    ended.ended_with(1).complained_of(&format!("mem: {file}: the I/O buffers have lost their data"));
    assert!(ended.stdout.contains("IOPS="), "{what}: no report: {}{}", ended.stdout, ended.stderr);
}

#[test]
fn buffers_in_a_file_on_a_full_disk_are_an_error_and_a_report() {
    let scratch = Scratch::new("buffers-full");
    let Some(_mount) = Mount::tmpfs(1, &scratch.file("full")) else { return };
    let mut ballast = std::fs::File::create(scratch.file("full/ballast")).unwrap();
    while ballast.write_all(&[1; 4 << 10]).is_ok() {}
    scratch.filled("data", 1 << 20);
    for engine in ENGINES {
        for (rw, mem) in [("write", "mmapshared"), ("read", "mmapshared"), ("write", "mmap"), ("randrw", "mmaphuge")] {
            let other = "--name=other --filename=data --rw=read --bs=4k --size=64k";
            let job = format!("--stonewall --name=a --filename=data --bs=64k --size=1m --rw={rw} --ioengine={engine}");
            let ended = run(scratch.path(), &format!("{other} {job} --mem={mem}:full/buffers"));
            lost(&ended, "full/buffers", &format!("{engine} {rw} {mem}"));
        }
    }
}

/// The number of huge pages belongs to the whole machine.
mod alone {
    use super::*;

    /// The kernel reserves huge pages, and a control group can forbid their use.
    #[test]
    #[ignore = "needs an idle machine: run by cargo xtask ci"]
    fn huge_pages_beyond_the_limit_of_a_control_group_are_an_error_before_the_run() {
        let scratch = Scratch::new("buffers-huge");
        let (pages, groups) = (std::path::Path::new("/proc/sys/vm/nr_hugepages"), scratch.file("groups"));
        let Some(_mount) = Mount::new("-t cgroup -o hugetlb none", &groups) else { return };
        let group = groups.join("fathom-huge");
        let before = std::fs::read_to_string(pages).unwrap();
        let limit = group.join("hugetlb.2MB.limit_in_bytes");
        let is_made = std::fs::create_dir(&group)
            .and_then(|()| std::fs::write(limit, "0"))
            .and_then(|()| std::fs::write(pages, "8"));
        let run = |line: &str| {
            let at = scratch.path().display();
            let fathom = env!("CARGO_BIN_EXE_fathom");
            let enter = format!("echo $$ > {}/cgroup.procs", group.display());
            crate::stage::shell(&format!("cd {at}; {enter}; FATHOM_NO_HISTORY=1 {fathom} {line} 2>&1; echo code $?"))
        };
        let lines = [
            "fio --name=a --filename=f --size=64k --rw=write --mem=mmaphuge",
            "fio --name=a --filename=f --size=64k --rw=write --mem=shmhuge",
            "diskspd -c1M -d1 -W0 -l f",
        ];
        let ended = is_made.is_ok().then(|| lines.map(run));
        std::fs::write(pages, before).unwrap();
        drop(std::fs::remove_dir(&group));
        let Some(ended) = ended else { return crate::stage::skipped("no control group or no huge pages") };
        for (ended, line) in ended.into_iter().zip(lines) {
            let text = ended.unwrap();
            assert!(text.contains("no huge pages for") && text.contains("code 1"), "{line}: {text}");
        }
    }
}

#[test]
fn buffers_in_a_file_that_becomes_shorter_are_an_error_and_a_report() {
    let scratch = Scratch::new("buffers-shorter");
    scratch.filled("data", 1 << 20);
    for engine in ENGINES {
        for options in ["--rw=read", "--rw=randwrite", "--rw=randwrite --verify=crc32c --verify_backlog=4"] {
            std::fs::write(scratch.file("buffers"), vec![0; 1 << 20]).unwrap();
            let job = format!(
                "--name=a --filename=data --bs=16k --size=1m --time_based --runtime=300 --rate_iops=200 \
                 --write_lat_log=done --ioengine={engine} --mem=mmapshared:buffers {options}"
            );
            let child = fathom(scratch.path(), &job).spawn().unwrap();
            let log = scratch.file("done_lat.1.log");
            wait_until("an I/O is done", || std::fs::metadata(&log).is_ok_and(|log| log.len() > 0));
            std::fs::File::options().write(true).open(scratch.file("buffers")).unwrap().set_len(0).unwrap();
            lost(&outcome(child), "buffers", &format!("{engine} {options}"));
            std::fs::remove_file(log).unwrap();
        }
    }
}
