//! The options of one job, or of the globals, while they are being read.

use units::diagnostic::{Diagnostic, Span};
use units::nearest::nearest;

use super::value::{self, Context, Problem, Severity, Value};
use super::values::Values;
use super::{JobOption, Reading};
use crate::options::engines::{ENGINES, Engine, engine};
use crate::options::kind::Kind;
use crate::options::{CORE, Opt, engine_option, engine_options};

/// What has been read of a section so far.
#[derive(Clone, Debug)]
pub struct Section {
    /// As in the header, or as given by `--name`.
    pub name: Option<String>,
    pub options: Vec<JobOption>,
    pub values: Values,
    /// The engine whose own options are legal now.
    pub engine: Option<&'static Engine>,
    pub at: Span,
}

/// Where an option was written.
#[derive(Clone, Debug)]
pub struct Place {
    pub option: Span,
    /// Where the value is, if it was written as it is used.
    pub value: Option<Span>,
}

impl Place {
    fn part(&self, problem: &Problem) -> Span {
        match &self.value {
            Some(value) if problem.range.is_empty() => value.clone(),
            Some(value) => value.part(problem.range.clone()),
            None => self.option.clone(),
        }
    }
}

impl Section {
    pub fn new(at: Span) -> Section {
        Section { name: None, options: Vec::new(), values: Values::default(), engine: None, at }
    }

    /// A job that starts out with these globals.
    pub fn job(&self, name: Option<&str>, at: Span) -> Section {
        Section { name: name.map(str::to_owned), options: Vec::new(), at, ..self.clone() }
    }

    /// Sets one option; what is wrong goes to `reading`. Returns whether it was set.
    pub fn set(&mut self, option: &'static Opt, text: Option<&str>, place: &Place, reading: &mut Reading) -> bool {
        if names_targets(option) && text.is_some_and(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
            let problem = Problem::wrong(0..0, "the name is not UTF-8 text", "another file than it says");
            reading.tell(Severity::Wrong, describe(option, &problem, place));
            return false;
        }
        let mut context = Context {
            kb_base: if self.values.word("kb_base") == "1000" { 1000 } else { 1024 },
            env: reading.env,
            before: self.values.current(option),
            problems: Vec::new(),
        };
        let result = value::parse(&option.kind, text, &mut context);
        let problems = context.problems;
        for problem in problems {
            let diagnostic = describe(option, &problem, place);
            reading.tell(problem.severity, diagnostic);
        }
        match result {
            Ok(value) => {
                self.options.push(JobOption { name: option.name.to_owned(), value: text.map(str::to_owned) });
                self.values.set(option, value, &place.option);
                self.after_set(option, place, reading)
            }
            Err(problem) => {
                reading.tell(Severity::Wrong, describe(option, &problem, place));
                false
            }
        }
    }

    /// As in fio, `--readonly` looks at jobs that are read after it, even where nothing is run.
    fn after_set(&self, option: &Opt, place: &Place, reading: &mut Reading) -> bool {
        let allowed = option.name != "rw" || !reading.program.readonly || !self.writes();
        if !allowed {
            reading.errors.push(readonly_error(self.values.word("rw"), &place.option));
        }
        allowed
    }

    pub fn writes(&self) -> bool {
        !matches!(self.values.word("rw"), "read" | "randread")
    }

