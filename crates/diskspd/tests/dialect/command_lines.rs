//! Comparison with DiskSpd's parsing of command lines: acceptance, warnings, profiles.
//!
//! Exceptions are listed in `docs/diskspd-differences.md`. An exception without a difference fails the test.

use diskspd::lower::{FixedMachine, lower};
use diskspd::parse::env::FixedEnv;
use diskspd::profile::{Profile, ResultFormat};
use diskspd::render::profile_text;
use diskspd::{Request, parse, xml};
use roxmltree::Node;
use serde_json::{Map, Value, json};
use units::diagnostic::{Diagnostic, Level};

const DIFFERENCES: &str = include_str!("../../../../docs/diskspd-differences.md");

/// Cases with a different result.
const EXCEPTIONS: &[&str] = &["ut121", "or524", "or529", "or543", "or544", "or545", "or561", "or587", "or623"];

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../../corpus/diskspd/cases.json")).unwrap()
}

fn id(case: &Value) -> &str {
    case["id"].as_str().unwrap()
}

fn args(case: &Value) -> Vec<String> {
    case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().to_owned()).collect()
}

/// Parses a case as it was recorded: with `-Rpxml` first, unless the case has its own output option.
fn ask(case: &Value) -> Result<Request, Vec<Diagnostic>> {
    let mut arguments = args(case);
    let runs = case["why"].as_str().unwrap();
    let as_it_is = arguments.is_empty()
        || arguments.iter().any(|argument| argument.starts_with("-R") || argument == "-?")
        || runs.contains("left over in a run")
        || runs.contains("this machine does not have");
    if !as_it_is {
        arguments.insert(0, "-Rpxml".to_owned());
    }
    parse(&arguments, &FixedEnv::default())
}

/// Returns the differences found by `check`, and exceptions without a difference.
fn compare(check: impl Fn(&Value) -> Option<String>) -> Vec<String> {
    let mut complaints = Vec::new();
    for case in cases() {
        if let Some(complaint) = check(&case) {
            complaints.push(format!("{} {:?}: {complaint}", id(&case), args(&case)));
        }
    }
    complaints
}

