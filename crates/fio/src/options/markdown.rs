//! Renders the table of options as the page `docs/fio-options.md`.

use super::engines::ENGINES;
use super::help::{cmdhelp, limits, type_name};
use super::program::PROGRAM_OPTIONS;
use super::{CORE, Category, ENGINE_OPTIONS, Opt, PROFILE_OPTIONS, Support};

/// Returns the page. A test compares it with the file in the repository.
pub fn page() -> String {
    let mut page = String::from(
        "# fio options in fathom\n\n\
         `--cmdhelp` explains a job option, `--enghelp=ENGINE,OPTION` an option of an engine:\n\n",
    );
    let example = cmdhelp(Some("iodepth")).stdout;
    page.push_str(&format!("```\n$ fathom fio --cmdhelp=iodepth\n{}\n```\n\n", example.trim_end()));
    page.push_str(
        "| support | meaning |\n|---|---|\n\
         | supported | The option has the effect that it has in fio. |\n\
         | no effect | The option is accepted and has no effect, for the reason given. |\n\
         | unsupported | The option is rejected, unless its value is the default. |\n\n",
    );
    let is_supported = |option: &&Opt| option.support == Support::Supported;
    let supported = CORE.iter().chain(ENGINE_OPTIONS).filter(is_supported).count();
    let all = CORE.len() + ENGINE_OPTIONS.len();
    page.push_str(&format!(
        "fathom supports {supported} of {all} job options. \
         This page is generated from the table `crates/fio/options.toml`; do not edit it. \
         To update it, run `UPDATE_DOCS=1 cargo test --workspace --all-features --test dialect`.\n\n",
    ));
    page.push_str("## Program options\n\n| option | support | meaning |\n|---|---|---|\n");
    for option in PROGRAM_OPTIONS {
        row(&mut page, &[format!("`--{}`", option.name), support(option.support), option.help().into_owned()]);
    }
    for &category in Category::ALL {
        let core = CORE.iter().chain(PROFILE_OPTIONS).filter(|option| option.category == category);
        page.push_str(&format!("\n## {}\n\n", category.title()));
        table(&mut page, core);
    }
    page.push_str("\n## Engines\n\n| engine | support | description |\n|---|---|---|\n");
    for engine in ENGINES {
        let support = if engine.is_supported { "supported" } else { "unsupported" };
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
        Support::Supported => "supported".into(),
        Support::NoEffect(reason) => format!("no effect: {reason}"),
        Support::Unsupported => "unsupported".into(),
    }
}
