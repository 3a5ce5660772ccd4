//! CPU frequency governors.

use std::path::Path;

use units::untrusted::UntrustedText;

use super::online_under;

/// Returns the distinct governors of the online CPUs. Most virtual machines have no frequency scaling: the list is then
/// empty.
pub fn governors() -> Vec<UntrustedText> {
    governors_under(Path::new("/sys"))
}

fn governors_under(sys: &Path) -> Vec<UntrustedText> {
    let mut names = Vec::new();
    for cpu in online_under(sys).unwrap_or_default() {
        let path = sys.join(format!("devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"));
        let name = UntrustedText::from(std::fs::read_to_string(path).unwrap_or_default().trim());
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    #[test]
    fn governors_are_distinct_and_may_be_absent() {
        let tree = Tree::new("governors");
        tree.write("devices/system/cpu/online", "0-3");
        assert!(governors_under(tree.path()).is_empty());
        for (cpu, name) in [(0, "performance"), (1, "powersave"), (2, "performance")] {
            tree.write(&format!("devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"), name);
        }
        assert_eq!(governors_under(tree.path()), ["performance", "powersave"]);
    }
}
