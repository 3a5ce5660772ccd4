//! Load: `-o -O -oc -g -w -u`.

use units::diagnostic::Diagnostic;

use super::arguments::Switch;
use super::settings::Settings;
use crate::profile::{IoRing, RingBatch, Throughput};
use crate::validate::REQUESTS_MAX;

/// Default batch size of `-u`, in percent of the outstanding I/Os.
const RING_PERCENT: u32 = 25;

impl Settings<'_> {
    pub fn depth(&mut self, switch: &Switch) -> Result<u32, Diagnostic> {
        let depth = self.positive(switch, "I/Os")?;
        if depth > REQUESTS_MAX {
            let message = format!("-{} must be at most {REQUESTS_MAX}", switch.letter);
            return Err(switch.error_from(0, message, "too large"));
        }
        Ok(depth)
    }

    pub fn completion_depth(&mut self, switch: &Switch) -> Result<u32, Diagnostic> {
        let depth = self.count(switch, 1)?;
        let depth = u32::try_from(depth).ok().filter(|depth| (1..=16).contains(depth));
        depth.ok_or_else(|| switch.error_from(1, "-oc must be from 1 to 16", "expected a number from 1 to 16"))
    }

    pub fn rate(&mut self, switch: &Switch) -> Result<Throughput, Diagnostic> {
        if !switch.value.is_empty() && !switch.value.ends_with(|last: char| last.is_ascii_digit() || last == 'i') {
            let error = switch.error_from(
                0,
                "-g requires bytes per millisecond, or I/Os per second with suffix i",
                "invalid value",
            );
            return Err(error.help("write -g1000 or -g1000i"));
        }
        // Text after the `i` is an error, as it is not ignored by DiskSpd.
        let iops = switch.value.strip_suffix('i');
        let digits = Switch {
            letter: switch.letter,
            value: iops.unwrap_or(switch.value),
            argument: switch.argument,
            span: switch.span.clone(),
            next: switch.next,
        };
        let rate = self.positive(&digits, "bytes per millisecond, or I/Os per second with suffix i")?;
        Ok(if iops.is_some() { Throughput::Iops(rate) } else { Throughput::BytesPerMs(rate) })
    }

    pub fn write_ratio(&mut self, switch: &Switch) -> Result<u32, Diagnostic> {
        if !switch.value.bytes().any(|byte| byte.is_ascii_digit()) {
            return Err(switch.missing("a percentage of writes"));
        }
        let percent = self.count(switch, 0)?;
        let percent = u32::try_from(percent).ok().filter(|percent| *percent <= 100);
        percent.ok_or_else(|| switch.error_from(0, "-w requires a percentage", "expected 0 to 100"))
    }
}

/// Parses `-u[n][batch][p]`.
pub fn ring(switch: &Switch) -> Result<IoRing, Diagnostic> {
    let rest = switch.value.strip_prefix('n');
    let start = usize::from(rest.is_some());
    let batch = rest.unwrap_or(switch.value);
    let number = batch.strip_suffix('p');
    let digits = number.unwrap_or(batch);
    let error = |label: &str| {
        let error = switch.error_from(start, "invalid batch size of -u", label);
        Err(error.help("write -u, -u8 for batches of 8, or -u50p for batches of 50% of the outstanding I/Os"))
    };
    let batch = match (number, digits.parse::<u32>()) {
        (None, _) if digits.is_empty() => RingBatch::Percent(RING_PERCENT),
        _ if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            return error("expected a number here");
        }
        (Some(_), Ok(percent @ 1..=100)) => RingBatch::Percent(percent),
        (None, Ok(count @ 1..=REQUESTS_MAX)) => RingBatch::Count(count),
        (Some(_), _) => return error("expected 1 to 100 percent"),
        (None, _) => return error("expected 1 to 65536 I/Os"),
    };
    Ok(IoRing { registered_buffers: start == 0, batch })
}
