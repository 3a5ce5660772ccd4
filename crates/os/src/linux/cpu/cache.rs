//! CPU caches.

use std::io;
use std::path::Path;

use units::order::OrderBy;

use super::online_under;
use super::topology::list_or_empty;
use crate::cpu::{Cache, CacheKind};

/// Returns all caches of the online CPUs, by level, kind and first CPU. Returns an empty list if sysfs has none.
///
/// # Errors
/// Returns the error of reading sysfs.
pub fn caches() -> io::Result<Vec<Cache>> {
    caches_under(Path::new("/sys"))
}

fn caches_under(sys: &Path) -> io::Result<Vec<Cache>> {
    const CACHES_MAX: u32 = 16;
    let mut all: Vec<Cache> = Vec::new();
    for cpu in online_under(sys)? {
        let folder = sys.join(format!("devices/system/cpu/cpu{cpu}/cache"));
        for index in 0..CACHES_MAX {
            let folder = folder.join(format!("index{index}"));
            if !folder.exists() {
                break;
            }
            let Some(cache) = read(&folder, cpu) else { continue };
            // A shared cache is listed under each of its CPUs.
            let known =
                |other: &Cache| (other.level, other.kind, &other.cpus) == (cache.level, cache.kind, &cache.cpus);
            if !all.iter().any(known) {
                all.push(cache);
            }
        }
    }
    all.order_by_key(|cache| (cache.level, cache.kind, cache.cpus.first().copied()));
    Ok(all)
}

fn read(folder: &Path, cpu: u32) -> Option<Cache> {
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).ok().map(|text| text.trim().to_string());
    let number = |name: &str| text(name).and_then(|text| text.parse::<u32>().ok());
    let kind = match text("type")?.as_str() {
        "Data" => CacheKind::Data,
        "Instruction" => CacheKind::Instruction,
        "Unified" => CacheKind::Unified,
        _ => return None,
    };
    let mut cpus = list_or_empty(&folder.join("shared_cpu_list"));
    if cpus.is_empty() {
        cpus.push(cpu);
    }
    Some(Cache {
        level: number("level")?,
        kind,
        bytes: parse_size(&text("size")?)?,
        line_bytes: number("coherency_line_size").unwrap_or(0),
        ways: number("ways_of_associativity").unwrap_or(0),
        cpus,
    })
}

/// Parses the kernel's sizes, such as `48K`.
fn parse_size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    #[test]
    fn shared_caches_are_listed_once_in_order() {
        let tree = Tree::new("caches");
        tree.write("devices/system/cpu/online", "0-1");
        for cpu in 0..2 {
            let own = cpu.to_string();
            let caches = [(0, "3", "Unified", "32768K", "0-1"), (1, "1", "Instruction", "64K", own.as_str())];
            for (index, level, kind, size, shared) in caches.into_iter().chain([(2, "1", "Data", "48K", own.as_str())])
            {
                let file = |name: &str| format!("devices/system/cpu/cpu{cpu}/cache/index{index}/{name}");
                tree.write(&file("level"), level);
                tree.write(&file("type"), kind);
                tree.write(&file("size"), size);
                tree.write(&file("shared_cpu_list"), shared);
                tree.write(&file("coherency_line_size"), "64");
            }
        }
        tree.write("devices/system/cpu/cpu0/cache/index0/ways_of_associativity", "16");
        let caches = caches_under(tree.path()).unwrap();
        let found: Vec<_> =
            caches.iter().map(|cache| (cache.level, cache.kind, cache.bytes, cache.cpus.len())).collect();
        let (data, code) = (CacheKind::Data, CacheKind::Instruction);
        let first = [(1, data, 48 << 10, 1), (1, data, 48 << 10, 1), (1, code, 64 << 10, 1), (1, code, 64 << 10, 1)];
        assert_eq!(found[..4], first);
        assert_eq!(found[4..], [(3, CacheKind::Unified, 32 << 20, 2)]);
        assert_eq!((caches[4].ways, caches[0].ways, caches[0].line_bytes), (16, 0, 64));
    }

    #[test]
    fn valid_sizes_are_parsed_and_invalid_ones_rejected() {
        assert_eq!(parse_size("48K"), Some(48 << 10));
        assert_eq!(parse_size("2M"), Some(2 << 20));
        assert_eq!(parse_size("512"), Some(512));
        for nonsense in ["", "K", "-1K", "99999999999999999999K", "18446744073709551615K", "é"] {
            assert_eq!(parse_size(nonsense), None, "{nonsense}");
        }
        caches().unwrap();
    }
}
