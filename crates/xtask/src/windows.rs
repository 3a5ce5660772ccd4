//! Builds `fathom.exe`, lints the code for Windows, and runs the suite `windows` of the binary under wine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{cargo, has_target};
use crate::steps::check;

pub const TARGET: &str = "x86_64-pc-windows-gnu";
pub const COMPILER: &str = "x86_64-w64-mingw32-gcc";
/// The standard library of Rust needs this function of a library that wine before 9 does not have.
const RANDOM_DLL: &str = "bcryptprimitives.dll";
const RANDOM_C: &str = "#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T bytes) { return SystemFunction036(data, (ULONG)bytes); }
";

/// `fathom.exe` and the folder with wine's settings.
pub struct Wine {
    folder: PathBuf,
    program: PathBuf,
}

impl Wine {
    /// Builds `fathom.exe` in the workspace `root`. Prints the reason and returns `None` if wine, the compiler or the Rust target
    /// is missing.
    ///
    /// # Errors
    ///
    /// The build failed, or wine did.
    pub fn prepare(root: &Path) -> Result<Option<Wine>, String> {
        if let Some(missing) = missing() {
            eprintln!("xtask: nothing is built for Windows: {missing}");
            return Ok(None);
        }
        check("build for Windows", of_target(cargo, "build", "fathom-storage"))?;
        let folder = root.join("target/windows");
        let program = set_up(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Some(Wine { folder, program }))
    }

    /// Returns the environment variables of tests that run the program.
    pub fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        let mut variables = settings(&self.folder).to_vec();
        variables.push(("FATHOM_WINDOWS_EXE", self.program.clone()));
        variables
    }

    /// Runs clippy and the unit tests of `os`. `cargo` makes the commands, at normal or idle priority.
    ///
    /// # Errors
    ///
    /// A lint or a test failed.
    pub fn check(&self, cargo: Cargo) -> Result<(), String> {
        let mut lints = of_target(cargo, "clippy", "fathom-storage");
        lints.args(["--quiet", "--", "-D", "warnings"]);
        check("lints for Windows", lints)?;
        let mut lints = of_target(cargo, "clippy", "fathom-os");
        lints.args(["--all-targets", "--quiet", "--", "-D", "warnings"]);
        check("lints of os for Windows", lints)?;
        let mut units = of_target(cargo, "test", "fathom-os");
        // wine searches libraries in the folders of WINEPATH.
        units.args(["--lib", "--quiet"]).env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine");
        units.env("WINEPATH", &self.folder).envs(settings(&self.folder));
        check("unit tests of os under wine", units)
    }
}

/// Runs all checks for Windows in the workspace `root`, as `cargo xtask ci` does.
///
/// # Errors
///
/// wine, the compiler or the Rust target is missing, or the build, a lint or a test failed.
pub fn run(root: &Path) -> Result<(), String> {
    let wine = Wine::prepare(root)?.ok_or("windows: nothing was tested")?;
    wine.check(cargo)?;
    let mut scenarios = cargo(&["test", "--package", "fathom-storage", "--test", "cli", "--", "windows::"]);
    scenarios.envs(wine.variables());
    check("scenarios under wine", scenarios)
}

/// Makes a command of cargo with arguments.
type Cargo = fn(&[&str]) -> Command;

/// Makes a command of cargo for Windows.
fn of_target(cargo: Cargo, what: &str, package: &str) -> Command {
    cargo(&[what, "--target", TARGET, "--package", package])
}

/// Returns wine's settings in a folder, as environment variables.
fn settings(folder: &Path) -> [(&'static str, PathBuf); 2] {
    [("WINEPREFIX", folder.join("prefix")), ("WINEDEBUG", "-all".into())]
}

/// Returns what this machine lacks.
fn missing() -> Option<String> {
    let runs = |program: &str| Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success());
    if let Some(program) = [COMPILER, "wine"].into_iter().find(|program| !runs(program)) {
        return Some(format!("{program} is not installed"));
    }
    (!has_target(TARGET)).then(|| format!("the target {TARGET} is not installed (rustup target add {TARGET})"))
}

/// Makes a folder with the program and what wine needs. Returns the path of the program.
fn set_up(folder: &Path) -> std::io::Result<PathBuf> {
    prepare_wine(folder)?;
    let program = folder.join("fathom.exe");
    fs::copy(folder.with_file_name(TARGET).join("debug/fathom.exe"), &program)?;
    Ok(program)
}

/// Makes a command of wine with a prepared folder. wine searches libraries in the folders of WINEPATH.
pub fn wine(folder: &Path) -> Command {
    let mut wine = Command::new("wine");
    wine.envs(settings(folder)).env("WINEPATH", folder);
    wine
}

/// Makes a folder with the library that wine lacks and wine's settings.
///
/// # Errors
///
/// The compiler or wine failed, or a file cannot be written.
pub fn prepare_wine(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
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
    run(wine(folder).args(["wineboot", "-i"]))?;
    // By default this wine is Windows 7.
    run(wine(folder).args(["reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f"]))
}
