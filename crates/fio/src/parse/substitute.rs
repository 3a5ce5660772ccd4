//! `${VARIABLE}`, `$pagesize`, `$mb_memory` and `$ncpus` in job files.

use super::env::Env;
use super::value::arithmetic;

/// Replaces variables, then keywords. Where a keyword was replaced, a value with operators is calculated.
///
/// Other words with a dollar sign, `$jobname` and its like, are for later.
pub fn substitute(option: &str, env: &dyn Env) -> String {
    let mut text = variables(option, env);
    let keywords = [("$pagesize", env.page_bytes()), ("$mb_memory", env.memory_mib()), ("$ncpus", env.cpus())];
    let mut replaced = false;
    for (keyword, value) in keywords {
        if text.contains(keyword) {
            text = text.replace(keyword, &value.to_string());
            replaced = true;
        }
    }
    if replaced { calculated(&text).unwrap_or(text) } else { text }
}

/// Unset variables are empty, as in fio.
fn variables(text: &str, env: &dyn Env) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        out.push_str(&rest[..start]);
        out.push_str(&env.var(&rest[start + 2..start + length]).unwrap_or_default());
        rest = &rest[start + length + 1..];
    }
    out.push_str(rest);
    out
}

fn calculated(text: &str) -> Option<String> {
    let (name, value) = text.split_once('=')?;
    if !value.contains(['+', '-', '*', '/']) || text.contains('\'') {
        return None;
    }
    let expression = format!("({value})");
    let result = arithmetic::calculate(&expression, false).ok()?;
    let complete = result.end == expression.len() && !result.has_unit;
    complete.then(|| format!("{name}={}", result.value.trunc()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::env::FixedEnv;

    fn of(text: &str) -> String {
        substitute(text, &FixedEnv::default().var("SIZE", "4m").var("A", "${SIZE}"))
    }

    #[test]
    fn variables_are_replaced_once() {
        assert_eq!(of("size=${SIZE}"), "size=4m");
        assert_eq!(of("size=${A}${NONE}x${SIZE}"), "size=${SIZE}x4m");
        assert_eq!(of("size=${SIZE"), "size=${SIZE");
        assert_eq!(of("size=$SIZE$"), "size=$SIZE$");
    }

    #[test]
    fn keywords_are_numbers_and_calculate() {
        assert_eq!(of("bs=$pagesize"), "bs=4096");
        assert_eq!(of("bs=$pagesize*2"), "bs=8192");
        assert_eq!(of("hugepage-size=8*$ncpus"), "hugepage-size=64");
        assert_eq!(of("filename=/a/$ncpus"), "filename=/a/8");
        assert_eq!(of("filename_format=$jobname.$jobnum"), "filename_format=$jobname.$jobnum");
    }
}
