//! Seeds of saved documents: samples with short lists. A fuzzer tries a short input more often.

use serde_json::Value;

use super::files;

/// Elements that stay in each list.
const ELEMENTS: [usize; 2] = [1, 3];

/// Returns saved records of all versions.
pub fn records() -> Vec<Vec<u8>> {
    shortened(&files("corpus/records", &["json"]), |text| record::schema::read(text).is_ok())
}

/// Returns saved assessments of all versions.
pub fn assessments() -> Vec<Vec<u8>> {
    shortened(&files("corpus/assessments", &["json"]), |text| assessment::read(text).is_ok())
}

/// Returns all saved documents.
pub fn documents() -> Vec<Vec<u8>> {
    records().into_iter().chain(assessments()).collect()
}

/// Shortens the lists of each sample.
fn shortened(samples: &[Vec<u8>], is_valid: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for sample in samples {
        let Ok(document) = serde_json::from_slice::<Value>(sample) else { continue };
        for elements in ELEMENTS {
            let mut short = document.clone();
            cut_lists(&mut short, elements, &|text| is_valid(text.to_string().as_bytes()));
            seeds.push(short.to_string().into_bytes());
        }
    }
    seeds.sort();
    seeds.dedup();
    seeds
}

/// Cuts the lists of a document, all those of one name at once, where the result is valid.
fn cut_lists(document: &mut Value, elements: usize, is_valid: &dyn Fn(&Value) -> bool) {
    let mut names = Vec::new();
    names_of_lists(document, "", &mut names);
    for name in names {
        let mut short = document.clone();
        cut_named(&mut short, "", &name, elements);
        if short != *document && is_valid(&short) {
            *document = short;
        }
    }
}

/// Collects the names of all lists, the outer ones first. A list in a list has the name of the outer one.
fn names_of_lists(value: &Value, name: &str, names: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
            list.iter().for_each(|value| names_of_lists(value, name, names));
        }
        Value::Object(members) => members.iter().for_each(|(name, value)| names_of_lists(value, name, names)),
        _ => {}
    }
}

fn cut_named(value: &mut Value, name: &str, wanted: &str, elements: usize) {
    match value {
        Value::Array(list) => {
            if name == wanted {
                list.truncate(elements);
            }
            list.iter_mut().for_each(|value| cut_named(value, name, wanted, elements));
        }
        Value::Object(members) => {
            members.iter_mut().for_each(|(name, value)| cut_named(value, name, wanted, elements));
        }
        _ => {}
    }
}
