//! The table as a text for the terminal and as a page.

use super::{OPTIONS, Since, Subject};

const WIDTH: usize = 100;
const MEANINGS_AT: usize = 28;

const HEAD: &str = "\
usage: diskspd [options] target [target ...]
       diskspd -X<profile.xml> [options] [target ...]

A target is a file or a block device. Options come before the targets, each is one word without
blanks (-b4K, not -b 4K), and a word that begins with / is a path. Sizes are whole numbers with an
optional K, M, G, T (powers of 1024) or B (blocks of -b). What stands in [ ] behind a meaning holds
where nothing is said.
";

const TAIL: &str = "
Examples
  diskspd -c1G -b4K -r -o32 -t4 -w30 -d60 -Sh -L testfile.dat
  diskspd -b1M -o8 -d30 -Su /dev/nvme0n1
";

/// What `-?` prints.
pub fn usage() -> String {
    let mut text = HEAD.to_owned();
    for subject in Subject::ALL {
        text += &format!("\n{}\n", subject.heading());
        for form in OPTIONS.iter().filter(|option| option.subject == subject).flat_map(|option| option.forms) {
            text += &entry(form.grammar, form.meaning);
        }
    }
    text + TAIL
}

/// The form, and its meaning in a column of its own.
fn entry(grammar: &str, meaning: &str) -> String {
    let mut text = format!("  {grammar}");
    let mut column = text.len();
    if column + 1 > MEANINGS_AT {
        text.push('\n');
        column = 0;
    }
    text += &" ".repeat(MEANINGS_AT - column);
    column = MEANINGS_AT;
    for (index, word) in meaning.split(' ').enumerate() {
        if index > 0 && column + 1 + word.len() > WIDTH {
            text += &format!("\n{}", " ".repeat(MEANINGS_AT));
            column = MEANINGS_AT;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += word.len();
    }
    text + "\n"
}

/// The same as a page of the documentation.
pub fn markdown() -> String {
    let mut text = "\
# DiskSpd's options

Made from the table in `crates/diskspd/src/options/table.rs`; what differs from DiskSpd is in
[diskspd-differences.md](diskspd-differences.md).
"
    .to_owned();
    for subject in Subject::ALL {
        text += &format!("\n## {}\n\n| option | meaning | since |\n|---|---|---|\n", subject.heading());
        for form in OPTIONS.iter().filter(|option| option.subject == subject).flat_map(|option| option.forms) {
            let since = match form.since {
                Since::V2_2 => "",
                Since::V2_3 => "2.3",
                Since::Fathom => "fathom",
            };
            let cell = |text: &str| text.replace('|', "\\|");
            text += &format!("| `{}` | {} | {since} |\n", cell(form.grammar), cell(form.meaning));
        }
    }
    text
}
