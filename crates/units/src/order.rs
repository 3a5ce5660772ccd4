//! Stable sorts of short lists, compiled once.
//!
//! The standard library's sort is compiled for each type and each comparison, 4 KB each. These sort places in the list, and
//! then move its items. They allocate 8 bytes per item.

use std::cmp::Ordering;

/// Sorts lists.
pub trait OrderBy<T> {
    /// Sorts by a comparison, as `sort_by` does.
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);

    /// Sorts by a key, as `sort_by_key` does.
    fn order_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.order_by(|one, other| key(one).cmp(&key(other)));
    }
}

impl<T> OrderBy<T> for [T] {
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        let order = sorted_places(self.len(), &|one, other| compare(&self[one], &self[other]));
        for at in 0..order.len() {
            let mut from = order[at];
            // An earlier item was moved away from there.
            while from < at {
                from = order[from];
            }
            self.swap(at, from);
        }
    }
}

fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_sorted_as_the_standard_library_sorts_them(list in prop::collection::vec((0u8..9, any::<u8>()), 0..70)) {
            let (mut ordered, mut sorted) = (list.clone(), list);
            ordered.order_by_key(|item| Reverse(item.0));
            sorted.sort_by_key(|item| Reverse(item.0));
            prop_assert_eq!(ordered, sorted);
        }
    }
}
