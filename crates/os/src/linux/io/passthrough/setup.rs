//! Format, features and power states of an NVMe disk (NVM Express base specification 2.0, 5.17.2.1 and 5.27.1; NVM command set
//! specification 1.0, 4.1.5.1).

use std::io;
use std::os::fd::AsRawFd;

use super::health::ZERO_CELSIUS;
use super::namespace::{CONTROLLER, NAMESPACE, feature, format_index, identify, number, number32};
use crate::file::File;
use ::io::{FormatPerformance, IdleState, LbaFormat, NvmeSetup, VolatileWriteCache};

/// Identifiers of features.
const POWER_MANAGEMENT: u32 = 0x02;
const WRITE_CACHE: u32 = 0x06;
const AUTONOMOUS_TRANSITIONS: u32 = 0x0c;
const THERMAL_MANAGEMENT: u32 = 0x10;
/// The entry of each of the 32 power states has 8 bytes.
const TRANSITIONS_BYTES: usize = 256;
const TRANSITION_BYTES: usize = 8;
/// Power state descriptors in the identify data of the controller.
const POWER_STATES: usize = 2048;
const POWER_STATE_BYTES: usize = 32;

/// Current values of features. `None` if the controller does not have the feature.
#[derive(Default)]
struct Features {
    power_state: Option<u32>,
    write_cache: Option<u32>,
    transitions: Option<Vec<u8>>,
    thermal: Option<u32>,
}

/// Reads the set-up of an open namespace and its controller.
///
/// # Errors
/// The file is no NVMe device, or the kernel or the controller rejects a command.
pub(crate) fn read(namespace: &File) -> io::Result<NvmeSetup> {
    let descriptor = namespace.descriptor();
    let fd = descriptor.as_raw_fd();
    let id = number(fd)?;
    // The first command, because a command can wake the controller.
    let power_state = feature(fd, POWER_MANAGEMENT, 0).ok().map(|(value, _)| value);
    let controller = identify(fd, 0, CONTROLLER)?;
    // A request for a feature that is missing would count as an error in the log of the controller.
    let value = |is_present: bool, id| is_present.then(|| feature(fd, id, 0).ok())?.map(|(value, _)| value);
    let transitions = || feature(fd, AUTONOMOUS_TRANSITIONS, TRANSITIONS_BYTES).ok();
    let features = Features {
        power_state,
        write_cache: value(has_volatile_cache(&controller), WRITE_CACHE),
        transitions: (controller[265] & 1 == 1).then(transitions).flatten().and_then(enabled),
        thermal: value(controller[322] & 1 == 1, THERMAL_MANAGEMENT),
    };
    Ok(parse(&controller, &identify(fd, id, NAMESPACE)?, &features))
}

/// Returns the entries of autonomous transitions if they are enabled.
fn enabled((value, entries): (u32, Vec<u8>)) -> Option<Vec<u8>> {
    (value & 1 == 1).then_some(entries)
}

fn has_volatile_cache(controller: &[u8]) -> bool {
    controller[525] & 1 == 1
}

fn parse(controller: &[u8], namespace: &[u8], features: &Features) -> NvmeSetup {
    let format = format(namespace);
    let blocks = |at: usize| u64::from_le_bytes(std::array::from_fn(|nth| namespace[at + nth]));
    let celsius = |kelvins: u32| i32::try_from(kelvins).ok().filter(|it| *it > 0).map(|kelvins| kelvins - ZERO_CELSIUS);
    let volatile_write_cache = match (has_volatile_cache(controller), features.write_cache) {
        (false, _) => VolatileWriteCache::Absent,
        (true, Some(value)) if value & 1 == 0 => VolatileWriteCache::Off,
        (true, Some(_)) => VolatileWriteCache::On,
        (true, None) => VolatileWriteCache::Unknown,
    };
    let transitions = features.transitions.as_deref().unwrap_or_default();
    NvmeSetup {
        volatile_write_cache,
        format,
        namespace_bytes: blocks(0).saturating_mul(format.data_bytes),
        used_bytes: blocks(16).saturating_mul(format.data_bytes),
        warning_temperature_c: celsius(u32::from(u16::from_le_bytes([controller[266], controller[267]]))),
        throttle_temperature_c: features.thermal.and_then(|value| celsius(value >> 16)),
        power_state: features.power_state.and_then(|value| u8::try_from(value & 0x1f).ok()),
        idle_states: idle_states(controller, transitions),
    }
}

