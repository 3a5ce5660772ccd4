//! Descriptions of properties: the documentation of their field, else the glossary, and the unit in their name.

use serde_json::Value;

use crate::generated::all;
use crate::glossary::GLOSSARY;

/// Ends of names, the unit, and a part of a description that has it already.
const UNITS: [(&str, &str, &str); 12] = [
    ("_unix_ms", "In ms since 1970-01-01 UTC.", "ms"),
    ("_unix_us", "In µs since 1970-01-01 UTC.", "µs"),
    ("_bytes_per_s", "In bytes per second.", "per second"),
    ("_per_s", "Per second.", "per second"),
    ("_ns", "In ns.", "ns."),
    ("_us", "In µs.", "µs"),
    ("_ms", "In ms.", "ms"),
    ("_s", "In seconds.", "seconds"),
    ("_bytes", "In bytes.", "ytes"),
    ("_percent", "In percent.", "percent"),
    ("_kib", "In KiB/s.", "KiB/s"),
    ("_share", "As a share: 1 is all.", "hare"),
];

/// Completes the descriptions of the properties of a schema and of its parts. `owner` is the type that the schema is of.
pub fn complete(schema: &mut Value, owner: &str) {
    match schema {
        Value::Object(object) => {
            for (keyword, part) in object.iter_mut() {
                match (keyword.as_str(), part) {
                    ("properties", Value::Object(properties)) => {
                        for (name, property) in properties {
                            describe(property, owner, name);
                            complete(property, owner);
                        }
                    }
                    ("$defs", Value::Object(types)) => types.iter_mut().for_each(|(name, part)| complete(part, name)),
                    ("description", Value::String(text)) => *text = in_terms_of_json(text),
                    (_, part) => complete(part, owner),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|part| complete(part, owner)),
        _ => {}
    }
}

fn describe(property: &mut Value, owner: &str, name: &str) {
    let Value::Object(property) = property else { return };
    let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
    let has_own = !text.is_empty() || property.contains_key("$ref") || property.contains_key("const");
    let text = if has_own { text } else { of_glossary(owner, name).unwrap_or_default() };
    let text = with_unit(name, &in_terms_of_json(text));
    if !text.is_empty() {
        property.insert("description".to_owned(), text.into());
    }
}

/// Returns the documentation of a field without links of Rust, in one line.
fn in_terms_of_json(text: &str) -> String {
    text.replace("[`", "`").replace("`]", "`").replace("`None`", "`null`").replace('\n', " ")
}

fn with_unit(name: &str, text: &str) -> String {
    let name = format!("_{name}");
    match UNITS.iter().find(|(end, ..)| name.ends_with(end)) {
        Some((_, unit, _)) if text.is_empty() => (*unit).to_owned(),
        Some((_, unit, sign)) if !text.contains(sign) => format!("{text} {unit}"),
        _ => text.to_owned(),
    }
}

fn of_glossary(owner: &str, name: &str) -> Option<&'static str> {
    let owned = format!("{owner}.{name}");
    let find = |wanted: &str| GLOSSARY.iter().find(|(names, _)| names.split(' ').any(|name| name == wanted));
    find(&owned).or_else(|| find(name)).map(|(_, text)| *text)
}

/// Adds the properties without a description. Properties that are the name of a variant are described by the variant,
/// and those of another type by that type.
fn add_undescribed(schema: &Value, owner: &str, is_variant: bool, found: &mut Vec<String>) {
    let properties = schema["properties"].as_object();
    let is_name = is_variant && properties.is_some_and(|properties| properties.len() == 1);
    for (name, property) in properties.into_iter().flatten() {
        let types =
            [property, &property["items"]].into_iter().chain(property["anyOf"].as_array().into_iter().flatten());
        let has_type = types.into_iter().any(|part| part.get("$ref").is_some());
        let is_described = property.get("description").is_some() || has_type || property.get("const").is_some();
        if !is_described && !is_name && !["data", "evidence"].contains(&name.as_str()) {
            found.push(format!("{owner}.{name}"));
        }
        add_undescribed(property, owner, false, found);
    }
    for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
        add_undescribed(part, name, false, found);
    }
    for keyword in ["oneOf", "anyOf", "allOf", "prefixItems"] {
        let parts = schema[keyword].as_array().into_iter().flatten();
        parts.for_each(|part| add_undescribed(part, owner, keyword == "oneOf", found));
    }
    add_items(schema, owner, found);
}

fn add_items(schema: &Value, owner: &str, found: &mut Vec<String>) {
    if schema["items"].is_object() {
        add_undescribed(&schema["items"], owner, false, found);
    }
}

#[test]
fn every_property_has_a_description() {
    let mut found = Vec::new();
    all().iter().for_each(|(name, schema)| add_undescribed(schema, name, false, &mut found));
    found.sort();
    found.dedup();
    assert_eq!(found, [""; 0], "document the field, or add it to the glossary");
}

#[test]
fn every_entry_of_the_glossary_is_used() {
    let text: String = all().iter().map(|(_, schema)| schema.to_string()).collect();
    let unused: Vec<_> = GLOSSARY.iter().filter(|(_, description)| !text.contains(description)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}
