//! The headers in `include/` are made from the templates in `headers/`, the entry points in `src/` and the library's
//! vocabularies. `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers` writes them.

mod declarations;
mod reference;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use declarations::{Declaration, in_file};
use dnnl::handle::Vocabulary;
use dnnl::vocabulary::*;

fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn include_dir() -> PathBuf {
    crate_dir().join("../../include")
}

/// Headers that programs may also include without the directory.
const FORWARDED: [&str; 6] =
    ["dnnl.h", "dnnl_config.h", "dnnl_debug.h", "dnnl_ocl.h", "dnnl_types.h", "dnnl_version.h"];

#[test]
fn headers_are_up_to_date() {
    let mut wanted = Vec::new();
    let mut templates: Vec<_> =
        std::fs::read_dir(crate_dir().join("headers")).unwrap().map(|e| e.unwrap().path()).collect();
    templates.sort();
    for template in templates.iter().filter(|path| path.extension().is_some_and(|ext| ext == "h")) {
        let name = template.file_name().unwrap().to_str().unwrap();
        wanted.push((format!("oneapi/dnnl/{name}"), expand(&std::fs::read_to_string(template).unwrap())));
    }
    for name in FORWARDED {
        wanted.push((name.into(), format!("#include \"oneapi/dnnl/{name}\"\n")));
    }
    let update = std::env::var_os("UPDATE_HEADERS").is_some();
    for (name, text) in wanted {
        let path = include_dir().join(&name);
        let text = format!("/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */\n\n{text}");
        if update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == text, "include/{name} is not what UPDATE_HEADERS=1 makes");
    }
}

/// Replaces the lines that start with `//@`.
fn expand(template: &str) -> String {
    let mut text = String::new();
    for line in template.lines() {
        let Some(order) = line.strip_prefix("//@ ") else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        let words: Vec<&str> = order.split(' ').collect();
        text.push_str(&match words[..] {
            ["functions", ref files @ ..] => functions(files),
            ["enum", name] => enumeration(name),
            ["args"] => args(),
            ["hash"] => format!("#define DNNL_VERSION_HASH \"oxidnn-{}\"\n", env!("CARGO_PKG_VERSION")),
            _ => panic!("no such order: {order}"),
        });
    }
    text
}

fn functions(files: &[&str]) -> String {
    let prototypes = files.iter().flat_map(|file| in_file(&crate_dir().join(format!("src/{file}.rs"))));
    prototypes.filter(|function| !function.hidden).map(|function| prototype(&function)).collect::<Vec<_>>().join("\n")
}

fn prototype(function: &Declaration) -> String {
    let mut text = String::new();
    if !function.doc.is_empty() {
        let _ = writeln!(text, "{}", comment(&function.doc));
    }
    let returns = match function.returns.strip_suffix(" *") {
        Some(pointee) => format!("{pointee} DNNL_API *"),
        None => format!("{} DNNL_API ", function.returns),
    };
    let parameters = match &function.parameters[..] {
        [] => "void".into(),
        some => some.iter().map(|(name, ty)| declarator(name, ty)).collect::<Vec<_>>().join(", "),
    };
    // Lines break between parameters only.
    let unbroken = format!("{returns}{}({parameters});", function.name).replace(' ', "\u{a0}").replace(",\u{a0}", ", ");
    text + &wrap(&unbroken, "        ").replace('\u{a0}', " ")
}

fn declarator(name: &str, ty: &str) -> String {
    if ty.ends_with('*') { format!("{ty}{name}") } else { format!("{ty} {name}") }
}

/// The header's form of a doc comment.
fn comment(doc: &str) -> String {
    let one_line = format!("/* {doc} */");
    if one_line.len() <= 120 {
        return one_line;
    }
    let lines = wrap(doc, "");
    format!("/*\n{} */", lines.lines().map(|line| format!(" * {line}\n")).collect::<String>())
}

