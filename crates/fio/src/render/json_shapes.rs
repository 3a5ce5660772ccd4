//! The shapes of fio's JSON: objects, numbers, strings, and lists of objects with a name. Programs that read the report
//! with a general algorithm, such as one that makes a path of keys for each value, know no others.

use serde_json::{Map, Value};

/// The key that names an object of a list.
const NAME: &str = "name";

/// Returns a value of fathom in the shapes of fio: fields without a value are omitted, truth values are 1 or 0, and
/// items of lists are objects with a name.
pub(super) fn shaped(value: Value) -> Value {
    match value {
        Value::Bool(is_true) => u8::from(is_true).into(),
        Value::Object(fields) => {
            let present = fields.into_iter().filter(|(_, value)| !value.is_null());
            present.map(|(key, value)| (key, shaped(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => {
            let present = items.into_iter().filter(|item| !item.is_null());
            present.enumerate().map(|(index, item)| named(index, item)).collect()
        }
        Value::Null | Value::Number(_) | Value::String(_) => value,
    }
}

/// Returns the item of a list as an object with a name. The name of an object without one is its position, from 1.
fn named(index: usize, item: Value) -> Value {
    let mut object = Map::new();
    let position = || Value::from((index + 1).to_string());
    match item {
        Value::String(_) => {
            object.insert(NAME.into(), item);
        }
        Value::Object(fields) => {
            if !fields.get(NAME).is_some_and(Value::is_string) {
                object.insert(NAME.into(), position());
            }
            if let Value::Object(fields) = shaped(fields.into()) {
                object.extend(fields);
            }
        }
        _ => {
            object.insert(NAME.into(), position());
            object.insert("value".into(), shaped(item));
        }
    }
    object.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_have_objects_with_names_only() {
        assert_eq!(shaped(json!(["sda", "sdb"])), json!([{ "name": "sda" }, { "name": "sdb" }]));
        assert_eq!(
            shaped(json!([{ "rate": 1.5 }, { "name": "b", "rate": 2 }])),
            json!([{ "name": "1", "rate": 1.5 }, { "name": "b", "rate": 2 }])
        );
        assert_eq!(
            shaped(json!([7, null, [8]])),
            json!([
                { "name": "1", "value": 7 },
                { "name": "2", "value": [{ "name": "1", "value": 8 }] },
            ])
        );
    }

    #[test]
    fn there_are_no_nulls_and_truth_values() {
        assert_eq!(
            shaped(json!({ "a": null, "b": true, "c": { "d": false, "e": null }, "f": "text" })),
            json!({ "b": 1, "c": { "d": 0 }, "f": "text" })
        );
    }
}
