//! Errors that a file system reports when a file is closed.

use fathom_truth::timed_files::TimedFiles;

#[test]
fn a_failed_close_of_a_written_file_fails_the_job() {
    let Some(files) = TimedFiles::mount("failed-close", 1, 1 << 20) else { return };
    files.fail_closes();
    let target = files.file(0);
    for engine in ["psync", "libaio", "io_uring"] {
        let job = |rw: &str| {
            let job = format!(
                "--name=job --filename={} --size=64k --bs=4k --ioengine={engine} --rw={rw} --direct=1 --output-format=json",
                target.display()
            );
            fathom_truth::fio(files.beside(), &job)
        };
        let written = job("write");
        written.ended_with(1).complained_of(&format!("{}: Input/output error", target.display()));
        assert_eq!(written.json()["jobs"][0]["error"], 5, "{engine}: {}", written.stdout);
        job("read").ended_with(0);
    }
    let line = format!("-d1 -W0 -b4K -w100 -g400 -Sh {}", target.display());
    fathom_truth::diskspd(files.beside(), &line).ended_with(1).complained_of("Input/output error");
}
