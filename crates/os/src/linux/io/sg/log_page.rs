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
const OF_HEALTH: [u8; 6] =
    [WRITE_ERRORS, READ_ERRORS, VERIFY_ERRORS, TEMPERATURE, SOLID_STATE_MEDIA, INFORMATIONAL_EXCEPTIONS];
const OF_ERRORS: [u8; 3] = [WRITE_ERRORS, READ_ERRORS, VERIFY_ERRORS];
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

/// Returns the health by the pages that a disk supports. `read` returns the data of a page.
pub(super) fn health(supported: &[u8], mut read: impl FnMut(u8) -> Option<Vec<u8>>) -> ScsiHealth {
    let mut health = ScsiHealth::default();
    let mut has_all_errors = true;
    for page in OF_HEALTH.into_iter().filter(|page| supported.contains(page)) {
        match read(page).as_deref().and_then(|data| content(page, data)) {
            Some(content) => add(page, content, &mut health),
            None => has_all_errors &= !OF_ERRORS.contains(&page),
        }
    }
    // The sum of some pages cannot be compared with the sum of all.
    health.uncorrectable_errors = health.uncorrectable_errors.filter(|_| has_all_errors);
    health
}

/// Adds the facts of the content of a page.
fn add(page: u8, content: &[u8], health: &mut ScsiHealth) {
    let first = parameter(content, 0).unwrap_or_default();
    match page {
        TEMPERATURE => health.temperature_c = celsius(first.get(1)).or(health.temperature_c),
        INFORMATIONAL_EXCEPTIONS => {
            health.predicts_failure = first.first().map(|code| *code == FAILURE_PREDICTED);
            // 0 is no temperature here.
            health.temperature_c =
                health.temperature_c.or_else(|| celsius(first.get(2).filter(|degrees| **degrees != 0)));
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
    value.copied().filter(|degrees| *degrees != NO_TEMPERATURE).map(i32::from)
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
    fn of_pages(pages: &[&[u8]]) -> ScsiHealth {
        let supported: Vec<u8> = pages.iter().map(|page| page[0]).collect();
        health(&supported, |code| Some(pages.iter().find(|page| page[0] == code)?.to_vec()))
    }

    #[test]
    fn pages_of_a_disk_have_its_health() {
        let found = of_pages(&[
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
            of_pages(&[&[0x0d, 0, 0, 6, 0, 0, 3, 2, 0, 0xff], &[2, 0, 0, 0], &[0x11, 0, 0, 0]]),
            ScsiHealth::default()
        );
        let exceptions = |degrees| of_pages(&[&[0x2f, 0, 0, 8, 0, 0, 3, 4, 0, 0, degrees, 0]]);
        assert_eq!((exceptions(41).predicts_failure, exceptions(41).temperature_c), (Some(false), Some(41)));
        assert_eq!(exceptions(0).temperature_c, None);
        assert_eq!(of_pages(&[&[0x0d, 0, 0, 6, 0, 0, 3, 2, 0, 0]]).temperature_c, Some(0));
    }

    #[test]
    fn errors_are_the_sum_of_all_supported_pages() {
        let errors = |supported: &[u8]| {
            let read = |page| (page != READ_ERRORS).then(|| vec![page, 0, 0, 5, 0, 6, 2, 1, 3]);
            health(supported, read).uncorrectable_errors
        };
        assert_eq!(errors(&[WRITE_ERRORS, VERIFY_ERRORS]), Some(6));
        assert_eq!(errors(&[WRITE_ERRORS, READ_ERRORS, VERIFY_ERRORS]), None);
    }

    #[test]
    fn pages_that_are_cut_or_others_are_no_facts() {
        assert_eq!(content(0x0d, &[0x0d, 0, 0]), None);
        assert_eq!(content(0x0d, &[0x2f, 0, 0, 0]), None);
        assert_eq!(content(0, &[0, 0, 0, 9, 1, 2]), Some(&[1, 2][..]));
        assert_eq!(parameter(&[0, 0, 3, 8, 1], 0), None);
    }
}
