//! Schemas of fathom's values in fio's JSON. They have the shapes of fio's values: no nulls, no truth values, and lists of
//! objects with a name.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Where the types of a schema are.
const TYPES: &str = "#/$defs/";
/// The type of a named item begins with it.
const NAMED: &str = "Named";

/// Changes a schema and the types that it uses.
pub fn shape(schema: &mut Value, definitions: &mut Map<String, Value>) {
    let mut items = BTreeSet::new();
    change(schema, &mut items);
    definitions.values_mut().for_each(|definition| change(definition, &mut items));
    for item in items {
        let mut definition = definitions[&item].clone();
        if definition["type"] == "object" {
            add_name(&mut definition);
        }
        definitions.insert(format!("{NAMED}{item}"), definition);
        if !has_reference(schema, &item) && !definitions.values().any(|definition| has_reference(definition, &item)) {
            definitions.shift_remove(&item);
        }
    }
}

/// Returns whether a schema uses a type.
fn has_reference(schema: &Value, name: &str) -> bool {
    match schema {
        Value::Array(parts) => parts.iter().any(|part| has_reference(part, name)),
        Value::Object(parts) => {
            parts.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix(TYPES)) == Some(name)
                || parts.values().any(|part| has_reference(part, name))
        }
        _ => false,
    }
}

/// Changes a schema. Adds the types of items of lists to `items`.
fn change(schema: &mut Value, items: &mut BTreeSet<String>) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(|part| change(part, items)),
        Value::Object(_) => {
            omit_nulls(schema);
            if schema["type"] == "boolean" {
                schema["type"] = "integer".into();
                schema["minimum"] = 0.into();
                schema["maximum"] = 1.into();
            }
            if schema["type"] == "array" {
                name_items(&mut schema["items"], items);
            }
            let Value::Object(schema) = schema else { return };
            schema.values_mut().for_each(|part| change(part, items));
        }
        _ => {}
    }
}

/// Makes properties optional that can be null.
fn omit_nulls(schema: &mut Value) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    let nullable: Vec<String> =
        properties.filter_map(|(name, property)| omit_null(property).then(|| name.clone())).collect();
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !nullable.iter().any(|nullable| name == nullable));
    }
}

/// Removes null from the types of a property. Returns whether it was there.
fn omit_null(property: &mut Value) -> bool {
    if let Some(types) = property.get_mut("type").and_then(Value::as_array_mut) {
        let before = types.len();
        types.retain(|one| one != "null");
        let has_null = types.len() < before;
        if let [only] = &types[..] {
            property["type"] = only.clone();
        }
        return has_null;
    }
    let Some(Value::Array(choices)) = property.get_mut("anyOf") else { return false };
    let Some(null) = choices.iter().position(|choice| choice["type"] == "null") else { return false };
    choices.remove(null);
    if let [Value::Object(only)] = &choices[..] {
        let only = only.clone();
        if let Some(property) = property.as_object_mut() {
            property.remove("anyOf");
            property.extend(only);
        }
    }
    true
}

fn name_items(item: &mut Value, items: &mut BTreeSet<String>) {
    if let Some(name) = item["$ref"].as_str().and_then(|path| path.strip_prefix(TYPES)) {
        items.insert(name.to_owned());
        *item = json!({ "$ref": format!("{TYPES}{NAMED}{name}") });
    } else if item["type"] == "string" {
        *item = json!({ "type": "object", "properties": {}, "required": [] });
        add_name(item);
    } else {
        let value = std::mem::take(item);
        *item = json!({ "type": "object", "properties": { "value": value }, "required": ["value"] });
        add_name(item);
    }
}

fn add_name(object: &mut Value) {
    let description = "Distinguishes the item from others of the list.";
    object["properties"]["name"] = json!({ "type": "string", "description": description });
    if let Value::Array(required) = &mut object["required"] {
        required.push("name".into());
    } else {
        object["required"] = json!(["name"]);
    }
}
