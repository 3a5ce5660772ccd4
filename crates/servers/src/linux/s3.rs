//! Headers of S3 requests, signed with version 4 of AWS' signatures.
//!
//! <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha2::{Digest, Sha256};
use units::calendar::date_and_time;

use ::io::S3;

/// A request to sign.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) host: &'a str,
    /// Encoded path.
    pub(crate) path: &'a str,
    pub(crate) body: &'a [u8],
    /// Seconds since 1970.
    pub(crate) time_s: u64,
}

/// Returns the headers of a request, with its signature.
pub(crate) fn headers(s3: &S3, request: &Request) -> Vec<(String, String)> {
    let mut headers = vec![
        ("x-amz-content-sha256".to_owned(), hex(&Sha256::digest(request.body))),
        ("x-amz-date".to_owned(), times(request.time_s).1),
        ("x-amz-storage-class".to_owned(), s3.storage_class.clone()),
    ];
    if let Some(token) = &s3.security_token {
        headers.push(("x-amz-security-token".to_owned(), token.0.clone()));
    }
    if let Some(key) = &s3.customer_key {
        // A key has 32 bytes.
        let mut bytes = [0; 32];
        for (byte, given) in bytes.iter_mut().zip(key.0.bytes()) {
            *byte = given;
        }
        let prefix = "x-amz-server-side-encryption-customer";
        headers.push((format!("{prefix}-algorithm"), s3.customer_algorithm.clone()));
        headers.push((format!("{prefix}-key"), STANDARD.encode(bytes)));
        headers.push((format!("{prefix}-key-md5"), STANDARD.encode(Md5::digest(bytes))));
    }
    headers.sort();
    let authorization = authorization(s3, request, &headers);
    headers.push(("Authorization".to_owned(), authorization));
    headers
}

/// Returns the `Authorization` of a request with these headers, which are sorted by name.
fn authorization(s3: &S3, request: &Request, headers: &[(String, String)]) -> String {
    let (day, time) = times(request.time_s);
    let mut signed = vec![("host".to_owned(), request.host.to_owned())];
    signed.extend_from_slice(headers);
    let names = signed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(";");
    let lines: String = signed.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
    let body = hex(&Sha256::digest(request.body));
    let canonical = format!("{}\n{}\n\n{lines}\n{names}\n{body}", request.method, request.path);
    let scope = format!("{day}/{}/s3/aws4_request", s3.region);
    let to_sign = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
    let mut key = hmac(format!("AWS4{}", s3.key.0).as_bytes(), &day);
    for part in [&s3.region, "s3", "aws4_request"] {
        key = hmac(&key, part);
    }
    let signature = hex(&hmac(&key, &to_sign));
    format!("AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={signature}", s3.key_id)
}

/// Returns the day and the time, as signatures have them.
fn times(time_s: u64) -> (String, String) {
    let time = date_and_time(time_s).replace(['-', ':'], "") + "Z";
    (time[..8].to_owned(), time)
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    // A key of any length is valid.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// Returns bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a path with each byte encoded that is not allowed in a path.
pub(crate) fn encode_path(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'~' | b'.' | b'/' => encoded.push(byte as char),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::io::Secret;

    /// The example "GET Object" of AWS' documentation.
    #[test]
    fn the_signature_is_that_of_the_documentation() {
        let s3 = S3 {
            key: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned()),
            key_id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            region: "us-east-1".to_owned(),
            ..S3::default()
        };
        let host = "examplebucket.s3.amazonaws.com";
        let request = Request { method: "GET", host, path: "/test.txt", body: b"", time_s: 1_369_353_600 };
        let headers = [
            ("range", "bytes=0-9"),
            ("x-amz-content-sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("x-amz-date", "20130524T000000Z"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let signature = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
        assert!(authorization(&s3, &request, &headers).ends_with(&format!("Signature={signature}")));
    }

    #[test]
    fn keys_for_encryption_have_32_bytes_and_paths_are_encoded() {
        let s3 =
            S3 { customer_key: Some(Secret("k".to_owned())), customer_algorithm: "AES256".to_owned(), ..S3::default() };
        let request = Request { method: "PUT", host: "h", path: "/b/o", body: b"data", time_s: 0 };
        let headers = headers(&s3, &request);
        let key = headers.iter().find(|(name, _)| name.ends_with("customer-key")).map(|(_, value)| value.as_str());
        assert_eq!(key, Some("awAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="));
        assert_eq!(encode_path("/a b/ö_0-1.~"), "/a%20b/%C3%B6_0-1.~");
    }
}
