//! Writes the tables of fio's options, and a typed key for each option that the code reads, from `options.toml`.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
struct Table {
    option: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    alias: Option<String>,
    category: String,
    help: String,
    #[serde(default)]
    unsupported: bool,
    no_effect: Option<String>,
    default: Option<String>,
    parent: Option<String>,
    profile: Option<String>,
    rank: Option<String>,
    #[serde(default)]
    engines: Vec<String>,
    kind: String,
    /// Of numbers.
    unit: Option<String>,
    min: Option<i64>,
    max: Option<i64>,
    slots: Option<usize>,
    #[serde(default)]
    signed: bool,
    #[serde(default)]
    power_of_two: bool,
    /// Of lists of floating point numbers.
    max_len: Option<usize>,
    limits: Option<(f64, f64)>,
    /// Of patterns.
    #[serde(default)]
    offsets: bool,
    /// Of keywords.
    #[serde(default)]
    values: Vec<Keyword>,
    argument: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keyword {
    name: String,
    help: String,
    alias_of: Option<String>,
    #[serde(default)]
    unsupported: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=options.toml");
    let Table { option: options } = toml::from_str(&fs::read_to_string("options.toml")?)?;
    let is_of_engine = |option: &&Entry| !option.engines.is_empty();
    let is_of_profile = |option: &&Entry| option.profile.is_some();
    let tables: [(&str, &str, Vec<&Entry>); 3] = [
        (
            "CORE",
            "Options that all engines have, in fio's order.",
            options.iter().filter(|option| !is_of_engine(option) && !is_of_profile(option)).collect(),
        ),
        ("ENGINE_OPTIONS", "Options of single engines, by engine.", options.iter().filter(is_of_engine).collect()),
        ("PROFILE_OPTIONS", "Options of the built-in workloads.", options.iter().filter(is_of_profile).collect()),
    ];
    let (mut code, mut keys, mut named) = (String::new(), String::new(), Vec::new());
    for (table, about, options) in tables {
        writeln!(code, "/// {about}\npub const {table}: &[Opt] = &[")?;
        for (at, option) in options.into_iter().enumerate() {
            writeln!(code, "{},", literal(option))?;
            let is_read = !option.unsupported && option.no_effect.is_none() && !named.contains(&&option.name);
            if let Some(kind) = key_kind(&option.kind).filter(|_| is_read) {
                let key = option.name.replace('-', "_").to_uppercase();
                writeln!(keys, "pub const {key}: Key<kinds::{kind}> = Key::new(&super::{table}[{at}]);")?;
                named.push(&option.name);
            }
        }
        writeln!(code, "];")?;
    }
    let about =
        "/// Keys of the supported options. One that nothing reads is unused code: its option is not supported.";
    writeln!(code, "{about}\npub(crate) mod key {{\nuse super::{{Key, kinds}};\n{keys}}}")?;
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join("options.rs"), code)?)
}

fn literal(option: &Entry) -> String {
    let Entry { name, alias, help, default, parent, profile, engines, .. } = option;
    let support = match (&option.no_effect, option.unsupported) {
        (Some(reason), _) => format!("NoEffect({reason:?})"),
        (None, true) => "Unsupported".to_owned(),
        (None, false) => "Supported".to_owned(),
    };
    let default = if option.kind == "engine_name" { "Some(DEFAULT_ENGINE)".to_owned() } else { format!("{default:?}") };
    format!(
        "Opt {{ name: {name:?}, alias: {alias:?}, category: Category::{}, kind: Kind::{}, support: Support::{support}, \
         help: {help:?}, default: {default}, parent: {parent:?}, profile: {profile:?}, engines: &{engines:?}, \
         rank: Rank::{} }}",
        camel(&option.category),
        kind(option),
        camel(option.rank.as_deref().unwrap_or("middle")),
    )
}

fn kind(option: &Entry) -> String {
    let keywords = || {
        let keyword = |Keyword { name, help, alias_of, unsupported }: &Keyword| {
            let canonical = alias_of.as_ref().unwrap_or(name);
            format!(
                "Keyword {{ name: {name:?}, canonical: {canonical:?}, help: {help:?}, is_supported: {} }}",
                !unsupported
            )
        };
        format!("&[{}]", option.values.iter().map(keyword).collect::<Vec<_>>().join(", "))
    };
    let argument = || camel(option.argument.as_deref().unwrap_or("none"));
    match option.kind.as_str() {
        "int32" => number(option, "Bits32"),
        "int64" => number(option, "Bits64"),
        "floats" => format!("Floats {{ max_len: {}, limits: {:?} }}", option.max_len.unwrap_or(1), option.limits),
        "pattern" => format!("Pattern {{ offsets: {} }}", option.offsets),
        "keyword" | "keyword_list" => format!("{}({}, ArgumentKind::{})", camel(&option.kind), keywords(), argument()),
        "distribution" => format!("Distribution({})", keywords()),
        other => camel(other),
    }
}

fn number(option: &Entry, width: &str) -> String {
    let Entry { max, slots, signed, power_of_two, .. } = option;
    let min = option.min.unwrap_or(if *signed { i64::MIN } else { 0 });
    format!(
        "Number(Number {{ width: Width::{width}, unit: Unit::{}, min: {min}, max: {max:?}, slots: {}, \
         is_signed: {signed}, is_power_of_two: {power_of_two} }})",
        camel(option.unit.as_deref().unwrap_or("none")),
        slots.unwrap_or(1),
    )
}

/// Returns the kind of the key; `None` if an option of this kind has no value.
fn key_kind(kind: &str) -> Option<String> {
    match kind {
        "flag" | "bool" => Some("Flag".to_owned()),
        "int32" | "int64" => Some("Number".to_owned()),
        "text" | "engine_name" => Some("Text".to_owned()),
        "removed" | "ignored" => None,
        other => Some(camel(other)),
    }
}

/// Returns `io_type` as `IoType`.
fn camel(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(word).collect()
}
