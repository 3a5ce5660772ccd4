//! The table of a fuzzing session, in Markdown. Counts are those of all runs in the folder.

use std::fmt::Write;
use std::fs;

use super::folder::Folder;

/// Clock ticks per minute. Linux reports CPU times of processes in hundredths of a second.
const TICKS_PER_MINUTE: u64 = 6000;

/// Counts of one target, summed over the processes of its fuzzers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    inputs: u64,
    further: u64,
    accepted: u64,
    cpu_ticks: u64,
}

/// Returns the table.
///
/// # Errors
///
/// The counts cannot be read.
pub fn table(targets: &[String], folder: &Folder) -> Result<String, String> {
    let mut table =
        "| target | executions | past the first token | accepted | CPU min | edges | features | findings |\n\
                     |---|---:|---:|---:|---:|---:|---:|---:|\n"
            .to_owned();
    for target in targets {
        let counts = counts(target, folder)?;
        let log = fs::read_to_string(folder.log_path(target)).unwrap_or_default();
        let percent = |part: u64| 100 * part / counts.inputs.max(1);
        let _ = writeln!(
            table,
            "| {target} | {} | {} % | {} % | {} | {} | {} | {} |",
            counts.inputs,
            percent(counts.further),
            percent(counts.accepted),
            counts.cpu_ticks / TICKS_PER_MINUTE,
            last_after(&log, "cov: "),
            last_after(&log, "ft: "),
            folder.findings(target).len(),
        );
    }
    Ok(table)
}

fn counts(target: &str, folder: &Folder) -> Result<Counts, String> {
    let entries = fs::read_dir(folder.counts()).map_err(|error| error.to_string())?.filter_map(Result::ok);
    let is_own = |name: &str| name.split_once('.').is_some_and(|(name, _)| name == target);
    let own = entries.filter(|entry| is_own(&entry.file_name().to_string_lossy()));
    Ok(sum(own.filter_map(|entry| fs::read_to_string(entry.path()).ok())))
}

fn sum(texts: impl Iterator<Item = String>) -> Counts {
    texts.fold(Counts::default(), |sum, text| {
        let numbers: Vec<u64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        // A process that was killed can leave half a line.
        let [inputs, further, accepted, cpu_ticks] = numbers[..] else { return sum };
        Counts {
            inputs: sum.inputs + inputs,
            further: sum.further + further,
            accepted: sum.accepted + accepted,
            cpu_ticks: sum.cpu_ticks + cpu_ticks,
        }
    })
}

/// Returns the word after the last occurrence of a name in the log of libFuzzer.
fn last_after<'a>(log: &'a str, name: &str) -> &'a str {
    log.rsplit_once(name).and_then(|(_, rest)| rest.split_whitespace().next()).unwrap_or("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_all_processes_are_added_and_half_lines_ignored() {
        let texts = ["10 5 2 100\n", "1 1 1 50\n", "7 3"].map(str::to_owned);
        assert_eq!(sum(texts.into_iter()), Counts { inputs: 11, further: 6, accepted: 3, cpu_ticks: 150 });
    }

    #[test]
    fn coverage_is_the_last_one_in_the_log() {
        let log = "#1: cov: 5 ft: 6 corp: 1\n#9: cov: 70 ft: 81 corp: 2 exec/s 3\n";
        assert_eq!([last_after(log, "cov: "), last_after(log, "ft: "), last_after("", "ft: ")], ["70", "81", "-"]);
    }
}
