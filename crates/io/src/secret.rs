//! Passwords and keys.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// A password or key. Saved plans do not contain it.
#[derive(Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
pub struct Secret(pub String);

/// Text in place of a secret.
pub const MASK: &str = "***";

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(MASK)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::S3;

    #[test]
    fn the_text_of_a_secret_does_not_contain_it() {
        let s3 =
            S3 { key: Secret("key".to_owned()), security_token: Some(Secret("token".to_owned())), ..S3::default() };
        let text = format!("{s3:?}");
        assert!(text.contains("key: ***") && text.contains("security_token: Some(***)"), "{text}");
    }
}
