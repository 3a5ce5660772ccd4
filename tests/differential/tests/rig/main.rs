//! fathom does in random jobs what fio does.

mod answers;
mod page;
mod with_fio;
