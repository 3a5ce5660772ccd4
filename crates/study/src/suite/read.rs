//! Parses suites. Every error has its place in the text.

use std::str::FromStr;

use assessment::{Aim, METRIC_EXAMPLES, Metric, Settings, SteadyRule};
use judge::nesting;
use judge::steady::ROUNDS_MAX;
use strum::{EnumString, VariantNames};
use toml::de::DeTable;
use units::diagnostic::{Diagnostic, Source, Span};
use units::quantity::size_bytes;

use crate::rounds::{Goal, followable};

use super::layers::{Layers, Setting};
use super::table::{Table, Value};
use super::{Beside, Files, Fill, Line, MeantFor, Needs, Rounds, Suite, Test, Volume, Work};

type Read<T> = Result<T, Diagnostic>;

const GIB: u64 = 1 << 30;
const FILE_BYTES: u64 = 10 * GIB;
/// Options that name the target of a job.
const PLACES: [&str; 4] = ["directory", "filename", "filename_format", "opendir"];
const CELLS_MAX: usize = 1000;
const RUNTIME_S: u64 = 60;
const SHORT_RUNTIME_S: u64 = 5;

impl Suite {
    /// Parses a suite. `name` is the file's, for messages.
    ///
    /// # Errors
    ///
    /// A diagnostic at the first part that is wrong.
    pub fn read(name: &str, text: &str) -> Result<Suite, Diagnostic> {
        let source = Source::new(name, text);
        nesting::check(&source)?;
        let document = DeTable::parse(&source.text).map_err(|error| {
            let range = error.span().unwrap_or(0..0);
            Diagnostic::error("this is not TOML").at(&Span::new(&source, range), error.message())
        })?;
        let mut top = Table::new(&source, document.get_ref(), 0..0);
        let suite = suite(&mut top)?;
        top.end()?;
        Ok(suite)
    }
}

fn suite(top: &mut Table) -> Read<Suite> {
    let needs = top.take("needs").map_or(Ok(Needs::default()), |value| needs(&value))?;
    let target = top.take("target").map_or(Ok(MeantFor::default()), |value| one_of(&value))?;
    let files = top.take("files").map_or(Ok(Files::default()), |value| one_of(&value))?;
    let volume_table = top.take("volumes");
    let volumes = volume_table.as_ref().map_or(Ok(Vec::new()), volumes)?;
    let mut suite = Suite {
        name: top.text("name")?,
        title: top.text("title")?,
        source: top.text("source")?,
        date: date(top)?,
        about: top.take("about").map(|value| value.text()).transpose()?,
        target,
        files,
        size_bytes: top.take("size").map(|value| bytes(&value)).transpose()?,
        least_size_bytes: top.take("least_size").map(|value| bytes(&value)).transpose()?,
        file_size_bytes: top.take("file_size").map_or(Ok(FILE_BYTES), |value| bytes(&value))?,
        short_size_bytes: top.take("short_size").map_or(Ok(GIB), |value| bytes(&value))?,
        fill: top.take("fill").map_or(Ok(Fill::default()), |value| fill(&value))?,
        volumes,
        tests: Vec::new(),
    };
    let of_all = layers(top)?;
    let Some(tests) = top.take("test") else {
        return Err(Diagnostic::error("a suite without tests").at(&top.at, "no [[test]] follows"));
    };
    for value in tests.list()? {
        let mut table = value.table()?;
        let test = test(&mut table, (needs, &of_all), &suite.volumes)?;
        table.end()?;
        if suite.tests.iter().any(|known| known.name == test.name) {
            return Err(Diagnostic::error("two tests with one name").at(&test.at, "the first one is above"));
        }
        suite.tests.push(test);
    }
    let is_used = |volume: &&Volume| suite.tests.iter().any(|test| test.volumes().contains(&volume.name.as_str()));
    match (suite.volumes.iter().find(|volume| !is_used(volume)), volume_table) {
        (Some(idle), Some(error)) => {
            let message = format!("no test uses the volume `{}`", idle.name);
            Err(Diagnostic::error(message).at(&error.at, "declared here"))
        }
        _ => Ok(suite),
    }
}

