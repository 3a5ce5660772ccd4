//! One section of a job file, or the options of one job on the command line, during parsing.

use units::diagnostic::{Diagnostic, Span};
use units::lookalike;
use units::nearest::nearest;
use units::system::System;

use super::request::{COMMAND_LINE, JobOption};
use super::state::State;
use super::value::{self, Context, Problem, Problems, Severity, Value, typographic_advice};
use super::values::{Values, is_off};
use crate::options::engines::{DEFAULT_ENGINE, ENGINES, Engine, engine};
use crate::options::kind::Kind;
use crate::options::{CORE, ENGINE_OPTIONS, Opt, engine_option, engine_options, key};

#[derive(Debug)]
pub struct Section {
    /// The header or the value of `--name`. `None` for the global section.
    pub name: Option<String>,
    pub options: Vec<JobOption>,
    pub values: Values,
    /// The selected engine. Its own options are valid in the section.
    pub engine: Option<&'static Engine>,
    pub span: Span,
}

/// Spans of an option and its value.
#[derive(Clone, Debug)]
pub struct OptionSpans {
    pub option: Span,
    /// `None` if the source does not contain the value literally, for example because of a variable.
    pub value: Option<Span>,
}

impl OptionSpans {
    /// Returns the span of a problem in the value.
    fn of_problem(&self, problem: &Problem) -> Span {
        match &self.value {
            Some(value) if problem.range.is_empty() => value.clone(),
            Some(value) => value.part(problem.range.clone()),
            None => self.option.clone(),
        }
    }
}

impl Section {
    pub fn new(span: Span) -> Section {
        Section { name: None, options: Vec::new(), values: Values::default(), engine: None, span }
    }

    /// Returns a job section that inherits these globals.
    pub fn new_job(&mut self, name: &str, span: Span) -> Section {
        let (values, engine) = (self.values.share(), self.engine);
        Section { name: Some(name.to_owned()), options: Vec::new(), values, engine, span }
    }

    /// Sets an option and reports its problems to `state`. Returns whether the option is set.
    pub fn set(&mut self, option: &'static Opt, text: Option<&str>, spans: &OptionSpans, state: &mut State) -> bool {
        if is_path_option(option) && text.is_some_and(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
            let problem = Problem::error(0..0, "the path is not valid UTF-8", "would name a different file");
            state.report(Severity::Error, diagnostic(option, problem, spans));
            return false;
        }
        let mut context = Context {
            kb_base: if self.values.keyword(key::KB_BASE) == "1000" { 1000 } else { 1024 },
            env: state.env,
            previous: self.values.current(option),
            problems: Problems::default(),
        };
        let result = value::parse(&option.kind, text, &mut context);
        let problems = context.problems.into_vec();
        let advice = typographic_advice(text.unwrap_or_default());
        for problem in problems {
            state.report(problem.severity, diagnostic(option, problem.with_advice(advice.as_deref()), spans));
        }
        match result {
            Ok(value) => {
                self.options.push(JobOption { name: option.name, value: text.map(str::to_owned) });
                self.values.set(option, value, &spans.option);
                self.check_readonly(option, spans, state)
            }
            Err(problem) => {
                state.report(Severity::Error, diagnostic(option, problem.with_advice(advice.as_deref()), spans));
                false
            }
        }
    }

    /// Reports a writing `rw` after `--readonly`. As in fio, this is an error even with `--parse-only`.
    fn check_readonly(&self, option: &Opt, spans: &OptionSpans, state: &mut State) -> bool {
        let is_allowed = option.name != "rw" || !state.program.readonly || !self.writes();
        if !is_allowed {
            state.errors.push(readonly_error(self.values.keyword(key::RW), &spans.option));
        }
        is_allowed
    }

    fn writes(&self) -> bool {
        !matches!(self.values.keyword(key::RW), "read" | "randread")
    }