fn format(namespace: &[u8]) -> LbaFormat {
    let at = 128 + 4 * format_index(namespace);
    LbaFormat {
        data_bytes: 1u64.checked_shl(u32::from(namespace[at + 2])).unwrap_or(0),
        metadata_bytes: u16::from_le_bytes([namespace[at], namespace[at + 1]]),
        performance: match namespace[at + 3] & 3 {
            0 => FormatPerformance::Best,
            1 => FormatPerformance::Better,
            2 => FormatPerformance::Good,
            _ => FormatPerformance::Degraded,
        },
    }
}

/// Returns the non-operational states that the controller enters by itself, by the shortest time that leads to each.
fn idle_states(controller: &[u8], transitions: &[u8]) -> Vec<IdleState> {
    let mut states: Vec<IdleState> = Vec::new();
    for entry in transitions.chunks_exact(TRANSITION_BYTES) {
        let entry = number32(entry, 0);
        let (state, after_ms) = ((entry >> 3 & 0x1f) as u8, entry >> 8);
        let descriptor = POWER_STATES + usize::from(state) * POWER_STATE_BYTES;
        let is_idle = controller[descriptor + 3] & 2 == 2;
        // A time of 0 disables the transition.
        if after_ms == 0 || !is_idle {
            continue;
        }
        match states.iter_mut().find(|known| known.state == state) {
            Some(known) => known.after_ms = known.after_ms.min(after_ms),
            None => states.push(IdleState { state, after_ms, exit_us: number32(controller, descriptor + 8) }),
        }
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns identify data of a controller with a volatile write cache, a warning temperature of 70 °C, and the power states 3
    /// and 4 as non-operational ones.
    fn controller() -> Vec<u8> {
        let mut data = vec![0; 4096];
        data[525] = 1;
        data[266..268].copy_from_slice(&343u16.to_le_bytes());
        for (state, exit_us) in [(3, 1_200u32), (4, 40_000)] {
            let at = POWER_STATES + state * POWER_STATE_BYTES;
            data[at + 3] = 2;
            data[at + 8..at + 12].copy_from_slice(&exit_us.to_le_bytes());
        }
        data
    }

    /// Returns identify data of a namespace of 1000 blocks, 250 of them in use, with 8 bytes of metadata.
    fn namespace() -> Vec<u8> {
        let mut data = vec![0; 4096];
        data[..8].copy_from_slice(&1000u64.to_le_bytes());
        data[16..24].copy_from_slice(&250u64.to_le_bytes());
        data[26] = 1;
        data[132..136].copy_from_slice(&[8, 0, 12, 2]);
        data
    }

    #[test]
    fn set_up_has_its_units() {
        let mut transitions = vec![0; TRANSITIONS_BYTES];
        for (from, state, after_ms) in [(0usize, 3u32, 750u32), (1, 3, 500), (2, 1, 100), (3, 4, 2000)] {
            transitions[from * 8..from * 8 + 4].copy_from_slice(&(after_ms << 8 | state << 3).to_le_bytes());
        }
        let features = Features {
            power_state: Some(0x43),
            write_cache: Some(1),
            transitions: Some(transitions),
            thermal: Some(350 << 16 | 360),
        };
        let expected = NvmeSetup {
            volatile_write_cache: VolatileWriteCache::On,
            format: LbaFormat { data_bytes: 4096, metadata_bytes: 8, performance: FormatPerformance::Good },
            namespace_bytes: 4_096_000,
            used_bytes: 1_024_000,
            warning_temperature_c: Some(70),
            throttle_temperature_c: Some(77),
            power_state: Some(3),
            idle_states: vec![
                IdleState { state: 3, after_ms: 500, exit_us: 1_200 },
                IdleState { state: 4, after_ms: 2000, exit_us: 40_000 },
            ],
        };
        assert_eq!(parse(&controller(), &namespace(), &features), expected);
    }

    #[test]
    fn the_state_of_a_volatile_write_cache_is_that_of_the_feature() {
        let cache = |controller: &[u8], write_cache| {
            let features = Features { write_cache, ..Features::default() };
            parse(controller, &namespace(), &features).volatile_write_cache
        };
        let present = controller();
        let expected = [
            (Some(0), VolatileWriteCache::Off),
            (Some(1), VolatileWriteCache::On),
            (None, VolatileWriteCache::Unknown),
        ];
        for (value, state) in expected {
            assert_eq!(cache(&present, value), state, "{value:?}");
        }
        assert_eq!(cache(&vec![0; 4096], None), VolatileWriteCache::Absent);
        assert_eq!(enabled((0, vec![1])), None);
    }
}
