//! Development tasks: `cargo xtask ci` runs all checks, `cargo xtask tidy` those of structure and style,
//! `cargo xtask fuzz` fuzzes the parsers, `cargo xtask engine-faults` tests the tests.

mod cargo;
mod dist;
mod docs;
mod engine_faults;
mod fuzz;
mod lab;
mod miri;
mod mutants;
mod runner;
mod steps;

mod tidy;
mod windows;

use std::path::Path;
use std::process::{Command, ExitCode};

use cargo::{cargo, has_target, idle};
use steps::check;
use windows::Wine;

const USAGE: &str = "usage: cargo xtask ci
       cargo xtask tests               run all tests
       cargo xtask faults --runs N [--seed S]
                                       send signals at random times in N runs
       cargo xtask engine-faults [FAULT...]
                                       show which tests catch faults in the engine
       cargo xtask fuzz [--minutes M|--seconds S] [--timeout S] [--jobs N] [--folder FOLDER] [--pack] [TARGET...]
                                       fuzz the parsers; --pack replaces the inputs in corpus/fuzz
       cargo xtask mutate --minutes M [--seed S]
                                       run all parsers with seeds that are changed by their structure
       cargo xtask deny                check licences and sources of all packages (needs cargo-deny)
       cargo xtask mutants [--shard K/N] [PACKAGE...]
                                       test that tests fail with changed code (needs cargo-mutants)
       cargo xtask miri                run the unit tests of `os` under Miri (needs nightly with miri and rust-src)
       cargo xtask soak --hours N      run fathom for hours under random signals (needs root)
       cargo xtask differential --fio PATH --cases N [--seed S] [--jobs J] [--keep FOLDER]
                                          [--without OPTION,…]
                                       compare fathom with fio in random jobs
       cargo xtask windows             build and lint for Windows, and test under wine
       cargo xtask dist                make binaries, packages and container images in target/packages
       cargo xtask dist --check        install and use the packages in clean roots (needs root)
       cargo xtask lab [--shell] [--kernel PACKAGE] [TEST...]
                                       try virtual hardware: NVMe, zones, SCSI, dm, MD, LVM (needs qemu)
       cargo xtask docs                check the links of all pages, and build the site in target/book (needs mdbook)
       cargo xtask tidy                check structure and style";

/// Version of cargo-deny that is built where none is installed.
const CARGO_DENY: &str = "0.20.2";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        args if fuzz::coverage::is_compiler() => fuzz::coverage::compile(args),
        ["ci"] => ci(),
        ["tests"] => root().and_then(|root| runner::run(root, Vec::new(), || Ok(()))),
        ["faults", "--runs", runs] => faults(runs, None),
        ["faults", "--runs", runs, "--seed", seed] => faults(runs, Some(seed)),
        ["engine-faults", names @ ..] => root().and_then(|root| engine_faults::run(root, names)),
        ["fuzz", options @ ..] => fuzz::Options::parse(options).and_then(|options| fuzz::run(&options)),
        ["deny"] => deny(cargo),
        ["miri"] => miri::run(),
        ["mutate", "--minutes", minutes] => mutate(minutes, "1"),
        ["mutate", "--minutes", minutes, "--seed", seed] => mutate(minutes, seed),
        ["mutants", args @ ..] => mutants::run(args),
        ["soak", rest @ ..] => soak(rest),
        ["differential", rest @ ..] => differential(rest),
        ["dist"] => root().and_then(dist::run),
        ["dist", "--check"] => root().and_then(dist::check_packages),
        ["windows"] => root().and_then(windows::run),
        ["lab", args @ ..] => root().and_then(|root| lab::run(root, args, std::env::var_os("FATHOM").map(Into::into))),
        ["docs"] => root().and_then(docs::build).map(|_| ()),
        ["tidy"] => tidy(),
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn ci() -> Result<(), String> {
    tidy()?;
    check("format", cargo(&["fmt", "--all", "--check"]))?;
    let wine = Wine::prepare(root()?)?;
    eprintln!("xtask: tests");
    runner::run(root()?, wine.as_ref().map(Wine::variables).unwrap_or_default(), || {
        lints()?;
        wine.as_ref().map_or(Ok(()), |wine| wine.check(idle))
    })
}

