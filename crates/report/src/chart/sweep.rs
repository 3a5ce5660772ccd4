//! The metric of a sweep over its first axis, one series for each combination of the other axes.

use assessment::{Sweep, SweepResult, Test};

use super::axis::Axis;
use super::canvas::{Canvas, Entry, Field};
use super::colours::SERIES;
use super::picture::Chart;
use super::sign::{Sign, line_classes};
use crate::study::sweep::{metric_title, scale, series};

/// Most series of a legend.
const LEGEND_MOST: usize = 6;
/// Colour steps of series on a scale. The palest ones are hard to see as lines.
const SHADES: [usize; 6] = [3, 4, 5, 6, 7, 8];

pub fn chart(test: &Test, request: &Sweep, result: &SweepResult) -> Option<Chart> {
    let (option, values) = request.axes.first()?;
    let scale = scale(request, result);
    let series: Vec<(String, Vec<usize>)> = series(result);
    let value = |at: usize| result.points[at].value(request.metric);
    let range = |at: usize| result.points[at].range;
    let all = series.iter().flat_map(|(_, points)| points);
    let tops = all.flat_map(|at| [value(*at), range(*at).map(|(_, most)| most)]).flatten();
    let most = tops.fold(0.0, f64::max) / scale.divisor;
    if most <= 0.0 {
        return None;
    }
    let named = series.iter().enumerate().filter(|_| series.len() > 1);
    let entry = |(at, (name, _)): (usize, &(String, Vec<usize>))| {
        Entry::line(line_classes(at), name.clone()).marked(Sign::of_series(at), at)
    };
    let legend: Vec<Entry> = named.map(entry).collect();
    let title = metric_title(request, result);
    let (x, y) = (Axis::places(option, values), Axis::counts(&title, most));
    // Many series are on a scale of colours.
    let is_scale = series.len() > LEGEND_MOST;
    let shade = |nth: usize| SHADES[nth * SHADES.len() / series.len()];
    let mut canvas = match is_scale {
        true => scaled((x, y), request, series.iter().map(|(name, _)| name.as_str()), shade),
        false => Canvas::new(x, y, &legend),
    };
    for (nth, (name, points)) in series.iter().enumerate() {
        let classes = if is_scale { format!("k{}", shade(nth)) } else { line_classes(nth) };
        let place = |at: usize| {
            let own = &result.points[at].settings.first()?.1;
            Some(values.iter().position(|value| value == own)? as f64)
        };
        let known: Vec<(usize, f64, f64)> =
            points.iter().filter_map(|at| Some((*at, place(*at)?, value(*at)?))).collect();
        let line: Vec<(f64, f64)> = known.iter().map(|(_, x, value)| (*x, value / scale.divisor)).collect();
        canvas.keep(name, line.iter().copied());
        canvas.line(&classes, &line);
        for (at, x, value) in known {
            if let Some((least, most)) = range(at) {
                canvas.line(&classes, &[(x, least / scale.divisor), (x, most / scale.divisor)]);
            }
            let is_best = result.best.as_ref().is_some_and(|best| best.point == at);
            let (mark, sign) = match result.invalid(at) {
                Some(_) => (" (INVALID)", Sign::Cross),
                None if is_best => (" (best)", Sign::of_series(nth)),
                None => ("", Sign::of_series(nth)),
            };
            let hint = format!("{}: {}{mark}", result.points[at].name(), scale.with_unit(value));
            let at = (x, value / scale.divisor);
            match is_scale && sign != Sign::Cross {
                true => canvas.dot(&format!("h{}", shade(nth)), at.0, at.1, &hint),
                false => canvas.mark(sign, nth % SERIES, at, &hint),
            }
        }
    }
    let best = result.best.as_ref().and_then(|best| {
        Some(format!("Best: {} at {}.", scale.with_unit(best.value), result.points.get(best.point)?.name()))
    });
    let names = |what: &str, is_meant: &dyn Fn(usize) -> bool| {
        let points = result.points.iter().enumerate().filter(|(at, _)| is_meant(*at));
        let names: Vec<String> = points.map(|(_, point)| point.name()).collect();
        (!names.is_empty()).then(|| format!("{what}: {}.", names.join(", ")))
    };
    let failed = names("Not measured", &|at| result.points[at].median.is_none());
    let invalid = names("INVALID (crosses)", &|at| result.invalid(at).is_some());
    let words = [best, failed, invalid].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let title = request.metric.title();
    let title =
        title.chars().next().map_or_else(String::new, |c| c.to_uppercase().to_string() + &title[c.len_utf8()..]);
    Some(Chart::new(&test.name, "sweep", &format!("{title} by {option}"), words, canvas))
}

/// Draws the axes, and above them the values of the other axes in their shades.
fn scaled<'a>(
    (x, y): (Axis, Axis),
    request: &Sweep,
    series: impl Iterator<Item = &'a str>,
    shade: impl Fn(usize) -> usize,
) -> Canvas {
    let options = request.axes.iter().skip(1).map(|(option, _)| option.as_str()).collect::<Vec<_>>().join(" ");
    let values = |name: &str| name.split(' ').filter_map(|part| part.rsplit('=').next()).collect::<Vec<_>>().join(" ");
    let field = |(nth, name): (usize, &str)| Field { class: format!("h{}", shade(nth)), least: values(name) };
    Canvas::with_scale(x, y, &options, &series.enumerate().map(field).collect::<Vec<_>>())
}
