//! Checks JSON documents against the schemas in `data/schemas`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

/// Validators by the name of their schema. A schema is read once.
static VALIDATORS: Mutex<BTreeMap<String, Validator>> = Mutex::new(BTreeMap::new());

/// Returns the name of the schema of a document: that in its field `schema`, or by its keys.
///
/// # Panics
///
/// Panics if no schema fits.
pub fn schema_of(document: &Value) -> &str {
    if document.is_array() {
        return "history";
    }
    if document.get("fio version").is_some() {
        return "fio";
    }
    let schema = document["schema"].as_str().unwrap_or_else(|| panic!("no schema fits {document:#}"));
    schema.strip_prefix("fathom.").and_then(|name| name.split('/').next()).unwrap_or(schema)
}

/// Returns what is wrong with a document, one line per error.
pub fn schema_errors(name: &str, document: &Value) -> String {
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = validators.entry(name.to_owned()).or_insert_with(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../data/schemas/{name}.json"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
    });
    let line = |error: jsonschema::ValidationError| format!("{}: {error}\n", error.instance_path());
    validator.iter_errors(document).map(line).collect()
}

/// Checks each JSON document of an output. Other text stays unchecked: it is another report, or incomplete.
///
/// # Panics
///
/// Panics if a document does not fit its schema.
pub fn check_output(output: &str) {
    if !output.starts_with(['{', '[']) {
        return;
    }
    let documents = serde_json::Deserializer::from_str(output).into_iter::<Value>().map_while(Result::ok);
    documents.for_each(|document| check(&document));
}

fn check(document: &Value) {
    if document.get("$schema").is_some() {
        return;
    }
    // `fathom export` prints several documents as a list.
    let is_list_of_documents = |list: &&Vec<Value>| list.iter().any(|item| item.get("schema").is_some());
    if let Some(list) = document.as_array().filter(is_list_of_documents) {
        return list.iter().for_each(check);
    }
    let name = schema_of(document);
    let errors = schema_errors(name, document);
    assert!(errors.is_empty(), "the output does not fit data/schemas/{name}.json:\n{errors}");
}
