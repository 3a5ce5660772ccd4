//! How help pages look: usage and examples first, and rare options only on the long page. Names that completions offer.

use clap::builder::PossibleValuesParser;
use judge::limits::{Catalogue, Kind};
use judge::requirements::Requirements;
use study::suite::{BUILT_IN, built_in};

const TEMPLATE: &str = "{usage-heading} {usage}\n\n{before-help}{about-with-newline}\n{all-args}{after-help}";

/// Options that `-h` leaves out, in every command. `help COMMAND` has them.
const RARE: &[&str] = &[
    "allow_shared_host",
    "cooldown",
    "explain",
    "fill_method",
    "fleet_net",
    "host",
    "instance_type",
    "ioengine",
    "is_poisson",
    "keep_files",
    "keep_free",
    "kind",
    "launcher",
    "literal",
    "margin",
    "metrics",
    "no_extend",
    "no_history",
    "no_prepare",
    "on_host_lost",
    "order_name",
    "p99_ns",
    "private",
    "purge",
    "quiet",
    "quiet_network",
    "ramp_ns",
    "remote_shell",
    "resume",
    "save",
    "seed",
    "shuffle",
    "size_bytes",
    "svg",
    "tags",
    "terse_version",
    "until_decided",
    "until_steady",
];

/// Three examples per command, at most 78 columns.
const EXAMPLES: &[(&str, [&str; 3])] = &[
    (
        "assess",
        [
            "fathom assess /mnt/data                           what can this disk do?",
            "fathom assess /mnt/data --for etcd                is it fast enough for etcd?",
            "fathom assess /dev/sdb --expect azure:P30         does it reach its limits?",
        ],
    ),
    (
        "knee",
        [
            "fathom knee /mnt/data --p99 5ms                   random reads of 4 KiB",
            "fathom knee /dev/sdb --p99.9 10ms --bs 16k        another percentile and size",
            "fathom knee /mnt/data --rw randwrite --closed     search over queue depths",
        ],
    ),
    (
        "sweep",
        [
            "fathom sweep bs=4k..64k fio job.fio               which block size?",
            "fathom sweep iodepth=1..32 bs=4k,8k fio job.fio   all combinations",
            "fathom sweep o=1..64 diskspd -b8K -d10 test.dat   with DiskSpd's switches",
        ],
    ),
    (
        "run",
        [
            "fathom run --repeat 5 job.fio                     how much do runs vary?",
            "fathom run --interleave before.fio after.fio      did the change help?",
            "fathom run --fail-on 'read.iops<-5%' a.fio b.fio  fail in CI",
        ],
    ),
    (
        "fleet",
        [
            "fathom fleet --hosts a,b fio job.fio              start on two hosts",
            "fathom fleet --hosts a,b --shared fio job.fio     each uses half of a target",
            "fathom fleet --hosts a,b assess /mnt/data         each measures its /mnt/data",
        ],
    ),
    (
        "fio",
        [
            "fathom fio job.fio                                run a job file",
            "fathom fio --name=a --filename=f --size=1g --rw=randread --bs=4k --direct=1",
            "fathom fio job.fio --report page.html             and write a page with charts",
        ],
    ),
    (
        "diskspd",
        [
            "fathom diskspd -c1G -b8K -r -o32 -d30 -Sh test.dat",
            "fathom diskspd -Xprofile.xml                      run an XML profile",
            "fathom diskspd -Rxml -b4K -d10 test.dat           report as XML",
        ],
    ),
    (
        "capture",
        [
            "fathom capture /dev/nvme0n1 --for 10m             record for 10 minutes",
            "fathom capture pid:1234 -o app.capture --watch    a process, with a live view",
            "fathom capture show app.capture                   rates, sizes, latencies",
        ],
    ),
    (
        "show",
        [
            "fathom show last                                  the newest saved run",
            "fathom show last --report page.html               a page with charts",
            "fathom show run.json --format fio-json            in another format",
        ],
    ),
    (
        "compare",
        [
            "fathom compare 7 8                                two saved runs",
            "fathom compare tag:before tag:after               sets of repeats",
            "fathom compare base.json last --fail-on 'write.iops<-5%'",
        ],
    ),
    (
        "report",
        [
            "fathom report --site site                         all saved runs",
            "fathom report --site site --suite etcd            the runs of a suite",
            "fathom report --site site --target /mnt/data      the runs on a target",
        ],
    ),
    (
        "history",
        [
            "fathom history                                    the newest 20 runs",
            "fathom history --target /mnt/data --limit 0       all runs of a target",
            "fathom history --trend /mnt/data                  its figures over time",
        ],
    ),
    (
        "export",
        [
            "fathom export 7 8 --format csv --output f.csv     a row per test",
            "fathom export last --format json                  the saved document",
            "fathom export 7 --format parquet --output f.parquet --intervals",
        ],
    ),
    (
        "delete",
        [
            "fathom delete 7                                   one run",
            "fathom delete --yes 7 8                           several runs",
            "fathom delete last                                the newest run",
        ],
    ),
    (
        "suite",
        [
            "fathom suite list                                 the names",
            "fathom suite show etcd                            what is measured, how long?",
            "fathom suite show azure --jobs                    with the jobs",
        ],
    ),
    (
        "limits",
        [
            "fathom limits list azure                          disks and machines",
            "fathom limits show azure:P30                      the limits of a disk",
            "fathom limits show 'aws:gp3?iops=6000'            with its parameters",
        ],
    ),
    (
        "schema",
        [
            "fathom schema                                     the names",
            "fathom schema record                              JSON Schema of saved runs",
            "fathom schema assessment > assessment.json        in a file",
        ],
    ),
    (
        "completions",
        [
            "fathom completions bash > /etc/bash_completion.d/fathom",
            "fathom completions zsh > /usr/share/zsh/site-functions/_fathom",
            "fathom completions fish > ~/.config/fish/completions/fathom.fish",
        ],
    ),
    (
        "man",
        [
            "fathom man | man -l -                             the page of fathom",
            "fathom man assess | man -l -                      of a command",
            "fathom man --dir /usr/share/man/man1              all pages, in files",
        ],
    ),
];

