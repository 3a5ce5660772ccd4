//! `-a`: the CPUs of the threads, or the order in which threads are assigned.

use units::diagnostic::Diagnostic;

use super::arguments::Switch;
use super::env::Env;
use crate::profile::{AffinityCpu, EfficiencyOrder, TimeSpan};

/// Parses `-a`. Its CPUs are appended to those of an earlier `-a`.
pub fn read(switch: &Switch, span: &mut TimeSpan, env: &dyn Env) -> Result<(), Diagnostic> {
    match switch.value {
        "" | "g" => Ok(()),
        "up" => set_efficiency(switch, span, EfficiencyOrder::Unordered),
        value if value.starts_with(['c', 's', 'p', 'P', 'e', 'E']) => order(switch, span),
        _ => list(switch, &mut span.affinity, env),
    }
}

fn order(switch: &Switch, span: &mut TimeSpan) -> Result<(), Diagnostic> {
    for (at, letter) in switch.value.char_indices() {
        let efficiency = match letter {
            'c' => {
                span.traversal.core_aware = true;
                continue;
            }
            's' => {
                span.traversal.span_groups = true;
                continue;
            }
            'p' => EfficiencyOrder::PerformanceFirst,
            'P' => EfficiencyOrder::FillPerformanceFirst,
            'e' => EfficiencyOrder::EfficiencyFirst,
            'E' => EfficiencyOrder::FillEfficiencyFirst,
            _ => return Err(problem(switch, at, "expected c, s, or one of p P e E")),
        };
        set_efficiency(switch, span, efficiency)?;
    }
    Ok(())
}

fn set_efficiency(switch: &Switch, span: &mut TimeSpan, order: EfficiencyOrder) -> Result<(), Diagnostic> {
    if span.traversal.efficiency.is_some() {
        let message = "the order of performance and efficient cores is given twice";
        return Err(switch.error(message, "one of p P e E, or -aup, once"));
    }
    span.traversal.efficiency = Some(order);
    Ok(())
}

fn problem(switch: &Switch, at: usize, label: &str) -> Diagnostic {
    let error = switch.error_from(at, "invalid CPU list of -a", label);
    error.help("write CPUs such as -a0,2-5, or with groups -ag0,0,2")
}

/// Parses groups and CPUs between commas. A group applies until the next one.
fn list(switch: &Switch, cpus: &mut Vec<AffinityCpu>, env: &dyn Env) -> Result<(), Diagnostic> {
    let mut group = 0;
    let mut at = 0;
    let mut ends_with_group = false;
    let mut items = 0;
    for item in switch.value.split(',') {
        items += 1;
        ends_with_group = item.starts_with('g');
        if ends_with_group {
            group = number(switch, at + 1, &item[1..], u16::MAX)?;
        } else {
            let (first, last) = item.split_once('-').unwrap_or((item, item));
            let last_at = at + item.len() - last.len();
            let numbers = number(switch, at, first, u8::MAX.into())?..=number(switch, last_at, last, u8::MAX.into())?;
            if numbers.is_empty() {
                return Err(problem(switch, at, "the first CPU of a range must be the smaller one"));
            }
            // Both ends are checked against the limit.
            let numbers = numbers.filter_map(|number| u8::try_from(number).ok());
            cpus.extend(numbers.map(|number| AffinityCpu { group, number }));
        }
        at += item.len() + 1;
    }
    if ends_with_group && items == 1 {
        return whole_group(switch, group, cpus, env);
    }
    if ends_with_group {
        return Err(problem(switch, switch.value.len(), "expected a CPU of this group"));
    }
    Ok(())
}

fn number(switch: &Switch, at: usize, text: &str, most: u16) -> Result<u16, Diagnostic> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(problem(switch, at, "expected a number here"));
    }
    let number = text.parse::<u16>().ok().filter(|number| *number <= most);
    number.ok_or_else(|| problem(switch, at, &format!("at most {most}")))
}

/// The CPUs of a group depend on the machine.
fn whole_group(switch: &Switch, group: u16, cpus: &mut Vec<AffinityCpu>, env: &dyn Env) -> Result<(), Diagnostic> {
    if group != 0 {
        let error = switch.error_from(0, format!("this machine has no processor group {group}"), "no such group");
        return Err(error.help("on Linux all CPUs are in group 0"));
    }
    let numbers = env.online_cpus().into_iter().filter_map(|number| u8::try_from(number).ok());
    cpus.extend(numbers.map(|number| AffinityCpu { group, number }));
    Ok(())
}
