//! The binaries: built by zig for three systems, with the debug information in files of their own.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::files::{Folders, VERSION, output, text};
use super::tools::Tools;
use crate::cargo::cargo;
use crate::steps::check;
use crate::windows;

/// Optimised for size, except for the path of an I/O.
const PROFILE: &str = "compact";
/// Maximum size of a stripped binary, in bytes: 1.3 MB above the largest one, to notice growth. A fifth of its code reads saved
/// documents.
const LIMIT_BYTES: u64 = 15_000_000;

/// With frame pointers, the tables for unwinding are 0.4 MB smaller, and `perf record -g` needs no debug information.
const FLAGS: &str = "-Cforce-frame-pointers=yes";

/// Parts of SQLite that the history does not use. SQLite does not support all of these flags for its single source file:
/// [`test_history`] checks them.
const SQLITE_FLAGS: [&str; 28] = [
    "-USQLITE_ENABLE_API_ARMOR",
    "-USQLITE_ENABLE_COLUMN_METADATA",
    "-USQLITE_ENABLE_DBSTAT_VTAB",
    "-USQLITE_ENABLE_FTS3",
    "-USQLITE_ENABLE_FTS3_PARENTHESIS",
    "-USQLITE_ENABLE_FTS5",
    "-USQLITE_ENABLE_LOAD_EXTENSION",
    "-USQLITE_ENABLE_MEMORY_MANAGEMENT",
    "-USQLITE_ENABLE_RTREE",
    "-USQLITE_ENABLE_STAT4",
    "-USQLITE_SOUNDEX",
    "-DSQLITE_OMIT_AUTHORIZATION",
    "-DSQLITE_OMIT_COMPILEOPTION_DIAGS",
    "-DSQLITE_OMIT_COMPLETE",
    "-DSQLITE_OMIT_DATETIME_FUNCS",
    "-DSQLITE_OMIT_DEPRECATED",
    "-DSQLITE_OMIT_DESERIALIZE",
    "-DSQLITE_OMIT_GET_TABLE",
    "-DSQLITE_OMIT_INCRBLOB",
    "-DSQLITE_OMIT_JSON",
    "-DSQLITE_OMIT_LOAD_EXTENSION",
    "-DSQLITE_OMIT_PROGRESS_CALLBACK",
    "-DSQLITE_OMIT_SHARED_CACHE",
    "-DSQLITE_OMIT_TCL_VARIABLE",
    "-DSQLITE_OMIT_TRACE",
    "-DSQLITE_OMIT_UTF16",
    "-DSQLITE_UNTESTABLE",
    "-DSQLITE_DEFAULT_MEMSTATUS=0",
];

/// The linker of the Rust toolchain merges functions with the same code and packs relocations, which zig's does not. It
/// links static binaries only.
const STATIC_LINKER: [&str; 5] = [
    "-Clinker=rust-lld",
    "-Clinker-flavor=ld.lld",
    "-Clink-self-contained=yes",
    "-Clink-arg=--icf=all",
    "-Clink-arg=--pack-dyn-relocs=relr",
];

/// A binary that users install.
pub struct Binary {
    target: &'static str,
    /// The newest glibc whose symbols it may need. A static binary has none.
    glibc: Option<&'static str>,
    name: &'static str,
}

pub const X86_64_STATIC: Binary =
    Binary { target: "x86_64-unknown-linux-musl", glibc: None, name: "x86_64-linux-static" };
pub const X86_64_GLIBC: Binary =
    Binary { target: "x86_64-unknown-linux-gnu", glibc: Some("2.28"), name: "x86_64-linux-glibc" };
pub const AARCH64_STATIC: Binary =
    Binary { target: "aarch64-unknown-linux-musl", glibc: None, name: "aarch64-linux-static" };

/// Builds a binary and returns its path.
///
/// # Errors
///
/// The build failed, or the binary needs newer symbols or other libraries than promised.
pub fn build(folders: &Folders, tools: &Tools, binary: &Binary) -> Result<PathBuf, String> {
    add_target(binary.target)?;
    let target = binary.glibc.map_or(binary.target.to_owned(), |version| format!("{}.{version}", binary.target));
    let mut build = tools.zigbuild("rustc");
    set_up(&mut build, folders, &target);
    if binary.glibc.is_none() {
        build.arg("--").args(STATIC_LINKER);
    }
    check(&format!("build for {target}"), build)?;
    let built = folders.root.join("target").join(binary.target).join(PROFILE).join("fathom");
    let path = folders.packages.join(format!("fathom-{VERSION}-{}", binary.name));
    split(&built, &path)?;
    check_symbols(&path, binary)?;
    Ok(path)
}

