//! Descriptions of properties: the documentation of their field, and the unit that is part of their name.

use serde_json::Value;

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

/// Adds units to the descriptions of the properties of a schema and of its parts.
pub fn complete(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            for (name, property) in object.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
                if let Value::Object(property) = property {
                    let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
                    let text = described(name, text);
                    if !text.is_empty() {
                        property.insert("description".to_owned(), text.into());
                    }
                }
            }
            object.values_mut().for_each(complete);
        }
        Value::Array(list) => list.iter_mut().for_each(complete),
        _ => {}
    }
}

fn described(name: &str, text: &str) -> String {
    // Links of Rust's documentation.
    let text = text.replace("[`", "`").replace("`]", "`").replace('\n', " ");
    let name = format!("_{name}");
    match UNITS.iter().find(|(end, ..)| name.ends_with(end)) {
        Some((_, unit, _)) if text.is_empty() => (*unit).to_owned(),
        Some((_, unit, sign)) if !text.contains(sign) => format!("{text} {unit}"),
        _ => text,
    }
}
