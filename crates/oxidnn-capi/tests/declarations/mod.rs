//! Reads the entry points out of the crate's sources.

use std::path::Path;

use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, FnArg, Item, Lit, Meta, Pat, ReturnType, Signature, TraitItemFn, Type};

/// An entry point in C's terms.
#[derive(Debug)]
#[allow(dead_code, reason = "each test reads some of them")]
pub struct Declaration {
    pub name: String,
    pub returns: String,
    /// Names and types.
    pub parameters: Vec<(String, String)>,
    /// Which parameters may not be null.
    pub required: Vec<bool>,
    pub doc: String,
    /// Exported, but not for programs to call.
    pub hidden: bool,
}

/// The entry points of all source files.
#[allow(dead_code, reason = "headers are made from single files")]
pub fn all() -> Vec<Declaration> {
    let sources = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    sources.flat_map(|source| in_file(&source.unwrap().path())).collect()
}

/// The entry points of a source file, in order.
pub fn in_file(path: &Path) -> Vec<Declaration> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let file = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut declarations = Vec::new();
    for item in file.items {
        match item {
            Item::Fn(function) if function.sig.abi.is_some() => {
                declarations.push(declaration(&function.attrs, &function.sig, None));
            }
            Item::Macro(call) if call.mac.path.is_ident("later") => {
                let Listed(functions) = call.mac.parse_body().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                let all = functions.iter().map(|f| declaration(&f.attrs, &f.sig, Some("dnnl_status_t")));
                declarations.extend(all);
            }
            Item::Macro(call) if call.mac.path.is_ident("objects") => {
                let Objects(objects) = call.mac.parse_body().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                declarations.extend(objects);
            }
            _ => {}
        }
    }
    declarations
}

/// The constants of a file, with names of others as they are in C.
#[allow(dead_code, reason = "only the headers have constants")]
pub fn constants(text: &str) -> Vec<(String, String)> {
    let file = syn::parse_file(text).unwrap();
    let constants = file.items.iter().filter_map(|item| match item {
        Item::Const(item) => Some((item.ident.to_string(), item.expr.to_token_stream().to_string())),
        _ => None,
    });
    let c_value = |value: String| match value.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => format!("DNNL_ARG_{value}"),
        false => value,
    };
    constants.map(|(name, value)| (name, c_value(value))).collect()
}

struct Listed(Vec<TraitItemFn>);

impl Parse for Listed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Listed> {
        let mut functions = Vec::new();
        while !input.is_empty() {
            functions.push(input.parse()?);
        }
        Ok(Listed(functions))
    }
}

/// `Name b"tag" "text" destroy(parameter);`
struct Objects(Vec<Declaration>);

impl Parse for Objects {
    fn parse(input: ParseStream<'_>) -> syn::Result<Objects> {
        let mut objects = Vec::new();
        while !input.is_empty() {
            let object: syn::Ident = input.parse()?;
            let _: syn::LitByteStr = input.parse()?;
            let _: syn::LitStr = input.parse()?;
            let name: syn::Ident = input.parse()?;
            let parameter;
            syn::parenthesized!(parameter in input);
            let parameter: syn::Ident = parameter.parse()?;
            let _: syn::Token![;] = input.parse()?;
            objects.push(Declaration {
                name: name.to_string(),
                returns: "dnnl_status_t".into(),
                parameters: vec![(parameter.to_string(), format!("dnnl_{}_t", snake(&object.to_string())))],
                required: vec![false],
                doc: String::new(),
                hidden: false,
            });
        }
        Ok(Objects(objects))
    }
}

fn declaration(attrs: &[Attribute], sig: &Signature, default: Option<&str>) -> Declaration {
    let parameters = sig.inputs.iter().map(|input| match input {
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(pat) => (pat.ident.to_string(), c_type(&typed.ty), !is_opt(&typed.ty)),
            _ => panic!("{}: a parameter without a name", sig.ident),
        },
        FnArg::Receiver(_) => panic!("{}: a method", sig.ident),
    });
    let parameters: Vec<_> = parameters.collect();
    Declaration {
        name: sig.ident.to_string(),
        returns: match (&sig.output, default) {
            (ReturnType::Type(_, ty), _) => c_type(ty),
            (ReturnType::Default, Some(default)) => default.into(),
            (ReturnType::Default, None) => "void".into(),
        },
        required: parameters.iter().map(|(.., required)| *required).collect(),
        parameters: parameters.into_iter().map(|(name, ty, _)| (name, ty)).collect(),
        doc: attrs.iter().filter_map(doc_line).collect::<Vec<_>>().join(" "),
        hidden: attrs.iter().any(|attr| attr.to_token_stream().to_string().replace(' ', "") == "#[doc(hidden)]"),
    }
}

