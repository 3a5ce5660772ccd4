//! Typed keys: the options that the code reads, each with the kind of its values.

use std::marker::PhantomData;
use std::ops::Deref;

use super::Opt;

/// A supported option, by which the code reads its value.
#[derive(Clone, Copy, Debug)]
pub struct Key<K> {
    option: &'static Opt,
    kind: PhantomData<K>,
}

impl<K> Key<K> {
    pub const fn new(option: &'static Opt) -> Key<K> {
        Key { option, kind: PhantomData }
    }

    pub const fn option(self) -> &'static Opt
    where
        K: Copy,
    {
        self.option
    }
}

impl<K> Deref for Key<K> {
    type Target = Opt;

    fn deref(&self) -> &Opt {
        self.option
    }
}

/// The kinds of values that options have.
pub mod kinds {
    macro_rules! kinds {
        ($($name:ident)*) => {
            $(#[derive(Clone, Copy, Debug)] pub enum $name {})*
        };
    }

    kinds! {
        Flag Number Text Amount Range Floats Keyword KeywordList BlockSplit Distribution CpuList Pattern LogPrefix
        ErrorLists
    }
}
