//! Each text of a saved run that is not trusted: with few others in the run, and in each kind of error, message, finding and cause.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};
use std::rc::Rc;

use ::history::Document;
use assessment::{Cause, Failure, Finding};
use plan::Dialect;
use record::{Message, RunError};
use report::wording;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::any_names::{assessed, check_record, check_reports};
use crate::hostile_names::{HOSTILE, assert_visible, is_visible_line};
use crate::stage::{Scratch, command, outcome};
#[cfg(target_os = "linux")]
use crate::stage::{Zram, needs, wait_until};

/// Texts of a saved run that are hostile together, at most: a report for each alone would take minutes.
const TOGETHER: usize = 8;
/// Keys of texts with several lines: job files and profiles.
const OF_SEVERAL_LINES: [&str; 3] = ["job", "text", "profile_xml"];

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Returns the saved runs of the corpus.
fn saved() -> Vec<(String, Value)> {
    let files =
        ["records", "assessments"].iter().flat_map(|name| std::fs::read_dir(folder("corpus").join(name)).unwrap());
    let mut saved: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    saved.sort();
    saved.iter().map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), json_of(path))).collect()
}

/// Returns the kind and a pointer to one text of each kind: of the items of a list, the first that has it.
fn texts(value: &Value) -> BTreeMap<String, String> {
    fn add(value: &Value, pointer: &str, kind: &str, found: &mut BTreeMap<String, String>) {
        match value {
            Value::String(_) => drop(found.entry(kind.to_owned()).or_insert_with(|| pointer.to_owned())),
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    add(item, &format!("{pointer}/{at}"), &format!("{kind}/"), found);
                }
            }
            Value::Object(fields) => {
                for (key, field) in fields {
                    let key = key.replace('~', "~0").replace('/', "~1");
                    add(field, &format!("{pointer}/{key}"), &format!("{kind}/{key}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    add(value, "", "", &mut found);
    found
}

/// Returns a text with control characters for a place in a document.
fn hostile(pointer: &str) -> String {
    let is_of_several_lines = pointer.rsplit('/').next().is_some_and(|key| OF_SEVERAL_LINES.contains(&key));
    if is_of_several_lines { HOSTILE.replace("FORGED", "x") } else { HOSTILE.to_owned() }
}

fn read(document: &Value) -> Option<Document> {
    let mut document = Document::read(document.to_string().as_bytes()).ok()?;
    if let Document::Assessment(assessment) = &mut document {
        study::complete(assessment).ok()?;
    }
    Some(document)
}

/// Checks what the commands print of a saved run.
fn check_commands(what: &str, scratch: &Scratch, document: &Value) {
    std::fs::write(scratch.file("run.json"), document.to_string()).unwrap();
    for line in ["show run.json", "compare run.json run.json"] {
        let (word, arguments) = line.split_once(' ').unwrap();
        let mut command = command(scratch.path(), word, arguments);
        let printed = outcome(command.env("LC_ALL", "C.UTF-8").spawn().unwrap());
        assert_visible(&format!("{what}: {line}"), &printed.stdout);
        assert_visible(&format!("{what}: {line}, messages"), &printed.stderr);
    }
}

/// A saved run with hostile texts.
struct Hostile<'a> {
    what: &'a str,
    texts: usize,
    document: &'a Value,
    /// `None`: a text is no text of its kind, and it is alone.
    read: Option<Document>,
}

/// Calls `check` with saved runs in which some texts are hostile. Each kind of text is in one of them. A text of a kind is printed
/// in the same way for each run: records and assessments have other keys.
fn with_hostile_texts(mut check: impl FnMut(Hostile)) {
    let mut known = BTreeSet::new();
    for (name, document) in saved() {
        let pointers: Vec<String> =
            texts(&document).into_iter().filter_map(|(kind, pointer)| known.insert(kind).then_some(pointer)).collect();
        for together in pointers.chunks(TOGETHER) {
            with_hostile(&name, &document, together, &mut check);
        }
    }
    assert!(known.len() > 100, "{} kinds", known.len());
}

/// Makes these texts hostile, or each half of them if the run cannot be read then.
fn with_hostile(name: &str, document: &Value, pointers: &[String], check: &mut impl FnMut(Hostile)) {
    let mut changed = document.clone();
    for pointer in pointers {
        *changed.pointer_mut(pointer).unwrap() = hostile(pointer).into();
    }
    let (what, texts) = (&*format!("{name}: {}", pointers.join(" ")), pointers.len());
    match (read(&changed), texts) {
        (None, 2..) => {
            let (first, second) = pointers.split_at(texts / 2);
            with_hostile(name, document, first, check);
            with_hostile(name, document, second, check);
        }
        (read, _) => check(Hostile { what, texts, document: &changed, read }),
    }
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn commands_print_no_control_character_of_a_text_of_a_saved_run() {
    let scratch = Scratch::new("untrusted-text");
    with_hostile_texts(|Hostile { what, document, .. }| check_commands(what, &scratch, document));
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn no_control_character_of_a_text_of_a_saved_run_is_in_a_report() {
    let mut shown = 0;
    with_hostile_texts(|Hostile { what, texts, read, .. }| {
        let Some(document) = read else { return };
        check_reports(what, &assessed(&document));
        if let Document::Record(record) = &document {
            check_record(what, record);
        }
        shown += texts;
    });
    assert!(shown > 100, "{shown} texts");
}

/// Makes values of a schema. Each alternative is in one of the values, and each text has control characters.
struct Schema {
    schema: Value,
    /// Values of definitions, by reference.
    known: RefCell<BTreeMap<String, Rc<[Value]>>>,
}

impl Schema {
    fn of(name: &str) -> Schema {
        let schema = json_of(&folder("data/schemas").join(format!("{name}.json")));
        Schema { schema, known: RefCell::default() }
    }

    /// Returns all values of a definition that can be read as `T`.
    fn values<T: DeserializeOwned>(&self, definition: &str) -> Vec<T> {
        let made = self.made(&json!({ "$ref": format!("#/$defs/{definition}") }));
        made.into_iter()
            .map(|value| serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}")))
            .collect()
    }

    fn made(&self, schema: &Value) -> Vec<Value> {
        if let Some(name) = schema["$ref"].as_str() {
            if name.ends_with("/Metric") {
                return vec!["read.iops".into()];
            }
            if let Some(known) = self.known.borrow().get(name) {
                return known.to_vec();
            }
            // A definition in itself has no values there.
            self.known.borrow_mut().insert(name.to_owned(), Rc::from([]));
            let made = self.made(self.schema.pointer(name.trim_start_matches('#')).unwrap());
            self.known.borrow_mut().insert(name.to_owned(), made.clone().into());
            return made;
        }
        if let Some(only) = schema.get("const") {
            return vec![only.clone()];
        }
        if let Some(all) = schema["enum"].as_array() {
            return all.clone();
        }
        let alternatives = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
        let others = alternatives.map(|all| all.iter().flat_map(|one| self.made(one)).collect::<Vec<_>>());
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[0].as_str().unwrap_or_default(),
            kind => kind.as_str().unwrap_or_default(),
        };
        match (kind, others) {
            ("object", others) => self.objects(schema, others),
            (_, Some(others)) => others,
            ("string", None) => vec![HOSTILE.into()],
            ("array", None) => self.arrays(schema),
            ("boolean", None) => vec![true.into(), false.into()],
            ("integer" | "number", None) => vec![1.into()],
            _ => vec![Value::Null],
        }
    }

    fn arrays(&self, schema: &Value) -> Vec<Value> {
        let items = schema["prefixItems"].as_array().cloned().unwrap_or_else(|| {
            let length = schema["minItems"].as_u64().unwrap_or(1).max(1);
            vec![schema["items"].clone(); usize::try_from(length).unwrap()]
        });
        let items: Vec<Vec<Value>> = items.iter().map(|item| self.made(item)).collect();
        each_once(&items).map(Value::from).collect()
    }

    fn objects(&self, schema: &Value, others: Option<Vec<Value>>) -> Vec<Value> {
        let none = Map::new();
        let fields = schema["properties"].as_object().unwrap_or(&none);
        let values: Vec<Vec<Value>> = fields.values().map(|field| self.made(field)).collect();
        let own = each_once(&values).map(|values| fields.keys().cloned().zip(values).collect::<Map<_, _>>());
        let own: Vec<Map<String, Value>> = if fields.is_empty() { vec![Map::new()] } else { own.collect() };
        let others = others.unwrap_or_else(|| vec![json!({})]);
        let both = |at: usize| {
            let mut one = own[at % own.len()].clone();
            one.extend(others[at % others.len()].as_object().unwrap().clone());
            one.into()
        };
        let most = if own.is_empty() || others.is_empty() { 0 } else { own.len().max(others.len()) };
        (0..most).map(both).collect()
    }
}

/// Returns lists with a value of each list. Each value is in at least one of them. Without a value for a place there are none.
fn each_once(values: &[Vec<Value>]) -> impl Iterator<Item = Vec<Value>> {
    let most = values.iter().map(Vec::len).max().filter(|_| values.iter().all(|list| !list.is_empty()));
    (0..most.unwrap_or(0)).map(move |at| values.iter().map(|list| list[at % list.len()].clone()).collect())
}

fn assert_one_line(what: &dyn Debug, text: &str) {
    assert!(is_visible_line(text), "{what:?}: {text:?}");
}

#[test]
fn errors_and_messages_of_every_kind_are_one_line() {
    let schema = Schema::of("record");
    let errors: Vec<RunError> = schema.values("RunError");
    let messages: Vec<Message> = schema.values("Message");
    assert!(errors.len() > 100 && messages.len() > 100, "{} errors, {} messages", errors.len(), messages.len());
    for dialect in [Dialect::Fio, Dialect::DiskSpd] {
        for error in &errors {
            assert_one_line(error, &wording::run_error(error, dialect));
            assert_one_line(error, &error.reason());
        }
        for message in &messages {
            assert_one_line(message, &wording::run_message(message.kind(), dialect));
        }
    }
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn findings_causes_and_failures_of_every_kind_are_one_line() {
    let schema = Schema::of("assessment");
    let findings: Vec<Finding> = schema.values("Finding");
    let causes: Vec<Cause> = schema.values("Cause");
    let failures: Vec<Failure> = schema.values("Failure");
    assert!(findings.len() > 30 && causes.len() > 15 && failures.len() > 10);
    for finding in &findings {
        assert_one_line(finding, &wording::message(finding));
        for dialect in [Dialect::Fio, Dialect::DiskSpd] {
            assert_one_line(finding, &wording::advice(finding, dialect));
        }
    }
    for cause in &causes {
        assert_one_line(cause, &wording::cause(cause));
    }
    for failure in &failures {
        assert_one_line(failure, &wording::failure(failure));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_processes_and_mount_points_are_in_the_line_of_the_error() {
    const SCRIPT: &str = "printf 'a\\nFORGED' > /proc/$$/comm; mount -o ro $1 \"$2\" && touch mounted && read end";
    let scratch = Scratch::new("untrusted-holders");
    let Some(device) = Zram::new(16) else { return };
    let name = device.device.as_str();
    let Some(_) = needs(&format!("mkfs.ext4 -q {name} && unshare -m true")) else { return };
    let at = scratch.file("mnt\nFORGED");
    std::fs::create_dir(&at).unwrap();
    let in_own_namespace = ["-m", "sh", "-c", SCRIPT, "sh", name];
    let mut holder = Command::new("unshare");
    holder.args(in_own_namespace).arg(&at).current_dir(scratch.path()).stdin(Stdio::piped());
    let mut holder = holder.spawn().unwrap();
    wait_until("it is mounted", || scratch.file("mounted").exists() || holder.try_wait().unwrap().is_some());
    let lines = [
        format!("assess {name} --overwrite {name} --yes --short"),
        format!("knee {name} --overwrite {name} --yes --rw randwrite --runtime 100ms"),
        format!("fio --name=a --filename={name} --rw=write --bs=4k --size=64k"),
        format!("diskspd -d1 -W0 -w100 -b4K {name}"),
    ];
    let refused = lines.map(|line| {
        let (word, arguments) = line.split_once(' ').unwrap();
        outcome(command(scratch.path(), word, arguments).spawn().unwrap())
    });
    drop(holder.stdin.take());
    holder.wait().unwrap();
    for refused in refused {
        assert_visible("error", &refused.stderr);
        assert!(refused.stderr.contains("a\\nFORGED (process "), "{}", refused.stderr);
        assert!(refused.stderr.contains("mnt\\nFORGED"), "{}", refused.stderr);
    }
}

/// A file of a suite or of limits can come from someone else, too.
#[test]
fn texts_of_suites_and_limits_are_parts_of_a_line() {
    let scratch = Scratch::new("untrusted-toml");
    let run = |line: &str| {
        let (word, rest) = line.split_once(' ').unwrap();
        outcome(command(scratch.path(), word, rest).env("XDG_CONFIG_HOME", scratch.file("config")).spawn().unwrap())
    };
    let hostile = r#"\u001b]0;x\u0007\nINJECTED\rINJECTED\u202e\u009b31m""#;
    let each_text = |text: &str| -> Vec<String> {
        // This text has lines of its own.
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("about")).collect();
        let of_line = |at: usize| {
            let end = lines[at].find('#').is_none().then(|| lines[at].rfind('"')).flatten()?;
            let (before, after) = lines[at].split_at(end);
            let line = format!("{before}{hostile}{}", &after[1..]);
            Some([&lines[..at], &[line.as_str()], &lines[at + 1..]].concat().join("\n"))
        };
        (0..lines.len()).filter_map(of_line).collect()
    };
    let read = |name: &str| std::fs::read_to_string(folder("data").join(name)).unwrap();
    for kind in ["suites", "limits"] {
        std::fs::create_dir_all(scratch.file("config/fathom").join(kind)).unwrap();
    }
    let is_visible = |line: &str, what: &str| {
        let ended = run(line);
        let text = ended.stdout + &ended.stderr;
        assert!(!text.lines().any(|line| line.trim_start().starts_with("INJECTED")), "{what}: {text}");
        assert!(!text.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}', '\u{9b}']), "{what}: {text:?}");
    };
    let suite = scratch.file("config/fathom/suites/evil.toml");
    for text in each_text(&read("suites/etcd.toml")) {
        std::fs::write(&suite, &text).unwrap();
        ["suite list", "suite show evil"].iter().for_each(|line| is_visible(line, &text));
    }
    let limits = scratch.file("config/fathom/limits/evil.toml");
    let texts = each_text(&read("limits/alibaba.toml").lines().take(24).collect::<Vec<_>>().join("\n"));
    assert!(texts.len() > 10, "{}", texts.len());
    for text in texts {
        std::fs::write(&limits, &text).unwrap();
        run("limits list").ended_with(2).complained_of("a text of a file of limits has a control character");
        is_visible("limits list alibaba", &text);
    }
}
