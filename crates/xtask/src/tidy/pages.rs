//! Pages: their length, their links, the functions that they name, the contents of the book, and the translations of README.

use std::collections::{BTreeMap, BTreeSet};

use super::source::Finding;

const LINES_MAX: usize = 250;
/// Pages that are a table of options.
const TABLES: [&str; 2] = ["docs/fio-options.md", "docs/diskspd-options.md"];
const BOOK: &str = "docs/";
const CONTENTS: &str = "docs/SUMMARY.md";
const README: &str = "README.md";
/// Number of parts (`a_b` has two) from which on a name in a page is that of a function. Shorter ones can be keys or files.
const FUNCTION_PARTS: usize = 5;

/// Texts of all pages by path.
pub type Pages = BTreeMap<String, String>;

/// Checks all pages. `is_there` returns whether the workspace has a file or folder.
pub fn check(pages: &Pages, is_there: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in pages {
        let lines = text.lines().count();
        if path.starts_with(BOOK) && lines > LINES_MAX && !TABLES.contains(&path.as_str()) {
            found.push(Finding::new(path, lines, format!("a page has at most {LINES_MAX} lines: split it by subject")));
        }
        for (line, link) in links(text) {
            if let Err(what) = follow(pages, path, link, &is_there) {
                found.push(Finding::new(path, line, format!("link to `{link}`: {what}")));
            }
        }
        let is_translation = path.starts_with("README.") && path != README;
        if is_translation && let Some(english) = pages.get(README) {
            found.extend(differences(path, text, english));
        }
    }
    if let Some(contents) = pages.get(CONTENTS) {
        let listed: Vec<String> = links(contents).map(|(_, link)| format!("{BOOK}{link}")).collect();
        let is_missing = |page: &&String| page.starts_with(BOOK) && *page != CONTENTS && !listed.contains(page);
        let missing = pages.keys().filter(is_missing);
        found.extend(missing.map(|page| Finding::new(CONTENTS, 1, format!("the book lacks {page}"))));
    }
    found
}

/// Checks that the functions, such as tests, which pages name exist. `is_known` returns whether a name is that of a function,
/// or of something else that has names of as many parts.
pub fn check_functions(pages: &Pages, is_known: impl Fn(&str) -> bool) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in pages {
        for (line, name) in long_names(text).filter(|(_, name)| !is_known(name)) {
            found.push(Finding::new(path, line, format!("no function has the name `{name}`")));
        }
    }
    found
}

/// Returns the names of the functions of a Rust file, also those of tests.
pub fn functions(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    text.split("fn ").skip(1).filter_map(move |rest| rest.split(|character| !is_name(character)).next())
}

/// Compares code, numbers and headings of a translation with the English page.
fn differences(path: &str, text: &str, english: &str) -> Option<Finding> {
    let (own, other) = (facts(text), facts(english));
    let behind = own.symmetric_difference(&other).next();
    let headings = |text: &str| headings(text).count();
    let what = match behind {
        Some(fact) => format!("only one of this page and {README} has `{}`", fact.trim()),
        None if headings(text) != headings(english) => format!("{README} has other sections"),
        None => return None,
    };
    Some(Finding::new(path, 1, format!("the translation is behind: {what}")))
}

/// Returns the code of a page, and the numbers below its heading and the line of languages, which has a date.
fn facts(text: &str) -> BTreeSet<&str> {
    let code = text.split('`').skip(1).step_by(2);
    let below = text.splitn(4, '\n').nth(3).unwrap_or_default();
    code.chain(below.split(|character: char| !character.is_ascii_digit())).collect()
}

/// Checks a link of a page.
fn follow(pages: &Pages, path: &str, link: &str, is_there: impl Fn(&str) -> bool) -> Result<(), &'static str> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { path.to_owned() } else { resolve(path, file) };
    let target_page = pages.get(&target);
    if target_page.is_none() && !is_there(&target) {
        return Err("no such file or folder");
    }
    if path.starts_with(BOOK) && !target.starts_with(BOOK) {
        return Err("the site has only what is in docs");
    }
    if path.starts_with(BOOK) && path != CONTENTS && target.ends_with(README) {
        return Err("the site has this page as index.html");
    }
    let has_anchor = |text: &String| headings(text).any(|(_, title)| slug(title) == anchor);
    if anchor.is_empty() || target_page.is_some_and(has_anchor) { Ok(()) } else { Err("the page has no such heading") }
}

/// Returns the lines outside of code blocks, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().zip(1..).filter_map(move |(line, number)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence && !line.starts_with("    ")).then_some((number, line))
    })
}

fn headings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).filter(|(_, line)| line.starts_with('#')).map(|(number, line)| (number, line.trim_matches(['#', ' '])))
}

/// Returns the targets of the links and pictures of a page, except those on the web.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let of_line = |(number, line)| targets(line).map(move |target| (number, target));
    prose(text).flat_map(of_line).filter(|(_, target)| !target.contains("://"))
}

