//! Builds `fathom.exe`, lints the code for Windows, and runs the suite `windows` of the binary under wine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::cargo;

const TARGET: &str = "x86_64-pc-windows-gnu";
const COMPILER: &str = "x86_64-w64-mingw32-gcc";
/// The standard library of Rust needs this function of a library that wine before 9 does not have.
const RANDOM_DLL: &str = "bcryptprimitives.dll";
const RANDOM_C: &str = "#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T bytes) { return SystemFunction036(data, (ULONG)bytes); }
";

/// Runs all checks for Windows in the workspace `root`. `check` runs a command and prints its name.
///
/// # Errors
///
/// The build, a lint or a test failed.
pub fn run(root: &Path, check: impl Fn(&str, Command) -> Result<(), String>) -> Result<(), String> {
    if let Some(missing) = missing() {
        eprintln!("SKIPPED: {missing}");
        return Ok(());
    }
    let mut lints = of_target("clippy", "fathom");
    lints.args(["--quiet", "--", "-D", "warnings"]);
    check("lints for Windows", lints)?;
    let mut lints = of_target("clippy", "fathom-os");
    lints.args(["--all-targets", "--quiet", "--", "-D", "warnings"]);
    check("lints of os for Windows", lints)?;
    check("build for Windows", of_target("build", "fathom"))?;
    let folder = root.join("target/windows");
    let program = prepare(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut units = of_target("test", "fathom-os");
    // wine searches libraries in these folders.
    units.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine").env("WINEPATH", &folder);
    use_wine(&mut units, &folder);
    check("unit tests of os under wine", units)?;
    let mut scenarios = cargo(&["test", "--package", "fathom", "--test", "cli", "--", "windows::"]);
    scenarios.env("FATHOM_WINDOWS_EXE", &program);
    use_wine(&mut scenarios, &folder);
    check("scenarios under wine", scenarios)
}

/// Makes a command of cargo for Windows.
fn of_target(what: &str, package: &str) -> Command {
    cargo(&[what, "--target", TARGET, "--package", package])
}

/// Gives a command wine's settings in a folder.
fn use_wine(command: &mut Command, folder: &Path) {
    command.env("WINEPREFIX", folder.join("prefix")).env("WINEDEBUG", "-all");
}

/// Returns what this machine lacks.
fn missing() -> Option<String> {
    let runs = |program: &str| Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success());
    if let Some(program) = [COMPILER, "wine"].into_iter().find(|program| !runs(program)) {
        return Some(format!("{program} is not installed"));
    }
    let installed = Command::new("rustup").args(["target", "list", "--installed"]).output();
    let has_target = installed.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).lines().any(|line| line == TARGET));
    (!has_target).then(|| format!("the target {TARGET} is not installed (rustup target add {TARGET})"))
}

/// Makes a folder with the program, the library that wine lacks and wine's settings. Returns the path of the program.
fn prepare(folder: &Path) -> std::io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let program = folder.join("fathom.exe");
    fs::copy(folder.with_file_name(TARGET).join("debug/fathom.exe"), &program)?;
    let source = folder.join("random.c");
    fs::write(&source, RANDOM_C)?;
    let run = |command: &mut Command| match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(std::io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned())),
        Err(error) => Err(error),
    };
    run(Command::new(COMPILER)
        .args(["-shared", "-O1", "-o"])
        .arg(folder.join(RANDOM_DLL))
        .arg(source)
        .arg("-ladvapi32"))?;
    let wine = |arguments: &[&str]| {
        let mut wine = Command::new("wine");
        wine.args(arguments);
        use_wine(&mut wine, folder);
        run(&mut wine)
    };
    wine(&["wineboot", "-i"])?;
    // By default this wine is Windows 7.
    wine(&["reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f"])?;
    Ok(program)
}
