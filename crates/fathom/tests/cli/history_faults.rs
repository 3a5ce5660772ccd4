//! A history that cannot be written or read: no result is lost, and the run's exit status does not change.

use std::path::{Path, PathBuf};

use crate::stage::{Mount, Outcome, Scratch, command, outcome, system};

const JOB: &str = "--name=a --filename=data.bin --size=64k --bs=4k --rw=read";

fn run(scratch: &Scratch, word: &str, line: &str) -> Outcome {
    let mut command = command(scratch.path(), word, line);
    command.env_remove("FATHOM_NO_HISTORY").env("XDG_DATA_HOME", scratch.file("data"));
    outcome(command.spawn().unwrap())
}

/// A folder with a file to read, and a history with `runs` runs.
fn with_history(test: &str, runs: usize) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.filled("data.bin", 64 << 10);
    run(&scratch, "fio", &format!("{JOB} --record=run.json --no-history")).ended_with(0);
    for _ in 0..runs {
        run(&scratch, "history", "add run.json").ended_with(0);
    }
    scratch
}

fn database(scratch: &Scratch) -> PathBuf {
    scratch.file("data/fathom/history.db")
}

/// Returns the only file with an unsaved result in a folder.
fn unsaved(folder: &Path) -> PathBuf {
    let is_unsaved = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("unsaved-");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(is_unsaved).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

/// Makes a run whose result the history cannot take. Returns the file that has it.
fn run_is_kept_in(scratch: &Scratch, folder: &Path, why: &str) -> PathBuf {
    let ended = run(scratch, "run", &format!("--repeat 1 --tag mine fio {JOB}"));
    ended.ended_with(0).complained_of("warning: not saved in the history: ").complained_of(why);
    let file = unsaved(folder);
    let name = file.file_name().unwrap().to_str().unwrap();
    ended.complained_of(&format!("{name} --tag mine --tag run-"));
    file
}

#[test]
fn a_history_whose_folder_cannot_be_read_is_an_error_and_not_empty() {
    let scratch = Scratch::new("history-no-folder");
    run(&scratch, "history", "").ended_with(0);
    std::fs::create_dir_all(scratch.file("data")).unwrap();
    // A file in place of the folder, so that the super-user cannot read it either.
    std::fs::write(scratch.file("data/fathom"), "").unwrap();
    for (word, line) in [("history", ""), ("show", "last")] {
        run(&scratch, word, line).ended_with(2).complained_of("data/fathom/history.db: ");
    }
}

#[test]
fn history_on_a_read_only_disk_can_be_read() {
    // After the last run the database has a log, or none.
    for line in [format!("fio {JOB}"), "history add run.json".to_owned()] {
        let scratch = with_history("history-read-only", 2);
        let (word, line) = line.split_once(' ').unwrap();
        run(&scratch, word, line).ended_with(0);
        let data = scratch.file("data");
        let Some(_mount) = Mount::new(&format!("--bind {}", data.display()), &data) else { return };
        system(&format!("mount -o remount,bind,ro {}", data.display())).unwrap();
        let listed = run(&scratch, "history", "");
        assert_eq!(listed.ended_with(0).stdout.lines().count(), 4, "{}", listed.stdout);
        let shown = run(&scratch, "show", "last");
        assert!(shown.ended_with(0).stdout.contains("Run status group"), "{}", shown.stdout);
        for (word, line) in [("compare", "1 last"), ("export", "3 --format csv"), ("show", "3 --format json")] {
            run(&scratch, word, line).ended_with(0);
        }
        run(&scratch, "history", "tag 1 --tag x").ended_with(2).complained_of("readonly database");
        run_is_kept_in(&scratch, scratch.path(), "");
    }
}

#[test]
fn log_that_cannot_be_read_on_a_read_only_disk_is_not_left_out() {
    let scratch = with_history("history-log", 1);
    run(&scratch, "fio", JOB).ended_with(0);
    let data = scratch.file("data");
    std::fs::remove_file(scratch.file("data/fathom/history.db-shm")).unwrap();
    let Some(_mount) = Mount::new(&format!("--bind {}", data.display()), &data) else { return };
    system(&format!("mount -o remount,bind,ro {}", data.display())).unwrap();
    run(&scratch, "history", "")
        .ended_with(2)
        .complained_of("copy history.db and history.db-wal to DIR/fathom and set XDG_DATA_HOME=DIR");
}

#[test]
fn result_of_a_run_is_in_a_file_if_the_history_is_damaged() {
    let scratch = with_history("history-damaged", 1);
    std::fs::write(database(&scratch), vec![b'x'; 8192]).unwrap();
    for (word, line) in [("history", ""), ("show", "last"), ("compare", "1 last"), ("export", "1 --format csv")] {
        let ended = run(&scratch, word, line);
        assert_ne!(ended.code, Some(0));
        ended.complained_of("file is not a database").complained_of("help: move history.db away");
    }
    let file = run_is_kept_in(&scratch, database(&scratch).parent().unwrap(), "file is not a database");
    std::fs::rename(database(&scratch), scratch.file("damaged")).unwrap();
    run(&scratch, "history", &format!("add {} --tag later", file.display())).ended_with(0);
    let listed = run(&scratch, "history", "--tag later");
    assert!(listed.ended_with(0).stdout.contains("read "), "{}", listed.stdout);
}

#[test]
fn result_of_a_run_is_in_a_file_if_the_disk_of_the_history_is_full() {
    let scratch = Scratch::new("history-full");
    let Some(_mount) = Mount::tmpfs(4, &scratch.file("data")) else { return };
    scratch.filled("data.bin", 64 << 10);
    run(&scratch, "fio", JOB).ended_with(0);
    let mut ballast = std::fs::File::create(scratch.file("data/ballast")).unwrap();
    while std::io::Write::write_all(&mut ballast, &[1; 4 << 10]).is_ok() {}
    drop(ballast);
    let file = run_is_kept_in(&scratch, scratch.path(), "");
    // A run of a dialect writes no file into the current directory.
    let temporary = scratch.file("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let mut fio = command(scratch.path(), "fio", &format!("{JOB} --findings=always"));
    fio.env_remove("FATHOM_NO_HISTORY").env("XDG_DATA_HOME", scratch.file("data")).env("TMPDIR", &temporary);
    outcome(fio.spawn().unwrap()).ended_with(0).complained_of("warning: not saved in the history: ");
    let of_fio = unsaved(&temporary);
    std::fs::remove_file(scratch.file("data/ballast")).unwrap();
    for file in [file, of_fio] {
        run(&scratch, "history", &format!("add {}", file.display())).ended_with(0);
    }
}

#[test]
fn result_of_a_run_is_in_a_file_if_another_program_locks_the_history() {
    let scratch = with_history("history-locked", 1);
    let other = rusqlite::Connection::open(database(&scratch)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let file = run_is_kept_in(&scratch, database(&scratch).parent().unwrap(), "database is locked");
    other.execute_batch("ROLLBACK").unwrap();
    run(&scratch, "history", &format!("add {}", file.display())).ended_with(0);
}
