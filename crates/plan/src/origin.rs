//! The command line and files that a plan was made from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::shell::quoted;

/// The dialect of the request, with its command line and files. Reports in that dialect repeat them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    Fio(FioWords),
    DiskSpd {
        /// The command line with the program's name, for display.
        command_line: String,
        /// The arguments after the program's name. Records of early versions have none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<String>,
        /// The profile as XML. It includes every setting of the command line.
        profile_xml: String,
    },
}

/// A program whose command line fathom accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    #[default]
    Fio,
    DiskSpd,
}

impl Dialect {
    /// Returns the name of the program.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Fio => "fio",
            Dialect::DiskSpd => "diskspd",
        }
    }

    /// Returns the dialect of a program, by its name or path.
    pub fn of_program(program: &str) -> Option<Dialect> {
        match program.rsplit(['/', '\\']).next()? {
            "fio" => Some(Dialect::Fio),
            "diskspd" | "diskspd.exe" => Some(Dialect::DiskSpd),
            _ => None,
        }
    }
}

impl Default for Origin {
    fn default() -> Self {
        Origin::Fio(FioWords::default())
    }
}

impl Origin {
    /// Returns the dialect of the command line.
    pub fn dialect(&self) -> Dialect {
        match self {
            Origin::Fio(_) => Dialect::Fio,
            Origin::DiskSpd { .. } => Dialect::DiskSpd,
        }
    }

    /// Returns the name of the program that takes the request: `fio`, `diskspd`.
    pub fn program(&self) -> &'static str {
        self.dialect().name()
    }

    /// Returns the command line, quoted for a POSIX shell.
    pub fn command_line(&self) -> String {
        match self {
            Origin::Fio(FioWords { words, .. }) => {
                let words = words.iter().map(|word| quoted(word));
                std::iter::once(self.program().to_owned()).chain(words).collect::<Vec<_>>().join(" ")
            }
            Origin::DiskSpd { command_line, .. } => command_line.clone(),
        }
    }
}

/// fio's command line and job files.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FioWords {
    /// The command line without the program's own name.
    pub words: Vec<String>,
    /// Options that override those of every job, such as the axes of a sweep.
    pub last_words: Vec<String>,
    /// The text of the job files on the command line and of the files they include.
    pub job_files: Vec<JobFile>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct JobFile {
    /// `-` is standard input.
    pub path: String,
    pub text: String,
}
