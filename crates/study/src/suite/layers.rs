//! Options of a job in layers: a later layer overrides an earlier one, and can remove options.

use units::diagnostic::Span;

/// Interpretation of the published text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// Literal.
    Literal,
    /// As intended by its authors: known traps of the text are avoided.
    #[default]
    AsMeant,
}

/// Options that depend on the size of the disk in the published text.
const SIZES: [&str; 4] = ["size", "filesize", "offset", "offset_increment"];

/// An option of fio; `None` removes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Setting {
    pub(super) name: String,
    pub(super) value: Option<String>,
    pub(super) at: Option<Span>,
}

/// Options in one place of a suite.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers {
    pub(super) always: Vec<Setting>,
    pub(super) literal: Vec<Setting>,
    pub(super) as_meant: Vec<Setting>,
    pub(super) short: Vec<Setting>,
}

/// The options of a job, each once, in the order of their first appearance.
#[derive(Default)]
pub(super) struct Merged(pub(super) Vec<Setting>);

impl Merged {
    pub(super) fn set(&mut self, settings: &[Setting]) {
        for setting in settings {
            match self.0.iter_mut().find(|known| known.name == setting.name) {
                Some(known) => *known = setting.clone(),
                None => self.0.push(setting.clone()),
            }
        }
    }

    pub(super) fn set_layers(&mut self, layers: &Layers, form: Form, is_resized: bool) {
        self.set(&layers.always);
        let is_size = |setting: &&Setting| SIZES.contains(&setting.name.as_str());
        match form {
            Form::AsMeant => self.set(&layers.as_meant),
            Form::Literal if !is_resized => self.set(&layers.literal),
            Form::Literal => {
                let (meant, literal) = (layers.as_meant.iter(), layers.literal.iter());
                let meant = meant.filter(is_size);
                let settings: Vec<Setting> = literal.filter(|it| !is_size(it)).chain(meant).cloned().collect();
                self.set(&settings);
            }
        }
    }

    pub(super) fn put(&mut self, name: &str, value: &str) {
        self.set(&[Setting { name: name.to_owned(), value: Some(value.to_owned()), at: None }]);
    }

    pub(super) fn put_all(&mut self, options: &[(String, String)]) {
        options.iter().for_each(|(name, value)| self.put(name, value));
    }

    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|setting| setting.name == name)?.value.as_deref()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }
}
