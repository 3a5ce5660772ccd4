//! Commands of writes with their percentages (`write_mode`).

use plan::NvmeWrite;

/// Most commands of a list, as in fio.
const COMMANDS_MAX: usize = 5;

/// A command of `write_mode`. `None`: zone append, which fathom does not send.
pub type Command = Option<NvmeWrite>;

/// Error in a list of commands.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WriteModeError {
    #[error("it has {0} entries, and the maximum is {COMMANDS_MAX}")]
    TooMany(usize),
    /// An entry has another form.
    #[error("`{0}` is not COMMAND/PERCENT")]
    Entry(String),
    #[error("`{0}` is not a percentage")]
    Percentage(String),
    #[error("the percentages add up to {0}, and not to 100")]
    Sum(u32),
    #[error("`{0}` is not one of write, uncor, zeroes, verify and zone_append")]
    UnknownCommand(String),
}

/// Parses a command, or a list `COMMAND/PERCENT:COMMAND/PERCENT…`. Entries without a percentage share the rest evenly.
///
/// # Errors
/// Returns what is wrong.
pub fn write_mode(text: &str) -> Result<Vec<(Command, u32)>, WriteModeError> {
    if !text.contains(':') {
        return Ok(vec![(command(text)?, 100)]);
    }
    let entries: Vec<&str> = text.split(':').collect();
    if entries.len() > COMMANDS_MAX {
        return Err(WriteModeError::TooMany(entries.len()));
    }
    let mut shares = Vec::with_capacity(entries.len());
    for entry in entries {
        let (name, percent) = entry.split_once('/').ok_or_else(|| WriteModeError::Entry(entry.to_owned()))?;
        let percent = match percent {
            "" => None,
            digits => Some(digits.parse::<u32>().map_err(|_| WriteModeError::Percentage(digits.to_owned()))?),
        };
        shares.push((command(name)?, percent));
    }
    let given: u32 = shares.iter().filter_map(|(_, percent)| *percent).fold(0, u32::saturating_add);
    let missing = shares.iter().filter(|(_, percent)| percent.is_none()).count() as u32;
    if given > 100 || missing == 0 && given != 100 {
        return Err(WriteModeError::Sum(given));
    }
    let each = (100 - given).checked_div(missing).unwrap_or(0);
    Ok(shares.into_iter().map(|(command, percent)| (command, percent.unwrap_or(each))).collect())
}

fn command(name: &str) -> Result<Command, WriteModeError> {
    Ok(match name {
        "write" => Some(NvmeWrite::Write),
        "uncor" => Some(NvmeWrite::Uncorrectable),
        "zeroes" => Some(NvmeWrite::Zeroes),
        "verify" => Some(NvmeWrite::Verify),
        "zone_append" => None,
        _ => return Err(WriteModeError::UnknownCommand(name.to_owned())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_command_has_all_writes() {
        assert_eq!(write_mode("zeroes"), Ok(vec![(Some(NvmeWrite::Zeroes), 100)]));
        assert_eq!(write_mode("zone_append"), Ok(vec![(None, 100)]));
        assert!(write_mode("erase").is_err());
    }

    #[test]
    fn entries_without_a_percentage_share_the_rest() {
        let shares = |text| write_mode(text).map(|shares| shares.iter().map(|share| share.1).collect::<Vec<_>>());
        assert_eq!(shares("write/60:zeroes/40"), Ok(vec![60, 40]));
        assert_eq!(shares("write/50:zeroes/:uncor/"), Ok(vec![50, 25, 25]));
        assert_eq!(shares("write/:zeroes/:uncor/"), Ok(vec![33, 33, 33]));
        for bad in ["write/60:zeroes/50", "write/60:zeroes/30", "write:zeroes/40", "write/-1:zeroes/", "write/60:"] {
            assert!(write_mode(bad).is_err(), "{bad}");
        }
        assert!(write_mode("write/:write/:write/:write/:write/:write/").is_err());
    }
}
