//! `fathom.exe` under wine. `cargo xtask ci` and `cargo xtask windows` build it and run these tests: without it they are skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::diskspd_golden::Golden;
use crate::stage::{Scratch, skipped};

/// Returns the program. `None` marks the test as skipped.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("FATHOM_WINDOWS_EXE").map(PathBuf::from);
    if path.is_none() {
        skipped("FATHOM_WINDOWS_EXE is not set: `cargo xtask windows` builds `fathom.exe` and sets it");
    }
    path
}

fn run(program: &Path, folder: &Path, line: &str) -> Output {
    let mut wine = Command::new("wine");
    wine.arg(program).args(line.split_whitespace()).current_dir(folder).output().unwrap()
}

/// Runs a line that succeeds. Returns its standard output.
fn printed(program: &Path, folder: &Path, line: &str) -> String {
    let output = run(program, folder, line);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{line}: {}\n{err}\n{out}", output.status);
    out.into_owned()
}

/// Returns bytes and I/Os of the rows of a table whose first column begins with `row`.
fn rows(report: &str, table: &str, row: &str) -> Vec<(u64, u64)> {
    let table = report.split(table).nth(1).unwrap().split("\n\n").next().unwrap();
    let numbers = |line: &str| {
        let mut columns = line.split_once(row)?.1.split('|').map(str::trim);
        let first = if row == "total:" { columns.next()? } else { columns.nth(1)? };
        Some((first.parse().ok()?, columns.next()?.parse().ok()?))
    };
    table.lines().filter(|line| line.trim_start().starts_with(row)).filter_map(numbers).collect()
}

#[test]
fn diskspd_measures_a_file_as_the_block_size_study_does() {
    let Some(program) = program() else { return };
    let scratch = Scratch::new("windows-study");
    let report = printed(&program, scratch.path(), "diskspd -b64K -d2 -W1 -t4 -o8 -L -r -w40 -c100m test.dat");
    assert_eq!(std::fs::metadata(scratch.file("test.dat")).unwrap().len(), 100 << 20);
    for text in ["size: 64KiB", "using I/O Completion Ports", "read/write ratio: 60/40", "thread count:\t\t4"] {
        assert!(report.contains(text), "{text}: {report}");
    }
    let [(bytes, ios)] = rows(&report, "Total IO", "total:")[..] else { panic!("{report}") };
    assert!(ios > 0 && bytes == ios * (64 << 10), "{report}");
    let [(read, _)] = rows(&report, "Read IO", "total:")[..] else { panic!("{report}") };
    let [(written, _)] = rows(&report, "Write IO", "total:")[..] else { panic!("{report}") };
    assert_eq!(read + written, bytes);
    let share = written as f64 / bytes as f64;
    assert!((0.3..0.5).contains(&share), "{share}");
    let cpus = report.split("CPU |").nth(1).unwrap().split("avg.|").next().unwrap();
    assert!(cpus.lines().any(|line| line.trim_start().starts_with("0|")), "{report}");
}

#[test]
fn reports_have_the_layout_of_recorded_ones() {
    let Some(program) = program() else { return };
    let runs_alike = &|name| {
        let scratch = Scratch::new("windows-golden");
        let golden = Golden::named(name);
        let line = golden.arguments.join(" ");
        golden.assert_same_layout(&run(&program, scratch.path(), &format!("diskspd -W0 {line}")));
    };
    // At the same time, as the time of each is fixed.
    std::thread::scope(|scope| {
        for name in ["01-mixed", "02-F4-Sh", "03-Rxml-L-D", "04-sync-read-o1", "12-D100-L", "15-F2-O4-two"] {
            scope.spawn(move || runs_alike(name));
        }
    });
}

#[test]
fn azures_lines_run_on_a_file() {
    let Some(program) = program() else { return };
    let scratch = Scratch::new("windows-azure");
    for line in
        ["-c64M -w100 -b8K -F4 -r -o32 -W1 -d1 -Sh", "-c64M -b4K -F4 -r -o32 -W1 -d1 -Sh", "-b4K -t1 -o1 -d1 -W0"]
    {
        let report = printed(&program, scratch.path(), &format!("diskspd {line} testfile.dat"));
        let block = if line.contains("-b8K") { 8 << 10 } else { 4 << 10 };
        let [(bytes, ios)] = rows(&report, "Total IO", "total:")[..] else { panic!("{report}") };
        assert!(ios > 0 && bytes == ios * block, "{report}");
    }
}

