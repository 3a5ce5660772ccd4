//! Completions in the shells that users have.

use std::path::Path;

use harness::{Scratch, needs, shell};

/// Types the line `$1` and the tab key in an interactive zsh. Prints the completed line.
const ZSH: &str = r#"zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PROMPT_SP=; fpath=($PWD \$fpath); autoload -U compinit; compinit -u -D
show() { print -r -- \"<line>\$BUFFER</line>\" }; zle -N show; bindkey '^I' complete-word; bindkey '^X' show; print READ''Y"
zpty -r shell output '*READY*'
zpty -wn shell "$1"$'\t\x18'
zpty -r shell output '*<line>*</line>*'
zpty -d shell
print -r -- "${${output#*<line>}%%</line>*}"
"#;

/// Lines before and after the tab key, in each shell.
const LINES: [(&str, &str); 9] = [
    ("fathom ass", "fathom assess"),
    ("fathom assess --until-s", "fathom assess --until-steady"),
    ("fathom fio --ioeng", "fathom fio --ioengine"),
    ("fathom fio --rw=randtrimw", "fathom fio --rw=randtrimwrite"),
    ("fathom assess --for etcd-", "fathom assess --for etcd-heavy"),
    ("fathom assess --suite azure-", "fathom assess --suite azure-diskspd"),
    ("fathom assess --expect azure:premium-", "fathom assess --expect azure:premium-v2"),
    ("fathom assess --test read-lat", "fathom assess --test read-latency"),
    ("fathom completions pow", "fathom completions powershell"),
];

fn scripts(folder: &Scratch) -> Option<()> {
    let program = env!("CARGO_BIN_EXE_fathom");
    let at = folder.path().display();
    for (name, file) in [("bash", "fathom"), ("zsh", "_fathom"), ("fish", "fathom.fish")] {
        needs(&format!("{program} completions {name} > {at}/{file}"))?;
    }
    Some(())
}

/// Runs a command that completes `line` and returns what it prints, without the signs that end a word.
fn complete(folder: &Path, command: &str, line: &str) -> String {
    let text = shell(&format!("cd {} && timeout 240 {command} '{line}' 2>&1", folder.display())).unwrap();
    text.trim_end_matches(['=', ' ']).to_owned()
}

#[test]
fn zsh_completes_commands_options_and_values() {
    if needs("command -v zsh").is_none() {
        return;
    }
    let folder = Scratch::new("zsh");
    scripts(&folder).unwrap();
    let script = folder.file("type.zsh");
    std::fs::write(&script, ZSH).unwrap();
    for (line, completed) in LINES {
        assert_eq!(complete(folder.path(), "zsh type.zsh", line), completed);
    }
}

#[test]
fn fish_completes_commands_options_and_values() {
    if needs("command -v fish").is_none() {
        return;
    }
    let folder = Scratch::new("fish");
    scripts(&folder).unwrap();
    // clap's completions for fish have no values of arguments without a name.
    for (line, completed) in LINES.into_iter().filter(|(line, _)| !line.starts_with("fathom completions")) {
        let found = complete(folder.path(), "fish -N -c 'source fathom.fish; complete -C $argv'", line);
        let last = completed.split(' ').next_back().unwrap();
        assert_eq!(found.split('\t').next(), Some(last), "{line}: {found}");
    }
    let found = complete(folder.path(), "fish -N -c 'source fathom.fish; complete -C $argv'", "fathom diskspd -");
    assert!(found.contains("-?\tthis text\n"), "{found}");
}

#[test]
fn bash_completes_commands_options_and_values() {
    let folder = Scratch::new("bash");
    scripts(&folder).unwrap();
    // `--ioengine=` and its value are words of their own in bash.
    for (line, completed) in LINES.into_iter().filter(|(line, _)| !line.contains('=')) {
        let call = r#"source ./fathom; read -ra COMP_WORDS <<<"$0"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_fathom fathom "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; echo "${COMPREPLY[@]}""#;
        std::fs::write(folder.file("call"), call).unwrap();
        let found = complete(folder.path(), "bash -c \"$(cat call)\"", line);
        assert_eq!(Some(found.as_str()), completed.split(' ').next_back(), "{line}");
    }
}
