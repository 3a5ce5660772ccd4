//! Reads the reports of the commands.

use harness::Outcome;
use serde_json::Value;

/// Returns the number of I/Os in the report of a command. `None` if reports of the command have no such number.
///
/// # Errors
///
/// Returns why the report is not whole.
pub(crate) fn ios(command: &str, stdout: &str) -> Result<Option<u64>, String> {
    match command.split_whitespace().next() {
        Some("fio") => fio(stdout).map(Some),
        Some("diskspd") => diskspd(stdout).map(Some),
        _ if stdout.trim().is_empty() => Err("no report".to_owned()),
        _ => Ok(None),
    }
}

/// Returns why the report of an interrupted command is not whole.
pub fn report_problem(command: &str, ended: &Outcome) -> Option<String> {
    let stdout = ended.stdout.trim_end();
    let is_whole = match command.split_whitespace().next() {
        Some("fio") => return fio(stdout).err(),
        Some("diskspd") if command.contains("-Rxml") => stdout.ends_with("</Results>"),
        Some("diskspd") => diskspd(stdout).is_ok() || stdout.contains("interrupted before the measurements began"),
        _ => !stdout.is_empty() || !ended.stderr.is_empty(),
    };
    (!is_whole).then(|| "the report is not whole".to_owned())
}

fn fio(stdout: &str) -> Result<u64, String> {
    let document: Value = serde_json::from_str(stdout).map_err(|error| format!("the report is no JSON: {error}"))?;
    let jobs = document["jobs"].as_array().ok_or("the report has no jobs")?;
    let ios =
        |job: &Value| ["read", "write", "trim"].iter().filter_map(|ddir| job[ddir]["total_ios"].as_u64()).sum::<u64>();
    Ok(jobs.iter().map(ios).sum())
}

fn diskspd(stdout: &str) -> Result<u64, String> {
    let totals = stdout.split("Total IO").nth(1).ok_or("the report has no totals")?;
    let line = totals.lines().find(|line| line.starts_with("total:")).ok_or("the report has no line `total:`")?;
    let ios = line.split('|').nth(1).and_then(|ios| ios.trim().parse().ok());
    ios.ok_or_else(|| format!("the line has no number of I/Os: {line}"))
}
