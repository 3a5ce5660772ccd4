//! `-S -h -N`: caches, write-through, memory-mapped I/O.

use units::diagnostic::Diagnostic;

use super::arguments::Switch;
use crate::profile::{BypassIo, Cache, FlushType, Target};

/// The flags of all `-S` options of the command line.
#[derive(Default)]
pub struct Caching {
    /// The cache mode: b, u, r or h.
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

    /// Parses `-h`, the older name of `-Sh`.
    pub fn no_caches(&mut self, switch: &Switch) -> Result<(), Diagnostic> {
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
                        false => format!("-S{earlier} and -S{flag} both select a cache mode"),
                    };
                    return error(message, "the second one");
                }
                if flag == 'h' && self.write_through {
                    return error("-Sh includes write-through, and -Sw is also given".to_owned(), "after -Sw");
                }
                if self.mapped && matches!(flag, 'u' | 'h') {
                    return error(format!("-Sm needs the cache that -S{flag} disables"), "after -Sm");
                }
                self.cache = Some(flag);
                self.write_through |= flag == 'h';
            }
            'w' if self.write_through => {
                return error("write-through is given twice".to_owned(), "after -Sw or -Sh");
            }
            'w' => self.write_through = true,
            'm' if self.mapped => return error("-Sm is given twice".to_owned(), "the second one"),
            'm' => match self.cache.filter(|cache| matches!(cache, 'u' | 'h')) {
                Some(cache) => return error(format!("-Sm needs the cache that -S{cache} disables"), "after it"),
                None => self.mapped = true,
            },
            'y' | 'Y' if self.bypass.is_some() => return error("-Sy or -SY twice".to_owned(), "the second one"),
            'y' => self.bypass = Some(BypassIo::Partial),
            'Y' => self.bypass = Some(BypassIo::Full),
            _ => {
                let unknown =
                    error(format!("-S has no flag `{flag}`; its flags are b h m r u w y Y"), "not one of them");
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

/// Parses `-N`. DiskSpd 2.2 ignores case.
pub fn flush(switch: &Switch) -> Result<FlushType, Diagnostic> {
    match switch.value {
        "v" | "V" => Ok(FlushType::ViewOfFile),
        "n" | "N" => Ok(FlushType::NonVolatileMemory),
        "i" | "I" => Ok(FlushType::NonVolatileMemoryNoDrain),
        "" => Err(switch.missing("v, n or i")),
        _ => Err(switch.error_from(0, "-N must be v, n or i", "not one of them")),
    }
}
