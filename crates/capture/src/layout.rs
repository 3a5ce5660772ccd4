//! Places of fields in a page and in events, from the texts that tracefs has of them (`header_page`, `format`).

use std::collections::HashMap;

/// Place of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    pub offset: usize,
    pub size: usize,
}

impl Field {
    /// Returns the bytes of the field; `None` if the data ends before.
    pub fn bytes<'a>(&self, data: &'a [u8]) -> Option<&'a [u8]> {
        data.get(self.offset..self.offset.checked_add(self.size)?)
    }

    /// Returns the field as a number; `None` if it has more than 8 bytes, or the data ends before.
    pub fn number(&self, data: &[u8]) -> Option<u64> {
        let bytes = self.bytes(data)?;
        let mut wide = [0; 8];
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(wide))
    }
}

/// An event as its `format` describes it.
pub struct Described<'a> {
    pub name: &'a str,
    pub number: u64,
    pub fields: HashMap<&'a str, Field>,
}

/// Splits the text into `header_page`, which has no name, and the descriptions of events. Each begins with its name.
pub fn split(text: &str) -> (HashMap<&str, Field>, Vec<Described<'_>>) {
    let (mut page, mut events) = (HashMap::new(), Vec::<Described>::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("name: ") {
            events.push(Described { name: name.trim(), number: 0, fields: HashMap::new() });
        } else if let Some(number) = line.strip_prefix("ID: ") {
            events.last_mut().into_iter().for_each(|event| event.number = number.trim().parse().unwrap_or(0));
        } else if let Some((name, field)) = field(line) {
            events.last_mut().map_or(&mut page, |event| &mut event.fields).insert(name, field);
        }
    }
    (page, events)
}

/// Parses a line such as `field:char rwbs[10]; offset:28; size:10; signed:0;`.
fn field(line: &str) -> Option<(&str, Field)> {
    let mut parts = line.trim().split(';').map(str::trim);
    let declared = parts.next()?.strip_prefix("field:")?;
    let name = declared.rsplit(' ').next()?.split('[').next()?;
    let mut number = |key: &str| parts.next()?.strip_prefix(key)?.parse().ok();
    Some((name, Field { offset: number("offset:")?, size: number("size:")? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_their_places() {
        let line = "\tfield:char rwbs[10];\toffset:28;\tsize:10;\tsigned:0;";
        assert_eq!(field(line), Some(("rwbs", Field { offset: 28, size: 10 })));
        let cmd = "\tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;";
        assert_eq!(field(cmd), Some(("cmd", Field { offset: 60, size: 4 })));
        assert_eq!(field("print fmt: \"%d\", REC->dev"), None);
        assert_eq!(field("\tfield:int a;\tsize:4;\toffset:0;"), None);
    }

    #[test]
    fn numbers_are_little_endian_and_within_the_data() {
        let data = [1, 2, 3, 4];
        assert_eq!(Field { offset: 1, size: 2 }.number(&data), Some(0x0302));
        assert_eq!(Field { offset: 3, size: 2 }.number(&data), None);
        assert_eq!(Field { offset: usize::MAX, size: 2 }.number(&data), None);
        assert_eq!(Field { offset: 0, size: 9 }.number(&[0; 16]), None);
    }
}
