//! The table as usage text and as a documentation page.

use units::system::System;

use super::{OPTIONS, Since, Subject};

const WIDTH: usize = 100;
const MEANING_COLUMN: usize = 28;

/// Text around the options. It depends on the operating system.
struct Frame {
    targets: &'static str,
    slash: &'static str,
    disk: &'static str,
}

const FRAME: Frame = match System::HERE {
    System::Linux => Frame {
        targets: "A target is a file or a block device.",
        slash: "An argument that starts with / is a path.",
        disk: "/dev/nvme0n1",
    },
    System::Windows => Frame {
        targets: "A target is a file, #N (disk) or X: (volume).",
        slash: "Options start with - or /.",
        disk: "#1",
    },
};

fn head() -> String {
    let Frame { targets, slash, .. } = FRAME;
    format!(
        "\
usage: diskspd [options] target [target ...]
       diskspd -X<profile.xml> [options] [target ...]

{targets} Options precede the targets. An option is one argument
without blanks (-b4K, not -b 4K). {slash} Sizes are integers with
an optional K, M, G, T (powers of 1024) or B (blocks of -b). [ ] after a meaning is the default.
"
    )
}

fn tail() -> String {
    format!(
        "
Examples
  diskspd -c1G -b4K -r -o32 -t4 -w30 -d60 -Sh -L testfile.dat
  diskspd -b1M -o8 -d30 -Su {}
",
        FRAME.disk
    )
}

/// Returns the text of `-?`.
pub fn usage() -> String {
    let mut text = head();
    for &subject in Subject::ALL {
        text += &format!("\n{}\n", subject.heading());
        for form in OPTIONS.iter().filter(|option| option.subject == subject).flat_map(|option| option.forms) {
            text += &entry(form.grammar, form.meaning);
        }
    }
    text + &tail()
}

/// Formats a form, with its meaning in a second column.
fn entry(grammar: &str, meaning: &str) -> String {
    let mut text = format!("  {grammar}");
    let mut column = text.len();
    if column + 1 > MEANING_COLUMN {
        text.push('\n');
        column = 0;
    }
    text += &" ".repeat(MEANING_COLUMN - column);
    column = MEANING_COLUMN;
    for (index, word) in meaning.split(' ').enumerate() {
        if index > 0 && column + 1 + word.len() > WIDTH {
            text += &format!("\n{}", " ".repeat(MEANING_COLUMN));
            column = MEANING_COLUMN;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += word.len();
    }
    text + "\n"
}

/// Returns the documentation page.
pub fn markdown() -> String {
    let mut text = "\
# DiskSpd's options

Generated from `crates/diskspd/src/options/table.rs`. [diskspd-differences.md](diskspd-differences.md) lists the
differences from DiskSpd. `[ ]` after a meaning is the default.
"
    .to_owned();
    for &subject in Subject::ALL {
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
