//! stub
#![allow(missing_docs)]
pub mod env {
    pub fn primitive_cache_capacity() -> usize {
        1024
    }
}
pub mod verbose {
    pub enum Level {
        ProfileExec,
    }
    pub fn enabled(_: Level) -> bool {
        false
    }
    pub fn created(_: crate::primitive::Origin, _: impl Fn() -> String, _: std::time::Instant) {}
    pub fn executed(_: impl Fn() -> String, _: std::time::Instant) {}
}
