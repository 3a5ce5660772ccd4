//! The tables of the pages about faults.

use std::fmt::Display;

use crate::cases::attacks::{ALIASES, Alias, Attack, OUTPUTS, TARGET_ALIASES, TARGETS, TargetAlias, WRITERS};
use crate::cases::interruptions::{COMMANDS, Ends};
use crate::cases::removals::REMOVALS;
use crate::cases::{conditions, files, outputs};
use crate::{Case, Report};

/// Tables of a page, by name.
pub type Tables = Vec<(&'static str, String)>;

/// Returns the pages in `docs` with their generated tables.
pub fn pages() -> [(&'static str, Tables); 3] {
    let faults = vec![
        ("files", table(&[files::FIO, files::DISKSPD].concat())),
        ("hangs", table(&[files::FIO_HANGS, files::DISKSPD_HANGS].concat())),
        ("removals", table(REMOVALS)),
        ("outputs", table(outputs::FILES)),
        ("outputs-hang", table(outputs::FILES_HANG)),
        ("full-disks", table(conditions::FULL_DISKS)),
    ];
    let in_use = vec![("aliases", aliases()), ("attacks", attacks()), ("target-aliases", target_aliases())];
    let others = vec![
        ("interruptions", interruptions()),
        ("streams", table(conditions::STREAMS)),
        ("limits", table(conditions::LIMITS)),
    ];
    [("faults.md", faults), ("devices-in-use.md", in_use), ("reliability.md", others)]
}

/// Returns the page with its tables replaced.
///
/// # Panics
///
/// Panics if the page has no markers of a table.
pub fn with_tables(page: &str, tables: &Tables) -> String {
    tables.iter().fold(page.to_owned(), |page, (name, table)| harness::with_table(&page, name, table))
}

fn aliases() -> String {
    let row = |alias: &Alias| format!("| {} | `{}` |\n", alias.what, alias.script);
    "| name of the device | made with |\n|---|---|\n".to_owned() + &ALIASES.iter().map(row).collect::<String>()
}

fn target_aliases() -> String {
    let row = |named: &TargetAlias| {
        let TargetAlias { alias, target, is_new } = named;
        let kind = if *is_new { "new" } else { "existing" };
        format!("| {kind} | {} | `{target}` | `{}` | `{}` |\n", alias.what, alias.name, alias.script)
    };
    "| target | other name | target in the command | output | made with |\n|---|---|---|---|---|\n".to_owned()
        + &TARGET_ALIASES.iter().map(row).collect::<String>()
}

fn attacks() -> String {
    let row = |(command, exit): &Attack| format!("| `{command}` | {exit} |\n");
    let rows: String = [TARGETS, OUTPUTS, WRITERS].concat().iter().map(row).collect();
    "| command | exit |\n|---|---|\n".to_owned() + &rows
}

fn interruptions() -> String {
    let mut text = "| command | exit after a stop signal |\n|---|---|\n".to_owned();
    for interrupted in COMMANDS {
        let exit = match interrupted.ends {
            Ends::With(code) => code.to_string(),
            Ends::WithSignalCode => "128 + number of the signal".to_owned(),
            Ends::AtOnce => "by the signal, or 0".to_owned(),
        };
        text += &format!("| `{}` | {exit} |\n", interrupted.command);
    }
    text
}

fn table<F: Display>(cases: &[Case<F>]) -> String {
    let mut text = "| fault | command | exit | message | report |\n|---|---|---|---|---|\n".to_owned();
    for case in cases {
        let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{}`", text.replace('|', "\\|")) };
        let report = match case.report {
            Report::Missing => "no I/O".to_owned(),
            Report::Complete => "complete".to_owned(),
            Report::OnStandardError => "complete, on standard error".to_owned(),
            Report::Ios(1) => "complete, 1 I/O".to_owned(),
            Report::Ios(ios) => format!("complete, {ios} I/Os"),
        };
        let (command, message) = (code(case.command), code(case.message));
        text += &format!("| {} | {command} | {} | {message} | {report} |\n", case.fault, case.exit);
    }
    text
}
