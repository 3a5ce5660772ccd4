//! Log pages of SCSI disks (SPC-5, 7.3; SBC-4, 6.4).

use ::io::ScsiHealth;

pub(super) const SUPPORTED: u8 = 0x00;
const WRITE_ERRORS: u8 = 0x02;
const READ_ERRORS: u8 = 0x03;
const VERIFY_ERRORS: u8 = 0x05;
const TEMPERATURE: u8 = 0x0d;
const SOLID_STATE_MEDIA: u8 = 0x11;
const INFORMATIONAL_EXCEPTIONS: u8 = 0x2f;
/// The pages that have facts about the health of a disk.
pub(super) const OF_HEALTH: [u8; 6] =
    [WRITE_ERRORS, READ_ERRORS, VERIFY_ERRORS, TEMPERATURE, SOLID_STATE_MEDIA, INFORMATIONAL_EXCEPTIONS];
/// Parameters of the error counter pages.
const BYTES_PROCESSED: u16 = 5;
const UNCORRECTED_ERRORS: u16 = 6;
/// Additional sense code: failure prediction threshold exceeded.
const FAILURE_PREDICTED: u8 = 0x5d;
/// Temperature of a disk without a sensor.
const NO_TEMPERATURE: u8 = 0xff;
const HEADER_BYTES: usize = 4;

/// Returns the content of a page; `None` if it is another page.
pub(super) fn content(page: u8, data: &[u8]) -> Option<&[u8]> {
    let length = usize::from(u16::from_be_bytes([*data.get(2)?, *data.get(3)?]));
    let rest = &data[HEADER_BYTES..];
    (data[0] & 0x3f == page).then(|| &rest[..length.min(rest.len())])
}

/// Adds the facts of the content of a page.
pub(super) fn add(page: u8, content: &[u8], health: &mut ScsiHealth) {
    let first = parameter(content, 0).unwrap_or_default();
    match page {
        TEMPERATURE => health.temperature_c = celsius(first.get(1)).or(health.temperature_c),
        INFORMATIONAL_EXCEPTIONS => {
            health.predicts_failure = first.first().map(|code| *code == FAILURE_PREDICTED);
            health.temperature_c = health.temperature_c.or_else(|| celsius(first.get(2)));
        }
        SOLID_STATE_MEDIA => health.used_percent = parameter(content, 1).and_then(|value| value.get(3).copied()),
        _ => {
            let errors = parameter(content, UNCORRECTED_ERRORS).and_then(number);
            let all = [health.uncorrectable_errors, errors];
            health.uncorrectable_errors = all.into_iter().flatten().reduce(u64::saturating_add);
            let bytes = parameter(content, BYTES_PROCESSED).and_then(number);
            match page {
                WRITE_ERRORS => health.written_bytes = bytes,
                READ_ERRORS => health.read_bytes = bytes,
                _ => {}
            }
        }
    }
}

fn celsius(value: Option<&u8>) -> Option<i32> {
    // In informational exceptions, 0 is no temperature.
    value.copied().filter(|degrees| !matches!(*degrees, 0 | NO_TEMPERATURE)).map(i32::from)
}

/// Returns the value of a parameter.
fn parameter(mut content: &[u8], code: u16) -> Option<&[u8]> {
    while let [high, low, _, length, rest @ ..] = content {
        let (value, next) = rest.split_at_checked(usize::from(*length))?;
        if u16::from_be_bytes([*high, *low]) == code {
            return Some(value);
        }
        content = next;
    }
    None
}

fn number(value: &[u8]) -> Option<u64> {
    let fits = !value.is_empty() && value.len() <= size_of::<u64>();
    fits.then(|| value.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the health by pages with a header of four bytes.
    fn health(pages: &[&[u8]]) -> ScsiHealth {
        let mut health = ScsiHealth::default();
        for page in pages {
            let code = page[0] & 0x3f;
            add(code, content(code, page).unwrap(), &mut health);
        }
        health
    }

    #[test]
    fn pages_of_a_disk_have_its_health() {
        let found = health(&[
            &[2, 0, 0, 20, 0, 5, 2, 8, 0, 0, 1, 0, 0, 0, 0, 0, 0, 6, 2, 4, 0, 0, 0, 3],
            &[3, 0, 0, 11, 0, 6, 2, 1, 2, 0, 5, 2, 2, 0x10, 0],
            &[5, 0, 0, 0],
            &[0x0d, 0, 0, 12, 0, 0, 3, 2, 0, 38, 0, 1, 3, 2, 0, 65],
            &[0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0, 0, 17],
            &[0x2f, 0, 0, 8, 0, 0, 3, 4, 0x5d, 0x10, 41, 0],
        ]);
        let expected = ScsiHealth {
            predicts_failure: Some(true),
            temperature_c: Some(38),
            used_percent: Some(17),
            read_bytes: Some(0x1000),
            written_bytes: Some(1 << 40),
            uncorrectable_errors: Some(5),
            ..ScsiHealth::default()
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn values_that_a_disk_does_not_know_are_missing() {
        assert_eq!(
            health(&[&[0x0d, 0, 0, 6, 0, 0, 3, 2, 0, 0xff], &[2, 0, 0, 0], &[0x11, 0, 0, 0]]),
            ScsiHealth::default()
        );
        let exceptions = health(&[&[0x2f, 0, 0, 8, 0, 0, 3, 4, 0, 0, 41, 0]]);
        assert_eq!((exceptions.predicts_failure, exceptions.temperature_c), (Some(false), Some(41)));
    }

    #[test]
    fn pages_that_are_cut_or_others_are_no_facts() {
        assert_eq!(content(0x0d, &[0x0d, 0, 0]), None);
        assert_eq!(content(0x0d, &[0x2f, 0, 0, 0]), None);
        assert_eq!(content(0, &[0, 0, 0, 9, 1, 2]), Some(&[1, 2][..]));
        assert_eq!(parameter(&[0, 0, 3, 8, 1], 0), None);
    }
}
