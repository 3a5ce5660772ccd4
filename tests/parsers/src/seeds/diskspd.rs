//! Seeds of DiskSpd's dialect: each form of each option, and the profiles that they make.

use diskspd::options::OPTIONS;
use diskspd::parse::env::FixedEnv;
use diskspd::{Request, parse, xml};

use super::{in_repository, lines, words};

/// Returns command lines: samples, and each form of each option.
pub fn command_lines() -> Vec<Vec<u8>> {
    let samples = lines("corpus/diskspd/commands.txt");
    let samples = samples.iter().filter_map(|line| line.strip_prefix("diskspd "));
    let mut seeds: Vec<Vec<u8>> = samples.map(words).collect();
    let forms: Vec<String> =
        OPTIONS.iter().flat_map(|option| option.forms).flat_map(|form| written(form.grammar)).collect();
    for form in &forms {
        seeds.push(format!("{form}\0a").into_bytes());
        seeds.push(format!("-c1M\0-r\0-w50\0-L\0{form}\0a\0b").into_bytes());
    }
    // What follows the last NUL is the profile.
    let with_end = |seed: Vec<u8>| seed.into_iter().chain(*b"\0").collect();
    let mut seeds: Vec<Vec<u8>> = seeds.into_iter().map(with_end).collect();
    for profile in profiles().into_iter().take(PROFILES_IN_LINES) {
        seeds.push([&b"-Xp.xml\0"[..], &profile].concat());
        seeds.push([&b"-Rxml\0-v\0-Xp.xml\0t1\0t2\0"[..], &profile].concat());
    }
    seeds
}

/// Profiles that seeds of command lines hold.
const PROFILES_IN_LINES: usize = 30;

/// Returns XML profiles: samples, and those of each form of each option.
pub fn profiles() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = samples();
    for form in OPTIONS.iter().flat_map(|option| option.forms).flat_map(|form| written(form.grammar)) {
        let args = ["-c1M".to_owned(), "-w50".to_owned(), form, "a".to_owned()];
        if let Ok(Request::Run(invocation)) = parse(&args, &FixedEnv::default()) {
            seeds.push(xml::write(&invocation.profile).into_bytes());
        }
    }
    seeds.sort();
    seeds.dedup();
    seeds
}

fn samples() -> Vec<Vec<u8>> {
    let text = std::fs::read(in_repository("corpus/diskspd/xml-cases.json")).unwrap_or_default();
    let cases: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap_or_default();
    let texts = cases.iter().filter_map(|case| case["xml"].as_str());
    texts.map(|text| text.as_bytes().to_vec()).collect()
}

/// Returns a form of the table as a user types it: with and without its optional parts, and with each alternative.
fn written(grammar: &str) -> Vec<String> {
    let mut forms = Vec::new();
    for form in grammar.split(", ") {
        let (mut long, mut short, mut depth) = (String::new(), String::new(), 0);
        for c in form.replace("[:...]", ":20/30").replace("[,...]", ",2").chars() {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {
                    long.push(c);
                    if depth == 0 {
                        short.push(c);
                    }
                }
            }
        }
        forms.extend([long, short].iter().flat_map(|form| with_values(form)));
    }
    forms.sort();
    forms.dedup();
    forms
}

/// Replaces the values in angle brackets: ranges by their ends, alternatives by each, names by samples.
fn with_values(form: &str) -> Vec<String> {
    let Some((before, rest)) = form.split_once('<') else { return vec![form.to_owned()] };
    let Some((name, after)) = rest.split_once('>') else { return vec![form.to_owned()] };
    let values: Vec<&str> = match name {
        "size" | "offset" => vec!["4K", "1M", "8b"],
        "file" => vec!["p.xml"],
        "io" | "target" | "percent" => vec!["50"],
        "count" | "ms" | "seconds" | "seed" | "cpu" | "group" | "flags" => vec!["0", "1", "3"],
        "name" | "word" => vec!["a"],
        _ if name.contains('|') => name.split('|').collect(),
        _ => name.split('-').collect(),
    };
    values.into_iter().flat_map(|value| with_values(&format!("{before}{value}{after}"))).collect()
}