/// Checks that need a CPU but no particular time. They get only CPU time that no other process uses.
fn lints() -> Result<(), String> {
    check("lints", idle(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))?;
    lint_without_engine()?;
    check("documentation", idle(&["doc", "--workspace", "--no-deps", "--quiet"]))?;
    // That packages are complete takes a build of each: by hand, `cargo package --workspace`.
    check("packages", idle(&["package", "--workspace", "--no-verify", "--allow-dirty", "--offline", "--quiet"]))?;
    deny(idle)?;
    fuzz::run(&fuzz::Options::of_ci())
}

/// Lints the code of systems without an engine. Its C code is not compiled: nothing is linked.
fn lint_without_engine() -> Result<(), String> {
    const TARGET: &str = "aarch64-apple-darwin";
    if !has_target(TARGET) {
        eprintln!("xtask: no lints for macOS: the target {TARGET} is not installed (rustup target add {TARGET})");
        return Ok(());
    }
    let mut lints =
        idle(&["clippy", "--package", "fathom-storage", "--target", TARGET, "--quiet", "--", "-D", "warnings"]);
    lints.env("CC_aarch64_apple_darwin", "true").env("AR_aarch64_apple_darwin", "true");
    check("lints for macOS", lints)
}

/// Checks licences, banned packages and sources with cargo-deny. Builds it first where it is missing: without optimisation,
/// as it runs for a second.
fn deny(cargo: impl Fn(&[&str]) -> Command) -> Result<(), String> {
    let installed = cargo(&["deny", "--version"]).output().is_ok_and(|output| output.status.success());
    if !installed {
        check(
            "cargo-deny",
            cargo(&["install", "cargo-deny", "--version", CARGO_DENY, "--locked", "--debug", "--quiet"]),
        )?;
    }
    check("licences and sources", cargo(&["deny", "--log-level", "warn", "check", "licenses", "bans", "sources"]))
}

/// Runs all parsers with seeds that are changed by their structure. The time is that of all parsers together.
fn mutate(minutes: &str, seed: &str) -> Result<(), String> {
    let minutes: f64 = minutes.parse().map_err(|_| format!("`{minutes}` is no number of minutes"))?;
    let seconds = (minutes * 60.0) as u64;
    let folder = root()?.join("target/mutate");
    let mut campaign = cargo(&["run", "--quiet", "--package", "fathom-parsers", "--"]);
    campaign.args(["mutate", &seconds.to_string(), seed]).arg(folder);
    check("mutate", campaign)
}

/// Runs fathom for hours, built as README.md installs it.
fn soak(arguments: &[&str]) -> Result<(), String> {
    check("build", cargo(&["build", "--release", "--package", "fathom-storage", "--all-features"]))?;
    let root = root()?;
    let mut soak = cargo(&["run", "--quiet", "--package", "fathom-soak", "--"]);
    soak.args(arguments).env("FATHOM", root.join("target/release/fathom"));
    check("soak", soak)
}

/// Compares fathom with fio in random jobs: the program in `$FATHOM`, or a new build for development.
fn differential(arguments: &[&str]) -> Result<(), String> {
    let root = root()?;
    let mut differential = cargo(&["run", "--quiet", "--package", "fathom-differential", "--"]);
    if std::env::var_os("FATHOM").is_none() {
        check("build", cargo(&["build", "--quiet", "--package", "fathom-storage", "--all-features"]))?;
        differential.env("FATHOM", root.join("target/debug/fathom"));
    }
    differential.args(arguments);
    check("differential", differential)
}

/// Runs the test of signals at random times with another number of runs. The seed is that of the clock by default.
fn faults(runs: &str, seed: Option<&str>) -> Result<(), String> {
    let clock = || std::time::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_secs()).to_string();
    let seed = seed.map_or_else(clock, str::to_owned);
    let mut command = cargo(&[
        "test",
        "--package",
        "fathom-faults",
        "--test",
        "rig",
        "--",
        "--include-ignored",
        "signals_at_random_times",
    ]);
    command.env("FATHOM_FAULT_RUNS", runs).env("FATHOM_FAULT_SEED", &seed);
    check(&format!("{runs} runs with seed {seed}"), command)
}

fn tidy() -> Result<(), String> {
    tidy::run(root()?)
}

fn root() -> Result<&'static Path, String> {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).ok_or_else(|| "no workspace above xtask".to_owned())
}