#[test]
fn diskspd_takes_slashes_and_profiles_and_prints_xml() {
    let Some(program) = program() else { return };
    let scratch = Scratch::new("windows-xml");
    let xml = printed(&program, scratch.path(), "diskspd /b4K /d1 /W0 /t2 /o4 /L /D /c8M /Rxml test.dat");
    assert!(xml.starts_with("<Results>"), "{xml}");
    assert!(xml.contains("<Path>test.dat</Path>") && xml.contains("<CPU>"), "{xml}");
    let profile = printed(&program, scratch.path(), "diskspd -b4K -d1 -W0 -Sm -Nv -w50 -c1M -Rpxml test.dat");
    std::fs::write(scratch.file("profile.xml"), profile).unwrap();
    let report = printed(&program, scratch.path(), "diskspd -Rtext -Xprofile.xml");
    assert!(rows(&report, "Total IO", "total:")[0].1 > 0, "{report}");
}

#[test]
fn fio_engines_of_windows_move_data_and_others_are_refused_by_name() {
    let Some(program) = program() else { return };
    let scratch = Scratch::new("windows-fio");
    for (engine, rw) in [
        ("windowsaio", "randread"),
        ("windowsaio", "randwrite"),
        ("sync", "randrw"),
        ("mmap", "write"),
        ("null", "read"),
    ] {
        let line = format!(
            "fio --name=x --ioengine={engine} --rw={rw} --bs=4k --size=16m --runtime=1 --time_based --iodepth=8 \
             --output-format=json"
        );
        let report: Value = serde_json::from_str(&printed(&program, scratch.path(), &line)).unwrap();
        let job = &report["jobs"][0];
        let sum = |field: &str| ["read", "write"].iter().filter_map(|side| job[side][field].as_u64()).sum::<u64>();
        assert_eq!(job["error"], 0, "{line}");
        assert!(sum("total_ios") > 0 && sum("io_bytes") == sum("total_ios") * 4096, "{line}: {job}");
    }
    let output = run(&program, scratch.path(), "fio --name=x --ioengine=libaio --rw=read --size=1m");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("engine libaio is not supported on Windows"), "{text}");
}

#[test]
fn data_that_was_written_is_read_back_whole() {
    let Some(program) = program() else { return };
    let scratch = Scratch::new("windows-data");
    for engine in ["windowsaio", "sync", "mmap"] {
        let line = format!(
            "fio --name={engine} --ioengine={engine} --rw=randwrite --bs=4k --size=2m --iodepth=16 --buffer_pattern=0xabcd1234"
        );
        printed(&program, scratch.path(), &line);
        let bytes = std::fs::read(scratch.file(&format!("{engine}.0.0"))).unwrap();
        assert_eq!(bytes.len(), 2 << 20);
        assert!(bytes.chunks(4).all(|word| word == [0xab, 0xcd, 0x12, 0x34]), "{engine}");
    }
}

#[test]
fn requests_that_windows_or_fathom_does_not_have_are_refused() {
    let Some(program) = program() else { return };
    let scratch = Scratch::new("windows-refused");
    for (line, status, text) in [
        ("diskspd -eprocess -d1 -c1M file", 3, "-e (ETW) is not supported"),
        ("diskspd -u -d1 -c1M file", 1, "-u (IoRing) is not supported on Windows"),
        ("diskspd -yemissing", 1, "missing"),
        ("diskspd -d1 missing.dat", 1, "missing.dat"),
    ] {
        let output = run(&program, scratch.path(), line);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{line}: {err}");
        assert!(err.contains(text), "{line}: {err}");
    }
}

#[test]
fn a_folder_is_assessed() {
    let Some(program) = program() else { return };
    let scratch = Scratch::new("windows-assess");
    let output = run(&program, scratch.path(), "assess . --short --size 32m --yes --no-history --format json");
    let err = String::from_utf8_lossy(&output.stderr);
    let card: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {err}"));
    assert!(card["tests"].as_array().is_some_and(|tests| !tests.is_empty()), "{err}\n{card}");
}