fn assert_none(complaints: &[String]) {
    let wrong: Vec<&String> =
        complaints.iter().filter(|line| !EXCEPTIONS.iter().any(|id| line.starts_with(&format!("{id} ")))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn answer(case: &Value) -> Option<String> {
    let accept = case["accept"] == true;
    match ask(case) {
        // Whether an event can be signalled shows only when it is signalled.
        Ok(Request::Signal { .. }) if case["exit_code"] == 1 => None,
        Ok(Request::Print { status, .. }) if case["exit_code"] != status => Some(format!("ends with {status}")),
        Ok(Request::Run(invocation)) if !accept => {
            let lowered = lower(&invocation.profile, &invocation.args, &FixedMachine { cpus: 2 });
            lowered.is_ok().then(|| "is taken".to_owned())
        }
        Ok(Request::Signal { .. } | Request::SystemInformation(_)) if !accept => Some("is taken".to_owned()),
        Ok(_) => None,
        Err(reported) if accept => Some(format!("is refused: {}", reported[0])),
        Err(reported) if !reported.iter().any(|reported| reported.level == Level::Error) => {
            Some("is refused without reason".to_owned())
        }
        Err(_) => None,
    }
}

fn warning(case: &Value) -> Option<String> {
    case["warnings"].as_array()?;
    let reported = match ask(case) {
        Ok(Request::Print { messages, .. }) => messages.warnings,
        Ok(_) => Vec::new(),
        Err(reported) => reported,
    };
    let warned = reported.iter().any(|reported| reported.level == Level::Warning);
    (!warned).then(|| format!("no warning among {reported:?}"))
}

fn read_back(case: &Value) -> Option<Profile> {
    match ask(case) {
        Ok(Request::Print { text, .. }) => Some(xml::read(&text, "profile").ok()?.profile),
        _ => None,
    }
}

fn meaning(case: &Value) -> Option<String> {
    let mut expected = case.get("expect")?.clone();
    let Ok(Request::Print { text, .. }) = ask(case) else { return Some("no profile".to_owned()) };
    if args(case).iter().any(|arg| arg == "-Rptext") {
        return None;
    }
    let Ok(document) = roxmltree::Document::parse(&text) else { return Some(format!("no XML: {text}")) };
    let mut reported = profile(document.root_element());
    // The recorded JSON has this target's name as a number.
    for target in expected["TimeSpans"][0]["Targets"].as_array_mut().unwrap() {
        if let Some(number) = target["Path"].as_u64() {
            target["Path"] = number.to_string().into();
        }
    }
    // Ignores what the added `-Rpxml` changes.
    for one in [&mut expected, &mut reported] {
        one.as_object_mut().unwrap().remove("ResultFormat");
    }
    for field in case["nondeterministic"].as_array().into_iter().flatten() {
        for one in [&mut expected, &mut reported] {
            one["TimeSpans"][0].as_object_mut().unwrap().remove(field.as_str().unwrap());
        }
    }
    (reported != expected).then(|| format!("means\n{reported}\nand not\n{expected}"))
}

#[test]
fn acceptance_matches_diskspd() {
    assert_none(&compare(answer));
}

#[test]
fn warnings_match_diskspd() {
    assert_none(&compare(warning));
}

#[test]
fn profiles_of_command_lines_match_diskspd() {
    assert_none(&compare(meaning));
}

#[test]
fn printed_profile_is_equal_to_the_parsed_one() {
    for case in cases().iter().filter(|case| case["accept"] == true && !args(case).iter().any(|arg| arg == "-?")) {
        let text = args(case).iter().any(|arg| matches!(arg.as_str(), "-Rptext" | "-Rtext"));
        if text || EXCEPTIONS.contains(&id(case)) {
            continue;
        }
        let again = read_back(case).map(|profile| xml::write(&profile));
        let Ok(Request::Print { text, .. }) = ask(case) else { panic!("{}", id(case)) };
        assert_eq!(again.as_deref(), Some(text.as_str()), "{}", id(case));
    }
}

#[test]
fn exceptions_are_documented_and_necessary() {
    let complaints: Vec<String> =
        [compare(answer), compare(warning), compare(meaning), compare_texts()].into_iter().flatten().collect();
    for exception in EXCEPTIONS {
        assert!(DIFFERENCES.contains(exception), "{exception} is not in docs/diskspd-differences.md");
        assert!(complaints.iter().any(|line| line.starts_with(&format!("{exception} "))), "{exception} is none");
    }
}

#[test]
fn profile_texts_match_diskspd() {
    assert_none(&compare_texts());
}

fn compare_texts() -> Vec<String> {
    let mut complaints = Vec::new();
    for line in include_str!("../../../../corpus/diskspd/profile-text.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let expected = case["text"].as_str().unwrap();
        let arguments = [vec!["-Rptext".to_owned()], args(&case)].concat();
        let command_line = arguments.join(" ");
        let reported = match parse(&arguments, &FixedEnv::default()) {
            Ok(Request::Print { text, .. }) => text,
            other => format!("{other:?}"),
        };
        let reported = reported.replacen("Command Line: diskspd ", "Command Line: diskspd.exe ", 1);
        // The seed is the time since boot.
        let seed = |text: &str| -> String {
            let keep = |line: &&str| args(&case).iter().all(|arg| arg != "-z") || !line.contains("random seed: ");
            text.split('\n').filter(keep).collect::<Vec<_>>().join("\n")
        };
        // An own XML option overrides the added one.
        let asks_otherwise = args(&case).iter().any(|arg| arg.starts_with("-R") && arg.contains("xml"));
        if !asks_otherwise && seed(&reported) != seed(expected) {
            complaints.push(format!("{} {command_line}: says\n{reported}\nand not\n{expected}", id(&case)));
        }
    }
    complaints
}

#[test]
fn last_report_format_applies() {
    let run = |line: &str| {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        match parse(&arguments, &FixedEnv::default()) {
            Ok(Request::Run(invocation)) => invocation.profile.result_format,
            other => panic!("{line}: {other:?}"),
        }
    };
    assert_eq!(run("a.dat"), ResultFormat::Text);
    assert_eq!(run("-Rxml a.dat"), ResultFormat::Xml);
    assert_eq!(run("-Rxml -Rtext a.dat"), ResultFormat::Text);
    assert_eq!(profile_text(&Profile::default(), "x"), "\nCommand Line: x\n\nInput parameters:\n\n");
}

/// Returns the profile's XML in the notation of the cases.
fn profile(root: Node) -> Value {
    let mut map = leaves(root);
    let spans = root.children().find(|node| node.has_tag_name("TimeSpans")).unwrap();
    map.insert("TimeSpans".into(), elements(spans).map(time_span).collect());
    if let Some(etw) = root.children().find(|node| node.has_tag_name("ETW")) {
        map.insert("ETW".into(), leaves(etw).into());
    }
    map.into()
}

fn time_span(span: Node) -> Value {
    let mut map = leaves(span);
    for node in elements(span) {
        let value: Value = match node.tag_name().name() {
            "Targets" => elements(node).map(target).collect(),
            "Affinity" => elements(node).map(attributes).collect(),
            _ => continue,
        };
        map.insert(node.tag_name().name().into(), value);
    }
    map.into()
}

fn target(target: Node) -> Value {
    let mut map = leaves(target);
    for node in elements(target) {
        let name = node.tag_name().name();
        let value = match name {
            "Throughput" => json!({ "value": value("", node), "unit": node.attribute("unit").unwrap_or("BPMS") }),
            "WriteBufferContent" => {
                let mut content = leaves(node);
                let source = elements(node).find(|node| node.has_tag_name("RandomDataSource"));
                content.extend(source.map(|source| ("RandomDataSource".to_owned(), leaves(source).into())));
                content.into()
            }
            "Distribution" => {
                let kind = elements(node).next().unwrap();
                let ranges = elements(kind).map(|range| {
                    json!({ "IO": range.attribute("IO").unwrap().parse::<u64>().unwrap(), "Target": value("", range) })
                });
                json!({ "Type": kind.tag_name().name(), "Ranges": ranges.collect::<Vec<_>>() })
            }
            _ => continue,
        };
        map.insert(name.into(), value);
    }
    map.into()
}

fn elements<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(Node::is_element)
}

fn attributes(node: Node) -> Value {
    let pairs = node
        .attributes()
        .map(|attribute| (attribute.name().to_owned(), json!(attribute.value().parse::<u64>().unwrap())));
    pairs.collect::<Map<_, _>>().into()
}

fn leaves(node: Node) -> Map<String, Value> {
    let leaf = |node: &Node| !node.children().any(|child| child.is_element()) && node.text().is_some();
    elements(node)
        .filter(leaf)
        .map(|node| (node.tag_name().name().to_owned(), value(node.tag_name().name(), node)))
        .collect()
}

fn value(name: &str, node: Node) -> Value {
    let text = node.text().unwrap_or_default();
    match text {
        "true" => true.into(),
        "false" => false.into(),
        text if name == "Path" || name == "FilePath" => text.into(),
        text => text.parse::<u64>().map_or_else(|_| text.into(), Value::from),
    }
}