/// Builds `fathom.exe` with mingw-w64, as the tests under wine do, and returns its path.
///
/// # Errors
///
/// The compiler is missing, or the build failed.
pub fn build_for_windows(folders: &Folders) -> Result<PathBuf, String> {
    add_target(windows::TARGET)?;
    let mut build = cargo(&["build"]);
    set_up(&mut build, folders, windows::TARGET);
    check("build for Windows (Debian: apt-get install gcc-mingw-w64-x86-64-win32)", build)?;
    let built = folders.root.join("target").join(windows::TARGET).join(PROFILE).join("fathom.exe");
    let path = built.with_file_name("stripped.exe");
    output(objcopy()?.arg("--strip-all").args([&built, &path]))?;
    Ok(path)
}

/// Adds what all builds have in common.
fn set_up(build: &mut Command, folders: &Folders, target: &str) {
    build.current_dir(folders.root).args(["--profile", PROFILE, "--package", "fathom-storage", "--all-features"]);
    build.args(["--bin", "fathom", "--target", target]);
    build.env("LIBSQLITE3_FLAGS", SQLITE_FLAGS.join(" ")).env("RUSTFLAGS", FLAGS);
}

/// Runs the tests of the history with the parts of SQLite that the binaries have.
///
/// # Errors
///
/// A test failed.
pub fn test_history(root: &Path) -> Result<(), String> {
    let mut test = Command::new("cargo");
    test.current_dir(root).args(["test", "--package", "fathom-history", "--target-dir", "target/package-tests"]);
    test.env("LIBSQLITE3_FLAGS", SQLITE_FLAGS.join(" "));
    check("history with the parts of SQLite that it uses", test)
}

/// Checks the sizes of stripped binaries.
///
/// # Errors
///
/// Binaries are too large. The text names each with its size.
pub fn check_sizes(paths: &[&Path]) -> Result<(), String> {
    let mut too_large = Vec::new();
    for path in paths {
        let size = std::fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?.len();
        if size >= LIMIT_BYTES {
            too_large.push(format!("{} has {size} bytes, the limit is {LIMIT_BYTES}", path.display()));
        }
    }
    if too_large.is_empty() { Ok(()) } else { Err(too_large.join("\n")) }
}

/// Installs the standard library of a target.
pub fn add_target(target: &str) -> Result<(), String> {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", target]).current_dir("/");
    check(target, rustup)
}

/// Writes the binary without its debug information, and the debug information beside it. Debuggers find it by name.
fn split(built: &Path, path: &Path) -> Result<(), String> {
    let debug = PathBuf::from(format!("{}.debug", path.display()));
    output(objcopy()?.arg("--only-keep-debug").args([built, &debug]))?;
    let mut strip = objcopy()?;
    strip.arg("--strip-all").arg(format!("--add-gnu-debuglink={}", debug.display())).args([built, path]);
    output(&mut strip).map(|_| ())
}

/// The objcopy of the Rust toolchain. It handles all targets.
fn objcopy() -> Result<Command, String> {
    let sysroot = text(Command::new("rustc").args(["--print", "sysroot"]))?;
    let library = Path::new(sysroot.trim()).join("lib");
    let mut objcopy = Command::new(library.join("rustlib/x86_64-unknown-linux-gnu/bin/rust-objcopy"));
    objcopy.env("LD_LIBRARY_PATH", library);
    Ok(objcopy)
}

/// Fails if a static binary needs a library, or another one a newer glibc.
fn check_symbols(path: &Path, binary: &Binary) -> Result<(), String> {
    let Some(newest) = binary.glibc else {
        let dynamic = text(Command::new("objdump").arg("-p").arg(path))?;
        return match dynamic.lines().find(|line| line.contains("NEEDED")) {
            Some(library) => Err(format!("{} is not static:{library}", path.display())),
            None => Ok(()),
        };
    };
    let symbols = text(Command::new("objdump").arg("-T").arg(path))?;
    let versions = symbols.split("GLIBC_").skip(1).map(|rest| rest.split([')', ' ']).next().unwrap_or_default());
    match versions.max_by_key(|version| numbers(version)) {
        Some(version) if numbers(version) <= numbers(newest) => {
            eprintln!("xtask: {} needs glibc {version}", path.display());
            Ok(())
        }
        version => Err(format!("{} needs glibc {version:?}, at most {newest} is promised", path.display())),
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(numbers("2.4") < numbers("2.28") && numbers("2.28") < numbers("2.28.1"));
    }
}