/// A year, with month and day if known.
fn date(top: &mut Table) -> Read<String> {
    let Some(value) = top.take("date") else { return top.text("date") };
    let text = value.line()?;
    let digits = |part: &str, count: usize| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = text.split('-').collect();
    if parts.len() > 3 || !digits(parts[0], 4) || !parts[1..].iter().all(|part| digits(part, 2)) {
        return Err(Diagnostic::error("not a date").at(&value.at, "expected a date such as 2026-11-21 or 2026"));
    }
    Ok(text)
}

/// Parses the names and meanings of the volumes.
fn volumes(value: &Value) -> Read<Vec<Volume>> {
    const DIRECTIONS: [&str; 2] = ["read", "write"];
    let volume = |(name, at, meaning): (String, Span, Value)| {
        if !is_plain(&name) || DIRECTIONS.contains(&name.as_str()) {
            let error = Diagnostic::error(format!("invalid name of a volume: `{name}`"));
            return Err(error.at(&at, "expected letters, digits, `-`, `_` and `.`, and neither read nor write"));
        }
        Ok(Volume { name, meaning: meaning.line()? })
    };
    value.table()?.rest().into_iter().map(volume).collect()
}

fn volume(table: &mut Table, known: &[Volume]) -> Read<Option<String>> {
    let Some(value) = table.take("volume") else { return Ok(None) };
    let name = value.line()?;
    if known.iter().any(|volume| volume.name == name) {
        return Ok(Some(name));
    }
    let label = match names_of(known).as_str() {
        "" => "the suite declares none: expected [volumes] with their names and what they are".to_owned(),
        names => format!("the suite declares {names}"),
    };
    Err(Diagnostic::error(format!("unknown volume `{name}`")).at(&value.at, label))
}

