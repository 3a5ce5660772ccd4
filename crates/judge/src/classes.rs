//! Names the published disk class that each figure is like, and the limits of the machine.
//!
//! A class is reached if the figure is at least the share of its limit that the vendor promises. The figure is like the class
//! with the highest limit that it reaches, unless it is more than `FAR_ABOVE` times that limit. Another figure that is far above
//! the class contradicts it.

use std::sync::{Arc, LazyLock};

use assessment::{
    Aim, Assessment, Basis, Cause, ClassMatch, Confidence, ExpectedLimit, FindingKind, LoadPattern, MachineLimits,
    Metric, Quantity, RateShape, Reason, Severity, Test, Verdict,
};
use plan::Ddir;
use record::Machine;
use units::diagnostic::Source;

use crate::findings::meaning::{Meaning, means};
use crate::limits::{Catalogue, Expectation, Group, Kind, Limit, Load, instance};
use crate::verdict::{self, ALL, JobRounds};

/// The built-in files. Reading them takes longer than the comparison with them.
static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);

/// A figure above this multiple of a limit is not like its class.
const FAR_ABOVE: f64 = 1.25;
/// In a short run, each interval is within this factor of the limit. A throttle with slices of 100 ms passes two or three of them
/// in an interval of 250 ms.
const SHORT_NEAR: f64 = 1.5;
/// More IOPS than any vendor needs for a MiB per second.
const IOPS_PER_MIB: f64 = 8.0;
/// The bandwidth of a figure is at most this share of the provisioned bandwidth that does not limit it.
const ENOUGH_OF_OTHER: f64 = 0.8;

/// A class of the catalogue, and its limits.
struct Class {
    provider: String,
    name: String,
    is_provisioned: bool,
    expectation: Expectation,
}

/// Returns the class of each figure that a disk's limit can decide. Returns nothing if a finding shows that the figures are
/// not those of a disk.
pub fn matches(tests: &[Test], catalogue: &Catalogue) -> Vec<ClassMatch> {
    matches_among(tests, catalogue, &fixed(catalogue))
}

fn matches_among(tests: &[Test], catalogue: &Catalogue, fixed: &[Class]) -> Vec<ClassMatch> {
    if !describe_a_disk(tests) {
        return Vec::new();
    }
    let is_of_disk = |test: &&Test| {
        let is_steady = test.steady.iter().all(|steady| steady.from_round.is_some());
        matches!(test.aim, Aim::DiskIops | Aim::DiskBandwidth) && is_steady && !is_of_load_generator(test)
    };
    let of_rounds = |test, rounds: &JobRounds| {
        rounds.ddirs().into_iter().map(|ddir| Figure::of(test, rounds, ddir)).collect::<Vec<_>>()
    };
    let of_test = |test| JobRounds::of_test(test).iter().flat_map(|rounds| of_rounds(test, rounds)).collect::<Vec<_>>();
    let figures: Vec<Figure> = tests.iter().filter(is_of_disk).flat_map(of_test).collect();
    let mut found: Vec<ClassMatch> = Vec::new();
    for figure in &figures {
        let best = best(figure, (fixed, &figures)).or_else(|| provisioned(figure, catalogue, &figures));
        let key = |one: &ClassMatch| (one.pattern, one.metric, one.measured);
        let is_new = |one: &ClassMatch| !found.iter().any(|known| key(known) == key(one));
        found.extend(best.filter(is_new));
    }
    // The highest figure of a pattern decides: a test can vary its depth or block size. It can be like no class.
    let is_beaten = |one: &ClassMatch| {
        let of_pattern = figures.iter().filter(|figure| figure.pattern == Some(one.pattern));
        of_pattern.filter_map(|figure| figure.rate(one.metric)).any(|figure| figure.measured > one.measured)
    };
    found.retain(|one| !is_beaten(one));
    found
}

/// Whether the load generator limited the figures: the disk may be faster.
fn is_of_load_generator(test: &Test) -> bool {
    test.findings.iter().any(|finding| matches!(finding.kind, FindingKind::LoadGeneratorLimit(_)))
}

/// Whether no finding shows that the figures are those of memory, or of another job.
pub fn describe_a_disk(tests: &[Test]) -> bool {
    let mut findings = tests.iter().flat_map(|test| &test.findings);
    !findings.any(|finding| finding.severity == Severity::Invalid || means(&finding.kind, Meaning::OfMemory))
}