/// Returns the targets of the links of a line, except links in code.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let is_text = |at: usize| line[..at].matches('`').count().is_multiple_of(2);
    line.match_indices("](").filter(move |(at, _)| is_text(*at)).filter_map(|(at, open)| {
        let (target, _) = line[at + open.len()..].split_once(')')?;
        Some(target)
    })
}

/// Returns the names in the code of a page that are long enough for a function, without their modules.
fn long_names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let of_line = |(number, line)| code(line).map(move |code| (number, code.rsplit("::").next().unwrap_or(code)));
    prose(text).flat_map(of_line).filter(|(_, name)| is_long_name(name))
}

/// Returns the pieces of a line that are in backticks.
fn code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn is_long_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|character| character.is_ascii_lowercase() || character.is_ascii_digit())
    };
    name.split('_').count() >= FUNCTION_PARTS && name.split('_').all(is_part)
}

/// Returns the path of a link's target.
fn resolve(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => _ = parts.pop(),
            "." | "" => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the anchor of a heading, as GitHub and mdBook form it.
fn slug(title: &str) -> String {
    let of = |character: char| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        _ => character.is_alphanumeric().then_some(character),
    };
    title.to_lowercase().chars().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pages: &[(&str, &str)]) -> Vec<String> {
        let pages = pages.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        check(&pages, |path| path == "docs/images/a.png").iter().map(Finding::line).collect()
    }

    #[test]
    fn links_lead_to_files_and_headings() {
        let page = "# A page\n\n[a](#a-page) [`b`](b.md#b-and-c) ![p](images/a.png) `[x](y)` [w](https://w/)\n";
        assert_eq!(found(&[("docs/a.md", page), ("docs/b.md", "## `b` and c\n")]), [""; 0]);
        let nothing = "docs/a.md:1: link to `b.md`: no such file or folder";
        assert_eq!(found(&[("docs/a.md", "[b](b.md)")]), [nothing]);
        let heading = "docs/a.md:1: link to `#b`: the page has no such heading";
        assert_eq!(found(&[("docs/a.md", "[b](#b)")]), [heading]);
        let outside = "docs/a.md:1: link to `../README.md`: the site has only what is in docs";
        assert_eq!(found(&[("docs/a.md", "[b](../README.md)"), ("README.md", "")]), [outside]);
        let index = "docs/a.md:1: link to `README.md`: the site has this page as index.html";
        assert_eq!(found(&[("docs/a.md", "[b](README.md)"), ("docs/README.md", "")]), [index]);
    }

    #[test]
    fn functions_that_pages_name_exist() {
        let functions: BTreeSet<&str> = functions("    fn a_b_c_d_e() {}\nasync fn a_b_c_d_f<T>(a: T)").collect();
        assert_eq!(functions, BTreeSet::from(["a_b_c_d_e", "a_b_c_d_f"]));
        let found = |text: &str| {
            let pages: Pages = [("docs/a.md".to_owned(), text.to_owned())].into();
            check_functions(&pages, |name| functions.contains(name)).iter().map(Finding::line).collect::<Vec<_>>()
        };
        assert_eq!(found("`a_b_c_d_e`, `crate b::c::a_b_c_d_f`, `a_b_c_d`, a_b_c_d_g"), [""; 0]);
        assert_eq!(found("`A_B_C_D_G`, `a_b_c_d_`, `a_b_c_d_g()`"), [""; 0]);
        assert_eq!(found("```\n`a_b_c_d_g`\n```\n"), [""; 0]);
        let missing = "docs/a.md:2: no function has the name `a_b_c_d_g`";
        assert_eq!(found("# A page\n`a_b_c_d_g`\n"), [missing]);
        assert_eq!(found("# A page\n| a | `crate b::a_b_c_d_g` |\n"), [missing]);
    }

    #[test]
    fn pages_are_short_and_in_the_book() {
        let long = "\n".repeat(LINES_MAX + 1);
        let findings = found(&[("docs/SUMMARY.md", "[o](fio-options.md)"), ("docs/fio-options.md", &long)]);
        assert_eq!(findings, [""; 0]);
        let findings = found(&[("docs/SUMMARY.md", "# S"), ("docs/a.md", &long)]);
        assert_eq!(findings.len(), 2, "{findings:?}");
    }

    #[test]
    fn a_translation_has_the_code_and_sections_of_readme() {
        let of = |text| found(&[("README.md", "# a\n`fathom x`\n```\nfathom y\n```\n"), ("README.ko.md", text)]);
        assert_eq!(of("# 가\n```\nfathom y\n```\n`fathom x`\n"), [""; 0]);
        let behind = "README.ko.md:1: the translation is behind: only one of this page and README.md has `fathom x`";
        assert_eq!(of("# 가\n```\nfathom y\n```\n"), [behind]);
        let number = "README.ko.md:1: the translation is behind: only one of this page and README.md has `5`";
        assert_eq!(of("# 가\n2026\n\n```\nfathom y\n```\n`fathom x` 5 ms\n"), [number]);
        let sections = "README.ko.md:1: the translation is behind: README.md has other sections";
        assert_eq!(of("```\nfathom y\n```\n`fathom x`\n"), [sections]);
    }
}
