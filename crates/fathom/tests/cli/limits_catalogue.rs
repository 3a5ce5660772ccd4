//! `fathom limits` with files of the user and responses of vendor tools.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::stage::Scratch;

/// A folder for the user's files.
struct Home(Scratch);

impl Home {
    fn new(name: &str) -> Home {
        let scratch = Scratch::new(name);
        fs::create_dir_all(scratch.file("fathom/limits")).expect("the temporary folder is writable");
        Home(scratch)
    }

    fn limits(&self, arguments: &[&str]) -> Output {
        let mut fathom = Command::new(env!("CARGO_BIN_EXE_fathom"));
        fathom.arg("limits").args(arguments).env("XDG_CONFIG_HOME", self.0.path()).output().expect("fathom runs")
    }

    fn shows(&self, arguments: &[&str]) -> String {
        let output = self.limits(arguments);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {printed}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn refuses(&self, arguments: &[&str]) -> String {
        let output = self.limits(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../judge/tests/samples").join(name);
    path.display().to_string()
}

#[test]
fn expectations_are_explained_with_their_sources() {
    let home = Home::new("show");
    let shown = home.shows(&["show", "azure:P30x3+Standard_D8ds_v4/uncached"]);
    assert!(shown.contains("12,800 IOPS") && shown.contains("ddsv4-series.md"), "{shown}");
    assert!(home.shows(&["list"]).contains("azure"));
    assert!(home.shows(&["list", "aws"]).contains("m5.xlarge"));
    assert!(home.shows(&["--help"]).contains("Usage: fathom limits"));
}

#[test]
fn lists_state_the_document_and_whether_it_confirms_the_limit() {
    let home = Home::new("confidence");
    let built_in = home.shows(&["list", "aws"]);
    assert!(built_in.contains("https://docs.aws.amazon.com/") && built_in.contains("(read 20"), "{built_in}");
    let mine = "schema = \"fathom.limits/1\"\nprovider = \"mine\"\ntitle = \"Our storage\"\ndefault_path = \"san\"\n\
                machine_parameters = []\n[[group]]\ntitle = \"Volumes\"\nkind = \"disk\"\nname = \"gold\"\nsource = \"a talk\"\n\
                date = \"2026-01-31\"\nconfidence = \"low\"\nlimit = { iops = \"10000\" }\n";
    fs::write(home.0.file("fathom/limits/mine.toml"), mine).expect("written");
    let listed = home.shows(&["list", "mine"]);
    assert!(listed.contains("a talk, 2026-01-31, not confirmed\n"), "{listed}");
}

#[test]
fn invalid_expectations_are_rejected_with_a_position() {
    let home = Home::new("refuse");
    let printed = home.refuses(&["show", "azure:P33"]);
    assert!(printed.contains("did you mean P") && printed.contains("LIMITS:1:7"), "{printed}");
    assert!(home.refuses(&["list", "azur"]).contains("no provider `azur`"));
    assert!(home.refuses(&["shw"]).contains("'show'"));
    assert!(home.refuses(&["show"]).contains("<LIMITS>"));
    assert!(home.refuses(&["list", "aws", "gp3"]).contains("unexpected argument 'gp3'"));
    assert!(home.refuses(&["--colour"]).contains("--colour"));
    assert!(home.refuses(&["import", "/no/such/file"]).contains("/no/such/file"));
}

#[test]
fn imported_limits_are_saved() {
    let home = Home::new("import");
    assert!(home.refuses(&["show", "azure:Standard_D8ds_v5/cached"]).contains("not published"));
    let printed = home.shows(&["import", &sample("az-vm-list-skus.json")]);
    assert!(printed.contains("azure-imported.toml") && printed.contains("machines (/cached)"), "{printed}");
    let shown = home.shows(&["show", "azure:Standard_D8ds_v5/cached"]);
    assert!(shown.contains("77,000 IOPS") && shown.contains("output of `az vm list-skus`"), "{shown}");
    home.shows(&["import", &sample("aws-describe-instance-types.json")]);
    assert!(home.shows(&["show", "aws:m7i.xlarge"]).contains("6,000 IOPS"));
    // A second import replaces the first.
    home.shows(&["import", &sample("az-vm-list-skus.json")]);
    assert_eq!(fs::read_dir(home.0.file("fathom/limits")).expect("there").count(), 2);
}

#[test]
fn invalid_user_file_is_reported() {
    let home = Home::new("broken");
    fs::write(home.0.file("fathom/limits/mine.toml"), "schema = \"fathom.limits/1\"\nprovider = 5\n").expect("written");
    let printed = home.refuses(&["show", "azure:P30"]);
    assert!(printed.contains("mine.toml:2:12"), "{printed}");
}
