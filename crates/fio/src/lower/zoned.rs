//! Lowers the options of zones with a write pointer.

use plan::Zoned;

use super::targets;
use crate::options::{Key, key, kinds};
use crate::parse::values::Values;

/// Returns the zones of a job with `zonemode=zbd`.
pub fn zoned(values: &Values) -> Option<Zoned> {
    is_zoned(values).then(|| Zoned {
        zone_bytes: values.unsigned(key::ZONESIZE),
        capacity_bytes: values.unsigned(key::ZONECAPACITY),
        skip: targets::amount(values, key::ZONESKIP).unwrap_or_default(),
        max_open: values.unsigned(key::MAX_OPEN_ZONES) as u32,
        job_max_open: values.unsigned(key::JOB_MAX_OPEN_ZONES) as u32,
        ignores_device_limit: values.flag(key::IGNORE_ZONE_LIMITS),
        reads_beyond_pointer: values.flag(key::READ_BEYOND_WP),
        reset_threshold: share(values, key::ZONE_RESET_THRESHOLD),
        reset_frequency: share(values, key::ZONE_RESET_FREQUENCY),
        recovers_write_errors: values.flag(key::RECOVER_ZBD_WRITE_ERROR),
        writes_remainder: values.flag(key::WRITE_ZONE_REMAINDER),
    })
}

/// Returns true if writes of the rest of a zone need a job without a random map.
pub fn needs_no_map(values: &Values) -> bool {
    is_zoned(values) && values.flag(key::WRITE_ZONE_REMAINDER)
}

/// Returns true if zones are reset before they are full.
pub fn resets_zones(values: &Values) -> bool {
    is_zoned(values) && share(values, key::ZONE_RESET_FREQUENCY) > 0.0
}

fn is_zoned(values: &Values) -> bool {
    values.keyword(key::ZONEMODE) == "zbd"
}

fn share(values: &Values, option: Key<kinds::Floats>) -> f64 {
    values.floats(option).and_then(|floats| floats.values.first().copied()).unwrap_or(0.0)
}
