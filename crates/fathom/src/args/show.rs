//! Arguments of `fathom show`.

use clap::ValueEnum;
use fio::render::Detail;

use super::value::report;
use app::exit;
use app::reports::Form;
use app::saved_run::RunReport;

/// Show a saved run.
///
/// A single run is printed in the format of its dialect. An assessment is printed as a card. A search or a sweep is
/// printed as text.
#[derive(clap::Args, Debug, Default)]
#[command(args_override_self = true, after_long_help = exit::TABLE)]
pub struct Args {
    /// A file of --record, -Rrecord or --save; a number of `fathom history`; `last`; or tag:WORD
    ///
    /// tag:WORD is the set of runs of a `fathom run`. A file with a number as its name is written ./7.
    #[arg(value_name = "FILE|ID", required = true)]
    pub files: Vec<String>,

    /// Format of the output
    #[arg(long = "format", value_name = "FORMAT", value_enum)]
    format_name: Option<FormatName>,
    /// Layout of fio-terse [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=5))]
    pub terse_version: Option<u8>,
    /// Only this chart, as svg or png: TEST/KIND, such as read-iops/latency
    ///
    /// `--chart list` lists all names.
    #[arg(long, value_name = "NAME")]
    pub chart: Option<String>,
    /// Write to a file instead of standard output; a name that ends with / is a folder with one file per chart
    #[arg(long, value_name = "FILE")]
    pub output: Option<String>,
    /// Write a report: NAME.html, .md, .xml (JUnit), .svg, .png, card.png, or a folder NAME/ of charts; repeatable
    #[arg(long = "report", value_name = "FILE", value_parser = report)]
    pub reports: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum FormatName {
    /// Single run: fio's normal report
    Fio,
    /// Single run: fio's terse report
    FioTerse,
    /// Single run: fio's JSON
    FioJson,
    /// Single run: fio's JSON with latency bins
    #[value(name = "fio-json+")]
    FioJsonPlus,
    /// Single run: DiskSpd's text
    Diskspd,
    /// Single run: DiskSpd's XML
    DiskspdXml,
    /// Assessment: the card
    Card,
    /// Search, sweep or repeats: the text
    Text,
    /// Search, sweep or repeats: the JSON of its command
    StudyJson,
    /// Sweep: the points as CSV
    Csv,
    /// All: a page with charts
    Html,
    /// All: the tables of the page
    Markdown,
    /// All: the charts
    Svg,
    /// All: the charts
    Png,
    /// All: JUnit XML
    Junit,
    /// All: the figures in the Bencher Metric Format
    Bencher,
    /// All: the figures in InfluxDB's line protocol
    Influx,
    /// All: the figures in the text format of Prometheus, for node_exporter
    Prometheus,
    /// All: the saved document
    Json,
}

impl Args {
    pub fn format(&self) -> Option<Format> {
        Some(match self.format_name? {
            FormatName::Fio => Format::Run(RunReport::Fio),
            FormatName::FioTerse => Format::Run(RunReport::FioTerse),
            FormatName::FioJson => Format::Run(RunReport::FioJson(Detail::Plain)),
            FormatName::FioJsonPlus => Format::Run(RunReport::FioJson(Detail::Bins)),
            FormatName::Diskspd => Format::Run(RunReport::DiskSpd),
            FormatName::DiskspdXml => Format::Run(RunReport::DiskSpdXml),
            FormatName::Card => Format::Card,
            FormatName::Text => Format::Text,
            FormatName::StudyJson => Format::StudyJson,
            FormatName::Csv => Format::Csv,
            FormatName::Html => Format::Page(Form::Html),
            FormatName::Markdown => Format::Page(Form::Markdown),
            FormatName::Svg => Format::Page(Form::Svg),
            FormatName::Png => Format::Page(Form::Png),
            FormatName::Junit => Format::Page(Form::Junit),
            FormatName::Bencher => Format::Page(Form::Bencher),
            FormatName::Influx => Format::Page(Form::Influx),
            FormatName::Prometheus => Format::Page(Form::Prometheus),
            FormatName::Json => Format::Json,
        })
    }
}

/// Format of the output, by what it can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A single run, in a report of a dialect.
    Run(RunReport),
    Card,
    /// A search, a sweep or repeats, as the command printed it.
    Text,
    StudyJson,
    /// A sweep.
    Csv,
    Page(Form),
    Json,
}