/// Breaks a line at spaces where it would get longer than 117 columns.
fn wrap(text: &str, indent: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > 117 {
            let _ = writeln!(lines, "{}", line.trim_end());
            line = indent.to_owned();
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines + &line + "\n"
}

fn enumeration(name: &str) -> String {
    /// The enumerators of a vocabulary: `prefix` before each name but those that have one of their own.
    fn of<T: Vocabulary>(all: &[T], prefix: &str, named: &[(&str, &str)]) -> Vec<(String, String)> {
        let enumerator = |value: &T| {
            let name = value.name();
            let own = named.iter().find(|(of, _)| *of == name);
            (own.map_or_else(|| format!("{prefix}{name}"), |(_, own)| own.to_string()), value.to_c().to_string())
        };
        all.iter().map(enumerator).collect()
    }
    let extra = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let (c_type, mut enumerators) = match name {
        "DataType" => ("data_type", of(DataType::ALL, "dnnl_", &[("undef", "dnnl_data_type_undef")])),
        "FpmathMode" => ("fpmath_mode", of(FpmathMode::ALL, "dnnl_fpmath_mode_", &[])),
        "AccumulationMode" => ("accumulation_mode", of(AccumulationMode::ALL, "dnnl_accumulation_mode_", &[])),
        "EngineKind" => ("engine_kind", of(EngineKind::ALL, "dnnl_", &[("any", "dnnl_any_engine")])),
        "FormatKind" => ("format_kind", of(FormatKind::ALL, "dnnl_format_kind_", &[("blocked", "dnnl_blocked")])),
        "SparseEncoding" => {
            ("sparse_encoding", of(SparseEncoding::ALL, "dnnl_", &[("undef", "dnnl_sparse_encoding_undef")]))
        }
        "FormatTag" => {
            let all: Vec<FormatTag> = [FormatTag::UNDEF, FormatTag::ANY].into_iter().chain(FormatTag::all()).collect();
            let mut enumerators =
                of(&all, "dnnl_", &[("undef", "dnnl_format_tag_undef"), ("any", "dnnl_format_tag_any")]);
            enumerators.push(extra("dnnl_format_tag_last", &all.len().to_string()));
            for alias in include_str!("../headers/tag_aliases.txt").split_ascii_whitespace() {
                let tag = FormatTag::from_name(alias).unwrap_or_else(|| panic!("{alias} is no tag"));
                enumerators.push((format!("dnnl_{alias}"), format!("dnnl_{tag}")));
            }
            ("format_tag", enumerators)
        }
        "PropKind" => ("prop_kind", of(PropKind::ALL, "dnnl_", &[("undef", "dnnl_prop_kind_undef")])),
        "PrimitiveKind" => {
            ("primitive_kind", of(PrimitiveKind::ALL, "dnnl_", &[("undef", "dnnl_undefined_primitive")]))
        }
        "AlgKind" => ("alg_kind", of(AlgKind::ALL, "dnnl_", &[("undef", "dnnl_alg_kind_undef")])),
        "ScratchpadMode" => ("scratchpad_mode", of(ScratchpadMode::ALL, "dnnl_scratchpad_mode_", &[])),
        "RoundingMode" => ("rounding_mode", of(RoundingMode::ALL, "dnnl_rounding_mode_", &[])),
        "QuantizationMode" => ("quantization_mode", of(QuantizationMode::ALL, "dnnl_quantization_mode_", &[])),
        "Query" => ("query", of(Query::ALL, "dnnl_query_", &[])),
        _ => panic!("no such enumeration: {name}"),
    };
    match name {
        "PropKind" => enumerators.push(extra("dnnl_forward", "dnnl_forward_training")),
        "DataType" => enumerators.push(extra("dnnl_data_type_max", "0x7fff")),
        "FormatKind" | "PrimitiveKind" | "Query" => enumerators.push((format!("dnnl_{c_type}_max"), "0x7fff".into())),
        _ => {}
    }
    let lines: String = enumerators.iter().map(|(name, value)| format!("    {name} = {value},\n")).collect();
    format!("typedef enum {{\n{lines}}} dnnl_{c_type}_t;\n")
}

fn args() -> String {
    let source = std::fs::read_to_string(crate_dir().join("../oxidnn/src/desc/arg.rs")).unwrap();
    let constants = declarations::constants(&source);
    constants.iter().map(|(name, value)| format!("#define DNNL_ARG_{name} {value}\n")).collect()
}

/// Compiles a C or C++ text that includes headers; `None` if there is no compiler.
fn compile(language: &str, include: &Path, text: &str, output: &Path, flags: &[&str]) -> Option<std::process::Output> {
    let compiler = if language == "c" { "cc" } else { "c++" };
    let source = output.with_extension(language);
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new(compiler);
    command.arg("-I").arg(include).args(["-Wall", "-Wextra", "-Werror", "-pedantic"]).args(flags);
    command.arg("-DCL_TARGET_OPENCL_VERSION=300").arg("-o").arg(output).arg(&source);
    command.output().ok()
}

fn headers_that_compile_here() -> Vec<&'static str> {
    let mut headers = vec!["dnnl.h", "oneapi/dnnl/dnnl_debug.h", "oneapi/dnnl/dnnl_graph.h", "oneapi/dnnl/oxidnn.h"];
    let has = |header: &str| Path::new("/usr/include").join(header).exists();
    if has("CL/cl.h") {
        headers.extend(["dnnl_ocl.h", "oneapi/dnnl/dnnl_graph_ocl.h"]);
    }
    if has("level_zero/ze_api.h") {
        headers.push("oneapi/dnnl/dnnl_ze.h");
    }
    headers
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn headers_compile_as_c_and_as_cpp() {
    let includes: String = headers_that_compile_here().iter().map(|header| format!("#include <{header}>\n")).collect();
    for language in ["c", "cpp"] {
        let text = format!("{includes}int main(void) {{ return 0; }}\n");
        let output = scratch(&format!("headers_{language}"));
        let Some(result) = compile(language, &include_dir(), &text, &output, &[]) else { continue };
        assert!(result.status.success(), "{language}: {}", String::from_utf8_lossy(&result.stderr));
    }
}

#[test]
fn prototypes_agree_with_the_reference() {
    let Some(reference) = reference::include_dir() else { return };
    let mut text: String = headers_that_compile_here().iter().map(|header| format!("#include <{header}>\n")).collect();
    for file in reference::HEADERS.iter().filter(|file| headers_that_compile_here().iter().any(|h| h.ends_with(*file)))
    {
        for function in reference::functions(&reference.join("oneapi/dnnl").join(file)) {
            let _ = writeln!(text, "{};", function.text);
        }
    }
    // Declaring a function twice is an error in C if the types differ.
    let Some(result) = compile("c", &include_dir(), &text, &scratch("prototypes"), &["-c"]) else { return };
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
}

#[test]
fn constants_agree_with_the_reference() {
    let Some(reference) = reference::include_dir() else { return };
    let mut lines = String::new();
    for header in ["dnnl_common_types.h", "dnnl_types.h", "dnnl_graph_types.h", "dnnl_ocl_types.h"] {
        for constant in reference::constants(&reference.join("oneapi/dnnl").join(header)) {
            let _ = writeln!(lines, "    printf(\"{constant} %lld\\n\", (long long)({constant}));");
        }
    }
    let values = |include: &Path, name: &str| -> Option<String> {
        let text = format!(
            "#include <stdio.h>\n#include <oneapi/dnnl/dnnl_types.h>\n#include <oneapi/dnnl/dnnl_graph_types.h>\n\
             #include <oneapi/dnnl/dnnl_ocl_types.h>\nint main(void) {{\n{lines}    return 0;\n}}\n"
        );
        let output = scratch(name);
        let result = compile("c", include, &text, &output, &["-DDNNL_EXPERIMENTAL_PROFILING"])?;
        assert!(result.status.success(), "{name}: {}", String::from_utf8_lossy(&result.stderr));
        Some(String::from_utf8(Command::new(&output).output().unwrap().stdout).unwrap())
    };
    let Some(theirs) = values(&reference, "constants_reference") else { return };
    assert!(theirs.lines().count() > 1000, "constants were not found in the reference");
    let ours = values(&include_dir(), "constants_own").unwrap();
    for (ours, theirs) in ours.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs);
    }
}