/// Returns the published limits of the machine; `None` if it is not in the catalogue, or if they depend on the disk.
pub fn machine_limits(machine: &Machine, catalogue: &Catalogue) -> Option<MachineLimits> {
    let (provider, instance_type) = instance(machine)?;
    let expectation = expectation(catalogue, &format!("{provider}:{instance_type}"))?;
    let limit = |limit: Limit| ExpectedLimit {
        metric: limit.metric,
        volume: None,
        value: limit.value,
        tolerance: limit.enough.share.min(ALL),
        source: Some(limit.citation()),
    };
    let each = [Ddir::Read, Ddir::Write].into_iter();
    let limits = each.flat_map(|ddir| expectation.limits(ddir, Load::default())).map(limit).collect();
    Some(MachineLimits { instance_type: instance_type.into(), expectation: expectation.text.into(), limits })
}

/// A figure of one direction of a test.
struct Figure<'a> {
    test: &'a Test,
    pattern: Option<LoadPattern>,
    load: Load,
    ddir: Ddir,
    rates: Vec<(Metric, verdict::Figure)>,
}

impl<'a> Figure<'a> {
    fn of(test: &'a Test, rounds: &JobRounds, ddir: Ddir) -> Figure<'a> {
        let metrics = [Quantity::Iops, Quantity::Bandwidth].map(|quantity| Metric { ddir: Some(ddir), quantity });
        let rates = metrics.into_iter().filter_map(|metric| Some((metric, rounds.figure(metric)?))).collect();
        Figure { test, pattern: rounds.pattern(), load: rounds.load(ddir), ddir, rates }
    }

    /// Returns the match, if the figure reaches the class and is not far above it, is decided, and no figure contradicts.
    fn like(&self, class: &Class, all: &[Figure]) -> Option<ClassMatch> {
        let limit = class.expectation.limits(self.ddir, self.load).into_iter().next()?;
        let (figure, pattern) = (self.rate(limit.metric)?, self.pattern?);
        let measured = figure.measured;
        let enough = limit.value * limit.enough.share.min(ALL);
        let is_reached = measured >= enough && measured <= limit.value * FAR_ABOVE;
        if !is_reached || !is_decided(figure, limit.value) || all.iter().any(|figure| figure.is_far_above(class)) {
            return None;
        }
        Some(ClassMatch {
            test: self.test.name.clone(),
            pattern,
            metric: limit.metric,
            measured,
            provider: class.provider.clone(),
            class: class.name.clone(),
            is_provisioned: class.is_provisioned,
            limit: limit.value,
            expectation: class.expectation.text.clone(),
            source: limit.citation(),
            is_disturbed: figure.whole_run.is_none() && self.test.disturbance.is_some(),
        })
    }

    /// Whether a disk of this class cannot have the figure, not even in a burst.
    fn is_far_above(&self, class: &Class) -> bool {
        let Some(limit) = class.expectation.limits(self.ddir, self.load).into_iter().next() else { return false };
        let all = [Some(limit.value), limit.merged, limit.burst.map(|burst| burst.value)];
        let most = all.into_iter().flatten().fold(0.0, f64::max);
        self.rate(limit.metric).is_some_and(|figure| figure.measured > most * FAR_ABOVE)
    }

    fn rate(&self, metric: Metric) -> Option<&verdict::Figure> {
        self.rates.iter().find(|(known, _)| *known == metric).map(|(_, figure)| figure)
    }
}

/// Whether the confidence interval is within a factor of `FAR_ABOVE` of the limit. In a short run, each interval is near it.
fn is_decided(figure: &verdict::Figure, limit: f64) -> bool {
    let is_near = |rate: f64, factor: f64| rate >= limit / factor && rate <= limit * factor;
    match figure.interval {
        Some(interval) if !figure.has_few_intervals => {
            is_near(interval.low, FAR_ABOVE) && is_near(interval.high, FAR_ABOVE)
        }
        Some(_) => figure.series.iter().all(|rate| is_near(*rate, SHORT_NEAR)),
        None => false,
    }
}

/// Returns the class with the highest limit. Among equal limits the first of the catalogue: the smallest disk.
fn best(figure: &Figure, (classes, figures): (&[Class], &[Figure])) -> Option<ClassMatch> {
    let all = classes.iter().filter_map(|class| figure.like(class, figures));
    all.reduce(|best, next| if next.limit > best.limit { next } else { best })
}

/// Returns the disks with published figures by name.
fn fixed(catalogue: &Catalogue) -> Vec<Class> {
    let mut classes = Vec::new();
    for (provider, name, group) in disks(catalogue) {
        let is_row = group.name.is_none();
        let expectation = expectation(catalogue, &format!("{provider}:{name}")).filter(|_| is_row);
        let class = |expectation| Class { provider: provider.to_owned(), name, is_provisioned: false, expectation };
        classes.extend(expectation.map(class));
    }
    classes
}

/// Returns the class of the first product whose limits the user provisions, with the figure rounded down to two digits.
fn provisioned(figure: &Figure, catalogue: &Catalogue, figures: &[Figure]) -> Option<ClassMatch> {
    let rate = |quantity| Some(figure.rate(Metric { ddir: Some(figure.ddir), quantity })?.measured);
    let (iops, bytes_per_s) = (rate(Quantity::Iops)?, rate(Quantity::Bandwidth)?);
    let wanted = if figure.test.aim == Aim::DiskIops { Quantity::Iops } else { Quantity::Bandwidth };
    let mut products = disks(catalogue).filter(|(.., group)| has(group, "iops") && has(group, "throughput"));
    products.find_map(|(provider, name, group)| {
        let rounded = |value: f64| two_digits(value / group.enough.of(wanted).share.min(ALL));
        let unit = group.parameters.iter().find(|(name, _)| name == "throughput").map(|(_, one)| one.unit.as_str());
        let unit_bytes = if unit == Some("MB/s") { 1e6 } else { f64::from(1 << 20) };
        let iops = rounded(iops);
        // The other parameter is large enough to be no limit.
        let texts = match wanted {
            Quantity::Iops => {
                let throughput = (bytes_per_s / unit_bytes / ENOUGH_OF_OTHER).ceil();
                [format!("iops={iops}"), format!("iops={iops}&throughput={throughput}")]
            }
            _ => {
                let throughput = rounded(bytes_per_s / unit_bytes);
                let iops = throughput * IOPS_PER_MIB;
                [format!("throughput={throughput}"), format!("iops={iops}&throughput={throughput}")]
            }
        };
        texts.iter().find_map(|text| {
            let expectation = expectation(catalogue, &format!("{provider}:{name}?{text}"))?;
            let class = Class { provider: provider.to_owned(), name: name.clone(), is_provisioned: true, expectation };
            figure.like(&class, figures).filter(|found| found.metric.quantity == wanted)
        })
    })
}

/// Whether the group has this parameter, and the vendor publishes its lowest value: any figure is like a product without.
fn has(group: &Group, parameter: &str) -> bool {
    group.parameters.iter().any(|(name, one)| name == parameter && !one.from.is_empty())
}

/// The disks of the catalogue whose limits a source confirms.
fn disks(catalogue: &Catalogue) -> impl Iterator<Item = (&str, String, &Arc<Group>)> {
    let is_confirmed = |group: &&Arc<Group>| group.kind == Kind::Disk && group.confidence != Confidence::Low;
    let providers = catalogue.providers.iter();
    providers.flat_map(move |(name, provider)| {
        provider.groups.iter().filter(is_confirmed).flat_map(move |group| {
            let names = group.name.iter().chain(group.rows.keys());
            names.map(move |class| (name.as_str(), class.clone(), group))
        })
    })
}

/// Returns an expectation; `None` if it is not in the catalogue, needs more parameters, or exceeds the vendor's offer.
fn expectation(catalogue: &Catalogue, text: &str) -> Option<Expectation> {
    let found = catalogue.expect(&Source::new("class", text)).ok()?;
    found.warnings.is_empty().then_some(found)
}

/// Rounds down to two significant digits.
fn two_digits(value: f64) -> f64 {
    let scale = 10f64.powf((value.max(1.0).log10().floor() - 1.0).max(0.0));
    (value / scale).floor() * scale
}

/// Adds the classes of the figures. Without expectations also the limits of the machine; with limits of a provider, only the
/// classes of this provider in tests that missed them.
pub fn describe(assessment: &mut Assessment, expectations: &[Expectation]) {
    let catalogue = &*BUILT_IN;
    if assessment.expectations.is_empty() {
        assessment.classes = matches(&assessment.tests, catalogue);
        assessment.machine_limits = machine_limits(&assessment.machine, catalogue);
        return;
    }
    let is_of = |class: &Class| expectations.iter().any(|one| one.provider == class.provider);
    let fixed: Vec<Class> = fixed(catalogue).into_iter().filter(is_of).collect();
    let mut found = matches_among(&assessment.tests, catalogue, &fixed);
    let has_failed = |one: &ClassMatch| assessment.tests.iter().any(|test| test.name == one.test && missed_limit(test));
    let is_expected = |one: &ClassMatch| expectations.iter().any(|given| given.text == one.expectation);
    found.retain(|one| !one.is_provisioned && has_failed(one) && !is_expected(one));
    assessment.classes = found;
}

/// Whether the cause of a test's verdict is that it missed a published limit.
fn missed_limit(test: &Test) -> bool {
    let Cause::Judgement(judgement) = &test.cause else { return false };
    let threshold = judgement.threshold.as_ref();
    // The figure of a rate that fell is a mean of several levels.
    judgement.verdict == Verdict::Fail
        && !matches!(judgement.reason, Reason::NotEnough(RateShape::Fell(_)))
        && threshold.is_some_and(|threshold| matches!(threshold.basis, Basis::Limit { .. }))
}
