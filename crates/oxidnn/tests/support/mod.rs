//! What the tests of primitives share.

use oxidnn::Engine;
use oxidnn::desc::EngineKind;

/// The host, and every device there is.
#[allow(dead_code, reason = "one suite tells them apart")]
pub fn engines() -> Vec<Engine> {
    let gpus = (0..Engine::count(EngineKind::Gpu)).map(|i| Engine::new(EngineKind::Gpu, i).unwrap());
    std::iter::once(Engine::new(EngineKind::Cpu, 0).unwrap()).chain(gpus).collect()
}

/// The cases of a list that are tried: all of them, or the first of every few where `OXIDNN_TEST_EVERY` says how many those are, for
/// runtimes that take long to build kernels.
#[allow(dead_code, reason = "not every suite has long lists")]
pub fn tried<T>(cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let every = std::env::var("OXIDNN_TEST_EVERY").map_or(1, |number| number.parse().expect("a number above zero"));
    cases.into_iter().step_by(every)
}
