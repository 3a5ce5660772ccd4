//! `-S -h -N`: caches, write-through, mapped memory.

use units::diagnostic::Diagnostic;

use super::words::Switch;
use crate::profile::{BypassIo, Cache, FlushType, Target};

/// Flags add up over the whole command line.
#[derive(Default)]
pub struct Caching {
    /// The letter that chose it: one of b, u, r, h.
    cache: Option<char>,
    write_through: bool,
    mapped: bool,
    bypass: Option<BypassIo>,
}

impl Caching {
    pub fn read(&mut self, switch: &Switch) -> Result<(), Diagnostic> {
        let flags = if switch.value.is_empty() { "u" } else { switch.value };
        for (at, flag) in flags.char_indices() {
            self.flag(switch, at, flag)?;
        }
        Ok(())
    }

    /// `-h`, the older name of `-Sh`.
    pub fn neither_cache(&mut self, switch: &Switch) -> Result<(), Diagnostic> {
        self.flag(switch, 0, 'h')
    }

    fn flag(&mut self, switch: &Switch, at: usize, flag: char) -> Result<(), Diagnostic> {
        let error = |message: String, label: &str| {
            if switch.letter == 'h' || switch.value.is_empty() {
                return Err(switch.error(message, label));
            }
            Err(Diagnostic::error(message).at(&switch.value_span(at..at + flag.len_utf8()), label))
        };
        match flag {
            'b' | 'u' | 'r' | 'h' => {
                if let Some(earlier) = self.cache {
                    let message = match earlier == flag {
                        true => format!("-S{flag} is given twice"),
                        false => format!("-S{earlier} and -S{flag} are two choices of a cache"),
                    };
                    return error(message, "the second one");
                }
                if flag == 'h' && self.write_through {
                    return error("-Sh writes through by itself, and -Sw is given too".to_owned(), "after -Sw");
                }
                if self.mapped && matches!(flag, 'u' | 'h') {
                    return error(format!("-Sm maps the cache that -S{flag} leaves out"), "after -Sm");
                }
                self.cache = Some(flag);
                self.write_through |= flag == 'h';
            }
            'w' if self.write_through => {
                return error("write through is asked for twice".to_owned(), "after -Sw or -Sh");
            }
            'w' => self.write_through = true,
            'm' if self.mapped => return error("-Sm is given twice".to_owned(), "the second one"),
            'm' => match self.cache.filter(|cache| matches!(cache, 'u' | 'h')) {
                Some(cache) => return error(format!("-Sm maps the cache that -S{cache} leaves out"), "after it"),
                None => self.mapped = true,
            },
            'y' | 'Y' if self.bypass.is_some() => return error("-Sy or -SY twice".to_owned(), "the second one"),
            'y' => self.bypass = Some(BypassIo::Partial),
            'Y' => self.bypass = Some(BypassIo::Full),
            _ => {
                let unknown =
                    error(format!("-S takes letters of b h m r u w y Y, and not `{flag}`"), "not one of them");
                return unknown.map_err(|error| match flag {
                    'd' => error.help("DiskSpd's old port to Linux used O_DIRECT with -Sd: write -Su"),
                    's' => error.help("DiskSpd's old port to Linux used O_SYNC with -Ss: write -Sw"),
                    _ => error,
                });
            }
        }
        Ok(())
    }

    pub fn apply(&self, target: &mut Target) {
        target.cache = match self.cache {
            Some('u' | 'h') => Cache::Unbuffered,
            Some('r') => Cache::NoLocal,
            _ => Cache::Cached,
        };
        target.write_through = self.write_through;
        target.memory_mapped = self.mapped;
        target.bypass_io = self.bypass;
    }
}

/// `-N`: in 2.2 case doesn't matter.
pub fn flush(switch: &Switch) -> Result<FlushType, Diagnostic> {
    match switch.value {
        "v" | "V" => Ok(FlushType::ViewOfFile),
        "n" | "N" => Ok(FlushType::NonVolatileMemory),
        "i" | "I" => Ok(FlushType::NonVolatileMemoryNoDrain),
        "" => Err(switch.missing("v, n or i")),
        _ => Err(switch.error_from(0, "-N takes v, n or i", "not one of them")),
    }
}
