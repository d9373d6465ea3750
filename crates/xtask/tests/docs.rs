//! The documents say what the sources say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

fn read(path: &str) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The files below a directory whose names end like this, in order.
fn files(dir: &str, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut dirs = vec![root().join(dir)];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                dirs.push(path);
            } else if path.to_str().is_some_and(|name| name.ends_with(end)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Words of letters, digits and underscores that begin like this.
fn words<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    let of_words = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    text.split(of_words).filter(move |word| word.starts_with(prefix))
}

/// The functions that the headers declare.
fn declared() -> BTreeSet<String> {
    let mut functions = BTreeSet::new();
    for header in files("include/oneapi/dnnl", ".h") {
        for part in fs::read_to_string(header).unwrap().split("DNNL_API ").skip(1) {
            let name = part.trim_start_matches('*').split('(').next().unwrap();
            if name.starts_with("dnnl_") {
                functions.insert(name.to_owned());
            }
        }
    }
    functions
}

/// The functions that the sources say come later.
fn later() -> BTreeSet<String> {
    let mut functions = BTreeSet::new();
    for source in files("crates/oxidnn-capi/src", ".rs") {
        let text = fs::read_to_string(source).unwrap();
        for block in text.split("\nlater! {").skip(1) {
            let block = block.split("\n}").next().unwrap();
            let names = block.lines().filter_map(|line| line.trim().strip_prefix("fn "));
            functions.extend(names.filter_map(|line| line.split('(').next()).map(str::to_owned));
        }
    }
    functions
}

/// The state of each function by the page's tables.
fn documented() -> BTreeMap<String, String> {
    let mut states = BTreeMap::new();
    for row in read("docs/compatibility.md").lines().filter(|line| line.starts_with("| `dnnl_")) {
        let [functions, state, _] = row.trim_matches('|').split(" | ").collect::<Vec<_>>()[..] else {
            panic!("not three columns: {row}");
        };
        for function in words(functions, "dnnl_") {
            let twice = states.insert(function.to_owned(), state.to_owned());
            assert_eq!(twice, None, "{function} is there twice");
        }
    }
    states
}

#[test]
fn every_function_has_its_state_on_the_compatibility_page() {
    let (declared, documented) = (declared(), documented());
    assert!(declared.len() > 270, "only {} functions were found in the headers", declared.len());
    let missing: Vec<_> = declared.iter().filter(|name| !documented.contains_key(*name)).collect();
    assert!(missing.is_empty(), "not in docs/compatibility.md: {missing:?}");
    let unknown: Vec<_> = documented.keys().filter(|name| !declared.contains(*name)).collect();
    assert!(unknown.is_empty(), "in docs/compatibility.md, but in no header: {unknown:?}");
    let states = ["works", "accepted", "not yet", "unsupported"];
    let odd: Vec<_> = documented.iter().filter(|(_, state)| !states.contains(&state.as_str())).collect();
    assert!(odd.is_empty(), "no such state: {odd:?}");
}

#[test]
fn not_yet_is_what_the_sources_say_it_is() {
    let later = later();
    assert!(!later.is_empty(), "no function comes later: this test has lost its way");
    for (function, state) in documented() {
        assert_eq!(state == "not yet", later.contains(&function), "{function} is documented as \"{state}\"");
    }
}

#[test]
fn every_variable_is_on_the_page_of_environment_variables() {
    let page = read("docs/environment.md");
    let documented: BTreeSet<&str> = words(&page, "OXIDNN_").chain(words(&page, "ONEDNN_")).collect();
    let mut used = BTreeSet::new();
    for source in ["oxidnn", "oxidnn-capi", "oxidnn-differential"].map(|name| files(&format!("crates/{name}"), ".rs")) {
        for text in source.iter().map(|path| fs::read_to_string(path).unwrap()) {
            let in_code = text.split('"').filter(|part| part.starts_with("OXIDNN_"));
            used.extend(in_code.flat_map(|part| words(part, "OXIDNN_")).map(str::to_owned));
            // The table in the library's own documentation.
            let in_tables = text.lines().filter_map(|line| line.strip_prefix("//! | `ONEDNN_"));
            used.extend(in_tables.filter_map(|line| line.split('`').next()).map(|name| format!("ONEDNN_{name}")));
        }
    }
    // How tests talk to processes that they start.
    used.retain(|name| !name.starts_with("OXIDNN_TEST_"));
    assert!(used.len() >= 10, "only {used:?} were found");
    let missing: Vec<_> = used.iter().filter(|name| !documented.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "not in docs/environment.md: {missing:?}");
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut documents = [files("docs", ".md"), files("crates", ".md")].concat();
    documents.extend(["README.md", "CHANGELOG.md"].map(|name| root().join(name)));
    let mut count = 0;
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for target in text.split("](").skip(1).filter_map(|part| part.split(')').next()) {
            let file = target.split('#').next().unwrap();
            if file.contains("://") || file.is_empty() {
                continue;
            }
            count += 1;
            assert!(document.with_file_name(file).exists(), "{} links to {target}", document.display());
        }
    }
    assert!(count > 10);
}
