//! `fathom limits`, as it is used: with files of the user's own, and vendors' answers.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::stage::Scratch;

/// A folder for the user's files.
struct Home(Scratch);

impl Home {
    fn new(name: &str) -> Home {
        let scratch = Scratch::new(name);
        fs::create_dir_all(scratch.file("fathom/limits")).expect("the temporary directory takes files");
        Home(scratch)
    }

    fn limits(&self, words: &[&str]) -> Output {
        let mut fathom = Command::new(env!("CARGO_BIN_EXE_fathom"));
        fathom.arg("limits").args(words).env("XDG_CONFIG_HOME", self.0.path()).output().expect("fathom runs")
    }

    fn shows(&self, words: &[&str]) -> String {
        let output = self.limits(words);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {told}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn refuses(&self, words: &[&str]) -> String {
        let output = self.limits(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../judge/tests/samples").join(name);
    path.display().to_string()
}

#[test]
fn an_expectation_is_explained_with_its_sources() {
    let home = Home::new("show");
    let shown = home.shows(&["show", "azure:P30x3+Standard_D8ds_v4/uncached"]);
    assert!(shown.contains("12,800 IOPS") && shown.contains("ddsv4-series.md"), "{shown}");
    assert!(home.shows(&["list"]).contains("azure"));
    assert!(home.shows(&["list", "aws"]).contains("m5.xlarge"));
    assert!(home.shows(&["--help"]).contains("Usage: fathom limits"));
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place() {
    let home = Home::new("refuse");
    let told = home.refuses(&["show", "azure:P33"]);
    assert!(told.contains("did you mean P") && told.contains("words:1:7"), "{told}");
    assert!(home.refuses(&["list", "azur"]).contains("no provider `azur`"));
    assert!(home.refuses(&["shw"]).contains("'show'"));
    assert!(home.refuses(&["show"]).contains("<LIMITS>"));
    assert!(home.refuses(&["list", "aws", "gp3"]).contains("unexpected argument 'gp3'"));
    assert!(home.refuses(&["--colour"]).contains("--colour"));
    assert!(home.refuses(&["import", "/no/such/file"]).contains("/no/such/file"));
}

#[test]
fn imported_limits_are_there_from_then_on() {
    let home = Home::new("import");
    assert!(home.refuses(&["show", "azure:Standard_D8ds_v5/cached"]).contains("not published"));
    let told = home.shows(&["import", &sample("az-vm-list-skus.json")]);
    assert!(told.contains("azure-imported.toml") && told.contains("machines (/cached)"), "{told}");
    let shown = home.shows(&["show", "azure:Standard_D8ds_v5/cached"]);
    assert!(shown.contains("77,000 IOPS") && shown.contains("an answer of `az vm list-skus`"), "{shown}");
    home.shows(&["import", &sample("aws-describe-instance-types.json")]);
    assert!(home.shows(&["show", "aws:m7i.xlarge"]).contains("6,000 IOPS"));
    // A second time takes the place of the first.
    home.shows(&["import", &sample("az-vm-list-skus.json")]);
    assert_eq!(fs::read_dir(home.0.file("fathom/limits")).expect("there").count(), 2);
}

#[test]
fn a_broken_file_of_the_users_is_named() {
    let home = Home::new("broken");
    fs::write(home.0.file("fathom/limits/mine.toml"), "schema = \"fathom.limits/1\"\nprovider = 5\n").expect("written");
    let told = home.refuses(&["show", "azure:P30"]);
    assert!(told.contains("mine.toml:2:12"), "{told}");
}
