//! Shows a saved assessment: `shown FILE card|html|md|svg`, to look at what a change does to real reports.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, form] = words.as_slice() else {
        eprintln!("usage: shown FILE card|html|md|svg");
        return ExitCode::from(2);
    };
    let read = std::fs::read(file).map_err(|error| error.to_string());
    let assessment = match read.and_then(|text| assessment::read(&text).map_err(|broken| format!("{file}:{broken}"))) {
        Ok(assessment) => assessment,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    print!(
        "{}",
        match form.as_str() {
            "html" => report::html(&assessment),
            "md" => report::markdown(&assessment),
            "svg" => report::svg(&assessment),
            _ => report::card(&assessment, report::Card::default()),
        }
    );
    ExitCode::SUCCESS
}
