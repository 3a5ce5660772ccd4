//! How much at once and how fast: `-o -O -oc -g -w -u`.

use units::diagnostic::Diagnostic;

use super::settings::Settings;
use super::words::Switch;
use crate::profile::{IoRing, RingBatch, Throughput};
use crate::validate::REQUESTS_MAX;

/// Of the outstanding I/Os, where `-u` doesn't say.
const RING_PERCENT: u32 = 25;

impl Settings<'_> {
    pub fn depth(&mut self, switch: &Switch) -> Result<u32, Diagnostic> {
        let depth = self.positive(switch, "I/Os")?;
        if depth > REQUESTS_MAX {
            let message = format!("-{} takes at most {REQUESTS_MAX}", switch.letter);
            return Err(switch.error_from(0, message, "too large"));
        }
        Ok(depth)
    }

    pub fn completion_depth(&mut self, switch: &Switch) -> Result<u32, Diagnostic> {
        let depth = self.count(switch, 1)?;
        let depth = u32::try_from(depth).ok().filter(|depth| (1..=16).contains(depth));
        depth.ok_or_else(|| switch.error_from(1, "-oc takes 1 to 16", "expected a number from 1 to 16"))
    }

    pub fn rate(&mut self, switch: &Switch) -> Result<Throughput, Diagnostic> {
        if !switch.value.is_empty() && !switch.value.ends_with(|last: char| last.is_ascii_digit() || last == 'i') {
            let error = switch.error_from(0, "-g takes bytes a millisecond, or I/Os a second with an i", "neither");
            return Err(error.help("write -g1000 or -g1000i"));
        }
        // The i is no rest that is ignored.
        let iops = switch.value.strip_suffix('i');
        let digits = Switch {
            letter: switch.letter,
            value: iops.unwrap_or(switch.value),
            word: switch.word,
            span: switch.span.clone(),
            next: switch.next,
        };
        let rate = self.positive(&digits, "bytes a millisecond, or I/Os a second with an i")?;
        Ok(if iops.is_some() { Throughput::Iops(rate) } else { Throughput::BytesPerMs(rate) })
    }

    pub fn write_ratio(&mut self, switch: &Switch) -> Result<u32, Diagnostic> {
        if !switch.value.bytes().any(|byte| byte.is_ascii_digit()) {
            return Err(switch.missing("per cent of writes"));
        }
        let percent = self.count(switch, 0)?;
        let percent = u32::try_from(percent).ok().filter(|percent| *percent <= 100);
        percent.ok_or_else(|| switch.error_from(0, "-w takes per cent", "expected 0 to 100"))
    }
}

/// `-u[n][batch][p]`.
pub fn ring(switch: &Switch) -> Result<IoRing, Diagnostic> {
    let rest = switch.value.strip_prefix('n');
    let start = usize::from(rest.is_some());
    let batch = rest.unwrap_or(switch.value);
    let number = batch.strip_suffix('p');
    let digits = number.unwrap_or(batch);
    let error = |label: &str| {
        let error = switch.error_from(start, "-u with a batch that can't be read", label);
        Err(error.help("write -u, -u8 for batches of 8, or -u50p for batches of 50% of the outstanding I/Os"))
    };
    let batch = match (number, digits.parse::<u32>()) {
        (None, _) if digits.is_empty() => RingBatch::Percent(RING_PERCENT),
        _ if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            return error("expected a number here");
        }
        (Some(_), Ok(percent @ 1..=100)) => RingBatch::Percent(percent),
        (None, Ok(count @ 1..=REQUESTS_MAX)) => RingBatch::Count(count),
        (Some(_), _) => return error("expected 1 to 100 per cent"),
        (None, _) => return error("expected 1 to 65536 I/Os"),
    };
    Ok(IoRing { registered_buffers: start == 0, batch })
}
