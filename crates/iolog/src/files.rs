//! The files of a log, in the order in which it names them.

use std::collections::HashMap;

#[derive(Debug, Default)]
pub struct Files {
    /// All I/Os go to one target, so that no line has to add a file.
    redirects: bool,
    names: Vec<String>,
    index: HashMap<String, u32>,
}

impl Files {
    pub fn new(redirects: bool) -> Self {
        Files { redirects, ..Files::default() }
    }

    pub fn redirects(&self) -> bool {
        self.redirects
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the index of a file that an entry uses. `None` if it must be added first.
    pub fn find(&mut self, name: &str) -> Option<u32> {
        if self.redirects { Some(self.add(name)) } else { self.index.get(name).copied() }
    }

    /// Returns the index of a file. A new one is added.
    pub fn add(&mut self, name: &str) -> u32 {
        if let Some(known) = self.index.get(name).copied() {
            return known;
        }
        let index = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), index);
        index
    }
}
