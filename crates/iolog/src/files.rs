//! The files of a log, in the order in which it names them.

use std::collections::HashMap;

#[derive(Debug, Default)]
pub struct Files {
    names: Vec<String>,
    index: HashMap<String, u32>,
}

impl Files {
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn find(&self, name: &str) -> Option<u32> {
        self.index.get(name).copied()
    }

    /// Returns the index of a file. A new one is added.
    pub fn add(&mut self, name: &str) -> u32 {
        if let Some(known) = self.find(name) {
            return known;
        }
        let index = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), index);
        index
    }
}