fn doc_line(attr: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attr.meta else { return None };
    let Expr::Lit(lit) = &meta.value else { return None };
    match &lit.lit {
        Lit::Str(text) if meta.path.is_ident("doc") => Some(text.value().trim().replace('`', "")),
        _ => None,
    }
}

fn is_opt(ty: &Type) -> bool {
    ty.to_token_stream().to_string().starts_with("Opt ")
}

/// How C writes a parameter's type.
fn c_type(ty: &Type) -> String {
    let (name, argument) = match ty {
        Type::Reference(reference) => return format!("const {} *", c_type(&reference.elem)),
        Type::Ptr(pointer) => {
            let pointee = c_type(&pointer.elem);
            let constness = if pointer.to_token_stream().to_string().starts_with("* const") { "const " } else { "" };
            return format!("{constness}{pointee} *");
        }
        Type::Path(path) => {
            let segment = path.path.segments.last().unwrap();
            let argument = match &segment.arguments {
                syn::PathArguments::AngleBracketed(list) => match list.args.first() {
                    Some(syn::GenericArgument::Type(ty)) => Some(ty),
                    _ => None,
                },
                _ => None,
            };
            (segment.ident.to_string(), argument)
        }
        _ => panic!("a type that C does not have: {}", ty.to_token_stream()),
    };
    let object = |ty: &Type| match &*ty.to_token_stream().to_string() {
        "Attr" => "primitive_attr".to_owned(),
        name => snake(name.rsplit(": ").next().unwrap_or(name)),
    };
    match (&*name, argument) {
        ("Opt", Some(ty)) => c_type(ty),
        ("Const", Some(ty)) => format!("const_dnnl_{}_t", object(ty)),
        ("Mut", Some(ty)) => format!("dnnl_{}_t", object(ty)),
        ("Enum", Some(ty)) => format!("dnnl_{}_t", object(ty)),
        ("Out" | "Items", Some(ty)) => pointer(&c_type(ty)),
        ("In", Some(ty)) => match &*c_type(ty) {
            // An array of handles is itself not written.
            handle if handle.starts_with("const_") => format!("{handle} const *"),
            pointee if pointee.ends_with('*') => format!("{pointee}*"),
            pointee => format!("const {pointee} *"),
        },
        ("InDims", None) => "const dnnl_dims_t".into(),
        ("Text", None) => "const char *".into(),
        ("Untyped" | "Pointer", None) => "void *".into(),
        ("ConstUntyped", None) => "const void *".into(),
        ("c_void", None) => "void".into(),
        ("c_int", None) => "int".into(),
        ("c_uint", None) => "unsigned".into(),
        ("c_char", None) => "char".into(),
        ("f32", None) => "float".into(),
        ("usize", None) => "size_t".into(),
        ("i8" | "u8" | "u16" | "i32" | "u32" | "i64" | "u64", None) => {
            format!("{}int{}_t", if name.starts_with('u') { "u" } else { "" }, &name[1..])
        }
        ("HostAllocate" | "HostDeallocate" | "OclAllocate" | "OclDeallocate", None) => {
            format!("dnnl_graph_{}_f", snake(&name))
        }
        (raw, None) if raw.starts_with("cl_") || raw.starts_with("ze_") => raw.to_owned(),
        ("Status" | "Dim" | "Version" | "ExecArg" | "GraphLogicalTensor" | "GraphInplacePair", None) => {
            format!("dnnl_{}_t", snake(&name))
        }
        _ => panic!("what {name} is in C is not known"),
    }
}

fn pointer(pointee: &str) -> String {
    if pointee.ends_with('*') { format!("{pointee}*") } else { format!("{pointee} *") }
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}
