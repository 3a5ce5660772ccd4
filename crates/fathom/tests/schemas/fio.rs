//! The schema of fio's JSON. The renderer builds it value by value, so it has no types.

use assessment::{LimitReason, LoadGeneratorLimit, TimeShares};
use serde_json::{Map, Value, json};

use crate::generated::{Integers, finished, generator};
use crate::json_shapes;

/// Limits of the latency buckets, in their unit.
const BUCKETS: [&str; 10] = ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000"];

pub fn schema() -> Value {
    let mut generator = generator();
    let finding = generator.subschema_for::<report::AdvisedFinding>();
    let load_generator = fields(&[
        (
            "limit",
            described(
                generator.subschema_for::<LoadGeneratorLimit>().to_value(),
                "Whether the threads were slower than the target.",
            ),
        ),
        ("reason", described(generator.subschema_for::<LimitReason>().to_value(), "What decides `limit`.")),
        ("threads", count("Threads that the reason holds for.")),
        ("of_threads", count("Threads that completed I/O.")),
        (
            "shares",
            described(
                generator.subschema_for::<TimeShares>().to_value(),
                "Means over the threads that the reason holds for.",
            ),
        ),
        ("message", text("The decision in words. The text can change with any version.")),
    ]);
    let mut definitions: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
    let mut findings = json!({
        "type": "array",
        "items": finding,
        "description": "Facts that make figures unreliable. The name of each is its kind. A number distinguishes several of one kind.",
    });
    json_shapes::shape(&mut findings, &mut definitions);
    for (name, schema) in [
        ("Job", job()),
        ("Direction", direction()),
        ("Sync", fields(&[("total_ios", count("Completed syncs.")), ("lat_ns", latency("Latency of the syncs."))])),
        ("Latency", latency_figures()),
        ("Percentiles", percentiles("integer")),
        ("Disk", disk()),
        ("FathomOfJob", fathom_of_job(load_generator)),
        ("FathomOfDirection", fathom_of_direction()),
    ] {
        definitions.insert(name.to_owned(), schema);
    }
    let fathom = described(fields(&[("findings", findings)]), "What fathom adds to fio's report.");
    let mut root = object(
        &[
            ("fio version", text("Version of fio whose format this is, and the version of fathom.")),
            ("timestamp", count("Time of the report, in seconds since 1970-01-01 UTC.")),
            ("timestamp_ms", count("Time of the report, in ms since 1970-01-01 UTC.")),
            ("time", text("Time of the report, as local time in words.")),
            (
                "jobs",
                json!({ "type": "array", "items": part("Job", ""), "description": "The jobs, or their groups with `group_reporting`." }),
            ),
            ("fathom", fathom),
        ],
        &[
            ("global options", options("fio's global options, as typed.")),
            (
                "disk_util",
                json!({ "type": "array", "items": part("Disk", ""), "description": "Block layer counters of the disks under the targets, over the run." }),
            ),
            ("cpu_idleness", idleness()),
        ],
    );
    root["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    root["title"] = "FioDocument".into();
    root["description"] = "The JSON report of `fathom fio`: fio's keys, and objects of fathom.".into();
    root["$defs"] = definitions.into();
    finished(root, Integers::Numbers)
}

fn job() -> Value {
    object(
        &[
            ("jobname", text("Name of the job.")),
            ("groupid", count("Number of the reporting group, from 0.")),
            ("job_start", count("Start of the job, in ms since 1970-01-01 UTC.")),
            ("error", integer("The errno with which the job ended; 0 without an error.")),
            ("eta", count("Remaining time, in seconds; 2147483647 if unknown.")),
            ("elapsed", count("Time since the start of the run, in seconds.")),
            ("job_runtime", count("Measured time of all threads, in ms.")),
            ("usr_cpu", number("CPU time in user mode, in percent of the measured time.")),
            ("sys_cpu", number("CPU time in the kernel, in percent of the measured time.")),
            ("ctx", count("Context switches.")),
            ("majf", count("Major page faults.")),
            ("minf", count("Minor page faults.")),
            (
                "iodepth_level",
                shares(
                    &["1", "2", "4", "8", "16", "32", ">=64"],
                    "Depth of the queue when an I/O was issued. A completed I/O stays in it until it is full.",
                ),
            ),
            ("iodepth_submit", shares(&["0", "4", "8", "16", "32", "64", ">=64"], "I/Os per submission.")),
            ("iodepth_complete", shares(&["0", "4", "8", "16", "32", "64", ">=64"], "I/Os per reap.")),
            ("latency_ns", shares(&BUCKETS, "Latencies below each limit in ns, and not below the one before.")),
            ("latency_us", shares(&BUCKETS, "Latencies below each limit in µs, and not below the one before.")),
            (
                "latency_ms",
                shares(
                    &[&BUCKETS[..], &["2000", ">=2000"]].concat(),
                    "Latencies below each limit in ms, and not below the one before.",
                ),
            ),
        ],
        &[
            ("job options", options("Options of the job, as typed.")),
            ("read", part("Direction", "Reads.")),
            ("write", part("Direction", "Writes.")),
            ("trim", part("Direction", "Trims.")),
            ("mixed", part("Direction", "All directions together, with `unified_rw_reporting`.")),
            ("sync", part("Sync", "Syncs between writes.")),
            ("total_err", count("Errors after which the job continued.")),
            ("first_error", integer("The errno of the first such error.")),
            ("latency_depth", count("Depth that the search for `latency_target` found, in I/Os.")),
            ("latency_target", count("`latency_target`, in ns.")),
            ("latency_target_ns", count("`latency_target`, in ns.")),
            ("latency_percentile", number("`latency_percentile`, in percent.")),
            ("latency_window", count("`latency_window`, in µs.")),
            ("latency_window_us", count("`latency_window`, in µs.")),
            ("steadystate", steady_state()),
            ("desc", text("`description` of the job.")),
            ("error_messages", text("Error messages of a job that failed, one per line.")),
            (
                "block",
                json!({
                    "type": "object",
                    "properties": {
                        "percentiles": { "type": "object", "additionalProperties": { "type": "integer" }, "description": "Trims of the block at each percentile." },
                        "states": { "type": "object", "additionalProperties": { "type": "integer" }, "description": "Number of blocks in each state." },
                    },
                    "required": ["percentiles", "states"],
                    "description": "Lifetimes of blocks, with `block_error_percentiles`.",
                }),
            ),
            ("zone_resets", count("Zones that the job reset, with `zonemode=zbd`.")),
            ("fathom", part("FathomOfJob", "What fathom adds to the report of a job.")),
        ],
    )
}

fn steady_state() -> Value {
    let values =
        |what: &str| json!({ "type": "array", "items": { "type": "integer", "minimum": 0 }, "description": what });
    let mut data = object(
        &[
            ("bw_mean", count("Mean bandwidth of the intervals, in bytes per second.")),
            ("iops_mean", count("Mean IOPS of the intervals.")),
            ("iops", values("IOPS of each of the last intervals, oldest first. 0 for intervals that are not over.")),
            ("bw", values("Bandwidth of the same intervals, in bytes per second.")),
        ],
        &[
            ("lat_mean", count("Mean latency of the intervals, in ns.")),
            ("lat_ns", values("Mean completion latency of the same intervals, in ns.")),
        ],
    );
    data["description"] = "Figures of the last intervals.".into();
    let mut state = object(
        &[
            ("ss", text("The criterion and its limit: `steadystate`.")),
            ("duration", count("`steadystate_duration`, in seconds.")),
            ("attained", count("1 if the criterion was met, which ended the job; else 0.")),
            ("criterion", text("Slope or deviation, in percent if the limit is.")),
            ("max_deviation", number("Largest difference of an interval to the mean.")),
            ("slope", number("Slope of the regression line, per interval.")),
            ("data", data),
        ],
        &[],
    );
    state["description"] = "Steady state of the job.".into();
    state
}

fn direction() -> Value {
    let priorities = object(
        &[
            ("prioclass", count("Class of the I/O priority.")),
            ("prio", count("Level of the I/O priority.")),
            ("priohint", count("Hint of the I/O priority.")),
        ],
        &[
            ("clat_ns", latency("Completion latency of the I/Os with this priority.")),
            ("lat_ns", latency("Total latency of the I/Os with this priority.")),
        ],
    );
    object(
        &[
            ("io_bytes", count("Completed bytes.")),
            ("io_kbytes", count("Completed KiB.")),
            ("bw_bytes", count("Bandwidth, in bytes per second.")),
            ("bw", count("Bandwidth, in KiB/s.")),
            ("iops", number("Completed I/Os per second.")),
            ("runtime", count("Time by which the rates are divided, in ms.")),
            ("total_ios", count("Completed I/Os.")),
            ("short_ios", count("Short transfers.")),
            ("drop_ios", count("Dropped I/Os.")),
            ("slat_ns", latency("Latency of the submission.")),
            ("clat_ns", latency("Latency from submission to completion.")),
            ("lat_ns", latency("Latency from the issue to the completion.")),
            ("bw_min", count("Least bandwidth of a sample, in KiB/s.")),
            ("bw_max", count("Highest bandwidth of a sample, in KiB/s.")),
            ("bw_agg", number("Bandwidth of the job, in percent of its group.")),
            ("bw_mean", number("Mean bandwidth of the samples, in KiB/s.")),
            ("bw_dev", number("Standard deviation of the bandwidth of the samples, in KiB/s.")),
            ("bw_samples", count("Samples of the bandwidth.")),
            ("iops_min", count("Least IOPS of a sample.")),
            ("iops_max", count("Highest IOPS of a sample.")),
            ("iops_mean", number("Mean IOPS of the samples.")),
            ("iops_stddev", number("Standard deviation of the IOPS of the samples.")),
            ("iops_samples", count("Samples of the IOPS.")),
        ],
        &[("prios", json!({ "type": "array", "items": priorities, "description": "Latencies by I/O priority." }))],
    )
}

fn latency_figures() -> Value {
    let bins = json!({
        "type": "object",
        "propertyNames": { "pattern": "^[0-9]+$" },
        "additionalProperties": { "type": "integer", "minimum": 1 },
        "description": "Number of I/Os by the middle of their bin, in ns. Only in json+.",
    });
    let percentile = part("Percentiles", "Latency by percentile, in ns.");
    object(
        &[
            ("min", count("Least latency, in ns.")),
            ("max", count("Highest latency, in ns.")),
            ("mean", number("Mean latency, in ns.")),
            ("stddev", number("Standard deviation, in ns.")),
            ("N", count("Number of latencies.")),
        ],
        &[("percentile", percentile), ("bins", bins)],
    )
}

/// Values by percentile, such as `99.000000`.
fn percentiles(kind: &str) -> Value {
    json!({
        "type": "object",
        "propertyNames": { "pattern": "^[0-9]+\\.[0-9]{6}$" },
        "additionalProperties": { "type": kind, "minimum": 0 },
    })
}

fn disk() -> Value {
    let counters = |prefix: &str, merges: &str| {
        [
            ("read_ios", "Completed reads."),
            ("write_ios", "Completed writes."),
            ("read_sectors", "Read sectors of 512 bytes."),
            ("write_sectors", "Written sectors of 512 bytes."),
            ("read_merges", "Merged reads."),
            (merges, "Merged writes."),
            ("read_ticks", "Time of all reads, in ms."),
            ("write_ticks", "Time of all writes, in ms."),
            ("in_queue", "Time of all I/Os, in ms."),
        ]
        .map(|(name, text)| (format!("{prefix}{name}"), count(text)))
    };
    let own = counters("", "write_merges").into_iter().chain([
        ("name".to_owned(), text("Name of the disk.")),
        ("util".to_owned(), number("Time with I/Os in flight, in percent of the run.")),
    ]);
    let of_members = counters("aggr_", "write_merge").into_iter().chain([(
        "aggr_util".to_owned(),
        number("Time with I/Os in flight of the busiest member, in percent of the run."),
    )]);
    let own: Vec<(String, Value)> = own.collect();
    let of_members: Vec<(String, Value)> = of_members.collect();
    fn borrowed(list: &[(String, Value)]) -> Vec<(&str, Value)> {
        list.iter().map(|(name, schema)| (name.as_str(), schema.clone())).collect()
    }
    object(&borrowed(&own), &borrowed(&of_members))
}

fn fathom_of_job(load_generator: Value) -> Value {
    object(
        &[],
        &[
            ("cpu_ns_per_io", number("CPU time of the threads per completed I/O, in ns.")),
            ("user_ns_per_io", number("The part of it in user mode, in ns.")),
            ("system_ns_per_io", number("The part of it in the kernel, in ns.")),
            ("on_cpu_percent", number("CPU use of a thread, in percent of one CPU. Mean over the threads.")),
            (
                "cpu_wait_percent",
                number("Time in which a thread was ready and waited for a CPU, in percent. Mean over the threads."),
            ),
            ("load_generator", described(load_generator, "Whether the threads, not the target, limited the figures.")),
            ("read", part("FathomOfDirection", "Response times of reads with a rate.")),
            ("write", part("FathomOfDirection", "Response times of writes with a rate.")),
            ("trim", part("FathomOfDirection", "Response times of trims with a rate.")),
        ],
    )
}

fn fathom_of_direction() -> Value {
    let arrivals = fields(&[
        ("due", count("Intended starts within the measured time.")),
        ("late", count("I/Os issued more than 1 ms after their intended start.")),
        ("queue_full", count("Late I/Os that waited because the queue was full.")),
        ("unissued", count("I/Os not issued by the end of the measured time.")),
        ("met_percent", number("I/Os that were issued in time, in percent of those due.")),
    ]);
    let mut response = latency_figures();
    response["properties"]["percentile"] = described(
        percentiles("integer"),
        "Response time by percentile of the I/Os that were due, in ns. A percentile among I/Os that were never submitted is absent.",
    );
    object(
        &[("arrivals", described(arrivals, "The I/Os of an open loop, and how many were in time."))],
        &[("response_ns", described(response, "Time from the intended start of an I/O to its completion."))],
    )
}

fn idleness() -> Value {
    json!({
        "type": "object",
        "properties": { "system": number("Mean over the CPUs, in percent.") },
        "required": ["system"],
        "patternProperties": { "^cpu-[0-9]+$": number("Idle time of a CPU, in percent.") },
        "description": "Idle time of the CPUs, with `--idle-prof`.",
    })
}

fn shares(names: &[&str], text: &str) -> Value {
    let share = |name: &&str| ((*name).to_owned(), number("Share of the I/Os, in percent."));
    let properties: Map<String, Value> = names.iter().map(share).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": names });
    described(schema, &format!("{text} As shares of all I/Os, in percent."))
}

fn options(text: &str) -> Value {
    json!({ "type": "object", "additionalProperties": { "type": "string" }, "description": text })
}

fn latency(text: &str) -> Value {
    part("Latency", text)
}

fn part(name: &str, text: &str) -> Value {
    let schema = json!({ "$ref": format!("#/$defs/{name}") });
    if text.is_empty() { schema } else { described(schema, text) }
}

fn described(mut schema: Value, text: &str) -> Value {
    schema["description"] = text.into();
    schema
}

fn count(text: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": text })
}

fn integer(text: &str) -> Value {
    json!({ "type": "integer", "description": text })
}

fn number(text: &str) -> Value {
    json!({ "type": "number", "minimum": 0, "description": text })
}

fn text(text: &str) -> Value {
    json!({ "type": "string", "description": text })
}

/// An object whose fields are all required.
fn fields(required: &[(&str, Value)]) -> Value {
    object(required, &[])
}

fn object(required: &[(&str, Value)], optional: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = required.iter().map(|(name, _)| *name).collect();
    let all = required.iter().chain(optional).map(|(name, schema)| ((*name).to_owned(), schema.clone()));
    json!({ "type": "object", "properties": all.collect::<Map<_, _>>(), "required": names })
}
