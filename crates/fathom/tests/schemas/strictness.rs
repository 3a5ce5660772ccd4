//! The schemas reject unknown fields, and all fields are required but those listed here.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::generated::all;

/// Objects whose keys are names or values of the run.
const MAPS: [&str; 8] =
    ["Percentiles", "SettingsObject", "bins", "global options", "job options", "percentile", "percentiles", "states"];
/// Fields that a document may lack, in the order of the alphabet.
pub const OPTIONAL: &str = "\
    aggr_in_queue, aggr_read_ios, aggr_read_merges, aggr_read_sectors, aggr_read_ticks, aggr_util, aggr_write_ios, \
    aggr_write_merge, aggr_write_sectors, aggr_write_ticks, application, args, at, bins, block, block_lifetimes, \
    bytes, can_continue, cause, classes, clat_ns, clock_ms, cloud, command_priorities, compressed, contents, control_group, \
    correction, counted, cpu_idleness, cpu_ns_per_io, cpu_wait, cpu_wait_ns, cpu_wait_percent, cpu_wait_share, \
    cycles_per_io, damage, date, ddir, desc, disk_util, disturbance, end_syncfs, error_messages, explanation, fathom, \
    few_intervals, first_error, fleet, flow, gid, global options, good, hot, idle_round, interruptions, interval_s, \
    ios, is_disturbed, is_unconfirmed, job, job options, judgements, kind, largest, last_pass, lat, lat_mean, \
    lat_ns, lat_sum_ns, latency_depth, latency_percentile, latency_target, latency_target_ns, latency_window, \
    latency_window_us, load_generator, lock, machine_limits, memory_bytes, misread, mixed, of, \
    on_cpu_percent, os_text, part, percentile, priorities, prios, product, program, rate_per_s, read, refill_s, replay, \
    replayable, response, response_ns, result, seed, serializes_overlaps, size_bytes, source, spare_percent, spare_threshold_percent, start_clock, \
    steady_state, steadystate, stolen_ns, sync, syncs, system_ns_per_io, target, temperature_c, temperatures_c, text, thread_name, token_bucket, \
    total_err, trim, uid, until_s, urls, used_percent, user_ns_per_io, verify, volume, volumes, whole_run, working_directory, write, write_hint, \
    zone_resets, zoned";

/// What the objects of the schemas allow.
#[derive(Default)]
struct Allowed {
    maps: BTreeSet<String>,
    optional: BTreeSet<String>,
    /// Objects that allow any field.
    open: Vec<String>,
}

impl Allowed {
    /// Adds the objects of a schema. `name` is the property or the type that it describes. `is_part`: another schema of
    /// the same object rejects unknown fields.
    fn add(&mut self, schema: &Value, name: &str, is_part: bool) {
        let of_object = |keyword: &str| schema[keyword].as_object().into_iter().flatten();
        let is_closed = schema["additionalProperties"] == false || schema["unevaluatedProperties"] == false;
        if schema["additionalProperties"].is_object() {
            self.maps.insert(name.to_owned());
        } else if schema["type"] == "object" && !is_closed && !is_part {
            self.open.push(name.to_owned());
        }
        let required = schema["required"].as_array();
        for (name, property) in of_object("properties") {
            if !required.is_some_and(|required| required.iter().any(|known| known == name)) {
                self.optional.insert(name.clone());
            }
            self.add(property, name, false);
        }
        of_object("$defs").for_each(|(name, schema)| self.add(schema, name, false));
        let is_combined = schema["unevaluatedProperties"] == false;
        for keyword in ["oneOf", "anyOf", "allOf"] {
            let parts = schema[keyword].as_array().into_iter().flatten();
            parts.for_each(|part| self.add(part, name, is_part || is_combined));
        }
        self.add_items(schema, name);
    }

    fn add_items(&mut self, schema: &Value, name: &str) {
        if schema["items"].is_object() {
            self.add(&schema["items"], name, false);
        }
        schema["prefixItems"].as_array().into_iter().flatten().for_each(|item| self.add(item, name, false));
    }
}

#[test]
fn only_known_fields_are_optional_and_none_are_unknown() {
    let mut allowed = Allowed::default();
    all().iter().for_each(|(name, schema)| allowed.add(schema, name, false));
    assert_eq!(allowed.open, [""; 0]);
    assert_eq!(allowed.maps.iter().collect::<Vec<_>>(), MAPS);
    let listed: BTreeSet<String> = OPTIONAL.split(", ").map(str::to_owned).collect();
    let (added, gone): (Vec<_>, Vec<_>) =
        allowed.optional.symmetric_difference(&listed).partition(|field| allowed.optional.contains(*field));
    assert!(added.is_empty() && gone.is_empty(), "OPTIONAL lacks {added:?}; no longer optional: {gone:?}");
}
