//! Lowers the options of zones with a write pointer.

use plan::Zoned;

use super::targets;
use crate::parse::values::Values;

/// Returns the zones of a job with `zonemode=zbd`.
pub fn zoned(values: &Values) -> Option<Zoned> {
    is_zoned(values).then(|| Zoned {
        zone_bytes: values.unsigned("zonesize"),
        capacity_bytes: values.unsigned("zonecapacity"),
        skip: targets::amount(values, "zoneskip").unwrap_or_default(),
        max_open: values.unsigned("max_open_zones") as u32,
        job_max_open: values.unsigned("job_max_open_zones") as u32,
        ignores_device_limit: values.flag("ignore_zone_limits"),
        reads_beyond_pointer: values.flag("read_beyond_wp"),
        reset_threshold: share(values, "zone_reset_threshold"),
        reset_frequency: share(values, "zone_reset_frequency"),
        recovers_write_errors: values.flag("recover_zbd_write_error"),
        writes_remainder: values.flag("write_zone_remainder"),
    })
}

/// Returns true if writes of the rest of a zone need a job without a random map.
pub fn needs_no_map(values: &Values) -> bool {
    is_zoned(values) && values.flag("write_zone_remainder")
}

/// Returns true if zones are reset before they are full.
pub fn resets_zones(values: &Values) -> bool {
    is_zoned(values) && share(values, "zone_reset_frequency") > 0.0
}

fn is_zoned(values: &Values) -> bool {
    values.keyword("zonemode") == "zbd"
}

fn share(values: &Values, option: &str) -> f64 {
    values.floats(option).and_then(|floats| floats.values.first().copied()).unwrap_or(0.0)
}