/// Adds the help pages to the declarations.
pub fn with_help(cli: clap::Command) -> clap::Command {
    cli.mut_subcommands(|command| {
        let Some((_, examples)) = EXAMPLES.iter().find(|(name, _)| *name == command.get_name()) else { return command };
        let examples = format!("Examples:\n  {}", examples.join("\n  "));
        let is_rare = |arg: &clap::Arg| RARE.contains(&arg.get_id().as_str());
        command
            .before_help(examples)
            .help_template(TEMPLATE)
            .mut_args(|arg| if is_rare(&arg) { arg.hide_short_help(true) } else { arg })
    })
}

/// Adds the names of suites, tests, applications and disks, for completions. Command lines take other values, too.
pub fn with_names(cli: clap::Command) -> clap::Command {
    cli.mut_subcommands(|command| {
        command.mut_args(|arg| match arg.get_id().as_str() {
            "suite" => arg.value_parser(PossibleValuesParser::new(BUILT_IN)),
            "tests" => arg.value_parser(named(tests())),
            "applications" => arg.value_parser(PossibleValuesParser::new(Requirements::applications())),
            "expect" => arg.value_parser(named(disks())),
            _ => arg,
        })
    })
}

/// Returns a parser of names. A declaration keeps them until the program ends.
fn named(names: Vec<String>) -> PossibleValuesParser {
    PossibleValuesParser::new(names.into_iter().map(|name| &*name.leak()))
}

/// Returns the names of the tests of all suites.
fn tests() -> Vec<String> {
    let suites = BUILT_IN.into_iter().filter_map(built_in);
    let mut names: Vec<String> = suites.flat_map(|suite| suite.tests).map(|test| test.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the disks of all providers: `azure:P30`.
fn disks() -> Vec<String> {
    let catalogue = Catalogue::built_in();
    let of = |(id, provider): (&String, &judge::limits::Provider)| -> Vec<String> {
        provider.names(Kind::Disk).map(|name| format!("{id}:{name}")).collect()
    };
    catalogue.providers.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::declared;
    use super::RARE;

    #[test]
    fn rare_options_exist() {
        let cli = declared();
        for rare in RARE {
            let has = |command: &clap::Command| command.get_arguments().any(|arg| arg.get_id().as_str() == *rare);
            assert!(cli.get_subcommands().any(has), "{rare}");
        }
    }

    #[test]
    fn every_command_begins_with_its_usage_and_three_examples_and_h_fits_one_screen() {
        let mut cli = declared().term_width(80);
        cli.build();
        for command in cli.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
            let name = command.get_name().to_owned();
            if name == "help" {
                continue;
            }
            let long = command.render_long_help().to_string();
            assert!(long.starts_with("Usage: fathom "), "{name}: {long}");
            let examples = long.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("{name}: {long}"));
            assert_eq!(examples.lines().take_while(|line| line.starts_with("  fathom ")).count(), 3, "{name}");
            assert_eq!(long.matches("Examples:").count(), 1, "{name}: {long}");
            let short = command.render_help().to_string();
            assert!(short.lines().count() <= 40, "{name}: {} lines\n{short}", short.lines().count());
            assert!(short.lines().all(|line| line.chars().count() <= 80), "{name}: {short}");
        }
    }
}
