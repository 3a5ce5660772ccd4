//! Public functions of the libraries return error types.

use syn::visit::Visit;

use super::finding::Finding;
use super::modules::Crates;
use super::source::{Source, line_of};

/// Crates without a public interface.
const NO_LIBRARIES: [&str; 7] = ["fathom", "bench", "xtask", "tests/harness", "tests/truth", "tests/faults", "fuzz"];
/// Error types that a program cannot match on.
const TEXT_TYPES: [&str; 2] = ["String", "str"];

/// A function that is declared `pub` and returns an error as text.
pub struct Function {
    path: String,
    /// Modules of the file around it.
    inner: Vec<String>,
    /// Name that a re-export has: the type, the trait, or the function itself.
    owner: String,
    name: String,
    line: usize,
}

/// Collects the functions of a file.
pub fn functions(source: &Source) -> Vec<Function> {
    let mut functions = Functions { path: source.path.clone(), inner: Vec::new(), owner: None, found: Vec::new() };
    if !NO_LIBRARIES.contains(&source.crate_name()) && source.path.contains("/src/") {
        functions.visit_file(&source.syntax);
    }
    functions.found.retain(|function| !source.is_test_line(function.line));
    functions.found
}

/// Returns a finding for each function of a public interface whose error is a text.
pub fn check(functions: &[Function], crates: &Crates) -> Vec<Finding> {
    let texts = functions.iter().filter(|function| function.is_public(crates));
    let what = |name: &str| format!("{name} returns an error as text: return an error type");
    texts.map(|function| Finding::new(&function.path, function.line, what(&function.name))).collect()
}

impl Function {
    fn is_public(&self, crates: &Crates) -> bool {
        crates.is_public(&self.path, &self.inner, &self.owner)
    }
}

struct Functions {
    path: String,
    inner: Vec<String>,
    owner: Option<String>,
    found: Vec<Function>,
}

impl Functions {
    fn add(&mut self, signature: &syn::Signature) {
        let syn::ReturnType::Type(_, returned) = &signature.output else { return };
        let syn::Type::Path(returned) = returned.as_ref() else { return };
        let is_text = |last: &syn::PathSegment| last.ident == "Result" && error_is_text(&last.arguments);
        if !returned.path.segments.last().is_some_and(is_text) {
            return;
        }
        let name = signature.ident.to_string();
        self.found.push(Function {
            path: self.path.clone(),
            inner: self.inner.clone(),
            owner: self.owner.clone().unwrap_or_else(|| name.clone()),
            name,
            line: line_of(signature.ident.span()),
        });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.inner.push(item.ident.to_string());
        syn::visit::visit_item_mod(self, item);
        self.inner.pop();
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        if is_public(&item.vis) {
            self.add(&item.sig);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if let syn::Type::Path(path) = item.self_ty.as_ref() {
            self.owner = path.path.segments.last().map(|segment| segment.ident.to_string());
            syn::visit::visit_item_impl(self, item);
            self.owner = None;
        }
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        if is_public(&item.vis) {
            self.add(&item.sig);
        }
    }

    fn visit_item_trait(&mut self, item: &syn::ItemTrait) {
        if is_public(&item.vis) {
            self.owner = Some(item.ident.to_string());
            for item in &item.items {
                if let syn::TraitItem::Fn(function) = item {
                    self.add(&function.sig);
                }
            }
            self.owner = None;
        }
    }
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

/// Returns whether the error type of a `Result` is a text.
fn error_is_text(arguments: &syn::PathArguments) -> bool {
    let syn::PathArguments::AngleBracketed(arguments) = arguments else { return false };
    let Some(syn::GenericArgument::Type(error)) = arguments.args.iter().nth(1) else { return false };
    let error = match error {
        syn::Type::Reference(reference) => reference.elem.as_ref(),
        other => other,
    };
    matches!(error, syn::Type::Path(path) if TEXT_TYPES.iter().any(|text| path.path.is_ident(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    use super::super::modules::crates_of;

    fn lines(files: &[(&str, &str)]) -> Vec<usize> {
        let functions: Vec<Function> =
            files.iter().flat_map(|(path, text)| functions(&Source::parse(path, text).unwrap())).collect();
        check(&functions, &crates_of(files)).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn only_what_other_crates_can_name_is_public() {
        let root = "mod a;\npub mod b;\npub use a::{A, f};\npub(crate) use a::g;\n";
        let a = "pub fn f() -> Result<(), String> {}\npub fn g() -> Result<(), String> {}\n\
                 impl A {\n    pub fn h() -> Result<(), String> {}\n}\nimpl B {\n    pub fn i() -> Result<(), String> {}\n}\n\
                 pub struct A;\npub struct B;\n";
        let files = [
            ("crates/os/src/lib.rs", root),
            ("crates/os/src/a.rs", a),
            ("crates/os/src/b.rs", "\n\npub fn j() -> Result<(), String> {}\n"),
        ];
        assert_eq!(lines(&files), [1, 4, 3]);
    }

    #[test]
    fn an_error_that_is_a_text_fails() {
        let text = "pub fn a() -> Result<(), String> {}\npub fn b() -> Result<(), &'static str> {}\n";
        assert_eq!(lines(&[("crates/os/src/lib.rs", text)]), [1, 2]);
        let text = "pub fn a() -> Result<String, E> {}\nfn b() -> Result<(), String> {}\n";
        assert_eq!(lines(&[("crates/os/src/lib.rs", text)]), [0; 0]);
    }
}