    /// Makes the options of the engine in `ioengine` valid.
    ///
    /// # Errors
    ///
    /// Fails if fio has no such engine, or if the fio packages of Linux distributions do not contain it.
    pub fn select_engine(&mut self) -> Result<(), Box<Diagnostic>> {
        let name = self.values.text(key::IOENGINE).unwrap_or_default().to_owned();
        let span = self.values.span(&key::IOENGINE).unwrap_or(&self.span).clone();
        let Some(engine) = engine(&name) else {
            let diagnostic = Diagnostic::error(format!("unknown engine `{name}`")).at(&span, "not an engine");
            let near = nearest(&name, ENGINES.iter().map(|engine| engine.name));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`--enghelp` lists the engines".to_owned(),
            };
            return Err(Box::new(diagnostic.help(help)));
        };
        if !engine.is_packaged {
            let message = match System::HERE {
                System::Linux => {
                    format!("engine {name} is not supported by fathom, nor by fio packages of Linux distributions")
                }
                System::Windows => format!("engine {name} is not supported on Windows"),
            };
            let error = Diagnostic::error(message).at(&span, "not available");
            return Err(Box::new(error.help(format!("the engine requires {}", engine.needs))));
        }
        if self.engine.is_none_or(|previous| previous.name != engine.name) {
            self.values.retain_options_of(engine.name);
            self.engine = Some(engine);
        }
        Ok(())
    }

    /// Returns an option that belongs to the selected engine.
    pub fn engine_option(&self, name: &str) -> Option<&'static Opt> {
        engine_option(self.engine?.name, name)
    }

    /// Returns the error for an option name that is not valid in this section.
    pub fn unknown_option(&self, name: &str, span: &Span) -> Diagnostic {
        let diagnostic = Diagnostic::error(format!("unknown option `{name}`")).at(span, "not an option");
        if let Some(lookalike) = lookalike::first(name) {
            let (is, meant) = (lookalike::described(lookalike), lookalike::in_ascii(name));
            return diagnostic.help(format!("{is}: write `{}`", meant.trim()));
        }
        let owners = ENGINE_OPTIONS.iter().filter(|option| option.is_named(name));
        let owners: Vec<&str> = owners.flat_map(|option| option.engines).copied().collect();
        if !owners.is_empty() {
            let engine = self.engine.map_or(DEFAULT_ENGINE, |engine| engine.name);
            return Diagnostic {
                message: format!("engine {engine} has no option `{name}`"),
                ..diagnostic.help(format!("engines with this option: {}", owners.join(", ")))
            };
        }
        let own = self.engine.into_iter().flat_map(|engine| engine_options(engine.name));
        let names = CORE.iter().chain(own).flat_map(|option| [Some(option.name), option.alias]).flatten();
        match nearest(name, names) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help("`--cmdhelp` lists the options"),
        }
    }

    /// Returns the options whose values are valid in fio and unsupported by fathom, with their spans.
    ///
    /// If the engine is unsupported, its own options are omitted.
    pub fn unsupported_options(&self) -> impl Iterator<Item = (&'static Opt, &Span)> {
        let is_engine_unsupported = self.engine.is_some_and(|engine| !engine.is_supported);
        let explicit = self.values.explicit().filter(|(option, value, _)| !is_supported(option, value));
        let explicit = explicit.filter(move |(option, ..)| option.engines.is_empty() || !is_engine_unsupported);
        explicit.map(|(option, _, span)| (option, span))
    }

    /// Returns the error for an unsupported option.
    pub fn unsupported_option(&self, option: &Opt, span: &Span) -> Diagnostic {
        let diagnostic = unsupported(option.name, span);
        match self.engine.filter(|_| option.name == "ioengine") {
            Some(engine) => {
                diagnostic.help(format!("fathom does not implement this engine (in fio it requires {})", engine.needs))
            }
            None => diagnostic,
        }
    }
}

/// Returns whether the value is a path. Replaced bytes in a path name a different file. In other texts they are
/// harmless.
fn is_path_option(option: &Opt) -> bool {
    matches!(option.name, "filename" | "directory" | "opendir")
}

/// Returns the error for a job that writes although `--readonly` is set.
pub fn readonly_error(rw: &str, span: &Span) -> Diagnostic {
    Diagnostic::error(format!("`--readonly` forbids rw={rw}"))
        .at(span, "writes or trims")
        .help("remove `--readonly`, or use rw=read or rw=randread")
}

fn diagnostic(option: &Opt, problem: Problem, spans: &OptionSpans) -> Diagnostic {
    let message = format!("option {}: {}", option.name, problem.message);
    let diagnostic = match problem.severity {
        Severity::Warning => Diagnostic::warning(message),
        Severity::ErrorWhenRun | Severity::Error => Diagnostic::error(message),
    };
    let span = spans.of_problem(&problem);
    let help = problem.help.unwrap_or_else(|| format!("{}: {}", option.name, option.help));
    diagnostic.at(&span, problem.label).help(help)
}

/// Returns the error `option X (line N of FILE: LINE) is not supported by fathom`.
pub fn unsupported(name: &str, span: &Span) -> Diagnostic {
    let source = &span.source().name;
    let location = if source == COMMAND_LINE {
        format!("{source}: {}", span.text())
    } else {
        format!("line {} of {source}: {}", span.line(), span.line_text())
    };
    Diagnostic::error(format!("option {name} ({location}) is not supported by fathom"))
        .at(span, "unsupported")
        .help("docs/fio-options.md lists the supported options")
}

fn is_supported(option: &Opt, value: &Value) -> bool {
    use crate::options::Support::{NoEffect, Supported, Unsupported};
    match option.support {
        Supported => is_value_supported(option, value),
        NoEffect(_) => true,
        Unsupported => is_off(option, value),
    }
}

fn is_value_supported(option: &Opt, value: &Value) -> bool {
    match (&option.kind, value) {
        (Kind::EngineName, Value::Text(name)) => engine(name).is_some_and(|engine| engine.is_supported),
        (Kind::Keyword(keywords, _), Value::Keyword { keyword, .. }) => {
            keywords.iter().find(|known| known.name == *keyword).is_some_and(|known| known.is_supported)
        }
        _ => true,
    }
}
