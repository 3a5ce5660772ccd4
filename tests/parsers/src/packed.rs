//! Several inputs in one file: each one is its length in decimal digits, a line end, its bytes, and a line end.

/// Packs inputs.
pub fn pack(inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut packed = Vec::new();
    for input in inputs {
        packed.extend_from_slice(format!("{}\n", input.len()).as_bytes());
        packed.extend_from_slice(input);
        packed.push(b'\n');
    }
    packed
}

/// Unpacks what [`pack`] returned; `None` if the bytes are something else.
pub fn unpack(mut packed: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut inputs = Vec::new();
    while !packed.is_empty() {
        let end = packed.iter().position(|byte| *byte == b'\n')?;
        let length: usize = std::str::from_utf8(&packed[..end]).ok()?.parse().ok()?;
        let rest = &packed[end + 1..];
        inputs.push(rest.get(..length)?.to_vec());
        packed = rest.get(length + 1..)?;
    }
    Some(inputs)
}
