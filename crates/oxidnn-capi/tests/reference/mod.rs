//! Reads the headers of oneDNN, where they are installed: PyPI `onednn-devel`.

use std::path::{Path, PathBuf};

/// The headers whose functions the library has.
pub const HEADERS: [&str; 7] =
    ["dnnl_common.h", "dnnl.h", "dnnl_debug.h", "dnnl_ocl.h", "dnnl_ze.h", "dnnl_graph.h", "dnnl_graph_ocl.h"];

/// A function of the reference.
#[allow(dead_code, reason = "each test reads one of them")]
pub struct Function {
    pub name: String,
    /// Its declaration without the semicolon.
    pub text: String,
}

/// Where the reference's headers are: `OXIDNN_REFERENCE_INCLUDE`, or where the test command installs them.
///
/// Without them there is nothing to compare with, unless the variable says that there must be.
pub fn include_dir() -> Option<PathBuf> {
    if let Some(dir) = std::env::var_os("OXIDNN_REFERENCE_INCLUDE") {
        let dir = PathBuf::from(dir);
        assert!(dir.join("oneapi/dnnl/dnnl.h").exists(), "no oneapi/dnnl/dnnl.h in {}", dir.display());
        return Some(dir);
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    let found = Some(target.join("venv/include")).filter(|dir| dir.join("oneapi/dnnl/dnnl.h").exists());
    if found.is_none() {
        println!(
            "skipped: no oneDNN headers; `cargo xtask setup` installs them, OXIDNN_REFERENCE_INCLUDE names others"
        );
    }
    found
}

/// The functions that a header declares.
pub fn functions(header: &Path) -> Vec<Function> {
    let text = without_comments(header);
    let mut functions = Vec::new();
    for statement in text.split(';') {
        let Some((before, after)) = statement.split_once("DNNL_API") else { continue };
        // What comes before the declaration in the same statement: braces, preprocessor lines.
        let returns = before.rsplit(['{', '}', '\n']).find(|part| !part.trim().is_empty()).unwrap_or_default().trim();
        let Some((name, _)) = after.split_once('(') else { continue };
        let name = name.trim().trim_start_matches('*').trim();
        if returns.starts_with('#') || name.contains(' ') {
            continue;
        }
        let text = format!("{returns} {}", after.split_whitespace().collect::<Vec<_>>().join(" "));
        functions.push(Function { name: name.to_owned(), text });
    }
    functions
}

/// The enumerators and object-like macros with a value that a header defines.
#[allow(dead_code, reason = "only the headers have constants")]
pub fn constants(header: &Path) -> Vec<String> {
    let text = without_comments(header);
    let mut constants = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if words.next() == Some("#define")
            && let (Some(name), Some(_)) = (words.next(), words.next())
            && !name.contains('(')
            && !name.contains("_H")
            && !name.starts_with("DNNL_MEMORY_")
            && !name.contains("F32_VAL")
        {
            constants.push(name.to_owned());
        }
    }
    for body in text.split("typedef enum {").skip(1) {
        let body = body.split('}').next().unwrap_or_default();
        let lines: String = body.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        let names = lines.split(',').map(|e| e.split('=').next().unwrap_or_default().trim().to_owned());
        constants.extend(names.filter(|name| !name.is_empty() && name != "dnnl_grouped"));
    }
    constants
}

fn without_comments(header: &Path) -> String {
    let text = std::fs::read_to_string(header).unwrap_or_else(|e| panic!("{}: {e}", header.display()));
    let mut rest = text.as_str();
    let mut out = String::new();
    while let Some(start) = rest.find("/*") {
        out.push_str(&rest[..start]);
        rest = rest[start..].split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}
