//! The schemas as the types of the documents make them.

use std::path::PathBuf;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::{descriptions, fio};

/// Whole numbers of documents with records: those above 2^53 - 1 are strings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Integers {
    Numbers,
    Exact,
}

/// Returns all schemas by name.
pub fn all() -> Vec<(&'static str, Value)> {
    let schemas = vec![
        ("assessment", of::<report::AssessmentDocument>(Integers::Exact)),
        ("capture", of::<capture::Figures>(Integers::Numbers)),
        ("comparison", of::<report::ComparisonDocument>(Integers::Numbers)),
        ("fio", fio::schema()),
        ("history", of::<Vec<history::Entry>>(Integers::Numbers)),
        ("knee", of::<report::KneeDocument>(Integers::Numbers)),
        ("record", of::<record::schema::Document>(Integers::Exact)),
        ("run", of::<report::RepeatsDocument>(Integers::Numbers)),
        ("sweep", of::<report::SweepDocument>(Integers::Numbers)),
    ];
    schemas.into_iter().map(|(name, schema)| (name, identified(name, schema))).collect()
}

/// Returns a generator of the schemas of what is written, not of what can be read.
pub fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

fn of<T: JsonSchema>(integers: Integers) -> Value {
    finished(generator().into_root_schema_for::<T>().to_value(), integers)
}

/// Completes a schema: no unknown properties, and a unit in each description.
pub fn finished(mut schema: Value, integers: Integers) -> Value {
    simplify(&mut schema, integers);
    close(&mut schema, false);
    descriptions::complete(&mut schema, "");
    schema
}

/// Adds the identifier, which ends with the version of the documents, and puts it first with all that names the schema.
fn identified(name: &str, schema: Value) -> Value {
    let id = match schema["properties"]["schema"]["const"].as_str() {
        Some(version) => version.replace(['.', '/'], ":"),
        None => format!("fathom:{name}:1"),
    };
    assert!(id.starts_with(&format!("fathom:{name}:")), "{name}: {id}");
    let Value::Object(mut parts) = schema else { panic!("{name}: {schema}") };
    parts.insert("$id".to_owned(), format!("urn:{id}").into());
    let first = ["$schema", "$id", "title", "description", "type"];
    let head: Vec<_> = first.iter().filter_map(|key| parts.shift_remove_entry(*key)).collect();
    head.into_iter().chain(parts).collect()
}

/// Removes widths of numbers and default values, and makes strings of large numbers valid.
fn simplify(schema: &mut Value, integers: Integers) {
    match schema {
        Value::Object(object) => {
            object.remove("default");
            let format = object.remove("format");
            let is_wide = format
                .as_ref()
                .and_then(Value::as_str)
                .is_some_and(|format| ["uint64", "int64", "uint128", "int128", "uint", "int"].contains(&format));
            if is_wide && integers == Integers::Exact {
                let types = match object.get("type") {
                    Some(Value::Array(types)) => types.clone(),
                    other => other.cloned().into_iter().collect(),
                };
                object.insert("type".to_owned(), types.into_iter().chain([Value::from("string")]).collect());
                object.insert("pattern".to_owned(), "^-?[0-9]+$".into());
            }
            object.values_mut().for_each(|part| simplify(part, integers));
        }
        Value::Array(list) => list.iter_mut().for_each(|part| simplify(part, integers)),
        _ => {}
    }
}

/// Rejects unknown properties. `is_part`: another schema applies to the same object, and does so.
fn close(schema: &mut Value, is_part: bool) {
    let Value::Object(object) = schema else {
        if let Value::Array(list) = schema {
            list.iter_mut().for_each(|part| close(part, is_part));
        }
        return;
    };
    let is_object = object.get("type").is_some_and(|kind| kind == "object");
    let is_combined = object.contains_key("properties")
        && ["oneOf", "anyOf", "allOf", "$ref"].iter().any(|keyword| object.contains_key(*keyword));
    if is_part {
        object.remove("additionalProperties");
    } else if is_combined {
        object.insert("unevaluatedProperties".to_owned(), false.into());
    } else if is_object && !object.contains_key("additionalProperties") {
        object.insert("additionalProperties".to_owned(), false.into());
    }
    for (keyword, part) in object.iter_mut() {
        match keyword.as_str() {
            "oneOf" | "anyOf" | "allOf" => close(part, is_part || is_combined),
            "properties" | "$defs" => each(part, |part| close(part, false)),
            "items" | "prefixItems" | "additionalProperties" => close(part, false),
            _ => {}
        }
    }
}

fn each(parts: &mut Value, change: impl Fn(&mut Value)) {
    parts.as_object_mut().map(Map::values_mut).into_iter().flatten().for_each(change);
}

/// Returns the names of all schemas.
pub fn names() -> Vec<&'static str> {
    all().into_iter().map(|(name, _)| name).collect()
}

/// Returns the file of a schema.
pub fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../data/schemas/{name}.json"))
}

#[test]
fn committed_schemas_are_those_of_the_types() {
    for (name, schema) in all() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCHEMAS").is_some() {
            std::fs::write(file(name), &text).unwrap();
        }
        let committed = std::fs::read_to_string(file(name)).unwrap_or_default();
        assert!(committed == text, "data/schemas/{name}.json is outdated: run this test with UPDATE_SCHEMAS=1");
    }
}