    /// Makes the engine's own options legal. Fails for engines that nobody has.
    pub fn load_engine(&mut self) -> Result<(), Box<Diagnostic>> {
        let name = self.values.text("ioengine").unwrap_or_default().to_owned();
        let at = self.values.at("ioengine").unwrap_or(&self.at).clone();
        let Some(engine) = engine(&name) else {
            let diagnostic = Diagnostic::error(format!("there is no engine `{name}`")).at(&at, "not an engine");
            let near = nearest(&name, ENGINES.iter().map(|engine| engine.name));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`--enghelp` lists the engines".to_owned(),
            };
            return Err(Box::new(diagnostic.help(help)));
        };
        if !engine.stock {
            let message = format!(
                "engine {name} is not in fio as Linux distributions build it, and is not supported by fathom yet"
            );
            return Err(Box::new(Diagnostic::error(message).at(&at, "not available")));
        }
        if self.engine.is_none_or(|before| before.name != engine.name) {
            self.values.keep_engine_options(engine.name);
            self.engine = Some(engine);
        }
        Ok(())
    }

    /// An option of the engine that is loaded.
    pub fn engine_option(&self, name: &str) -> Option<&'static Opt> {
        engine_option(self.engine?.name, name)
    }

    /// The message for a name that no option has here.
    pub fn unknown_option(&self, name: &str, place: &Span) -> Diagnostic {
        let diagnostic = Diagnostic::error(format!("there is no option `{name}`")).at(place, "not an option");
        let owners = crate::options::ENGINE_OPTIONS.iter().filter(|option| option.is_named(name));
        let owners: Vec<&str> = owners.flat_map(|option| option.engines).copied().collect();
        if !owners.is_empty() {
            let engine = self.engine.map_or("psync", |engine| engine.name);
            return Diagnostic {
                message: format!("engine {engine} has no option `{name}`"),
                ..diagnostic.help(format!("ioengine={} has it", owners.join(" or ")))
            };
        }
        let own = self.engine.into_iter().flat_map(|engine| engine_options(engine.name));
        let names = CORE.iter().chain(own).flat_map(|option| [Some(option.name), option.alias]).flatten();
        match nearest(name, names) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("`--cmdhelp` lists the options"),
        }
    }

    /// Options that are legal in fio and set to something fathom does not do yet.
    pub fn unsupported(&self) -> Vec<Diagnostic> {
        let given = self.values.given().filter(|(option, value, _)| !is_supported(option, value));
        let engine_is_told = self.engine.is_some_and(|engine| !engine.supported);
        let given = given.filter(|(option, ..)| option.engines.is_empty() || !engine_is_told);
        given.map(|(option, _, at)| unsupported(option.name, at)).collect()
    }
}

/// Text that isn't UTF-8 was read with other letters in its place. In a description that harms nobody.
fn names_targets(option: &Opt) -> bool {
    matches!(option.name, "filename" | "directory" | "opendir")
}

pub fn readonly_error(rw: &str, at: &Span) -> Diagnostic {
    Diagnostic::error(format!("rw={rw} writes or trims, which `--readonly` forbids"))
        .at(at, "not read-only")
        .help("leave out `--readonly`, or use rw=read or rw=randread")
}

fn describe(option: &Opt, problem: &Problem, place: &Place) -> Diagnostic {
    let message = format!("option {}: {}", option.name, problem.message);
    let diagnostic = match problem.severity {
        Severity::Warning => Diagnostic::warning(message),
        Severity::WhenRun | Severity::Wrong => Diagnostic::error(message),
    };
    let label = problem.expected.strip_prefix("expected ").map(|what| format!("expected {what}"));
    let help = match &problem.help {
        Some(help) => help.clone(),
        None => format!("{}: {}", option.name, option.help),
    };
    diagnostic.at(&place.part(problem), label.unwrap_or_else(|| problem.expected.clone())).help(help)
}

/// `option X (line N of FILE: the line) is not supported by fathom yet`.
pub fn unsupported(name: &str, at: &Span) -> Diagnostic {
    let source = &at.source().name;
    let place = if source == super::COMMAND_LINE {
        format!("{source}: {}", at.text())
    } else {
        format!("line {} of {source}: {}", at.line(), at.line_text())
    };
    Diagnostic::error(format!("option {name} ({place}) is not supported by fathom yet"))
        .at(at, "not supported yet")
        .help("docs/fio-options.md lists what is")
}

fn is_supported(option: &Opt, value: &Value) -> bool {
    use crate::options::Support::{Accepted, Honoured, NotYet, Under};
    match option.support {
        Honoured => value_is_supported(option, value),
        Accepted(_) | Under(_) => true,
        NotYet => is_off(option, value),
    }
}

fn value_is_supported(option: &Opt, value: &Value) -> bool {
    match (&option.kind, value) {
        (Kind::EngineName, Value::Text(name)) => engine(name).is_some_and(|engine| engine.supported),
        (Kind::Word(words, _), Value::Word { word, .. }) => {
            words.iter().find(|known| known.name == *word).is_some_and(|known| known.supported)
        }
        (Kind::Distribution(_), Value::Distribution(value::share::Distribution::Sequence(_))) => false,
        _ => true,
    }
}

/// The value asks for nothing but what happens without the option.
fn is_off(option: &Opt, value: &Value) -> bool {
    match super::values::default_value(option) {
        Some(default) if default == value => true,
        Some(_) => false,
        None => match value {
            Value::Flag(on) => !on,
            Value::Numbers(numbers) => *numbers == [0; 3],
            Value::Word { word, .. } => matches!(*word, "none" | "0"),
            _ => false,
        },
    }
}
