//! The files of `.github` and `deploy`, checked by programs that know their formats. `.ci/run` installs the programs.

use harness::{needs, shell};

use crate::stage::Scratch;

/// Runs a shell script in the root of the repository.
fn checked(script: &str) -> Result<String, String> {
    shell(&format!("set -e; cd {}/../..\n{script}", env!("CARGO_MANIFEST_DIR")))
}

#[test]
fn workflows_are_valid() {
    if needs("command -v actionlint").is_none() {
        return;
    }
    // Labels of runners that a user names.
    let lint = "actionlint -shellcheck= -pyflakes= -ignore 'label \"storage\" is unknown'";
    assert_eq!(checked(&format!("{lint} .github/workflows/*.yml deploy/github/*.yml 2>&1")), Ok(String::new()));
}

#[test]
fn issue_forms_are_valid() {
    if needs("command -v check-jsonschema").is_none() {
        return;
    }
    checked("check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/p*.yml").unwrap();
}

/// The schemas are those of the Python package `kubernetes-validate`. It replaces the address to which its references are
/// relative, so kubeconform would look for them in the network.
#[test]
fn kubernetes_objects_are_valid() {
    if needs("command -v kubeconform && command -v kubernetes-validate").is_none() {
        return;
    }
    let scratch = Scratch::new("kubernetes");
    let script = r##"packages=$(echo "$(dirname "$(command -v kubernetes-validate)")"/../lib/python3*/site-packages)
cp "$packages"/kubernetes_validate/kubernetes-json-schema/v1.37.0-local-strict/*.json "$schemas"
sed -i 's#"/api/_definitions.json#"_definitions.json#; s#"$id"#"$comment"#' "$schemas"/*.json
kubeconform -strict -schema-location "$schemas/{{.ResourceKind}}{{.KindSuffix}}.json" deploy/kubernetes"##;
    let schemas = scratch.path().display();
    assert_eq!(checked(&format!("schemas={schemas}\n{script} 2>&1")), Ok(String::new()));
}
