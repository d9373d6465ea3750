//! Gives the shared library the name that programs linked with oneDNN 3 look for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libdnnl.so.3");
}
