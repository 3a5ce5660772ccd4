//! Enums that are saved as the variant's name and its data: `{"kind": "level", "data": {"is_throttled": true}}`.
//!
//! serde's derived code contains a reader for each order of the two fields. Here one reader takes the fields from a
//! [`serde_json::Map`] in any order. Of a field that occurs twice, the last one counts. The position of an error is the end of
//! the object.

use record::schema::Exact;
use serde::de::value::SeqDeserializer;
use serde::de::{Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

/// Implements `Serialize` and `Deserialize` for enums with `#[serde(remote = "Self", tag = "...", content = "...")]`.
macro_rules! tagged {
    ($($name:ident)*) => {$(
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $name::serialize(self, serializer)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let saved = ::serde_json::Map::deserialize(deserializer)?;
                $name::deserialize($crate::tagged::Tagged(saved)).map_err(::serde::de::Error::custom)
            }
        }
    )*};
}
pub(crate) use tagged;

/// Reads an enum from its saved form.
pub struct Tagged(pub Map<String, Value>);

impl<'de> Deserializer<'de> for Tagged {
    type Error = serde_json::Error;

    /// `fields` holds the field of the name, then the field of the data.
    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        if let Some(name) = fields.first().filter(|name| !self.0.contains_key(**name)) {
            return Err(Self::Error::missing_field(name));
        }
        let parts = fields.iter().map(|field| self.0.remove(*field).unwrap_or_default());
        visitor.visit_seq(Exact(SeqDeserializer::new(parts)))
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        Value::Object(self.0).deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use crate::{Cause, Failure, Finding, FindingKind, SteadyState};

    #[test]
    fn the_name_may_follow_the_data() {
        let text = r#"{"data": {"first": "18446744073709551615", "change_share": 0.5}, "kind": "drifts"}"#;
        let read: SteadyState = record::schema::read_document(text.as_bytes()).expect("a state");
        assert_eq!(read, SteadyState::Drifts { first: u64::MAX, change_share: 0.5 });

        let text = r#"{"evidence": {"unwritten_bytes": "9007199254740993", "size_bytes": null}, "kind": "unwritten",
            "severity": "info", "subject": "run"}"#;
        let read: Finding = record::schema::read_document(text.as_bytes()).expect("a finding");
        assert_eq!(read.kind, FindingKind::Unwritten { unwritten_bytes: (1 << 53) + 1, size_bytes: None });
    }

    #[test]
    fn what_is_saved_is_read() {
        let failures = [
            Failure::Stopped,
            Failure::Fill(Box::new(Failure::NoIo)),
            Failure::Refused { messages: vec!["bs=0".to_owned()] },
        ];
        for failure in failures {
            let text = serde_json::to_string(&failure).expect("text");
            assert_eq!(serde_json::from_str::<Failure>(&text).expect("a failure"), failure, "{text}");
        }
    }

    #[test]
    fn errors_name_the_place_and_what_is_wrong() {
        let error =
            |text: &str| record::schema::read_document::<Vec<Failure>>(text.as_bytes()).unwrap_err().to_string();
        assert!(error("[\n {\"kind\": \"lost\"}]").contains("unknown variant `lost`, expected one of `stopped`"));
        assert!(error("[{\"kind\": \"refused\"}]").contains("invalid type: null"));
        assert!(error("[{\"data\": 1}]").contains("missing field `kind`"));
        assert_eq!(error("[\n 3]"), "2:2: invalid type: integer `3`, expected a map");
        let finding = |text: &str| record::schema::read_document::<Finding>(text.as_bytes()).unwrap_err().to_string();
        assert!(finding("{\"kind\": \"in-memory\", \"severity\": \"info\"}").contains("missing field `subject`"));
    }

    #[test]
    fn other_fields_are_ignored_and_large_integers_are_exact_at_any_depth() {
        let text = r#"{"new": 1, "kind": "test", "data": {"name": "a", "others": 0, "tests": 1, "cause":
            {"data": {"kind": "unwritten", "evidence": {"unwritten_bytes": "9007199254740993", "size_bytes": null},
            "subject": "run", "severity": "info"}, "kind": "finding"}}}"#;
        let read: Cause = record::schema::read_document(text.as_bytes()).expect("a cause");
        let Cause::Test { cause, .. } = &read else { panic!("{read:?}") };
        let Cause::Finding(finding) = &**cause else { panic!("{read:?}") };
        assert_eq!(finding.kind, FindingKind::Unwritten { unwritten_bytes: (1 << 53) + 1, size_bytes: None });
    }
}
