//! Lowers the options of priorities of single I/Os (`cmdprio`).

use plan::{CommandPriorities, Ddir, IoPrio, Pattern, PriorityShare, PrioritySplit};

use crate::options::{Key, key, kinds};
use crate::parse::value::priority_split::{PriorityEntry, priority_split};
use crate::parse::values::Values;

/// The real-time class, the default.
const REAL_TIME: u8 = 1;

/// Returns the priorities of a job's I/Os. `None` if all have that of the job.
pub fn command_priorities(values: &Values, pattern: Pattern) -> Option<CommandPriorities> {
    if !matches!(values.text(key::IOENGINE), Some("libaio" | "io_uring")) {
        return None;
    }
    let percentages = values.unsigneds(key::CMDPRIO_PERCENTAGE);
    let kb_base = if values.keyword(key::KB_BASE) == "1000" { 1000 } else { 1024 };
    let entries = values.text(key::CMDPRIO_BSSPLIT).and_then(|text| priority_split(text, kb_base).ok());
    let entries = entries.unwrap_or_default();
    let splits = |ddir: Ddir| {
        let prio = default_priority(values, ddir);
        match percentages[ddir as usize] as u32 {
            _ if !pattern.has(ddir) => Vec::new(),
            0 => by_block_size(&entries[ddir as usize], prio),
            percent => vec![PrioritySplit { block_bytes: None, shares: vec![PriorityShare { percent, prio }] }],
        }
    };
    let priorities = CommandPriorities { reads: splits(Ddir::Read), writes: splits(Ddir::Write) };
    (priorities != CommandPriorities::default()).then_some(priorities)
}

fn default_priority(values: &Values, ddir: Ddir) -> IoPrio {
    let of = |key: Key<kinds::Number>| values.unsigneds(key)[ddir as usize];
    let class = match of(key::CMDPRIO_CLASS) as u8 {
        0 => REAL_TIME,
        class => class,
    };
    IoPrio { class, level: of(key::CMDPRIO) as u8, hint: of(key::CMDPRIO_HINT) as u16 }
}

/// `entries` are sorted by size.
fn by_block_size(entries: &[PriorityEntry], default: IoPrio) -> Vec<PrioritySplit> {
    let share = |entry: &PriorityEntry| PriorityShare {
        percent: entry.percent,
        prio: entry.priority.map_or(default, |[class, level, hint]| IoPrio {
            class: class as u8,
            level: level as u8,
            hint: hint as u16,
        }),
    };
    let sizes = entries.chunk_by(|one, other| one.block_bytes == other.block_bytes);
    sizes
        .map(|same| PrioritySplit { block_bytes: Some(same[0].block_bytes), shares: same.iter().map(share).collect() })
        .collect()
}
