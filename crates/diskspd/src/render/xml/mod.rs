//! The XML report, with all elements of 2.2.

mod iops;
mod latency;

use super::figures::{Figures, Side};
use super::report::{CpuShare, INTERRUPTED, Report, Row, Span, Thread, failed};
use super::system;
use super::topology::GROUP;
use crate::xml::write::write_into;
use crate::xml::writer::Writer;
use record::DistributionRange;

/// Renders the report. Parsers rely on a first line that is exactly `<Results>`. The last line has no newline, as in
/// DiskSpd.
pub fn report(report: &Report) -> String {
    let mut writer = Writer::new(0);
    writer.nested("Results", |writer| {
        system::xml(writer, report.machine, report.started_unix_ms);
        write_into(writer, &report.profile);
        for span in &report.spans {
            writer.nested("TimeSpan", |writer| match span.seconds {
                Some(seconds) => results(writer, report, span, seconds),
                None => writer.leaf("Error", INTERRUPTED),
            });
        }
    });
    let mut text = writer.finish();
    text.truncate(text.trim_end().len());
    text
}

fn results(writer: &mut Writer, report: &Report, span: &Span, seconds: f64) {
    writer.optional("Error", span.failed.as_deref().map(failed));
    writer.leaf("TestTimeSeconds", format_args!("{seconds:.2}"));
    writer.leaf("ThreadCount", span.threads.len());
    writer.leaf("RequestCount", span.settings.request_count);
    writer.leaf("ProcCount", span.cpus.len());
    if !span.cpus.is_empty() {
        writer.nested("CpuUtilization", |writer| cpus(writer, span));
    }
    let [total, reads, writes] = [Side::Total, Side::Read, Side::Write].map(|side| span.sum(side));
    if span.settings.measure_latency {
        latency::distribution(writer, &total.latency, &reads.latency, &writes.latency);
    }
    if span.settings.calculate_iops_std_dev {
        iops::intervals(writer, &total.buckets, &reads.buckets, &writes.buckets, span.window());
    }
    for (number, thread) in span.threads.iter().enumerate() {
        writer.nested("Thread", |writer| {
            writer.leaf("Id", number);
            for row in &thread.rows {
                writer.nested("Target", |writer| target(writer, span, row));
            }
            if report.profile.verbose_stats {
                writer.nested("WaitStatistics", |writer| waits(writer, thread));
            }
        });
    }
}

fn cpus(writer: &mut Writer, span: &Span) {
    for share in &span.cpus {
        writer.nested("CPU", |writer| {
            writer.leaf("Socket", share.cpu.socket);
            writer.leaf("Node", share.cpu.node);
            writer.leaf("Group", GROUP);
            writer.leaf("Core", share.cpu.core);
            writer.leaf("EfficiencyClass", share.cpu.efficiency_class);
            writer.leaf("Id", share.cpu.id);
            cpu_shares(writer, share);
        });
    }
    writer.nested("Average", |writer| cpu_shares(writer, &span.mean_cpu()));
}

fn cpu_shares(writer: &mut Writer, share: &CpuShare) {
    writer.leaf("UsagePercent", format_args!("{:.2}", share.usage()));
    writer.leaf("UserPercent", format_args!("{:.2}", share.user));
    writer.leaf("KernelPercent", format_args!("{:.2}", share.kernel));
    writer.leaf("IdlePercent", format_args!("{:.2}", share.idle));
}

fn target(writer: &mut Writer, span: &Span, row: &Row) {
    let [total, reads, writes] =
        [Side::Total, Side::Read, Side::Write].map(|side| Figures::of(row, side, span.window()));
    writer.leaf("Path", &row.path);
    writer.leaf("BytesCount", total.bytes);
    writer.optional("FileSize", row.size_bytes);
    writer.leaf("IOCount", total.ios);
    writer.leaf("ReadBytes", reads.bytes);
    writer.leaf("ReadCount", reads.ios);
    writer.leaf("WriteBytes", writes.bytes);
    writer.leaf("WriteCount", writes.ios);
    if !row.distribution.is_empty() {
        writer.nested("Distribution", |writer| {
            writer.nested("Absolute", |writer| ranges(writer, row.distribution));
        });
    }
    if span.settings.measure_latency {
        latency::of_target(writer, &reads.latency, &writes.latency);
    }
    if span.settings.calculate_iops_std_dev {
        iops::intervals(writer, &total.buckets, &reads.buckets, &writes.buckets, span.window());
    }
}

/// Writes the ranges. A gap between two ranges is a range without I/O.
fn ranges(writer: &mut Writer, distribution: &[DistributionRange]) {
    let mut range = |percent: u32, bytes: u64| writer.leaf_with("Range", &[("IO", &percent)], bytes);
    let mut end = 0;
    for part in distribution {
        if part.from_bytes > end {
            range(0, part.from_bytes - end);
        }
        range(part.io_percent, part.to_bytes.saturating_sub(part.from_bytes));
        end = part.to_bytes;
    }
}

fn waits(writer: &mut Writer, thread: &Thread) {
    let waits = &thread.waits;
    writer.leaf("CompletionWait", waits.completion);
    writer.leaf("ThrottleWait", waits.throttle);
    writer.leaf("ThrottleSleep", waits.throttle_sleep);
    writer.leaf("Lookaside", waits.lookaside);
    writer.leaf("LookasideCompletion", waits.lookaside_completions.map(|count| count.to_string()).join(" "));
}
