//! The whole table as a page of the documentation, `docs/fio-options.md`.

use super::engines::ENGINES;
use super::help::{limits, type_name};
use super::program::PROGRAM_OPTIONS;
use super::{CORE, ENGINE_OPTIONS, Opt, PROFILE_OPTIONS, Section, Support};

/// The page; a test compares it with the one in the repository.
pub fn page() -> String {
    let mut page = String::from(
        "# fio's options in fathom\n\n\
         This page is printed from the option table in `crates/fio/src/options` and is not edited by hand. \
         A test compares the two; `cargo test -p fathom-fio --test dialect` with `UPDATE_DOCS=1` writes it anew.\n\n\
         **honoured**: does what it does in fio. **taken**: legal and without effect, for the reason given. \
         **not yet**: refused, unless its value is what happens without it. \
         **with …**: has an effect only together with an option that is not supported yet.\n\n",
    );
    let honoured = CORE.iter().chain(ENGINE_OPTIONS).filter(|option| option.support == Support::Honoured).count();
    let all = CORE.len() + ENGINE_OPTIONS.len();
    page.push_str(&format!("Of {all} job options {honoured} are honoured.\n\n"));
    page.push_str("## The program\n\n| option | support | meaning |\n|---|---|---|\n");
    for option in PROGRAM_OPTIONS {
        row(&mut page, &[format!("`--{}`", option.name), support(option.support), option.help.to_owned()]);
    }
    for section in Section::ALL {
        let core = CORE.iter().chain(PROFILE_OPTIONS).filter(|option| option.section == section);
        page.push_str(&format!("\n## {}\n\n", section.title()));
        table(&mut page, core);
    }
    page.push_str("\n## Engines\n\n| engine | support | what it does |\n|---|---|---|\n");
    for engine in ENGINES {
        let support = if engine.supported { "honoured" } else { "not yet" };
        row(&mut page, &[format!("`{}`", engine.name), support.to_owned(), engine.help.to_owned()]);
    }
    for engine in ENGINES {
        let own: Vec<&Opt> =
            ENGINE_OPTIONS.iter().filter(|option| option.engines.first() == Some(&engine.name)).collect();
        if let Some(first) = own.first() {
            let names: Vec<String> = first.engines.iter().map(|name| format!("`{name}`")).collect();
            page.push_str(&format!("\n### Options of {}\n\n", names.join(" and ")));
            table(&mut page, own.into_iter());
        }
    }
    page
}

fn table<'a>(page: &mut String, options: impl Iterator<Item = &'a Opt>) {
    page.push_str("| option | support | default | value | meaning |\n|---|---|---|---|---|\n");
    for option in options {
        let alias = option.alias.map(|alias| format!(", `{alias}`")).unwrap_or_default();
        let default = option.default.map(|default| format!("`{default}`")).unwrap_or_default();
        let limits = limits(&option.kind);
        let value = match limits.as_str() {
            "" => type_name(&option.kind).to_owned(),
            limits => format!("{}: {limits}", type_name(&option.kind)),
        };
        row(
            page,
            &[format!("`{}`{alias}", option.name), support(option.support), default, value, option.help.to_owned()],
        );
    }
}

fn row(page: &mut String, cells: &[String]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    page.push_str(&format!("| {} |\n", cells.join(" | ")));
}

fn support(support: Support) -> String {
    match support {
        Support::Honoured => "honoured".into(),
        Support::Accepted(reason) => format!("taken: {reason}"),
        Support::NotYet => "not yet".into(),
        Support::Under(parent) => format!("with `{parent}`"),
    }
}