fn names_of(volumes: &[Volume]) -> String {
    volumes.iter().map(|volume| volume.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c: char| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

fn test(table: &mut Table, (needed, of_suite): (Needs, &Layers), volumes: &[Volume]) -> Read<Test> {
    let at = table.take("name").map_or_else(|| table.at.clone(), |value| value.at);
    let name = at.text().trim_matches(['"', '\'']).to_owned();
    if !is_plain(&name) {
        let error = Diagnostic::error("a test needs a name of letters, digits, `-`, `_` and `.`");
        return Err(error.at(&at, "expected name = \"…\""));
    }
    let test = Test {
        name,
        title: table.text("title")?,
        aim: table.take("aim").map_or(Ok(Aim::Behaviour), |value| one_of(&value))?,
        needs: table.take("needs").map_or(Ok(needed), |value| needs(&value))?,
        trap: table.take("trap").map(|value| value.line()).transpose()?,
        rounds: rounds(table)?,
        vary: table.take("vary").map_or(Ok(Vec::new()), |value| axes(&value))?,
        short_vary: table.take("short_vary").map(|value| axes(&value)).transpose()?,
        volume: volume(table, volumes)?,
        of_suite: of_suite.clone(),
        work: work(table, &at, volumes)?,
        at,
    };
    let has_volume = test.volume.is_some()
        || matches!(&test.work, Work::Fio { jobs, .. } if !jobs.is_empty() && jobs.iter().all(|job| job.volume.is_some()));
    if !volumes.is_empty() && !has_volume {
        let label = format!("expected volume = \"…\" here or in each of its jobs: one of {}", names_of(volumes));
        return Err(Diagnostic::error("the test names no volume").at(&test.at, label));
    }
    Ok(test)
}

fn work(table: &mut Table, at: &Span, volumes: &[Volume]) -> Read<Work> {
    let as_meant = [("diskspd", false), ("profile", true)].into_iter().find_map(|(name, is_profile)| {
        let value = table.take(name)?;
        Some(value.text().map(|text| Line { text, is_profile, at: value.at }))
    });
    if let Some(as_meant) = as_meant {
        let literal = table.take("diskspd_literal");
        let literal = literal.map(|value| value.text().map(|text| Line { text, is_profile: false, at: value.at }));
        let mut seconds = |name, standard| table.take(name).map_or(Ok(standard), |value| value.number());
        return Ok(Work::DiskSpd {
            as_meant: as_meant?,
            literal: literal.transpose()?,
            runtime_s: seconds("runtime", RUNTIME_S)?,
            warmup_s: seconds("warmup", 0)?,
            short_runtime_s: seconds("short_runtime", SHORT_RUNTIME_S)?,
        });
    }
    let of_test = layers(table)?;
    let mut jobs = Vec::new();
    if let Some(value) = table.take("jobs") {
        for value in value.list()? {
            let mut table = value.table()?;
            let name = table.text("name")?;
            let volume = volume(&mut table, volumes)?;
            let of_forms = layers(&mut table)?;
            jobs.push(Beside { name, volume, layers: Layers { always: rest(&mut table)?, ..of_forms } });
        }
    }
    if of_test.always.is_empty() && jobs.is_empty() {
        return Err(Diagnostic::error("a test without a job").at(at, "expected job, jobs, diskspd or profile"));
    }
    Ok(Work::Fio { layers: of_test, jobs })
}

fn layers(table: &mut Table) -> Read<Layers> {
    let mut settings = |name| table.take(name).map_or(Ok(Vec::new()), |value| rest(&mut value.table()?));
    Ok(Layers {
        always: settings("job")?,
        literal: settings("literal")?,
        as_meant: settings("as_meant")?,
        short: settings("short")?,
    })
}

fn rest(table: &mut Table) -> Read<Vec<Setting>> {
    let source = table.source();
    let setting = |(name, at, value): (String, Span, Value)| {
        let line_break = |text: &str| text.contains(['\n', '\r']);
        let option = value.option()?;
        if line_break(&name) || option.as_deref().is_some_and(line_break) {
            return Err(Diagnostic::error("an option with a line break").at(&at, "expected one line"));
        }
        let whole = Span::new(source, at.range().start..value.at.range().end);
        if PLACES.contains(&name.as_str()) {
            let error = Diagnostic::error(format!("a suite cannot set `{name}`"));
            return Err(error.at(&whole, "the target is an argument of `fathom assess`"));
        }
        Ok(Setting { name, value: option, at: Some(whole) })
    };
    table.rest().into_iter().map(setting).collect()
}

fn fill(value: &Value) -> Read<Fill> {
    let mut table = value.table()?;
    let at_most_s = table.take("at_most_s").map(|value| value.number()).transpose()?;
    let layers = layers(&mut table)?;
    table.end()?;
    Ok(Fill { at_most_s, layers })
}

fn rounds(table: &mut Table) -> Read<Rounds> {
    let times = table.take("repeat").map_or(Ok(1), |value| value.number())?.max(1) as usize;
    let rest_s = table.take("rest").map_or(Ok(0), |value| value.number())?;
    let Some(value) = table.take("rounds") else { return Ok(Rounds::Fixed { times, rest_s }) };
    let mut table = value.table()?;
    let mut at = Settings::new();
    if let Some(value) = table.take("at") {
        let fixed = rest(&mut value.table()?)?;
        at = fixed.into_iter().filter_map(|setting| Some((setting.name, setting.value?))).collect();
    }
    let most = table.take("most").map_or(Ok(ROUNDS_MAX as u64), |value| value.number())? as usize;
    let rule = table.take("rule").map_or(Ok(SteadyRule::Snia), |value| one_of(&value))?;
    let metrics = match table.take("metrics") {
        Some(value) => value.list()?.iter().map(metric).collect::<Read<Vec<Metric>>>()?,
        None => Vec::new(),
    };
    if metrics.is_empty() {
        return Err(Diagnostic::error("rounds without metrics").at(&table.at, "expected metrics = [\"write.iops\"]"));
    }
    let rounds = Rounds::Steady { goal: Goal { rule, metrics, most }, at };
    table.end()?;
    Ok(rounds)
}

fn metric(value: &Value) -> Read<Metric> {
    let name = value.line()?;
    let error = || {
        Diagnostic::error(format!("rounds cannot follow `{name}`")).at(&value.at, format!("such as {METRIC_EXAMPLES}"))
    };
    followable(&name).ok_or_else(error)
}

fn axes(value: &Value) -> Read<Vec<(String, Vec<String>)>> {
    let axis = |(name, _, value): (String, Span, Value)| {
        let of = |value: &Value| Ok(value.option()?.unwrap_or_else(|| "0".to_owned()));
        let values = value.list()?.iter().map(of).collect::<Read<Vec<String>>>()?;
        match values.is_empty() {
            true => Err(Diagnostic::error("nothing to vary").at(&value.at, "expected values")),
            false => Ok((name, values)),
        }
    };
    let axes = value.table()?.rest().into_iter().map(axis).collect::<Read<Vec<_>>>()?;
    let cells = axes.iter().try_fold(1usize, |cells, (_, values)| cells.checked_mul(values.len()));
    if cells.is_none_or(|cells| cells > CELLS_MAX) {
        let error = Diagnostic::error("too many combinations");
        return Err(error.at(&value.at, format!("at most {CELLS_MAX}")));
    }
    Ok(axes)
}

/// A word of `needs`.
#[derive(EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
enum Need {
    Filled,
    Initialised,
    Warm,
}

fn needs(value: &Value) -> Read<Needs> {
    let mut needs = Needs::default();
    for value in value.list()? {
        match one_of(&value)? {
            Need::Filled => needs.filled = true,
            Need::Initialised => needs.initialised = true,
            Need::Warm => needs.warm = true,
        }
    }
    Ok(needs)
}

fn one_of<T: FromStr + VariantNames>(value: &Value) -> Read<T> {
    let text = value.line()?;
    text.parse().map_err(|_| {
        Diagnostic::error(format!("unknown value `{text}`")).at(&value.at, format!("one of {}", T::VARIANTS.join(", ")))
    })
}

fn bytes(value: &Value) -> Read<u64> {
    let text = value.line()?;
    size_bytes(&text).map_err(|error| {
        Diagnostic::error(format!("`{text}` is not a size")).at(&value.at, error.problem().label()).help(error.help())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "name = \"a\"\ntitle = \"t\"\nsource = \"s\"\ndate = \"2026\"\n";

    fn refused(rest: &str) -> String {
        Suite::read("a.toml", &format!("{HEAD}{rest}")).unwrap_err().to_string()
    }

    #[test]
    fn errors_have_their_place() {
        let cases = [
            ("[[test]]\nname = \"x\"\ntitle = \"t\"\njob = { bs = [4] }\n", "a.toml:8:14", "expected a text, a number"),
            ("[[test]]\nname = \"x\"\ntitle = \"t\"\naim = \"iops\"\n", "a.toml:8:7", "disk_iops"),
            ("[[test]]\nname = \"x\"\ntitel = \"t\"\n", "a.toml:", "`title` is missing"),
            (
                "sise = \"4G\"\n[[test]]\nname = \"x\"\ntitle = \"t\"\njob = { bs = 1 }\n",
                "a.toml:5:1",
                "did you mean `size`",
            ),
            ("[[test]]\nname = \"x y\"\n", "a.toml:6:8", "letters, digits"),
            ("size = \"4 apples\"\n", "a.toml:5:8", "not a size"),
            ("a = = 1\n", "a.toml:5", "not TOML"),
            (
                "[[test]]\nname = \"x\"\ntitle = \"t\"\nvary = { a = [1,2,3,4,5,6,7,8,9,10,11], b = [1,2,3,4,5,6,7,8,9,10], c = [1,2,3,4,5,6,7,8,9,10] }\n",
                "a.toml:8:8",
                "at most 1000",
            ),
            ("", "a.toml", "without tests"),
            ("[[test]]\nname = \"x\"\ntitle = \"t\"\n", "a.toml", "without a job"),
            ("[[test]]\nname = \"x\"\ntitle = \"t\"\njob = { bs = \"4k\\nrw=write\" }\n", "a.toml:8", "one line"),
            (
                "[[test]]\nname = \"x\"\ntitle = \"t\"\nvolume = \"log\"\njob = { bs = 1 }\n",
                "a.toml:8:10",
                "declares none",
            ),
            (
                "[volumes]\nlog = \"l\"\n[[test]]\nname = \"x\"\ntitle = \"t\"\nvolume = \"lgo\"\njob = { bs = 1 }\n",
                "a.toml:10:10",
                "declares log",
            ),
            (
                "[volumes]\nlog = \"l\"\n[[test]]\nname = \"x\"\ntitle = \"t\"\njob = { bs = 1 }\n",
                "a.toml:8:8",
                "one of log",
            ),
            (
                "volumes = { log = \"l\", data = \"d\" }\n[[test]]\nname = \"x\"\ntitle = \"t\"\nvolume = \"log\"\njob = { bs = 1 }\n",
                "a.toml:5:11",
                "no test uses the volume `data`",
            ),
            ("volumes = { read = \"l\" }\n", "a.toml:5:13", "neither read nor write"),
        ];
        for (text, place, word) in cases {
            let error = refused(text);
            assert!(error.contains(place) && error.contains(word), "{text}\n{error}");
        }
    }
}
