//! Waits of the threads.

use crate::render::report::Span;

pub fn table(span: &Span) -> String {
    let heading = "thread | completion wait | throttle wait  -  sleep | lookaside | 0 - 7+ complete per lookaside";
    let mut text = format!("\nWait Statistics\n{heading}\n{}\n", "-".repeat(heading.len() + 1));
    for (number, thread) in span.threads.iter().enumerate() {
        let waits = &thread.waits;
        text += &format!(
            "{number:6} | {:15} | {:13}  - {:6} | {:9} | {}\n",
            waits.completion,
            waits.throttle,
            waits.throttle_sleep,
            waits.lookaside,
            waits.lookaside_completions.map(|count| count.to_string()).join(" "),
        );
    }
    text
}
