//! Stable sorts that are compiled once.
//!
//! The standard library's sort is compiled for each type and each comparison, 4 KB each. `order_by` sorts indices, then swaps
//! the items into place. It allocates 8 bytes per item.

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
        let mut order = sorted_indices(self.len(), &|one, other| compare(&self[one], &self[other]));
        for at in 0..order.len() {
            let mut from = order[at];
            // The item from index `from` was swapped to `order[from]`.
            while from < at {
                from = order[from];
            }
            self.swap(at, from);
            order[at] = from;
        }
    }
}

fn sorted_indices(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..count).collect();
    indices.sort_by(|one, other| compare(*one, *other));
    indices
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

    #[test]
    fn a_long_list_with_its_smallest_item_last_is_sorted() {
        let mut names: Vec<String> = (1..200_000).chain([0]).map(|number| format!("{number:06}")).collect();
        names.order_by(String::cmp);
        assert!(names.is_sorted());
    }
}
