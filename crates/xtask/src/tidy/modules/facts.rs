//! Declarations and uses of a file's modules, before names are resolved.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::Visit;

use super::super::source::{Source, attributes, is_test_only, line_of};

/// The modules of one file: the file itself and those written in it.
pub struct FileImports {
    pub path: String,
    pub modules: Vec<Facts>,
}

/// Declarations and uses of a module.
#[derive(Default)]
pub struct Facts {
    /// Path below the file: empty for the file itself.
    pub inner: Vec<String>,
    /// Whether a module written in the file is `pub`.
    pub is_public: bool,
    pub declared: Vec<Declared>,
    pub uses: Vec<Use>,
    pub items: BTreeSet<String>,
    pub references: Vec<Reference>,
}

/// `mod name;`
pub struct Declared {
    pub name: String,
    pub is_test: bool,
    pub is_public: bool,
}

/// One name of a `use` declaration.
pub struct Use {
    /// Name in this module; `*` for all names.
    pub name: String,
    pub path: Vec<String>,
    /// `None` for a plain `use`.
    pub reexport: Option<Reexport>,
    pub line: usize,
}

/// Visibility of a `pub use`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reexport {
    Crate,
    Public,
}

pub struct Reference {
    pub path: Vec<String>,
    pub line: usize,
}

impl FileImports {
    /// Collects the declarations and paths of a file.
    pub fn of(source: &Source) -> FileImports {
        let mut walk = Walk { modules: vec![Facts::default()], current: 0 };
        walk.visit_file(&source.syntax);
        FileImports { path: source.path.clone(), modules: walk.modules }
    }
}

struct Walk {
    modules: Vec<Facts>,
    current: usize,
}

impl Walk {
    fn facts(&mut self) -> &mut Facts {
        &mut self.modules[self.current]
    }

    fn refer(&mut self, path: Vec<String>, line: usize) {
        self.facts().references.push(Reference { path, line });
    }

    fn use_tree(&mut self, prefix: &[String], tree: &syn::UseTree, reexport: Option<Reexport>) {
        let with = |ident: &syn::Ident| [prefix, &[ident.to_string()]].concat();
        let mut add = |name: String, path: Vec<String>, line: usize| {
            // `use a::{self}` names the module itself.
            let path = if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
                path[..path.len() - 1].to_vec()
            } else {
                path
            };
            let name = if name == "self" { path.last().cloned().unwrap_or_default() } else { name };
            self.facts().uses.push(Use { name, path, reexport, line });
        };
        match tree {
            syn::UseTree::Path(path) => self.use_tree(&with(&path.ident), &path.tree, reexport),
            syn::UseTree::Name(name) => add(name.ident.to_string(), with(&name.ident), line_of(name.ident.span())),
            syn::UseTree::Rename(it) => add(it.rename.to_string(), with(&it.ident), line_of(it.ident.span())),
            syn::UseTree::Glob(glob) => add("*".into(), prefix.to_vec(), line_of(glob.star_token.spans[0])),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.use_tree(prefix, tree, reexport)),
        }
    }

    /// Paths in the tokens of a macro: two or more names with `::` between, a type's name, or a name that is called.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        let is_dot = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == '.');
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let TokenTree::Ident(first) = token else {
                if let TokenTree::Group(group) = token {
                    self.tokens(group.stream());
                }
                at += 1;
                continue;
            };
            let is_rooted = at >= 2 && is_colon(at - 1) && is_colon(at - 2);
            let is_member = at >= 1 && is_dot(at - 1);
            let mut path = vec![first.to_string()];
            let line = line_of(first.span());
            at += 1;
            while let (true, true, Some(TokenTree::Ident(next))) = (is_colon(at), is_colon(at + 1), tokens.get(at + 2))
            {
                path.push(next.to_string());
                at += 3;
            }
            let is_call =
                matches!(tokens.get(at), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
            let is_type = path[0].starts_with(|first: char| first.is_ascii_uppercase());
            if !is_rooted && !is_member && (path.len() > 1 || is_call || is_type) {
                self.refer(path, line);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if let syn::Item::Mod(module) = item {
            let is_test = is_test_only(&module.attrs);
            let is_public = matches!(module.vis, syn::Visibility::Public(_));
            let name = module.ident.to_string();
            match &module.content {
                None => self.facts().declared.push(Declared { name, is_test, is_public }),
                Some((_, items)) if !is_test => {
                    let inner = [self.facts().inner.as_slice(), &[name]].concat();
                    let outer = std::mem::replace(&mut self.current, self.modules.len());
                    self.modules.push(Facts { inner, is_public, ..Facts::default() });
                    items.iter().for_each(|item| self.visit_item(item));
                    self.current = outer;
                }
                Some(_) => {}
            }
            return;
        }
        if is_test_only(attributes(item)) {
            return;
        }
        let name = match item {
            syn::Item::Const(item) => Some(&item.ident),
            syn::Item::Enum(item) => Some(&item.ident),
            syn::Item::Fn(item) => Some(&item.sig.ident),
            syn::Item::Static(item) => Some(&item.ident),
            syn::Item::Struct(item) => Some(&item.ident),
            syn::Item::Trait(item) => Some(&item.ident),
            syn::Item::Type(item) => Some(&item.ident),
            syn::Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        self.facts().items.extend(name.map(ToString::to_string));
        syn::visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test_only(&item.attrs) {
            syn::visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            let reexport = match item.vis {
                syn::Visibility::Inherited => None,
                syn::Visibility::Public(_) => Some(Reexport::Public),
                syn::Visibility::Restricted(_) => Some(Reexport::Crate),
            };
            self.use_tree(&[], &item.tree, reexport);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none()
            && let Some(first) = path.segments.first()
        {
            let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.refer(segments, line_of(first.ident.span()));
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.visit_path(&item.path);
        self.tokens(item.tokens.clone());
    }

    // `pub(super)` and `#[derive(…)]` are not imports.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}
