//! No command of the binary imports another.

use super::finding::Finding;
use super::modules::{Crates, Import};

/// Sources of the binary.
const ROOT: &str = "crates/fathom/src/";
/// Commands with a module in the root folder. Others are recognized by the folder `commands/`.
const COMMANDS: [&str; 10] =
    ["assess", "diskspd", "fio", "history", "knee", "limits", "repeats", "show", "suite", "sweep"];

/// Returns a finding for each file of a command that a command imports.
pub fn check(crates: &Crates) -> Vec<Finding> {
    let between = |import: &Import| Some((command_of(&import.from)?.to_owned(), command_of(&import.to)?.to_owned()));
    let mut found = Vec::new();
    for import in crates.imports() {
        if let Some((from, to)) = between(&import).filter(|(from, to)| from != to) {
            let what = format!(
                "command {from} imports command {to} ({}): move what both use to a module that is no command",
                import.to.trim_start_matches(ROOT)
            );
            found.push(Finding::new(&import.from, import.line, what));
        }
    }
    found
}

/// Returns the command to which a file belongs.
fn command_of(path: &str) -> Option<&str> {
    let below = path.strip_prefix(ROOT)?;
    if let Some(command) = below.strip_prefix("commands/") {
        let name = command.split('/').next()?.trim_end_matches(".rs");
        return (name != "mod").then_some(name);
    }
    let name = below.split('/').next()?.trim_end_matches(".rs");
    COMMANDS.contains(&name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::modules::crates_of;
    use super::*;

    const MAIN: (&str, &str) = ("crates/fathom/src/main.rs", "mod knee;\nmod sweep;\nmod driver;\n");

    #[test]
    fn a_command_that_imports_another_fails() {
        let files = [
            MAIN,
            ("crates/fathom/src/knee/mod.rs", "use crate::sweep::points;\n"),
            ("crates/fathom/src/sweep.rs", "pub fn points() {}\n"),
        ];
        let lines: Vec<String> = check(&crates_of(&files)).iter().map(Finding::line).collect();
        assert_eq!(
            lines,
            ["crates/fathom/src/knee/mod.rs:1: command knee imports command sweep (sweep.rs): \
              move what both use to a module that is no command"]
        );
    }

    #[test]
    fn a_command_may_import_what_is_no_command() {
        let files = [
            MAIN,
            ("crates/fathom/src/knee/mod.rs", "mod words;\nuse crate::driver::drive;\nuse words::read;\n"),
            ("crates/fathom/src/knee/words.rs", "pub fn read() {}\n"),
            ("crates/fathom/src/driver.rs", "pub fn drive() {}\n"),
        ];
        assert_eq!(check(&crates_of(&files)), []);
    }

    #[test]
    fn commands_are_known_by_their_place() {
        assert_eq!(command_of("crates/fathom/src/commands/show/page.rs"), Some("show"));
        assert_eq!(command_of("crates/fathom/src/commands/mod.rs"), None);
        assert_eq!(command_of("crates/fathom/src/driver.rs"), None);
    }
}
