//! `-R`: reports.

use units::diagnostic::Diagnostic;
use units::when::When;

use super::arguments::Switch;
use crate::profile::ResultFormat;

/// Formats of a report file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportKind {
    Text,
    Xml,
    /// All measured data. `fathom show` prints it in any format.
    Record,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportFile {
    pub kind: ReportKind,
    pub path: String,
}

#[derive(Default)]
pub struct Reports {
    pub format: Option<ResultFormat>,
    /// `-Rp`: only print the profile.
    pub profile_only: bool,
    /// `-Rs`: only print information on the machine.
    pub system_only: bool,
    pub files: Vec<ReportFile>,
    /// `-Rno-history`: do not store the run.
    pub no_history: bool,
    /// `-Rwatch`: show the full-screen view.
    pub watch: bool,
    /// `-Rexplain`: explain the slowest I/Os.
    pub explain: bool,
    /// `-Rmetrics=`: address of the OpenMetrics endpoint.
    pub metrics: Option<String>,
    /// `-Rfindings=always`: when to print findings to standard error, and warnings that DiskSpd does not have.
    pub findings: When,
}

impl Reports {
    pub fn read(&mut self, switch: &Switch) -> Result<(), Diagnostic> {
        if let Some(when) = switch.value.strip_prefix("findings=") {
            let from = switch.value.len() - when.len();
            let expected = format!("expected {}", When::EXPECTED);
            self.findings = When::parse(when).ok_or_else(|| switch.error_from(from, "unknown value", &expected))?;
            return Ok(());
        }
        if let Some(address) = switch.value.strip_prefix("metrics=") {
            self.metrics = Some(address.to_owned());
            return Ok(());
        }
        if let Some((kind, path)) = switch.value.split_once('=') {
            let kind = match kind {
                "text" => ReportKind::Text,
                "xml" => ReportKind::Xml,
                "record" => ReportKind::Record,
                _ => return Err(switch.error_from(0, "unknown report", "expected text=, xml=, record= or findings=")),
            };
            if path.is_empty() {
                return Err(switch.error_from(switch.value.len(), "the report has no file", "expected a file name"));
            }
            self.files.push(ReportFile { kind, path: path.to_owned() });
            return Ok(());
        }
        let flag = match switch.value {
            "no-history" => Some(&mut self.no_history),
            "watch" => Some(&mut self.watch),
            "explain" => Some(&mut self.explain),
            _ => None,
        };
        if let Some(flag) = flag {
            *flag = true;
            return Ok(());
        }
        let (only, format) = match switch.value.as_bytes() {
            [b'p', ..] => (Some(&mut self.profile_only), &switch.value[1..]),
            [b's', ..] => (Some(&mut self.system_only), &switch.value[1..]),
            _ => (None, switch.value),
        };
        match format {
            "text" => self.format = Some(ResultFormat::Text),
            "xml" => self.format = Some(ResultFormat::Xml),
            "" if only.is_some() => {}
            _ => {
                let error = switch.error(format!("`{}` is not a report option", switch.argument), "not known");
                return Err(
                    error.help("write -Rtext, -Rxml, -Rno-history, -Rwatch, -Rexplain or -Rfindings=always; -Rp, -Rptext or -Rpxml for the profile only")
                );
            }
        }
        if let Some(only) = only {
            *only = true;
        }
        Ok(())
    }
}
