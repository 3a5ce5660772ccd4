//! Replaces `${VARIABLE}`, `$pagesize`, `$mb_memory` and `$ncpus` in job files.

use std::borrow::Cow;

use super::env::Env;
use super::value;

/// Replaces environment variables, then keywords. A value with a keyword can be an arithmetic expression. A keyword whose value is
/// unknown stays.
///
/// `$jobname`, `$jobnum` and `$filenum` are not replaced here: they differ between the clones of a job.
pub fn substitute<'a>(option: &'a str, env: &dyn Env) -> Cow<'a, str> {
    if !option.contains('$') {
        return Cow::Borrowed(option);
    }
    let mut text = variables(option, env);
    if !text.contains('$') {
        return Cow::Owned(text);
    }
    let machine = env.machine();
    let known =
        [("$pagesize", Some(machine.page_bytes)), ("$mb_memory", machine.memory_mib), ("$ncpus", Some(machine.cpus))];
    let mut replaced = false;
    for (keyword, value) in known {
        if let Some(value) = value.filter(|_| text.contains(keyword)) {
            text = text.replace(keyword, &value.to_string());
            replaced = true;
        }
    }
    Cow::Owned(if replaced { evaluate(&text).unwrap_or(text) } else { text })
}

/// Replaces environment variables. As in fio, an unset variable is empty.
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

/// Evaluates the value of `name=value`, if it contains an operator and no quote.
fn evaluate(text: &str) -> Option<String> {
    let (name, value) = text.split_once('=')?;
    if !value.contains(['+', '-', '*', '/']) || text.contains('\'') {
        return None;
    }
    let expression = format!("({value})");
    let result = value::evaluate(&expression, false).ok()?;
    let is_complete = result.end == expression.len() && !result.has_unit;
    is_complete.then(|| format!("{name}={}", result.value.trunc()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::env::FixedEnv;

    fn substituted(text: &str) -> Cow<'_, str> {
        substitute(text, &FixedEnv::default().var("SIZE", "4m").var("A", "${SIZE}"))
    }

    #[test]
    fn variables_are_replaced_once() {
        assert_eq!(substituted("size=${SIZE}"), "size=4m");
        assert_eq!(substituted("size=${A}${NONE}x${SIZE}"), "size=${SIZE}x4m");
        assert_eq!(substituted("size=${SIZE"), "size=${SIZE");
        assert_eq!(substituted("size=$SIZE$"), "size=$SIZE$");
    }

    #[test]
    fn keywords_are_numbers_in_expressions() {
        assert_eq!(substituted("bs=$pagesize"), "bs=4096");
        assert_eq!(substituted("bs=$pagesize*2"), "bs=8192");
        assert_eq!(substituted("hugepage-size=8*$ncpus"), "hugepage-size=64");
        assert_eq!(substituted("filename=/a/$ncpus"), "filename=/a/8");
        assert_eq!(substituted("filename_format=$jobname.$jobnum"), "filename_format=$jobname.$jobnum");
    }
}
